//! With actix-cors outside of the guard, as is advised, and inside.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use actix_cors::Cors;
use actix_web::{App, dev::Service as _, get, post, web};
use actix_web_guard::{Guard, GuardHandle, SecurityConfig, rate_limit};

use super::{
    client::Reply,
    listen::{Listening, PEER, listen, peer_from_header},
};
use crate::support::{config, seconds};

const CLIENT: &str = "192.0.2.85";
const ORIGIN: &str = "https://app.example";
const ALLOWED: &str = "access-control-allow-origin";

#[rate_limit(requests = 2, window = 60)]
#[post("/api/data")]
async fn data() -> &'static str {
    "data"
}

fn cors() -> Cors {
    Cors::default()
        .allowed_origin(ORIGIN)
        .allowed_methods(["GET", "POST"])
}

fn cors_outside(config: &SecurityConfig) -> Listening {
    let config = config.clone();
    listen(move || {
        App::new()
            .service(data)
            .route("/", web::get().to(async || "root"))
            .wrap(Guard::new(config.clone()))
            .wrap(cors())
            .wrap_fn(peer_from_header)
    })
}

fn guard_outside(config: &SecurityConfig) -> Listening {
    let config = config.clone();
    listen(move || {
        App::new()
            .service(data)
            .route("/", web::get().to(async || "root"))
            .wrap(cors())
            .wrap(Guard::new(config.clone()))
            .wrap_fn(peer_from_header)
    })
}

async fn preflight(server: &Listening) -> Reply {
    let headers = [
        (PEER, CLIENT),
        ("Origin", ORIGIN),
        ("Access-Control-Request-Method", "POST"),
    ];
    server.ask("OPTIONS /api/data", &headers).await
}

async fn from_page(server: &Listening, request: &str) -> Reply {
    server
        .ask(request, &[(PEER, CLIENT), ("Origin", ORIGIN)])
        .await
}

/// A page of the origin may read this.
fn assert_readable(reply: &Reply) {
    assert_eq!(reply.header(ALLOWED), Some(ORIGIN), "{reply:?}");
}

#[actix_web::test]
async fn preflights_count_neither_in_the_route_nor_in_the_global_window() {
    let config = || config(|config| config.rate_limit(20));
    for server in [cors_outside(&config()), guard_outside(&config())] {
        for _ in 0..10 {
            let reply = preflight(&server).await;
            assert_eq!(reply.status, 200);
            assert_readable(&reply);
        }
        for expected in [200, 200, 429] {
            assert_eq!(from_page(&server, "POST /api/data").await.status, expected);
        }
        let reply = preflight(&server).await;
        assert_eq!(reply.status, 200);
        assert_readable(&reply);
        assert_eq!(from_page(&server, "GET /").await.remaining(), Some(19));
    }
}

#[actix_web::test]
async fn options_without_the_headers_of_a_preflight_is_a_request_like_any_other() {
    let config = || config(|config| config.rate_limit(3));
    for server in [cors_outside(&config()), guard_outside(&config())] {
        let mut statuses = Vec::new();
        for _ in 0..2 {
            statuses.push(server.ask("OPTIONS /", &[(PEER, CLIENT)]).await.status);
            statuses.push(from_page(&server, "OPTIONS /").await.status);
        }
        assert_eq!(statuses, [404, 404, 404, 429]);
        assert_eq!(from_page(&server, "GET /").await.status, 429);
    }
    // Half a preflight is none: Cors turns it away, the guard counts it.
    let server = guard_outside(&config());
    let headers = [(PEER, CLIENT), ("Access-Control-Request-Method", "POST")];
    let reply = server.ask("OPTIONS /", &headers).await;
    assert_eq!((reply.status, reply.remaining()), (400, Some(2)));
    assert_eq!(from_page(&server, "GET /").await.remaining(), Some(1));
}

#[actix_web::test]
async fn preflights_that_reach_the_guard_have_the_global_quota_and_never_strike() {
    let config = config(|config| config.rate_limit(3).auto_ban_threshold(0));
    let server = guard_outside(&config);
    for expected in [200, 200, 200, 429, 429, 429, 429] {
        assert_eq!(preflight(&server).await.status, expected);
    }
    let handle = GuardHandle::of(&config);
    assert!(handle.ban_of(CLIENT).await.unwrap().is_none());
    for remaining in [2, 1, 0] {
        let reply = from_page(&server, "GET /").await;
        assert_eq!((reply.status, reply.remaining()), (200, Some(remaining)));
    }
    // With threshold 0 the first strike bans.
    assert_eq!(from_page(&server, "GET /").await.status, 403);
    assert_eq!(preflight(&server).await.status, 403);
}

#[actix_web::test]
async fn preflights_of_a_banned_client_are_refused_where_they_reach_the_guard() {
    let config = config(|config| config.rate_limit(20));
    let handle = GuardHandle::of(&config);
    handle.ban(CLIENT, seconds(60), "a test").await.unwrap();
    assert_eq!(preflight(&guard_outside(&config)).await.status, 403);
    // Cors answers them itself: they never get to the guard, nor to the application.
    assert_eq!(preflight(&cors_outside(&config)).await.status, 200);
}

#[actix_web::test]
async fn pages_can_read_refusals_when_cors_is_outside() {
    let config = config(|config| config.rate_limit(1).auto_ban_threshold(1000));
    let server = cors_outside(&config);
    for (request, admitted) in [("GET /", 1), ("POST /api/data", 2)] {
        for _ in 0..admitted {
            let reply = from_page(&server, request).await;
            assert_eq!(reply.status, 200);
            assert_readable(&reply);
        }
        let reply = from_page(&server, request).await;
        assert_eq!(reply.status, 429);
        assert_eq!(reply.header("retry-after"), Some("60"));
        assert_readable(&reply);
    }
    let handle = GuardHandle::of(&config);
    handle.ban(CLIENT, seconds(60), "a test").await.unwrap();
    let reply = from_page(&server, "GET /").await;
    assert_eq!(reply.status, 403);
    assert_readable(&reply);
}

fn is_v1(context: &actix_web::guard::GuardContext<'_>) -> bool {
    context.head().headers().contains_key("v1")
}

#[rate_limit(requests = 5, window = 60)]
#[get("/versioned", guard = "is_v1")]
async fn versioned() -> &'static str {
    "limited"
}

#[get("/versioned")]
async fn unversioned() -> &'static str {
    "plain"
}

/// The one refusal that is an error: the request was routed to find out who decides, and nobody claimed it.
#[actix_web::test]
async fn pages_can_read_a_refusal_that_travels_as_an_error() {
    let config = config(|config| config.rate_limit(1).auto_ban_threshold(1000));
    let errors = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&errors);
    let server = listen(move || {
        let counter = Arc::clone(&counter);
        App::new()
            .service(versioned)
            .service(unversioned)
            .route("/", web::get().to(async || "root"))
            .wrap(Guard::new(config.clone()))
            .wrap_fn(move |request, next| {
                let counter = Arc::clone(&counter);
                let answer = next.call(request);
                async move {
                    let answer = answer.await;
                    counter.fetch_add(usize::from(answer.is_err()), Ordering::SeqCst);
                    answer
                }
            })
            .wrap(cors())
            .wrap_fn(peer_from_header)
    });
    assert_eq!(from_page(&server, "GET /").await.status, 200);
    let usual = from_page(&server, "GET /").await;
    assert_eq!(errors.load(Ordering::SeqCst), 0);

    let reply = from_page(&server, "GET /versioned").await;
    assert_eq!(errors.load(Ordering::SeqCst), 1, "no error was needed");
    assert_readable(&reply);
    for name in [
        "content-type",
        "cache-control",
        "retry-after",
        "ratelimit",
        "ratelimit-policy",
    ] {
        assert_eq!(reply.header(name), usual.header(name), "{name}");
    }
    assert_eq!((reply.status, &reply.body), (usual.status, &usual.body));
    assert_eq!(reply.status, 429);

    let head = from_page(&server, "HEAD /versioned").await;
    assert_eq!(head.status, 429);
    assert_readable(&head);
}
