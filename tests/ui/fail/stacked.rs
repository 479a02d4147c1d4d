//! Attributes that do not go together.

use actix_web::{Responder, get};
use actix_web_guard::rate_limit;

#[rate_limit(exempt, requests = 5, window = 60)]
#[get("/")]
async fn exempt_with_limit() -> impl Responder {
    "hello"
}

#[rate_limit(exempt = true)]
#[get("/")]
async fn exempt_with_value() -> impl Responder {
    "hello"
}

#[rate_limit(exempt)]
#[rate_limit(requests = 5, window = 60)]
#[get("/")]
async fn exempt_above_limit() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60)]
#[get("/")]
#[rate_limit(exempt)]
async fn exempt_below_limit() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60)]
#[rate_limit(requests = 100, window = "1h")]
#[get("/")]
async fn unnamed_twice() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, name = "burst")]
#[rate_limit(requests = 50, window = 600)]
#[rate_limit(requests = 100, window = "1h", name = "burst")]
#[get("/")]
async fn same_name() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 0, window = 60, name = "burst")]
#[rate_limit]
#[rate_limit = "5/m"]
#[actix_web_guard::rate_limit(requests = 100)]
#[get("/")]
async fn mistakes_in_all() -> impl Responder {
    "hello"
}

fn main() {
    // A handler is there in spite of the mistake.
    let _ = mistakes_in_all;
}
