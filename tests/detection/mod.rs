//! Threats: what is done about what detectors find, in requests, in bodies and in answers.

mod actions;
mod bodies;
mod built_in;
mod per_route;
mod said;
mod statuses;

use actix_web::{HttpResponse, Responder, get, post, web};
use actix_web_guard::rate_limit;

/// A rule of its own, to see what becomes of a finding, whatever the built-in rules are.
const OWN_RULES: &str = r#"
[[detection.rules]]
id = "own.query"
category = "sqli"
place = "query"
pattern = "^very bad$"

[[detection.rules]]
id = "own.path"
category = "probe"
place = "path"
pattern = "^/very-bad"

[[detection.rules]]
id = "own.body"
category = "xss"
place = "body"
pattern = "very bad"
"#;

#[get("/search")]
async fn search(query: web::Query<std::collections::BTreeMap<String, String>>) -> impl Responder {
    query.get("q").cloned().unwrap_or_default()
}

#[post("/form")]
async fn form(body: String) -> impl Responder {
    body
}

/// Says how much came, without waiting for it as a whole.
#[post("/upload")]
async fn upload(body: web::Payload) -> impl Responder {
    let body = body.to_bytes_limited(1 << 24).await;
    match body {
        Ok(Ok(body)) => HttpResponse::Ok().body(body.len().to_string()),
        _ => HttpResponse::BadRequest().finish(),
    }
}

#[rate_limit(requests = 100, window = 60, detection = "off")]
#[post("/posts")]
async fn posts(body: String) -> impl Responder {
    body
}

#[rate_limit(detection = "off")]
#[get("/posts/{id}")]
async fn post_of(id: web::Path<String>) -> impl Responder {
    id.into_inner()
}

#[rate_limit(exempt, detection = "off")]
#[get("/raw")]
async fn raw() -> impl Responder {
    "raw"
}

#[get("/status/{status}")]
async fn status(status: web::Path<u16>) -> HttpResponse {
    let status = actix_web::http::StatusCode::from_u16(*status).unwrap();
    HttpResponse::new(status)
}

/// The configuration with these lines before the rules.
macro_rules! config {
    ($lines:expr) => {
        crate::support::config(|config| {
            let toml = format!("{}\n{}", $lines, crate::detection::OWN_RULES);
            config.toml(&toml).unwrap()
        })
    };
}
pub(crate) use config;

macro_rules! app {
    ($config:expr) => {
        actix_web::test::init_service(
            actix_web::App::new()
                .service(crate::detection::search)
                .service(crate::detection::form)
                .service(crate::detection::upload)
                .service(crate::detection::posts)
                .service(crate::detection::post_of)
                .service(crate::detection::raw)
                .service(crate::detection::status)
                .wrap(actix_web_guard::Guard::new($config)),
        )
        .await
    };
}
pub(crate) use app;

/// What the rules find in a query.
const BAD: &str = "/search?q=very+bad";
