//! The guard itself: strikes, bans, clients, answers.

mod answers;
mod bans;
mod clients;
mod detection;
mod errors;
mod handle;
mod passive;
mod strikes;
mod windows;

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use actix_web_guard::{
    GuardHandle,
    detect::{Detector, RequestFacts, Threat},
    rate_limit,
};

/// Flags dotfiles.
#[derive(Debug)]
pub(crate) struct Dotfiles;

impl Detector for Dotfiles {
    fn inspect(&self, request: &RequestFacts<'_>) -> Option<Threat> {
        request
            .path
            .contains("/.")
            .then(|| Threat::new("probe", "dotfile"))
    }
}

#[rate_limit(requests = 2, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public"
}

#[get("/other")]
async fn other() -> impl Responder {
    "other"
}

#[rate_limit(exempt)]
#[get("/health")]
pub(crate) async fn health() -> impl Responder {
    "ok"
}

#[post("/login")]
async fn login(request: HttpRequest, guard: GuardHandle) -> HttpResponse {
    fail_login(request, guard).await
}

async fn fail_login(request: HttpRequest, guard: GuardHandle) -> HttpResponse {
    let times = request
        .headers()
        .get("x-times")
        .map_or(1, |value| value.to_str().unwrap().parse().unwrap());
    let mut banned = false;
    for _ in 0..times {
        banned |= guard
            .report_threat(&request, "failed login")
            .await
            .is_some();
    }
    HttpResponse::Unauthorized()
        .insert_header(("x-banned", banned.to_string()))
        .finish()
}

/// An application with these four handlers.
macro_rules! app {
    ($config:expr) => {
        actix_web::test::init_service(
            actix_web::App::new()
                .service(crate::guard::public)
                .service(crate::guard::other)
                .service(crate::guard::health)
                .service(crate::guard::login)
                .wrap(actix_web_guard::Guard::new($config)),
        )
        .await
    };
}
pub(crate) use app;
