//! Mistakes in the route attribute are left to actix-web.

use actix_web::{Responder, get, route, routes};
use actix_web_guard::rate_limit;

const PATH: &str = "/";

#[rate_limit(requests = 5, window = 60)]
#[get]
async fn no_arguments() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60)]
#[get(PATH)]
async fn path_is_no_literal() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60)]
#[get("/", guarded = "by_nothing")]
async fn unknown_option() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60)]
#[route("/")]
async fn no_method() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60)]
#[routes]
async fn no_route() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60)]
#[get("/")]
async fn returns_nothing() {}

fn main() {}
