//! The function of a `key` does not exist.

use actix_web::{Responder, get, routes};
use actix_web_guard::rate_limit;

mod keys {}

#[rate_limit(requests = 5, window = 60, key = by_nothing)]
#[get("/")]
async fn unknown_function() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = keys::by_nothing)]
#[get("/")]
async fn unknown_in_module() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, name = "minute", key = by_this)]
#[rate_limit(requests = 50, window = "1h", key = by_that)]
#[get("/")]
async fn unknown_in_two() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = by_nothing)]
#[routes]
#[get("/a")]
#[get("/b")]
async fn unknown_on_two_routes() -> impl Responder {
    "hello"
}

fn main() {}
