//! Limits, strikes and bans are those of all nodes together, and exact.

use actix_web::http::Method;
use actix_web_guard::RouteOverride;
use redis_servers::Server;

use super::node::{Node, at_once, config, count, in_turns};
use crate::server::{client::Lines, listen::PEER};

/// Never bans.
fn pair(server: &Server, global: i64) -> [Node; 2] {
    Node::pair(server, |config| {
        config
            .rate_limit(global)
            .enable_ip_banning(false)
            .exempt_ips(["203.0.113.0/24"])
            .route(RouteOverride::new("/plain/{id}", 2, 60).method(Method::GET))
    })
}

/// So many requests are admitted, and after them none.
fn admitted(number: usize, of: usize) -> Vec<u16> {
    [vec![200; number], vec![429; of - number]].concat()
}

#[actix_web::test]
async fn each_kind_of_limit_is_one_for_two_nodes() {
    let server = Server::start();
    let nodes = pair(&server, 7);
    for (number, (request, limit)) in [
        ("GET /other", 7),
        ("GET /public", 5),
        ("GET /v1/public", 5),
        ("GET /items/1", 3),
        ("POST /items/1", 2),
        ("GET /multi", 3),
        ("HEAD /multi", 3),
        ("GET /stacked", 3),
        ("GET /limited/other", 4),
        ("GET /plain/1", 2),
        ("GET /data", 2),
        ("GET /health", 12),
    ]
    .into_iter()
    .enumerate()
    {
        let peer = format!("192.0.2.{number}");
        let statuses = in_turns(&nodes, &peer, request, 12).await;
        assert_eq!(statuses, admitted(limit, 12), "{request}");
    }
    let statuses = in_turns(&nodes, "203.0.113.1", "GET /public", 12).await;
    assert_eq!(statuses, [200; 12], "exempt");
}

#[actix_web::test]
async fn what_counts_apart_counts_apart_on_all_nodes() {
    let server = Server::start();
    let nodes = pair(&server, 7);
    let peer = "192.0.2.1";
    // Each one is exhausted before the next begins.
    for (request, limit) in [
        ("GET /public", 5),
        ("GET /v1/public", 5),
        ("GET /v2/public", 5),
        ("GET /items/1", 3),
        ("POST /items/1", 2),
        ("GET /limited/other", 4),
        ("GET /plain/1", 2),
        ("GET /other", 7),
    ] {
        let statuses = in_turns(&nodes, peer, request, 9).await;
        assert_eq!(statuses, admitted(limit, 9), "{request}");
    }
    let statuses = in_turns(&nodes, "192.0.2.2", "GET /public", 9).await;
    assert_eq!(statuses, admitted(5, 9), "another client");
}

#[actix_web::test]
async fn routes_that_guards_tell_apart_count_apart_whichever_a_node_meets_first() {
    let server = Server::start();
    let nodes = pair(&server, 100);
    for (path, peer) in [("/versioned", "192.0.2.1"), ("/by-hand", "192.0.2.2")] {
        let request = format!("GET {path}");
        let ask = async |node: &Node, version: &str| {
            let mut connection = node.connect().await;
            let headers = [(PEER, peer), ("v", version)];
            connection.ask(&request, &headers).await.status
        };
        // Each node meets another one first.
        let mut first = vec![ask(&nodes[0], "1").await];
        let mut second = vec![ask(&nodes[1], "2").await];
        for round in 0..4 {
            first.push(ask(&nodes[(round + 1) % 2], "1").await);
            second.push(ask(&nodes[round % 2], "2").await);
        }
        assert_eq!(first, admitted(2, 5), "{path}");
        assert_eq!(second, admitted(3, 5), "{path}");
    }
}

#[actix_web::test]
async fn get_and_head_of_one_handler_are_one_on_all_nodes() {
    let server = Server::start();
    let [one, two] = pair(&server, 7);
    let peer = "192.0.2.1";
    assert_eq!(one.status(peer, "GET /multi").await, 200);
    assert_eq!(two.status(peer, "HEAD /multi").await, 200);
    assert_eq!(one.status(peer, "HEAD /multi").await, 200);
    assert_eq!(two.status(peer, "GET /multi").await, 429);
    assert_eq!(one.status(peer, "HEAD /multi").await, 429);
}

#[actix_web::test]
async fn a_scope_counts_its_routes_together_and_their_own_limits_besides() {
    let server = Server::start();
    let [one, two] = pair(&server, 7);
    let peer = "192.0.2.1";
    for number in 0..3 {
        let request = format!("GET /limited/items/{number}");
        assert_eq!(one.status(peer, &request).await, 200);
    }
    // The fourth in the scope, but in the item's window as well: it is full, and the scope's counts what is rejected.
    assert_eq!(two.status(peer, "GET /limited/items/4").await, 429);
    assert_eq!(two.status(peer, "GET /limited/other").await, 429);
    assert_eq!(two.status(peer, "GET /items/1").await, 200);
}

#[actix_web::test]
async fn a_thousand_ids_are_one_window_and_one_key() {
    let server = Server::start();
    let nodes = pair(&server, 7);
    let peer = "192.0.2.1";
    let mut connections = [nodes[0].connect().await, nodes[1].connect().await];
    let mut statuses = Vec::new();
    for id in 0..1000 {
        let request = format!("GET /items/{id}");
        let reply = connections[id % 2].ask(&request, &[(PEER, peer)]).await;
        statuses.push(reply.status);
    }
    assert_eq!(statuses, admitted(3, 1000));
    assert_eq!(
        super::node::keys(&server),
        ["guard:rate_limit:rate:192.0.2.1:/items/:id"]
    );
}

const PREFLIGHT: Lines<'_> = &[
    (PEER, "192.0.2.1"),
    ("Origin", "https://app.example"),
    ("Access-Control-Request-Method", "POST"),
];

#[actix_web::test]
async fn preflights_have_a_window_of_their_own_on_all_nodes() {
    let server = Server::start();
    let nodes = pair(&server, 7);
    let mut connections = [nodes[0].connect().await, nodes[1].connect().await];
    let mut refused = Vec::new();
    for number in 0..10 {
        let reply = connections[number % 2]
            .ask("OPTIONS /other", PREFLIGHT)
            .await;
        refused.push(reply.status == 429);
    }
    assert_eq!(refused, [vec![false; 7], vec![true; 3]].concat());
    let statuses = in_turns(&nodes, "192.0.2.1", "GET /other", 9).await;
    assert_eq!(statuses, admitted(7, 9));
}

#[actix_web::test]
async fn a_key_is_counted_on_all_nodes_whoever_sends_it_and_besides_the_global_window() {
    let server = Server::start();
    let nodes = pair(&server, 7);
    let mut connections = [nodes[0].connect().await, nodes[1].connect().await];
    for (number, (peer, key, status)) in [
        ("192.0.2.1", "a", 200),
        ("192.0.2.2", "a", 200),
        ("192.0.2.3", "a", 429),
        ("192.0.2.4", "a", 429),
        // The global window of the first has one request in it.
        ("192.0.2.1", "b", 200),
        ("192.0.2.1", "b", 200),
        ("192.0.2.1", "c", 200),
        ("192.0.2.1", "c", 200),
        ("192.0.2.1", "d", 200),
        ("192.0.2.1", "d", 200),
        ("192.0.2.1", "e", 429),
        ("192.0.2.1", "f", 429),
        ("192.0.2.2", "e", 200),
    ]
    .into_iter()
    .enumerate()
    {
        let headers = [(PEER, peer), ("X-Api-Key", key)];
        let reply = connections[number % 2].ask("GET /data", &headers).await;
        assert_eq!(reply.status, status, "{number}: {peer} {key}");
    }
}

#[actix_web::test]
async fn of_requests_at_once_on_two_nodes_exactly_the_limit_is_admitted() {
    let server = Server::start();
    let set = |config: actix_web_guard::SecurityConfigBuilder| {
        config.rate_limit(70).enable_ip_banning(false)
    };
    let nodes = [0, 1].map(|_| Node::start_on(2, config(&server, set)));
    for (number, (request, limit)) in [
        ("GET /other", 70),
        ("GET /public", 5),
        ("GET /items/1", 3),
        ("POST /items/1", 2),
        ("GET /limited/other", 4),
        ("GET /stacked", 3),
    ]
    .into_iter()
    .enumerate()
    {
        let peer = format!("192.0.2.{number}");
        let statuses = at_once(&nodes, &peer, request, 200).await;
        assert_eq!(statuses.len(), 400);
        assert_eq!(count(&statuses, 200), limit, "{request}");
        assert_eq!(count(&statuses, 429), 400 - limit, "{request}");
    }
}

#[actix_web::test]
async fn of_strikes_at_once_on_two_nodes_none_is_lost_and_there_is_one_ban() {
    let server = Server::start();
    let set = |config: actix_web_guard::SecurityConfigBuilder| {
        config.rate_limit(7).auto_ban_threshold(40)
    };
    let nodes = [0, 1].map(|_| Node::start_on(2, config(&server, set)));
    for (peer, request, limit) in [
        ("192.0.2.1", "GET /other", 7),
        ("192.0.2.2", "GET /public", 5),
    ] {
        let statuses = at_once(&nodes, peer, request, 100).await;
        assert_eq!(count(&statuses, 200), limit, "{request}");
        // The strikes that the threshold allows, then the ban.
        assert_eq!(count(&statuses, 429), 40, "{request}");
        assert_eq!(count(&statuses, 403), 160 - limit, "{request}");
    }
    for node in &nodes {
        assert_eq!(node.banned().await, ["192.0.2.1", "192.0.2.2"]);
    }
}

#[actix_web::test]
async fn strikes_add_up_over_nodes_and_the_clean_streak_is_one() {
    let server = Server::start();
    let [one, two] = Node::pair(&server, |config| config.auto_ban_threshold(2));
    let peer = "192.0.2.1";
    for node in [&one, &two] {
        assert_eq!(node.status(peer, "GET /.env").await, 403);
    }
    // Two strikes are allowed, and a clean request takes them back.
    assert_eq!(one.status(peer, "GET /other").await, 200);
    super::node::eventually("no strikes", super::node::PATIENCE, async || {
        super::node::number(&server, &["EXISTS", "guard:strikes:192.0.2.1"]) == 0
    })
    .await;
    // A report is a strike, too.
    assert_eq!(two.status(peer, "POST /login").await, 401);
    for node in [&one, &two] {
        assert_eq!(one.handle.ban_of(peer).await.unwrap(), None);
        assert_eq!(node.status(peer, "GET /.env").await, 403);
    }
    let ban = one.handle.ban_of(peer).await.unwrap().unwrap();
    assert_eq!(ban.reason, "threat: probe (dotfile)");
    for node in [&one, &two] {
        for request in ["GET /other", "GET /public", "GET /items/1", "GET /nowhere"] {
            assert_eq!(node.status(peer, request).await, 403, "{request}");
        }
    }
}
