//! Where the crate has another name, or comes through another crate.

#![deny(warnings)]

use actix_web::{App, Responder, get};

extern crate actix_web_guard as guard;

mod framework {
    pub mod security {
        pub use actix_web_guard::{self as guard, rate_limit};
    }
}

// Nothing goes by the name of the package here.
mod actix_web_guard {}

#[guard::rate_limit(crate = guard, requests = 5, window = 60)]
#[get("/renamed")]
async fn renamed() -> impl Responder {
    "renamed"
}

#[guard::rate_limit(requests = 5, window = 60, crate = "guard")]
#[get("/quoted")]
async fn in_quotes() -> impl Responder {
    "quoted"
}

#[guard::rate_limit(exempt, crate = crate::framework::security::guard)]
#[get("/exported")]
async fn exported() -> impl Responder {
    "exported"
}

fn by_path(request: &actix_web::dev::ServiceRequest) -> Option<std::borrow::Cow<'_, str>> {
    Some(request.path().into())
}

mod inner {
    use super::*;

    #[framework::security::rate_limit(crate = super::guard, detection = "off")]
    #[get("/relative")]
    pub async fn relative() -> impl Responder {
        "relative"
    }
}

// It may be said once of several, or of each in either way.
#[guard::rate_limit(requests = 5, window = 60, name = "five", key = by_path)]
#[guard::rate_limit(requests = 10, window = 60, name = "ten", crate = guard)]
#[guard::rate_limit(requests = 15, window = 60, crate = "guard")]
#[get("/stacked")]
async fn stacked() -> impl Responder {
    "stacked"
}

macro_rules! limited {
    ($name:ident, $path:literal, $crate_path:path) => {
        #[guard::rate_limit(requests = 5, window = 60, crate = $crate_path)]
        #[get($path)]
        async fn $name() -> impl Responder {
            $path
        }
    };
}

limited!(from_macro, "/macro", guard);
limited!(from_macro_exported, "/macro-exported", crate::framework::security::guard);

fn main() {
    let _ = App::new()
        .service(renamed)
        .service(in_quotes)
        .service(exported)
        .service(inner::relative)
        .service(stacked)
        .service(from_macro)
        .service(from_macro_exported);
}
