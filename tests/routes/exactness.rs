//! Section by section of the promise: no annotated handler runs unless its own windows admitted it, and counts are exact from the
//! very first request of a fresh application in every ordinary layout.
//!
//! Every case runs in both orders on applications of its own: what is asked first must not matter.

use actix_web::{
    App, HttpResponse, Responder, get, guard, middleware::NormalizePath, post, route, routes, web,
};
use actix_web_guard::{Guard, rate_limit};

use super::{app, guarded, other};
use crate::support::{get as request_to, parse, send, statuses};

#[rate_limit(requests = 2, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public"
}

mod v1 {
    use super::*;

    #[rate_limit(requests = 2, window = 60)]
    #[get("/list")]
    pub(super) async fn list() -> impl Responder {
        "v1"
    }
}

mod v2 {
    use super::*;

    #[get("/list")]
    pub(super) async fn list() -> impl Responder {
        "v2"
    }
}

#[actix_web::test]
async fn annotated_is_served_when_the_global_window_is_used_up() {
    let app = app!(guarded(2), public, other);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public", "/other"]).await,
        [200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn global_is_served_when_the_annotated_window_is_used_up() {
    let app = app!(guarded(2), public, other);
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other", "/public"]).await,
        [200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn a_404_counts_in_the_global_window() {
    let app = app!(guarded(2), public, other);
    assert_eq!(
        statuses(&app, &["/a1", "/a2", "/a3", "/public", "/other"]).await,
        [404, 404, 429, 200, 429]
    );
    let app = app!(guarded(3), public, other);
    assert_eq!(
        statuses(&app, &["POST /public", "POST /other", "/a1", "/a2"]).await,
        [405, 405, 404, 429].map(|s| if s == 405 { 404 } else { s })
    );
}

#[actix_web::test]
async fn equal_names_in_two_scopes_one_annotated() {
    for plain_last in [false, true] {
        let scopes = || {
            let (one, two) = (
                web::scope("/v1").service(v1::list),
                web::scope("/v2").service(v2::list),
            );
            if plain_last { [one, two] } else { [two, one] }
        };
        let [first, second] = scopes();
        let app = app!(guarded(2), first, second, other);
        assert_eq!(
            statuses(&app, &["/v2/list", "/v2/list", "/v2/list"]).await,
            [200, 200, 429]
        );
        assert_eq!(
            statuses(&app, &["/v1/list", "/v1/list", "/v1/list"]).await,
            [200, 200, 429]
        );

        let [first, second] = scopes();
        let app = app!(guarded(2), first, second, other);
        assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 200]);
        assert_eq!(
            statuses(&app, &["/v2/list", "/v1/list", "/v1/list", "/v1/list"]).await,
            [429, 200, 200, 429]
        );

        let [first, second] = scopes();
        let app = app!(guarded(2), first, second, other);
        assert_eq!(
            statuses(&app, &["/v1/list", "/v1/list", "/v1/list"]).await,
            [200, 200, 429]
        );
        assert_eq!(
            statuses(&app, &["/v2/list", "/other", "/v2/list"]).await,
            [200, 200, 429]
        );
    }
}

mod items {
    use super::*;

    #[rate_limit(requests = 2, window = 60)]
    #[get("/items/{id}")]
    pub(super) async fn item() -> impl Responder {
        "item"
    }

    #[rate_limit(requests = 1, window = 60)]
    #[post("/items")]
    pub(super) async fn create() -> impl Responder {
        "create"
    }

    #[get("/items")]
    pub(super) async fn index() -> impl Responder {
        "index"
    }

    #[get("/items/special")]
    pub(super) async fn special() -> impl Responder {
        "special"
    }

    #[rate_limit(requests = 1, window = 60)]
    #[get("/items/special")]
    pub(super) async fn limited_special() -> impl Responder {
        "limited special"
    }

    #[post("/items/{id}")]
    pub(super) async fn update() -> impl Responder {
        "update"
    }

    #[get("/items/{id}")]
    pub(super) async fn plain_item() -> impl Responder {
        "plain item"
    }
}

#[actix_web::test]
async fn methods_of_one_path_count_apart() {
    let app = app!(guarded(2), items::index, items::create);
    assert_eq!(
        statuses(&app, &["/items", "/items", "/items"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["POST /items", "POST /items"]).await,
        [200, 429]
    );
    let app = app!(guarded(2), items::create, items::index);
    assert_eq!(
        statuses(&app, &["POST /items", "POST /items"]).await,
        [200, 429]
    );
    assert_eq!(
        statuses(&app, &["/items", "/items", "/items"]).await,
        [200, 200, 429]
    );
}

#[rate_limit(requests = 2, window = 60)]
#[get("/item")]
async fn read() -> impl Responder {
    "read"
}

#[rate_limit(requests = 1, window = 60)]
#[post("/item")]
async fn write() -> impl Responder {
    "write"
}

#[actix_web::test]
async fn two_limited_methods_of_one_path_have_windows_of_their_own() {
    let app = app!(guarded(1), read, write);
    assert_eq!(
        statuses(
            &app,
            &["/item", "/item", "POST /item", "POST /item", "/item"]
        )
        .await,
        [200, 200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn a_literal_beside_a_dynamic_segment() {
    let app = app!(guarded(1), items::special, items::item);
    assert_eq!(
        statuses(&app, &["/items/special", "/items/special"]).await,
        [200, 429]
    );
    assert_eq!(
        statuses(
            &app,
            &["/items/1", "/items/2", "/items/3", "/items/special"]
        )
        .await,
        [200, 200, 429, 429]
    );

    let app = app!(guarded(1), items::special, items::item);
    assert_eq!(
        statuses(&app, &["/items/1", "/items/2", "/items/3"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/items/special", "/items/special"]).await,
        [200, 429]
    );

    let app = app!(guarded(1), items::limited_special, items::plain_item);
    assert_eq!(statuses(&app, &["/items/1", "/items/2"]).await, [200, 429]);
    assert_eq!(
        statuses(&app, &["/items/special", "/items/special"]).await,
        [200, 429]
    );
}

#[actix_web::test]
async fn another_method_standing_before_does_not_hide_a_limit() {
    let app = app!(guarded(1), items::update, items::limited_special);
    assert_eq!(
        statuses(&app, &["/items/special", "/items/special"]).await,
        [200, 429]
    );
    assert_eq!(
        statuses(&app, &["POST /items/special", "POST /items/special"]).await,
        [200, 429]
    );
}

#[post("/{tail}*")]
async fn post_anything() -> impl Responder {
    "anything"
}

#[rate_limit(requests = 2, window = 60)]
#[get("/{tail:.*}")]
async fn get_anything() -> impl Responder {
    "anything"
}

#[actix_web::test]
async fn a_tail_of_another_method_standing_before_does_not_hide_a_limit() {
    let app = app!(guarded(1), post_anything, public, other);
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public", "POST /public"]).await,
        [200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn a_limited_tail_takes_what_is_left() {
    let app = app!(guarded(1), other, get_anything);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/a", "/b/c", "/d"]).await,
        [200, 429, 200, 200, 429]
    );
}

#[actix_web::test]
async fn a_handler_in_two_scopes_is_two_routes() {
    let scopes = || {
        (
            web::scope("/a").service(v1::list),
            web::scope("/b").service(v1::list),
        )
    };
    let (a, b) = scopes();
    let app = app!(guarded(1), a, b, other);
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
    assert_eq!(
        statuses(
            &app,
            &[
                "/a/list", "/a/list", "/a/list", "/b/list", "/b/list", "/b/list"
            ]
        )
        .await,
        [200, 200, 429, 200, 200, 429]
    );
}

#[rate_limit(requests = 3, window = 60)]
#[route("/multi", method = "GET", method = "HEAD", method = "POST")]
async fn multi() -> impl Responder {
    "multi"
}

#[rate_limit(requests = 2, window = 60)]
#[routes]
#[get("/one")]
#[post("/one")]
#[get("/two")]
async fn several() -> impl Responder {
    "several"
}

#[actix_web::test]
async fn one_handler_with_several_methods_has_one_window() {
    let app = app!(guarded(1), multi, several);
    assert_eq!(
        statuses(
            &app,
            &["/multi", "HEAD /multi", "POST /multi", "HEAD /multi"]
        )
        .await,
        [200, 200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/one", "POST /one", "/one", "/two", "/two", "/two"]).await,
        [200, 200, 429, 200, 200, 429]
    );
}

#[actix_web::test]
async fn spellings_of_a_path_are_one_route() {
    let app = app!(guarded(9), public);
    assert_eq!(
        statuses(&app, &["/%70ublic", "/public?x=1", "/p%75blic", "/public"]).await,
        [200, 200, 429, 429]
    );
    let app = app!(guarded(9), items::item);
    assert_eq!(
        statuses(
            &app,
            &["/items/1", "/items/2?q=%ff", "/items/%33", "/items/4"]
        )
        .await,
        [200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn ids_and_tenants_do_not_multiply_the_budget() {
    let scope = || web::scope("/api/{tenant}").service(items::item);
    let app = app!(guarded(9), scope());
    assert_eq!(
        statuses(
            &app,
            &["/api/t1/items/1", "/api/t1/items/2", "/api/t2/items/3"]
        )
        .await,
        [200, 200, 429]
    );
}

fn version(wanted: &'static str) -> impl guard::Guard {
    guard::Header("v", wanted)
}

fn is_v1(context: &guard::GuardContext<'_>) -> bool {
    context
        .head()
        .headers()
        .get("v")
        .is_some_and(|value| value == "1")
}

#[rate_limit(requests = 1, window = 60)]
#[get("/versioned", guard = "is_v1")]
async fn versioned() -> impl Responder {
    "v1"
}

#[get("/versioned")]
async fn unversioned() -> impl Responder {
    "plain"
}

#[actix_web::test]
async fn a_guard_on_a_header_sends_requests_to_a_limited_handler_of_the_same_pattern() {
    let v1 = || request_to("/versioned").insert_header(("v", "1"));
    for plain_first in [false, true] {
        let app = app!(guarded(2), versioned, unversioned);
        let (mut plain, mut limited) = (Vec::new(), Vec::new());
        for round in [plain_first, !plain_first] {
            for _ in 0..3 {
                if round {
                    plain.push(send(&app, parse("/versioned")).await.status.as_u16());
                } else {
                    limited.push(send(&app, v1()).await.status.as_u16());
                }
            }
        }
        assert_eq!(
            (plain, limited),
            (vec![200, 200, 429], vec![200, 429, 429]),
            "plain first: {plain_first}"
        );
    }
}

#[actix_web::test]
async fn guarded_scopes_of_one_prefix() {
    let v2 = || request_to("/api/list").insert_header(("v", "2"));
    for plain_first in [false, true] {
        let limited = web::scope("/api").guard(version("2")).service(v1::list);
        let app = app!(guarded(2), limited, web::scope("/api").service(v2::list));
        let (mut plain, mut limited) = (Vec::new(), Vec::new());
        for round in [plain_first, !plain_first] {
            for _ in 0..3 {
                if round {
                    plain.push(send(&app, parse("/api/list")).await.status.as_u16());
                } else {
                    limited.push(send(&app, v2()).await.status.as_u16());
                }
            }
        }
        assert_eq!(
            (plain, limited),
            (vec![200, 200, 429], vec![200, 200, 429]),
            "plain first: {plain_first}"
        );
    }
}

#[actix_web::test]
async fn a_path_that_is_rewritten_inside_the_guard_still_meets_its_limit() {
    let app = actix_web::test::init_service(
        App::new()
            .service(public)
            .service(other)
            .wrap(NormalizePath::trim())
            .wrap(Guard::new(guarded(1))),
    )
    .await;
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
    assert_eq!(
        statuses(&app, &["/public/", "//public", "/public", "/public/"]).await,
        [200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn the_root_of_a_scope() {
    #[rate_limit(requests = 1, window = 60)]
    #[get("")]
    async fn root() -> impl Responder {
        "root"
    }
    let app = app!(
        guarded(1),
        web::scope("/shop").service(root).service(v2::list),
        other
    );
    assert_eq!(
        statuses(&app, &["/other", "/shop/list", "/shop", "/shop"]).await,
        [200, 429, 200, 429]
    );
}

#[actix_web::test]
async fn pattern_lists_are_one_route() {
    let limited = || {
        web::resource(["/one", "/two/{id}"])
            .wrap(actix_web_guard::RouteLimit::new(2, 60))
            .route(web::get().to(HttpResponse::Ok))
    };
    let app = app!(guarded(1), limited(), other);
    assert_eq!(
        statuses(&app, &["/two/7", "/one", "/two/8", "/one"]).await,
        [200, 200, 429, 429]
    );
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
}

#[actix_web::test]
async fn url_for_match_name_and_404_are_as_without_the_crate() {
    #[rate_limit(requests = 9, window = 60)]
    #[get("/named/{id}", name = "by-id")]
    async fn named(request: actix_web::HttpRequest) -> String {
        let url = request
            .url_for("by-id", ["7"])
            .map(|url| url.path().to_owned());
        format!(
            "{:?} {:?} {:?}",
            url.ok(),
            request.match_name(),
            request.match_pattern()
        )
    }
    let app = app!(guarded(9), web::scope("/s").service(named));
    let answer = send(&app, parse("/s/named/1")).await;
    assert_eq!(
        answer.body,
        r#"Some("/s/named/7") Some("by-id") Some("/s/named/{id}")"#
    );
    assert_eq!(
        statuses(&app, &["/nowhere", "POST /s/named/1"]).await,
        [404, 404]
    );
}

#[actix_web::test]
async fn two_applications_do_not_share_counters() {
    let one = app!(guarded(1), public, other);
    let two = app!(guarded(1), public, other);
    assert_eq!(
        statuses(&one, &["/public", "/public", "/public", "/other", "/other"]).await,
        [200, 200, 429, 200, 429]
    );
    assert_eq!(
        statuses(&two, &["/public", "/public", "/public", "/other", "/other"]).await,
        [200, 200, 429, 200, 429]
    );
}

/// Rewrites what actix-web routes by, as prefix strippers and method overrides do.
macro_rules! rewriting {
    ($config:expr) => {
        actix_web::test::init_service(
            App::new()
                .service(public)
                .service(other)
                .wrap_fn(|mut request, next| {
                    if request.path() == "/alias" {
                        let uri = actix_web::http::Uri::from_static("/public");
                        request.head_mut().uri = uri.clone();
                        request.match_info_mut().get_mut().update(&uri);
                    }
                    if request.headers().contains_key("x-method-override") {
                        request.head_mut().method = actix_web::http::Method::GET;
                    }
                    actix_web::dev::Service::call(next, request)
                })
                .wrap(Guard::new($config)),
        )
        .await
    };
}

#[actix_web::test]
async fn a_limited_handler_that_nobody_expected_is_limited_from_its_first_request() {
    let app = rewriting!(guarded(99));
    assert_eq!(
        statuses(&app, &["/alias", "/alias", "/alias", "/public"]).await,
        [200, 200, 429, 429]
    );
    let app = rewriting!(guarded(99));
    let overridden = || parse("POST /public").insert_header(("x-method-override", "GET"));
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(send(&app, overridden()).await.status.as_u16());
    }
    assert_eq!(seen, [200, 200, 429, 429]);
    let answer = send(&app, overridden()).await;
    assert_eq!(
        answer.headers.get_all("ratelimit").count(),
        1,
        "only the window that refused"
    );
}

#[actix_web::test]
async fn once_a_limited_handler_came_unexpected_the_route_decides() {
    let app = rewriting!(guarded(2));
    // The first one costs a count of the global window besides.
    assert_eq!(statuses(&app, &["/alias"]).await, [200]);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/alias", "/alias"]).await,
        [200, 429, 200, 429]
    );
}
