//! Every form of the arguments.

#![deny(warnings)]

use std::borrow::Cow;

use actix_web::dev::ServiceRequest;
use actix_web::{App, Responder, get};
use actix_web_guard::{RouteLimit, rate_limit};

mod keys {
    use super::*;

    pub fn by_header(request: &ServiceRequest) -> Option<Cow<'_, str>> {
        let value = request.headers().get("x-api-key")?;
        value.to_str().ok().map(Cow::Borrowed)
    }

    pub fn by_path<'a>(request: &'a ServiceRequest) -> Option<Cow<'a, str>> {
        Some(Cow::Borrowed(request.path()))
    }

    pub fn by_owned(request: &ServiceRequest) -> Option<Cow<'static, str>> {
        Some(Cow::Owned(request.path().to_owned()))
    }

    pub fn by_length<const N: usize>(request: &ServiceRequest) -> Option<Cow<'_, str>> {
        request.path().get(..N).map(Cow::Borrowed)
    }

    pub trait Key {
        fn key(request: &ServiceRequest) -> Option<Cow<'_, str>>;
    }

    pub struct ByMethod;

    impl Key for ByMethod {
        fn key(request: &ServiceRequest) -> Option<Cow<'_, str>> {
            Some(Cow::Borrowed(request.method().as_str()))
        }
    }
}

#[rate_limit(requests = 1, window = 1)]
#[get("/least")]
async fn least() -> impl Responder {
    "least"
}

#[rate_limit(requests = 4_294_967_295, window = 31_622_400)]
#[get("/most")]
async fn most() -> impl Responder {
    "most"
}

#[rate_limit(requests = 5, window = "90s")]
#[get("/seconds")]
async fn seconds() -> impl Responder {
    "seconds"
}

#[rate_limit(window = "5m", requests = 5)]
#[get("/minutes")]
async fn minutes() -> impl Responder {
    "minutes"
}

#[rate_limit(requests = 5, window = "1h")]
#[get("/hours")]
async fn hours() -> impl Responder {
    "hours"
}

#[rate_limit(requests = 5, window = "366d")]
#[get("/days")]
async fn days() -> impl Responder {
    "days"
}

#[rate_limit(exempt)]
#[get("/exempt")]
async fn exempt() -> impl Responder {
    "exempt"
}

#[rate_limit(requests = 5, window = 60, name = "per minute; 100%", key = keys::by_header)]
#[get("/named")]
async fn named() -> impl Responder {
    "named"
}

#[rate_limit(requests = 5, window = 60, key = crate::keys::by_owned)]
#[get("/owned")]
async fn owned() -> impl Responder {
    "owned"
}

#[rate_limit(requests = 5, window = 60, key = keys::by_length::<3>)]
#[get("/generic")]
async fn generic() -> impl Responder {
    "generic"
}

#[rate_limit(requests = 5, window = 60, key = <keys::ByMethod as keys::Key>::key)]
#[get("/associated")]
async fn associated() -> impl Responder {
    "associated"
}

#[rate_limit(requests = 10, window = "1s", name = "burst")]
/// Stacked, with other attributes between.
#[actix_web_guard::rate_limit(requests = 100, window = "1m", key = keys::by_header)]
#[get("/stacked \"{quoted:\\d+}\"")]
#[rate_limit(requests = 1000, window = "1d", name = "day", key = keys::by_path)]
async fn stacked() -> impl Responder {
    "stacked"
}

fn main() {
    let _ = App::new()
        .service(least)
        .service(most)
        .service(seconds)
        .service(minutes)
        .service(hours)
        .service(days)
        .service(exempt)
        .service(named)
        .service(owned)
        .service(generic)
        .service(associated)
        .service(stacked)
        .service(
            actix_web::web::resource("/by-hand")
                .wrap(RouteLimit::new(5, 60))
                .to(async || "by hand"),
        );
}
