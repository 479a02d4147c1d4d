//! Missing, unknown, doubled and misspelt arguments.

use actix_web::{Responder, get};
use actix_web_guard::rate_limit;

#[rate_limit]
#[get("/")]
async fn nothing() -> impl Responder {
    "hello"
}

#[rate_limit()]
#[get("/")]
async fn nothing_in_parentheses() -> impl Responder {
    "hello"
}

#[rate_limit(window = 60)]
#[get("/")]
async fn no_requests() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5)]
#[get("/")]
async fn no_window() -> impl Responder {
    "hello"
}

#[rate_limit(name = "burst")]
#[get("/")]
async fn neither() -> impl Responder {
    "hello"
}

#[rate_limit(requests, window = 60)]
#[get("/")]
async fn requests_without_value() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window =)]
#[get("/")]
async fn window_without_value() -> impl Responder {
    "hello"
}

#[rate_limit(5, 60)]
#[get("/")]
async fn without_names() -> impl Responder {
    "hello"
}

#[rate_limit("5/m")]
#[get("/")]
async fn as_text() -> impl Responder {
    "hello"
}

#[rate_limit(requests(5), window(60))]
#[get("/")]
async fn with_parentheses() -> impl Responder {
    "hello"
}

#[rate_limit(requests: 5, window: 60)]
#[get("/")]
async fn with_colons() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5 window = 60)]
#[get("/")]
async fn no_comma() -> impl Responder {
    "hello"
}

#[rate_limit(request = 5, window = 60)]
#[get("/")]
async fn misspelt() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, per = "user", type = 1)]
#[get("/")]
async fn unknown() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, requests = 6)]
#[get("/")]
async fn twice() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, detection = "on")]
#[get("/")]
async fn detection_on() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, detection)]
#[get("/")]
async fn detection_without_value() -> impl Responder {
    "hello"
}

#[rate_limit(detection = "off", detection = "off")]
#[get("/")]
async fn detection_twice() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, crate)]
#[get("/")]
async fn crate_without_value() -> impl Responder {
    "hello"
}

#[rate_limit(crate = actix_web_guard)]
#[get("/")]
async fn only_the_crate() -> impl Responder {
    "hello"
}

fn main() {
    // A handler is there in spite of the mistake.
    let _ = nothing;
}
