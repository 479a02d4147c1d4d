//! Mistakes in the route attribute are left to actix-web, but for those that leave nothing to limit.

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

mod other_crate {
    pub use core::prelude::v1::test as trace;
}

// Not a route attribute, and it compiles.
#[rate_limit(requests = 5, window = 60)]
#[other_crate::trace]
async fn registered_by_hand() -> impl Responder {
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
