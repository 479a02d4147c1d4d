//! The application of the nodes: one route of each kind.

use std::borrow::Cow;

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    dev::{HttpServiceFactory, ServiceRequest},
    get,
    guard::{self, GuardContext},
    post, route,
    web::{self, ServiceConfig},
};
use actix_web_guard::{Client, GuardHandle, RouteLimit, admin, rate_limit};

use crate::admin::operators;

pub(super) fn routes(app: &mut ServiceConfig) {
    app.service(admin::scope("/guard", operators()))
        .service(public)
        .service(item)
        .service(change_item)
        .service(multi)
        .service(stacked)
        .service(data)
        .service(health)
        .service(whoami)
        .service(login)
        .service(plain)
        .service(other)
        .service(first_version)
        .service(second_version)
        .service(by_hand("1", RouteLimit::new(2, 60)))
        .service(by_hand("2", RouteLimit::new(3, 60)))
        .service(web::scope("/v1").service(public))
        .service(web::scope("/v2").service(public))
        .service(
            web::scope("/limited")
                .wrap(RouteLimit::new(4, 60))
                .service(other)
                .service(item),
        );
}

fn asks_for(context: &GuardContext<'_>, version: &str) -> bool {
    let asked = context.head().headers().get("v");
    asked.is_some_and(|asked| asked == version)
}

fn is_first(context: &GuardContext<'_>) -> bool {
    asks_for(context, "1")
}

fn is_second(context: &GuardContext<'_>) -> bool {
    asks_for(context, "2")
}

#[rate_limit(requests = 2, window = 60)]
#[get("/versioned", guard = "is_first")]
async fn first_version() -> impl Responder {
    "1"
}

#[rate_limit(requests = 3, window = 60)]
#[get("/versioned", guard = "is_second")]
async fn second_version() -> impl Responder {
    "2"
}

/// One of two resources at one pattern.
fn by_hand(version: &'static str, limit: RouteLimit) -> impl HttpServiceFactory + use<> {
    web::resource("/by-hand")
        .guard(guard::Header("v", version))
        .wrap(limit)
        .route(web::get().to(HttpResponse::Ok))
}

#[rate_limit(requests = 5, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public"
}

#[rate_limit(requests = 3, window = 60)]
#[get("/items/{id}")]
async fn item() -> impl Responder {
    "item"
}

#[rate_limit(requests = 2, window = 60)]
#[post("/items/{id}")]
async fn change_item() -> impl Responder {
    "changed"
}

#[rate_limit(requests = 3, window = 60)]
#[route("/multi", method = "GET", method = "HEAD")]
async fn multi() -> impl Responder {
    "multi"
}

#[rate_limit(requests = 4, window = 60, name = "minute")]
#[rate_limit(requests = 3, window = 3600, name = "hour")]
#[get("/stacked")]
async fn stacked() -> impl Responder {
    "stacked"
}

fn api_key(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    let key = request.headers().get("x-api-key")?.to_str().ok()?;
    Some(Cow::Borrowed(key))
}

/// Two for each key.
#[rate_limit(requests = 2, window = 60, key = api_key)]
#[get("/data")]
async fn data() -> impl Responder {
    "data"
}

#[rate_limit(exempt)]
#[get("/health")]
async fn health() -> impl Responder {
    "healthy"
}

#[rate_limit(requests = 5, window = 60)]
#[get("/whoami")]
async fn whoami(client: Client) -> impl Responder {
    client.to_string()
}

/// Always fails.
#[post("/login")]
async fn login(request: HttpRequest, guard: GuardHandle) -> HttpResponse {
    guard.report_threat(&request, "failed login").await;
    HttpResponse::Unauthorized().finish()
}

/// Limited by the configuration, if at all.
#[get("/plain/{id}")]
async fn plain() -> impl Responder {
    "plain"
}

/// On the global window.
#[get("/other")]
async fn other() -> impl Responder {
    "other"
}
