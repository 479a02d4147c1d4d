//! The function of a `key` has another signature.

use std::borrow::Cow;

use actix_web::dev::ServiceRequest;
use actix_web::{HttpRequest, Responder, get};
use actix_web_guard::rate_limit;

fn returns_string(request: &ServiceRequest) -> String {
    request.path().to_owned()
}

fn takes_http_request(request: &HttpRequest) -> Option<Cow<'_, str>> {
    Some(request.path().to_owned().into())
}

async fn is_async(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    Some(request.path().into())
}

struct NoFunction;

#[rate_limit(requests = 5, window = 60, key = returns_string)]
#[get("/")]
async fn wrong_result() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = crate::takes_http_request)]
#[get("/")]
async fn wrong_argument() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = is_async)]
#[get("/")]
async fn async_key() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = NoFunction)]
#[get("/")]
async fn no_function() -> impl Responder {
    "hello"
}

fn main() {}
