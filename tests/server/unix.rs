//! Over a Unix socket nobody has an address: all share the client `unknown`, which is limited and never struck.

use actix_web::{App, web};
use actix_web_guard::{
    Client, Guard, GuardHandle, SecurityConfig,
    detect::{Detector, RequestFacts, Threat},
};
use futures_util::StreamExt as _;

use super::{
    client::Lines,
    listen::{UnixListening, listen_unix},
};
use crate::support::config;

/// Headers that would name a client, were they believed.
const FORWARDED: [Lines<'static>; 5] = [
    &[],
    &[("X-Forwarded-For", "203.0.113.1")],
    &[("Forwarded", "for=203.0.113.2")],
    &[("X-Real-IP", "203.0.113.3")],
    &[("CF-Connecting-IP", "203.0.113.4")],
];

fn serve(config: &SecurityConfig) -> (UnixListening, GuardHandle) {
    let (config, handle) = (config.clone(), GuardHandle::of(config));
    let server = listen_unix(move || {
        App::new()
            .route(
                "/whoami",
                web::get().to(async |client: Client| format!("{client} {:?}", client.address())),
            )
            .wrap(Guard::new(config.clone()))
    });
    (server, handle)
}

#[actix_web::test]
async fn all_requests_are_of_one_client_whatever_they_forward() {
    let config = config(|config| config.rate_limit(5));
    let (server, _) = serve(&config);
    for headers in FORWARDED {
        let mut connection = server.connect().await;
        let reply = connection.ask("GET /whoami", headers).await;
        assert_eq!((reply.status, reply.text()), (200, "unknown None"));
    }
    for headers in FORWARDED {
        let mut connection = server.connect().await;
        let reply = connection.ask("GET /whoami", headers).await;
        assert_eq!(reply.status, 429, "{headers:?}");
        assert_eq!(reply.header("retry-after"), Some("60"));
    }
}

#[actix_web::test]
async fn nobody_is_exempt_as_loopback() {
    let config = config(|config| {
        config.rate_limit(1).exempt_loopback(true).exempt_ips([
            "127.0.0.1",
            "::1",
            "203.0.113.0/24",
        ])
    });
    let (server, _) = serve(&config);
    let mut connection = server.connect().await;
    assert_eq!(connection.ask("GET /whoami", &[]).await.status, 200);
    for headers in FORWARDED {
        assert_eq!(connection.ask("GET /whoami", headers).await.status, 429);
    }
}

#[derive(Debug)]
struct Probes;

impl Detector for Probes {
    fn inspect(&self, request: &RequestFacts<'_>) -> Option<Threat> {
        (request.path == "/.env").then(|| Threat::new("probe", "dotenv"))
    }
}

#[actix_web::test]
async fn nobody_is_struck_or_banned() {
    let config = config(|config| config.rate_limit(2).auto_ban_threshold(0).detector(Probes));
    let (server, handle) = serve(&config);
    let mut connection = server.connect().await;
    for headers in FORWARDED {
        // A threat is refused all the same.
        assert_eq!(connection.ask("GET /.env", headers).await.status, 403);
    }
    assert_eq!(connection.ask("GET /whoami", &[]).await.status, 200);
    assert_eq!(connection.ask("GET /whoami", &[]).await.status, 200);
    for headers in FORWARDED.repeat(4) {
        assert_eq!(connection.ask("GET /whoami", headers).await.status, 429);
    }
    assert_eq!(handle.bans().count().await, 0);
}
