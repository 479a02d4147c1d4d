//! A path that does not lead to actix-web-guard.

use actix_web::{Responder, get};
use actix_web_guard::rate_limit;

#[rate_limit(crate = guard, requests = 5, window = 60)]
#[get("/")]
async fn unknown() -> impl Responder {
    "hello"
}

#[rate_limit(crate = "guard", exempt)]
#[get("/")]
async fn unknown_in_quotes() -> impl Responder {
    "hello"
}

fn main() {}
