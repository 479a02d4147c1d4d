//! Limits that count by something else than the address.

use std::borrow::Cow;

use actix_web::{
    App, HttpMessage as _, HttpResponse, Responder,
    dev::{Service as _, ServiceRequest},
    get, web,
};
use actix_web_guard::{Guard, RouteLimit, rate_limit};

use super::{app, guarded, other};
use crate::support::{get as request_to, peer, send, statuses};

fn api_key(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    request
        .headers()
        .get("x-api-key")?
        .to_str()
        .ok()
        .map(Cow::Borrowed)
}

struct User(&'static str);

fn user(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    request
        .extensions()
        .get::<User>()
        .map(|user| Cow::Borrowed(user.0))
}

#[rate_limit(requests = 2, window = 60, key = api_key)]
#[get("/data")]
async fn data() -> impl Responder {
    "data"
}

#[rate_limit(requests = 2, window = 60, key = api_key, name = "by key")]
#[rate_limit(requests = 3, window = 60)]
#[get("/both")]
async fn both() -> impl Responder {
    "both"
}

#[rate_limit(requests = 2, window = 60, key = user)]
#[get("/mine")]
async fn mine() -> impl Responder {
    "mine"
}

macro_rules! with_keys {
    ($app:expr, $path:expr, $keys:expr) => {{
        let mut statuses = Vec::new();
        for key in $keys {
            let request = request_to($path).insert_header(("x-api-key", key));
            statuses.push(send(&$app, request).await.status.as_u16());
        }
        statuses
    }};
}

#[actix_web::test]
async fn each_key_has_a_window() {
    let app = app!(guarded(99), data);
    assert_eq!(
        with_keys!(app, "/data", ["a", "b", "a", "b", "a", "b", "c"]),
        [200, 200, 200, 200, 429, 429, 200]
    );
}

#[actix_web::test]
async fn a_key_is_counted_whatever_address_it_comes_from() {
    let app = app!(guarded(99), data);
    let mut seen = Vec::new();
    for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
        let request = request_to("/data")
            .insert_header(("x-api-key", "a"))
            .peer_addr(peer(address));
        seen.push(send(&app, request).await.status.as_u16());
    }
    assert_eq!(seen, [200, 200, 429]);
}

#[actix_web::test]
async fn rotating_keys_does_not_get_round_the_global_window() {
    let app = app!(guarded(3), data, other);
    assert_eq!(
        with_keys!(app, "/data", ["a", "b", "c", "d"]),
        [200, 200, 200, 429]
    );
    assert_eq!(statuses(&app, &["/other"]).await, [429]);
}

#[actix_web::test]
async fn without_a_key_it_counts_by_the_address() {
    let app = app!(guarded(99), data);
    assert_eq!(
        statuses(&app, &["/data", "/data", "/data"]).await,
        [200, 200, 429]
    );
    assert_eq!(with_keys!(app, "/data", ["a"]), [200]);
    let elsewhere = request_to("/data").peer_addr(peer("192.0.2.77"));
    assert_eq!(send(&app, elsewhere).await.status, 200);
}

#[actix_web::test]
async fn beside_a_limit_by_address_that_takes_the_place_of_the_global_one() {
    let app = app!(guarded(1), both, other);
    assert_eq!(
        with_keys!(app, "/both", ["a", "b", "c", "d"]),
        [200, 200, 200, 429]
    );
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
    let app = app!(guarded(1), both);
    assert_eq!(with_keys!(app, "/both", ["a", "a", "a"]), [200, 200, 429]);
}

#[actix_web::test]
async fn a_user_that_a_middleware_inside_the_guard_finds_is_seen() {
    let app = actix_web::test::init_service(
        App::new()
            .service(mine)
            .wrap_fn(|request, next| {
                let name = if request.headers().contains_key("x-ann") {
                    "ann"
                } else {
                    "bob"
                };
                request.extensions_mut().insert(User(name));
                next.call(request)
            })
            .wrap(Guard::new(guarded(99))),
    )
    .await;
    let ann = || request_to("/mine").insert_header(("x-ann", "1"));
    let mut seen = Vec::new();
    for request in [
        ann(),
        request_to("/mine"),
        ann(),
        request_to("/mine"),
        ann(),
        request_to("/mine"),
    ] {
        seen.push(send(&app, request).await.status.as_u16());
    }
    assert_eq!(seen, [200, 200, 200, 200, 429, 429]);
}

#[actix_web::test]
async fn on_a_resource_wrapped_by_hand() {
    let resource = web::resource("/x")
        .wrap(RouteLimit::new(1, 60).key(api_key))
        .to(HttpResponse::Ok);
    let app = app!(guarded(3), resource);
    assert_eq!(
        with_keys!(app, "/x", ["a", "a", "b", "c"]),
        [200, 429, 200, 429]
    );
}

#[actix_web::test]
async fn keys_of_any_length_and_bytes() {
    let app = app!(guarded(99), data);
    let long = "k".repeat(8000);
    assert_eq!(
        with_keys!(
            app,
            "/data",
            [long.as_str(), long.as_str(), long.as_str(), "", "", ""]
        ),
        [200, 200, 429, 200, 200, 429]
    );
    let raw = actix_web::http::header::HeaderValue::from_bytes(&[0xFF, 0xE9]).unwrap();
    let request = request_to("/data").insert_header(("x-api-key", raw));
    assert_eq!(send(&app, request).await.status, 200);
}

fn tenant(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    request
        .headers()
        .get("x-tenant")?
        .to_str()
        .ok()
        .map(Cow::Borrowed)
}

#[actix_web::test]
async fn two_key_functions_of_one_resource_count_apart() {
    let limit = RouteLimit::new(9, 60)
        .key(api_key)
        .name("key")
        .and(2, 60)
        .key(tenant)
        .name("tenant");
    let app = app!(
        guarded(99),
        web::resource("/x").wrap(limit).to(HttpResponse::Ok)
    );
    let mut seen = Vec::new();
    for (key, tenant) in [("a", "t"), ("b", "t"), ("c", "t"), ("d", "u"), ("t", "v")] {
        let request = request_to("/x")
            .insert_header(("x-api-key", key))
            .insert_header(("x-tenant", tenant));
        seen.push(send(&app, request).await.status.as_u16());
    }
    assert_eq!(seen, [200, 200, 429, 200, 200]);
}

#[actix_web::test]
async fn the_same_key_function_twice_is_one_log() {
    let (config, clock) =
        crate::support::configure(|config| config.enable_ip_banning(false).count_rejected(false));
    let limit = RouteLimit::new(2, 10)
        .key(api_key)
        .name("short")
        .and(3, 60)
        .key(api_key)
        .name("long");
    let app = app!(config, web::resource("/x").wrap(limit).to(HttpResponse::Ok));
    assert_eq!(with_keys!(app, "/x", ["a", "a", "a"]), [200, 200, 429]);
    clock.advance(crate::support::seconds(10));
    assert_eq!(with_keys!(app, "/x", ["a", "a", "b"]), [200, 429, 200]);
}

#[actix_web::test]
async fn a_key_that_looks_like_an_address_is_not_that_address() {
    let app = app!(guarded(99), data);
    let address = crate::support::PEER;
    assert_eq!(
        with_keys!(app, "/data", [address, address, address]),
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/data", "/data", "/data"]).await,
        [200, 200, 429]
    );
}
