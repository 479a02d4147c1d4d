//! Where a guard is wrapped: twice, around a part, nowhere, or without its configuration.

use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::{App, get, web};
use actix_web_guard::{Guard, GuardHandle, SecurityConfig, rate_limit};
use tracing::Level;

use super::{
    listen::{Listening, listen},
    log::alone,
};
use crate::support::config;

#[rate_limit(requests = 2, window = 60)]
#[get("/limited")]
async fn limited() -> &'static str {
    "limited"
}

fn small(limit: i64) -> SecurityConfig {
    config(|config| config.rate_limit(limit).auto_ban_threshold(2))
}

#[actix_web::test]
async fn a_guard_wrapped_twice_counts_once_and_strikes_once() {
    for from_data in [false, true] {
        for (request, admitted) in [("GET /", 3), ("GET /limited", 2)] {
            let config = small(3);
            let data = web::Data::new(config.clone());
            let guard = if from_data {
                Guard::default()
            } else {
                Guard::new(config)
            };
            let server = listen(move || {
                App::new()
                    .app_data(data.clone())
                    .service(limited)
                    .route("/", web::get().to(async || "root"))
                    .wrap(guard.clone())
                    .wrap(guard.clone())
            });
            for remaining in (0..admitted).rev() {
                let reply = server.ask(request, &[]).await;
                // The header comes once, too: a second would fail here.
                assert_eq!((reply.status, reply.remaining()), (200, Some(remaining)));
            }
            let statuses = server.statuses(&[request; 4]).await;
            assert_eq!(statuses, [429, 429, 403, 403], "{request}");
        }
    }
}

#[actix_web::test]
async fn two_guards_with_different_configurations_both_decide() {
    for (outer, inner) in [(4, 2), (2, 4)] {
        let (outer, inner) = (small(outer), small(inner));
        let server = listen(move || {
            App::new()
                .route("/", web::get().to(async || "root"))
                .wrap(Guard::new(inner.clone()))
                .wrap(Guard::new(outer.clone()))
        });
        let statuses = server.statuses(&["GET /"; 3]).await;
        assert_eq!(statuses, [200, 200, 429]);
    }
}

#[actix_web::test]
async fn a_guard_around_a_scope_leaves_the_rest_alone() {
    let config = small(2);
    let handle = GuardHandle::of(&config);
    let server = listen(move || {
        let scope = web::scope("/in")
            .service(limited)
            .route("/plain", web::get().to(async || "inside"))
            .wrap(Guard::new(config.clone()));
        App::new()
            .service(scope)
            .route("/out", web::get().to(async || "outside"))
    });
    let plain = server.statuses(&["GET /in/plain"; 3]).await;
    assert_eq!(plain, [200, 200, 429]);
    // A streak of its own, which the first clean request of the other route ends.
    let annotated = server.statuses(&["GET /in/limited"; 6]).await;
    assert_eq!(annotated, [200, 200, 429, 429, 403, 403]);
    assert!(handle.ban_of("127.0.0.1").await.unwrap().is_some());
    for _ in 0..5 {
        let reply = server.ask("GET /out", &[]).await;
        assert_eq!((reply.status, reply.text()), (200, "outside"));
        assert_eq!(reply.header("ratelimit"), None);
    }
    assert_eq!(server.ask("GET /nowhere", &[]).await.status, 404);
}

const UNGUARDED: &str = "is not guarded";

async fn assert_unlimited_with_one_warning(server: &Listening, log: &super::log::Log) {
    for _ in 0..6 {
        let reply = server.ask("GET /limited", &[]).await;
        assert_eq!((reply.status, reply.text()), (200, "limited"));
        assert_eq!(reply.header("ratelimit"), None);
    }
    let warnings = log.with(Level::WARN, &[UNGUARDED, "/limited"]);
    assert_eq!(warnings.len(), 1, "{:?}", log.lines());
}

#[test]
fn a_limited_route_without_any_guard_works_and_is_warned_of_once() {
    alone(
        &a_limited_route_without_any_guard_works_and_is_warned_of_once,
        async |log| {
            let server = listen(|| App::new().service(limited));
            assert_unlimited_with_one_warning(&server, &log).await;
        },
    );
}

#[test]
fn a_limited_route_beside_the_guarded_scope_works_and_is_warned_of_once() {
    alone(
        &a_limited_route_beside_the_guarded_scope_works_and_is_warned_of_once,
        async |log| {
            let config = small(2);
            let server = listen(move || {
                let scope = web::scope("/in")
                    .service(limited)
                    .wrap(Guard::new(config.clone()));
                App::new().service(scope).service(limited)
            });
            assert_unlimited_with_one_warning(&server, &log).await;
            let inside = server.statuses(&["GET /in/limited"; 3]).await;
            assert_eq!(inside, [200, 200, 429]);
        },
    );
}

#[test]
fn a_guard_that_finds_no_configuration_serves_nothing_and_says_why() {
    static SERVED: AtomicUsize = AtomicUsize::new(0);
    alone(
        &a_guard_that_finds_no_configuration_serves_nothing_and_says_why,
        async |log| {
            let server = listen(|| {
                let root = web::get().to(async || {
                    SERVED.fetch_add(1, Ordering::SeqCst);
                    "root"
                });
                App::new()
                    .route("/", root)
                    .service(limited)
                    .wrap(Guard::default())
            });
            let mut connection = server.connect().await;
            for request in ["GET /", "GET /limited", "HEAD /", "GET /nowhere", "GET /"] {
                assert_eq!(connection.ask(request, &[]).await.status, 500, "{request}");
            }
            assert_eq!(SERVED.load(Ordering::SeqCst), 0);
            let words = ["Guard::default()", "SecurityConfig", "app_data"];
            assert!(
                !log.with(Level::ERROR, &words).is_empty(),
                "{:?}",
                log.lines()
            );
        },
    );
}
