//! `.wrap(RouteLimit…)` on resources and scopes.

use actix_web::{App, HttpResponse, Responder, get, guard, web};
use actix_web_guard::{Guard, RouteLimit, rate_limit};

use super::{app, guarded, other};
use crate::support::{config, get as request_to, parse, send, statuses};

#[rate_limit(requests = 2, window = 60)]
#[get("/inside")]
async fn inside() -> impl Responder {
    "inside"
}

#[rate_limit(exempt)]
#[get("/health")]
async fn health() -> impl Responder {
    "health"
}

#[actix_web::test]
async fn a_resource_has_one_window_for_all_its_methods() {
    let resource = web::resource("/x")
        .wrap(RouteLimit::new(3, 60))
        .route(web::get().to(HttpResponse::Ok))
        .route(web::post().to(HttpResponse::Ok));
    let app = app!(guarded(1), resource, other);
    assert_eq!(
        statuses(&app, &["/x", "POST /x", "/x", "/x", "POST /x"]).await,
        [200, 200, 200, 429, 429]
    );
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
}

#[actix_web::test]
async fn two_resources_of_one_path_with_guards_for_methods_count_apart() {
    let get = web::resource("/x")
        .guard(guard::Get())
        .wrap(RouteLimit::new(2, 60))
        .to(HttpResponse::Ok);
    let post = web::resource("/x")
        .guard(guard::Post())
        .wrap(RouteLimit::new(1, 60))
        .to(HttpResponse::Ok);
    let app = app!(guarded(1), get, post, other);
    assert_eq!(
        statuses(&app, &["POST /x", "POST /x", "/x", "/x", "/x"]).await,
        [200, 429, 200, 200, 429]
    );
}

#[actix_web::test]
async fn a_scope_shares_its_window_among_its_routes_in_place_of_the_global_one() {
    let scope = || {
        web::scope("/api")
            .wrap(RouteLimit::new(3, 60))
            .service(other)
            .service(web::resource("/more").to(HttpResponse::Ok))
    };
    let app = app!(guarded(1), scope(), other);
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
    assert_eq!(
        statuses(
            &app,
            &[
                "/api/other",
                "/api/more",
                "/api/none",
                "/api/other",
                "/api/more"
            ]
        )
        .await,
        [200, 200, 404, 429, 429]
    );
    let app = app!(guarded(1), scope(), other);
    assert_eq!(
        statuses(
            &app,
            &[
                "/api/other",
                "/other",
                "/other",
                "/api/other",
                "/api/other",
                "/api/other"
            ]
        )
        .await,
        [200, 200, 429, 200, 200, 429]
    );
}

#[actix_web::test]
async fn a_route_inside_a_limited_scope_counts_in_both() {
    let scope = || {
        web::scope("/api")
            .wrap(RouteLimit::new(3, 60))
            .service(inside)
            .service(other)
    };
    let app = app!(guarded(1), scope());
    assert_eq!(
        statuses(
            &app,
            &["/api/inside", "/api/inside", "/api/inside", "/api/other"]
        )
        .await,
        [200, 200, 429, 429]
    );
    let app = app!(guarded(1), scope());
    assert_eq!(
        statuses(
            &app,
            &["/api/other", "/api/other", "/api/inside", "/api/inside"]
        )
        .await,
        [200, 200, 200, 429]
    );
}

#[actix_web::test]
async fn once_known_both_windows_of_a_scope_and_its_route_are_decided_together() {
    // Recorded in all or none: what the route rejects does not count in the scope.
    let config = config(|config| {
        config
            .rate_limit(9)
            .enable_ip_banning(false)
            .count_rejected(false)
    });
    let scope = web::scope("/api")
        .wrap(RouteLimit::new(5, 60))
        .service(inside)
        .service(other);
    let app = app!(config, scope);
    assert_eq!(
        statuses(
            &app,
            &[
                "/api/inside",
                "/api/inside",
                "/api/inside",
                "/api/inside",
                "/api/inside"
            ]
        )
        .await,
        [200, 200, 429, 429, 429]
    );
    assert_eq!(
        statuses(
            &app,
            &["/api/other", "/api/other", "/api/other", "/api/other"]
        )
        .await,
        [200, 200, 200, 429]
    );
}

#[actix_web::test]
async fn an_exempt_route_leaves_the_global_window_but_not_the_scope() {
    let app = app!(guarded(1), health, other);
    assert_eq!(
        statuses(
            &app,
            &[
                "/health", "/health", "/health", "/other", "/other", "/health"
            ]
        )
        .await,
        [200, 200, 200, 200, 429, 200]
    );
    let app = app!(
        guarded(9),
        web::scope("/api")
            .wrap(RouteLimit::new(2, 60))
            .service(health)
    );
    assert_eq!(
        statuses(&app, &["/api/health", "/api/health", "/api/health"]).await,
        [200, 200, 429]
    );
    let open = web::scope("/open")
        .wrap(RouteLimit::exempt())
        .service(other);
    let app = app!(guarded(1), open, other);
    assert_eq!(
        statuses(
            &app,
            &[
                "/open/other",
                "/open/other",
                "/other",
                "/other",
                "/open/other"
            ]
        )
        .await,
        [200, 200, 200, 429, 200]
    );
}

#[actix_web::test]
async fn a_dynamic_scope_is_one_route_whatever_its_segments_hold() {
    let scope = || {
        web::scope("/{tenant}/x")
            .wrap(RouteLimit::new(3, 60))
            .service(other)
            .service(web::resource("").to(HttpResponse::Ok))
    };
    let app = app!(guarded(1), scope());
    assert_eq!(
        statuses(
            &app,
            &["/a/x/other", "/b/x/other", "/c/x", "/d/x/other", "/e/x"]
        )
        .await,
        [200, 200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn guarded_scopes_of_one_prefix() {
    let v2 = || request_to("/api/other").insert_header(("v", "2"));
    for plain_first in [false, true] {
        let limited = web::scope("/api")
            .guard(guard::Header("v", "2"))
            .wrap(RouteLimit::new(2, 60))
            .service(other);
        let app = app!(guarded(3), limited, web::scope("/api").service(other));
        let (mut plain, mut limited) = (Vec::new(), Vec::new());
        for round in [plain_first, !plain_first] {
            for _ in 0..4 {
                if round {
                    plain.push(send(&app, parse("/api/other")).await.status.as_u16());
                } else {
                    limited.push(send(&app, v2()).await.status.as_u16());
                }
            }
        }
        assert_eq!(
            (plain, limited),
            (vec![200, 200, 200, 429], vec![200, 200, 429, 429]),
            "plain first: {plain_first}"
        );
    }
}

#[actix_web::test]
async fn nested_scopes_and_configure() {
    let app = actix_web::test::init_service(
        App::new()
            .configure(|services| {
                services.service(
                    web::scope("/a").wrap(RouteLimit::new(3, 60)).service(
                        web::scope("/b")
                            .wrap(RouteLimit::new(2, 60).name("inner"))
                            .service(other),
                    ),
                );
            })
            .wrap(Guard::new(guarded(1))),
    )
    .await;
    assert_eq!(
        statuses(&app, &["/a/b/other", "/a/b/other", "/a/b/other"]).await,
        [200, 200, 429]
    );
    let answer = send(&app, parse("/a/nothing")).await;
    assert_eq!(
        answer.status, 429,
        "the third request of the outer scope was the rejected one"
    );
    assert_eq!(answer.header("ratelimit"), Some(r#""/a";r=0;t=60"#));
}

#[actix_web::test]
async fn several_limits_at_once() {
    let (config, clock) = crate::support::configure(|config| config.enable_ip_banning(false));
    let resource = web::resource("/x")
        .wrap(RouteLimit::new(3, 60).and(2, 1).name("burst"))
        .to(HttpResponse::Ok);
    let app = app!(config, resource);
    assert_eq!(statuses(&app, &["/x", "/x", "/x"]).await, [200, 200, 429]);
    let answer = send(&app, parse("/x")).await;
    assert_eq!(
        answer.header("ratelimit-policy"),
        Some(r#""/x";q=3;w=60, "burst";q=2;w=1"#)
    );
    assert_eq!(answer.header("retry-after"), Some("60"));
    clock.advance(crate::support::seconds(60));
    assert_eq!(send(&app, parse("/x")).await.status, 200);
}

#[test]
fn limits_that_make_no_sense_are_refused_when_the_application_is_built() {
    for (requests, window) in [(0, 60), (5, 0), (5, 366 * 24 * 3600 + 1)] {
        let built = std::panic::catch_unwind(|| RouteLimit::new(requests, window));
        assert!(built.is_err(), "{requests} in {window} s");
    }
}
