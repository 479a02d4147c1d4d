//! Options of the route attribute are kept, and so is the prefix of a `#[scope]`.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::DefaultHeaders;
use actix_web::test::{TestRequest, call_service, init_service};
use actix_web::{App, HttpRequest, HttpResponse, Responder, get, guard, scope};
use actix_web_guard::rate_limit;

fn has_token(context: &guard::GuardContext<'_>) -> bool {
    context.head().headers().contains_key("x-token")
}

fn marked() -> DefaultHeaders {
    let name = HeaderName::from_static("x-marked");
    DefaultHeaders::new().add((name, HeaderValue::from_static("yes")))
}

#[rate_limit(requests = 5, window = 60)]
#[get(
    "/options/{id}",
    name = "custom",
    guard = "has_token",
    wrap = "marked()"
)]
async fn with_options(request: HttpRequest) -> impl Responder {
    match request.url_for("custom", ["7"]) {
        Ok(url) => HttpResponse::Ok().body(url.path().to_owned()),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

#[scope("/api")]
mod api {
    use super::*;

    #[rate_limit(requests = 5, window = 60, key = by_nothing)]
    #[get("/scoped")]
    pub async fn scoped() -> impl Responder {
        "scoped"
    }

    #[rate_limit(exempt)]
    #[actix_web::routes]
    #[get("/one")]
    #[get("/two", name = "second")]
    pub async fn several() -> impl Responder {
        "several"
    }

    fn by_nothing(_: &actix_web::dev::ServiceRequest) -> Option<std::borrow::Cow<'static, str>> {
        None
    }
}

#[actix_web::main]
async fn main() {
    let app = init_service(
        App::new()
            .service(with_options)
            .service(api::scoped)
            .service(api::several),
    )
    .await;

    let without_token = TestRequest::with_uri("/options/1").to_request();
    let response = call_service(&app, without_token).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);

    let with_token = TestRequest::with_uri("/options/1").insert_header(("x-token", "1"));
    let response = call_service(&app, with_token.to_request()).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert!(response.headers().contains_key("x-marked"));

    for (path, status) in [
        ("/api/scoped", StatusCode::OK),
        ("/api/one", StatusCode::OK),
        ("/api/two", StatusCode::OK),
        ("/scoped", StatusCode::NOT_FOUND),
    ] {
        let response = call_service(&app, TestRequest::with_uri(path).to_request()).await;
        assert_eq!(response.status(), status, "{path}");
    }
}
