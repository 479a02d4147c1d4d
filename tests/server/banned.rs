//! A banned client is refused everywhere, and nothing behind the guard hears of it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use actix_web::{App, HttpResponse, dev::Service as _, web};
use actix_web_guard::{
    Guard, GuardHandle, SecurityConfig,
    detect::{Detector, RequestFacts, Threat},
};

use super::{
    client::{Connection, Reply},
    listen::{Listening, PEER, listen, peer_from_header},
    websocket::{echo, shake_hands},
};
use crate::support::config;

const BANNED: &str = "192.0.2.31";
const OTHER: &str = "192.0.2.32";

#[derive(Debug)]
struct Probes;

impl Detector for Probes {
    fn inspect(&self, request: &RequestFacts<'_>) -> Option<Threat> {
        (request.path == "/.env").then(|| Threat::new("probe", "dotenv"))
    }
}

/// One probe bans. Counts what gets past the guard, whether there is a handler or not.
fn serve() -> (Listening, GuardHandle, Arc<AtomicUsize>) {
    let config: SecurityConfig = config(|config| {
        config
            .rate_limit(1000)
            .auto_ban_threshold(0)
            .detector(Probes)
    });
    let handle = GuardHandle::of(&config);
    let passed = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&passed);
    let server = listen(move || {
        let counter = Arc::clone(&counter);
        App::new()
            .route("/", web::get().to(async || "root"))
            .route("/", web::head().to(async || "root"))
            .route("/form", web::post().to(async |body: String| body))
            .route("/ws", web::get().to(echo))
            .route(
                "/static/{file}",
                web::get().to(async || HttpResponse::Ok().content_type("text/css").body("a {}")),
            )
            .wrap_fn(move |request, next| {
                counter.fetch_add(1, Ordering::SeqCst);
                next.call(request)
            })
            .wrap(Guard::new(config.clone()))
            .wrap_fn(peer_from_header)
    });
    (server, handle, passed)
}

/// Requests, and what anybody else gets.
const REQUESTS: [(&str, u16); 7] = [
    ("GET /", 200),
    ("POST /form", 200),
    ("HEAD /", 200),
    ("OPTIONS /", 404),
    ("GET /nope", 404),
    ("GET /static/a.css", 200),
    ("DELETE /static/a.css", 404),
];

/// Asks on a connection, and opens the next one where actix-web closes it: after a body that nobody has read.
async fn ask(server: &Listening, connection: &mut Connection, request: &str, peer: &str) -> Reply {
    let body: &[u8] = if request.starts_with("POST") {
        b"a=1"
    } else {
        b""
    };
    let reply = connection.ask_with(request, &[(PEER, peer)], body).await;
    connection.assert_in_step();
    if reply.closes() {
        assert!(request.starts_with("POST"), "{request} closes");
        let closed = std::mem::replace(connection, server.connect().await);
        closed.assert_closes().await;
    }
    reply
}

fn assert_banned(reply: &Reply, request: &str) {
    assert_eq!(reply.status, 403, "{request}");
    for (name, expected) in [
        ("content-type", Some("application/problem+json")),
        ("cache-control", Some("no-store")),
        ("retry-after", None),
        ("ratelimit", None),
    ] {
        assert_eq!(reply.header(name), expected, "{request}");
    }
    let body = r#"{"type":"about:blank","title":"Forbidden","status":403}"#;
    let body = if request.starts_with("HEAD") {
        ""
    } else {
        body
    };
    assert_eq!(reply.text(), body, "{request}");
}

#[actix_web::test]
async fn a_banned_client_is_refused_everywhere_and_no_handler_is_invoked() {
    let (server, handle, passed) = serve();
    let mut open = server.connect().await;
    assert_eq!(ask(&server, &mut open, "GET /", BANNED).await.status, 200);
    assert_eq!(passed.swap(0, Ordering::SeqCst), 1);

    assert_banned(
        &ask(&server, &mut open, "GET /.env", BANNED).await,
        "GET /.env",
    );
    assert!(handle.ban_of(BANNED).await.unwrap().is_some());
    for (request, _) in REQUESTS {
        assert_banned(&ask(&server, &mut open, request, BANNED).await, request);
        let mut fresh = server.connect().await;
        assert_banned(&ask(&server, &mut fresh, request, BANNED).await, request);
    }
    let reply = shake_hands(&mut server.connect().await, BANNED).await;
    assert_banned(&reply, "GET /ws");
    assert_eq!(reply.header("upgrade"), None);
    let preflight = [
        (PEER, BANNED),
        ("Origin", "https://app.example"),
        ("Access-Control-Request-Method", "POST"),
    ];
    assert_banned(&open.ask("OPTIONS /form", &preflight).await, "preflight");
    assert_eq!(passed.load(Ordering::SeqCst), 0);
}

#[actix_web::test]
async fn another_client_is_served_even_on_the_same_connection() {
    let (server, handle, passed) = serve();
    let mut connection = server.connect().await;
    assert_eq!(
        ask(&server, &mut connection, "GET /.env", BANNED)
            .await
            .status,
        403
    );
    for (request, expected) in REQUESTS {
        assert_eq!(
            ask(&server, &mut connection, request, OTHER).await.status,
            expected,
            "{request}"
        );
    }
    let reply = shake_hands(&mut server.connect().await, OTHER).await;
    assert_eq!(reply.status, 101);
    assert_eq!(passed.load(Ordering::SeqCst), REQUESTS.len() + 1);
    assert!(handle.ban_of(OTHER).await.unwrap().is_none());
}

#[actix_web::test]
async fn an_open_connection_is_served_again_when_the_ban_is_lifted() {
    let (server, handle, _) = serve();
    let mut open = server.connect().await;
    assert_eq!(
        ask(&server, &mut open, "GET /.env", BANNED).await.status,
        403
    );
    assert_eq!(
        ask(&server, &mut open, "POST /form", BANNED).await.status,
        403
    );
    assert!(handle.unban(BANNED).await.unwrap());
    let reply = ask(&server, &mut open, "POST /form", BANNED).await;
    assert_eq!((reply.status, reply.text()), (200, "a=1"));
}
