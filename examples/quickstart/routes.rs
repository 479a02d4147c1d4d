//! The routes of this server, with their limits.
//!
//! Must not know: the configuration of the guard.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post, web};
use actix_web_guard::{Client, GuardHandle, rate_limit};

/// All of them.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(index)
        .service(public)
        .service(search)
        .service(web::scope("/api").service(item).service(create_item))
        .service(health)
        .service(login);
}

/// Has no limit of its own, so it counts in the global window, and so does every path that is not found.
#[get("/")]
async fn index(client: Client) -> impl Responder {
    format!("Hello, {client}\n")
}

#[rate_limit(requests = 5, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public\n"
}

#[rate_limit(requests = 10, window = 60)]
#[get("/search")]
async fn search() -> impl Responder {
    "found\n"
}

/// `/api/items/1` and `/api/items/2` are one route, with one window.
#[rate_limit(requests = 20, window = 60)]
#[get("/items/{id}")]
async fn item(id: web::Path<String>) -> impl Responder {
    format!("item {id}\n")
}

#[rate_limit(requests = 3, window = 60)]
#[post("/items")]
async fn create_item(body: web::Bytes) -> impl Responder {
    HttpResponse::Created().body(format!("created from {} bytes\n", body.len()))
}

/// In no window. A client that is banned is refused even here.
#[rate_limit(exempt)]
#[get("/health")]
async fn health() -> impl Responder {
    "ok\n"
}

/// A login is answered as always, but each failure is a strike: guessing ends in a ban.
#[post("/login")]
async fn login(request: HttpRequest, body: web::Bytes, guard: GuardHandle) -> impl Responder {
    if has_password(&body) {
        return HttpResponse::Ok().body("welcome\n");
    }
    guard.report_threat(&request, "failed login").await;
    HttpResponse::Unauthorized().body("wrong password\n")
}

/// Whether a form, JSON or plain text holds the password.
fn has_password(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let unescaped = text.replace('+', " ").replace("%20", " ");
    unescaped.contains("correct horse")
}
