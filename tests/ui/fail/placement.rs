//! Not on a handler, or not above its route attribute.

use actix_web::{Responder, get, route, routes};
use actix_web_guard::rate_limit;

#[rate_limit(requests = 5, window = 60)]
struct Structure;

#[rate_limit(requests = 5, window = 60)]
impl Structure {}

#[rate_limit(requests = 5, window = 60)]
mod module {}

#[rate_limit(requests = 5, window = 60)]
const CONSTANT: fn() = main;

#[rate_limit(requests = 5, window = 60)]
async fn no_route() -> impl Responder {
    "hello"
}

#[rate_limit(exempt)]
fn neither_route_nor_async() -> impl Responder {
    "hello"
}

#[get("/")]
#[rate_limit(requests = 5, window = 60)]
async fn below_get() -> impl Responder {
    "hello"
}

#[route("/", method = "GET", method = "POST")]
#[rate_limit(requests = 5, window = 60)]
async fn below_route() -> impl Responder {
    "hello"
}

#[routes]
#[get("/a")]
#[rate_limit(requests = 5, window = 60)]
#[get("/b")]
async fn below_routes() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 0)]
async fn mistakes_in_the_arguments_too() -> impl Responder {
    "hello"
}

fn main() {
    // The items are there in spite of the mistakes.
    let _ = (Structure, CONSTANT, no_route, below_get, below_routes);
}
