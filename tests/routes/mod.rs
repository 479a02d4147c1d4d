//! Limits per route: which window a request counts in, whatever the application looks like.

mod annotations;
mod configured;
mod exactness;
mod keys;
mod lazy;
mod unrouted;
mod wrapped;

use actix_web::{Responder, get};
use actix_web_guard::{SecurityConfig, rate_limit};

/// A guard that lets `global` requests through on the global window and never bans.
fn guarded(global: i64) -> SecurityConfig {
    crate::support::config(|config| config.rate_limit(global).enable_ip_banning(false))
}

/// An application of these services inside a guard.
macro_rules! app {
    ($config:expr, $($service:expr),+ $(,)?) => {
        actix_web::test::init_service(
            actix_web::App::new()$(.service($service))+.wrap(actix_web_guard::Guard::new($config)),
        )
        .await
    };
}
use app;

/// A handler with a window of its own.
#[rate_limit(requests = 2, window = 60)]
#[get("/annotated")]
async fn annotated() -> impl Responder {
    "annotated"
}

/// A handler on the global window.
#[get("/other")]
async fn other() -> impl Responder {
    "other"
}
