//! What requests cost: one call of a script each, and nothing else.

use actix_web::http::Method;
use actix_web_guard::RouteOverride;
use redis_servers::Server;

use super::{
    monitor::Monitor,
    node::{Node, PATIENCE, config, eventually, until_told},
};
use crate::server::listen::PEER;

const REQUESTS: usize = 6;

fn node(server: &Server) -> Node {
    Node::start(config(server, |config| {
        config
            .rate_limit(4)
            .auto_ban_threshold(99)
            .exempt_ips(["203.0.113.0/24"])
            .route(RouteOverride::new("/plain/{id}", 4, 60).method(Method::GET))
    }))
}

#[actix_web::test]
async fn a_request_is_one_call_whether_clean_limited_or_flagged() {
    let server = Server::start();
    let node = node(&server);
    let mut monitor = Monitor::start(&server).await;
    for (request, status) in [
        ("GET /other", 429),
        ("GET /nowhere", 429),
        ("GET /public", 429),
        ("GET /items/1", 429),
        ("POST /items/1", 429),
        ("GET /multi", 429),
        ("HEAD /multi", 429),
        ("GET /stacked", 429),
        ("GET /limited/other", 429),
        ("GET /limited/items/1", 429),
        ("GET /plain/1", 429),
        ("GET /data", 429),
        ("GET /whoami", 429),
        // Whether the client is banned.
        ("GET /health", 200),
        ("GET /.env", 403),
    ] {
        // By now the script is known, and so is who decides about the route.
        node.statuses("192.0.2.1", request, REQUESTS).await;
        monitor.commands().await;
        let statuses = node.statuses("192.0.2.2", request, REQUESTS).await;
        assert_eq!(statuses[REQUESTS - 1], status, "{request}");
        assert_eq!(monitor.commands().await, ["EVALSHA"; REQUESTS], "{request}");
        for peer in ["192.0.2.1", "192.0.2.2"] {
            node.handle.unban(peer).await.unwrap();
        }
    }
}

#[actix_web::test]
async fn so_are_preflights_and_requests_that_are_counted_by_a_key() {
    let server = Server::start();
    let node = node(&server);
    let mut monitor = Monitor::start(&server).await;
    for (request, headers) in [
        (
            "OPTIONS /public",
            [
                ("Origin", "https://app.example"),
                ("Access-Control-Request-Method", "GET"),
            ]
            .as_slice(),
        ),
        ("GET /data", &[("X-Api-Key", "a")]),
    ] {
        let mut connection = node.connect().await;
        let headers = [&[(PEER, "192.0.2.1")], headers].concat();
        connection.ask(request, &headers).await;
        monitor.commands().await;
        for _ in 0..REQUESTS {
            connection.ask(request, &headers).await;
        }
        assert_eq!(monitor.commands().await, ["EVALSHA"; REQUESTS], "{request}");
    }
}

#[actix_web::test]
async fn a_script_is_sent_as_text_once_and_by_its_hash_from_then_on() {
    let server = Server::start();
    let node = node(&server);
    let mut monitor = Monitor::start(&server).await;
    node.statuses("192.0.2.1", "GET /other", 3).await;
    let mut commands = monitor.commands().await;
    // The connection introduces itself.
    commands.retain(|name| name.starts_with("EVAL"));
    assert_eq!(commands, ["EVALSHA", "EVAL", "EVALSHA", "EVALSHA"]);
}

#[actix_web::test]
async fn a_clean_request_that_takes_strikes_back_is_one_del_more() {
    let server = Server::start();
    let node = node(&server);
    let peer = "192.0.2.1";
    // All scripts are known.
    for request in ["GET /other", "GET /.env", "GET /public", "GET /.env"] {
        node.status("192.0.2.9", request).await;
    }
    let mut monitor = Monitor::start(&server).await;
    for request in ["GET /other", "GET /public"] {
        for request in ["GET /.env", request] {
            node.status(peer, request).await;
        }
        let mut commands = Vec::new();
        // It is sent behind the answer.
        while commands.len() < 3 {
            commands.extend(monitor.commands().await);
        }
        assert_eq!(commands, ["EVALSHA", "EVALSHA", "DEL"], "{request}");
        node.status(peer, request).await;
        assert_eq!(monitor.commands().await, ["EVALSHA"], "{request}");
    }
}

#[actix_web::test]
async fn who_is_exempt_or_known_to_be_banned_costs_nothing() {
    let server = Server::start();
    let node = node(&server);
    until_told(&server, 1).await;
    let mut monitor = Monitor::start(&server).await;
    for request in ["GET /other", "GET /public", "GET /.env"] {
        node.statuses("203.0.113.1", request, REQUESTS).await;
        assert_eq!(monitor.commands().await, [] as [&str; 0], "{request}");
    }
    let (peer, minute) = ("192.0.2.1", crate::support::seconds(60));
    node.handle.ban(peer, minute, "a test").await.unwrap();
    // What the node asks for while it has yet to be told of its own ban, is asked for once more.
    eventually("the ban is known", PATIENCE, async || {
        monitor_is_silent(&node, peer, &server).await
    })
    .await;
    monitor.commands().await;
    for request in ["GET /other", "GET /public", "GET /.env", "GET /health"] {
        let statuses = node.statuses(peer, request, REQUESTS).await;
        assert_eq!(statuses, [403; REQUESTS]);
        assert_eq!(monitor.commands().await, [] as [&str; 0], "{request}");
    }
}

/// Whether a request costs nothing.
async fn monitor_is_silent(node: &Node, peer: &str, server: &Server) -> bool {
    let mut monitor = Monitor::start(server).await;
    assert_eq!(node.status(peer, "GET /other").await, 403);
    monitor.commands().await.is_empty()
}

#[actix_web::test]
async fn the_server_counts_the_same() {
    let server = Server::start();
    let node = node(&server);
    let requests = ["GET /other", "GET /public", "GET /stacked"];
    for request in requests {
        node.status("192.0.2.1", request).await;
    }
    server.command(&["CONFIG", "RESETSTAT"]);
    for request in requests {
        node.statuses("192.0.2.2", request, REQUESTS).await;
    }
    let calls = server.info("cmdstat_evalsha").unwrap();
    assert!(calls.starts_with("calls=18,"), "{calls}");
    for command in ["eval", "keys"] {
        assert_eq!(server.info(&format!("cmdstat_{command}")), None);
    }
}
