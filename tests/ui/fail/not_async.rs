//! A handler must be `async`, or return a future.

use actix_web::{Responder, get};
use actix_web_guard::rate_limit;

#[rate_limit(requests = 5, window = 60)]
#[get("/")]
fn not_async() -> impl Responder {
    "hello"
}

fn main() {}
