//! What the guard tells of itself: numbers, and the lines of the log that others act on.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "what does not hold in a test's helper fails the test"
)]

mod bounded;
mod counters;
mod lines;
mod names;
mod outcomes;
mod recorder;

use actix_web::{
    HttpRequest, HttpResponse, Responder, dev::ServiceRequest, get, http::Method, post,
    test::TestRequest,
};
use actix_web_guard::{GuardHandle, rate_limit};

use crate::support::{get, request};

#[rate_limit(requests = 2, window = 60)]
#[get("/limited")]
async fn limited() -> impl Responder {
    "limited"
}

#[rate_limit(requests = 2, window = 60)]
#[get("/items/{id}")]
async fn item() -> impl Responder {
    "item"
}

fn by_name(request: &ServiceRequest) -> Option<std::borrow::Cow<'_, str>> {
    Some(request.match_info().get("name")?.to_owned().into())
}

#[rate_limit(requests = 1, window = 60, key = by_name)]
#[get("/keyed/{name}")]
async fn keyed() -> impl Responder {
    "keyed"
}

#[rate_limit(exempt)]
#[get("/free")]
async fn free() -> impl Responder {
    "free"
}

#[post("/login")]
async fn login(request: HttpRequest, guard: GuardHandle) -> HttpResponse {
    guard.report_threat(&request, "failed login").await;
    HttpResponse::Unauthorized().finish()
}

#[get("/private")]
async fn private() -> HttpResponse {
    HttpResponse::Unauthorized().finish()
}

/// An application with these handlers, behind a guard.
macro_rules! app {
    ($guard:expr) => {
        actix_web::test::init_service(
            actix_web::App::new()
                .service(crate::telemetry::limited)
                .service(crate::telemetry::item)
                .service(crate::telemetry::keyed)
                .service(crate::telemetry::free)
                .service(crate::telemetry::login)
                .service(crate::telemetry::private)
                .service(
                    actix_web::web::scope("/scope")
                        .wrap(actix_web_guard::RouteLimit::new(1, 60))
                        .service(crate::telemetry::item)
                        .route(
                            "/plain",
                            actix_web::web::get().to(actix_web::HttpResponse::Ok),
                        ),
                )
                .route(
                    "/plain",
                    actix_web::web::get().to(actix_web::HttpResponse::Ok),
                )
                .route(
                    "/form",
                    actix_web::web::post().to(async |body: String| body),
                )
                .wrap($guard),
        )
        .await
    };
}
pub(crate) use app;

/// What a detector takes for a probe.
fn probe() -> TestRequest {
    get("/.env")
}

fn preflight() -> TestRequest {
    request(Method::OPTIONS.as_str(), "/plain")
        .append_header(("Origin", "https://example.org"))
        .append_header(("Access-Control-Request-Method", "GET"))
}
