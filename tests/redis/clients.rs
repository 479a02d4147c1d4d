//! Who is asking, with a store on Redis: exemptions that must not depend on it, and windows by other keys.

use std::borrow::Cow;

use actix_web::dev::ServiceRequest;
use redis_servers::Server;

use super::{
    monitor::Monitor,
    node::{Node, config, keys, until_told},
};
use crate::server::listen::PEER;

const XFF: &str = "X-Forwarded-For";
const PROXY: &str = "192.0.2.1";

fn api_key(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    let key = request.headers().get("X-Api-Key")?.to_str().ok()?;
    Some(Cow::Borrowed(key))
}

#[actix_web::test]
async fn exempt_paths_agents_and_proxies_cost_redis_nothing_and_outlive_it() {
    let server = Server::start();
    let node = Node::start(config(&server, |config| {
        config
            .rate_limit(1)
            .exempt_paths(["/other"])
            .exempt_user_agents(["GoodMonitor"])
            .trusted_proxies([PROXY])
    }));
    let probes = [
        ("GET /other", vec![(PEER, "10.0.0.2")]),
        (
            "GET /public",
            vec![(PEER, "10.0.0.2"), ("User-Agent", "GoodMonitor")],
        ),
        ("GET /whoami", vec![(PEER, PROXY)]),
    ];
    until_told(&server, 1).await;
    let mut monitor = Monitor::start(&server).await;
    for (request, headers) in &probes {
        for _ in 0..5 {
            let reply = node.connect().await.ask(request, headers).await;
            assert_eq!(reply.status, 200, "{request}");
        }
    }
    assert_eq!(monitor.commands().await, [] as [&str; 0]);
    server.kill();
    for (request, headers) in &probes {
        let reply = node.connect().await.ask(request, headers).await;
        assert_eq!(reply.status, 200, "{request}");
    }
}

#[actix_web::test]
async fn the_global_window_by_a_key_and_that_of_a_proxy_have_names_of_their_own() {
    let server = Server::start();
    let node = Node::start(config(&server, |config| {
        config
            .key_by(api_key)
            .trusted_proxies([PROXY])
            .infrastructure_limit(2)
    }));
    for (headers, expected) in [
        (
            vec![(PEER, PROXY)],
            "guard:rate_limit:rate:192.0.2.1:~infrastructure",
        ),
        (
            vec![(PEER, PROXY), (XFF, "203.0.113.7"), ("X-Api-Key", "alice")],
            "guard:rate_limit:rate:by:key_by:alice",
        ),
        (
            vec![(PEER, PROXY), (XFF, "203.0.113.7")],
            "guard:rate_limit:rate:by:key_by:@203.0.113.7",
        ),
    ] {
        server.command(&["FLUSHALL"]);
        node.connect().await.ask("GET /other", &headers).await;
        assert_eq!(keys(&server), [expected]);
    }
}

#[actix_web::test]
async fn nodes_share_the_windows_of_keys_and_of_proxies() {
    let server = Server::start();
    let start = || {
        Node::start(config(&server, |config| {
            config
                .rate_limit(2)
                .enable_ip_banning(false)
                .key_by(api_key)
                .trusted_proxies([PROXY])
                .infrastructure_limit(2)
        }))
    };
    let nodes = [start(), start()];
    for headers in [
        vec![(PEER, PROXY)],
        vec![(PEER, "203.0.113.7"), ("X-Api-Key", "alice")],
    ] {
        let mut statuses = Vec::new();
        for node in nodes.iter().cycle().take(4) {
            let reply = node.connect().await.ask("GET /other", &headers).await;
            statuses.push(reply.status);
        }
        assert_eq!(statuses, [200, 200, 429, 429], "{headers:?}");
    }
}
