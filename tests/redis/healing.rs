//! A server that forgets its scripts, or is started anew: nothing is counted twice, nothing is lost.

use redis_servers::Server;

use super::node::{
    A_SECOND, Node, PATIENCE, config, eventually, in_turns, keys, number, until_told,
};
use crate::support::seconds;

const PEER: &str = "192.0.2.1";

#[actix_web::test]
async fn a_request_after_the_scripts_were_flushed_is_counted_once() {
    let server = Server::start();
    let nodes = Node::pair(&server, |config| config.rate_limit(4).auto_ban_threshold(2));
    for (request, key, limit) in [
        ("GET /other", "guard:rate_limit:rate:192.0.2.1", 4),
        ("GET /public", "guard:rate_limit:rate:192.0.2.1:/public", 5),
    ] {
        for number_of_request in 1..=limit {
            server.command(&["SCRIPT", "FLUSH"]);
            let node = &nodes[number_of_request % 2];
            let reply = node.ask(PEER, request).await;
            let left = u32::try_from(limit - number_of_request).unwrap();
            assert_eq!((reply.status, reply.remaining()), (200, Some(left)));
            let counted = i64::try_from(number_of_request).unwrap();
            assert_eq!(number(&server, &["ZCARD", key]), counted);
        }
    }
    // Two strikes, and the ban; none of them twice.
    for (status, banned) in [(429, false), (429, false), (403, true)] {
        server.command(&["SCRIPT", "FLUSH"]);
        assert_eq!(nodes[0].status(PEER, "GET /other").await, status);
        server.command(&["SCRIPT", "FLUSH"]);
        let ban = nodes[1].handle.ban_of(PEER).await.unwrap();
        assert_eq!(ban.is_some(), banned);
    }
    for node in &nodes {
        server.command(&["SCRIPT", "FLUSH"]);
        let ban = node.handle.ban(PEER, seconds(60), "a test").await;
        assert_eq!(ban.unwrap().client, PEER);
        server.command(&["SCRIPT", "FLUSH"]);
        assert_eq!(node.banned().await, [PEER]);
        server.command(&["SCRIPT", "FLUSH"]);
        assert!(node.handle.unban(PEER).await.unwrap());
    }
}

/// Waits until both nodes have Redis again, as another client sees it.
async fn until_served(nodes: &[Node]) {
    eventually("both nodes serve", PATIENCE, async || {
        in_turns(nodes, "198.51.100.1", "GET /multi", 2).await == [429; 2]
    })
    .await;
}

#[actix_web::test]
async fn a_server_that_kept_its_data_goes_on_where_it_was() {
    let server = Server::builder()
        .config("appendonly", "yes")
        .config("appendfsync", "always")
        .start();
    let nodes = Node::pair(&server, |config| config.auto_ban_threshold(99));
    until_told(&server, 2).await;
    in_turns(&nodes, "198.51.100.1", "GET /multi", 3).await;
    assert_eq!(in_turns(&nodes, PEER, "GET /public", 3).await, [200; 3]);
    let banned = "192.0.2.2";
    nodes[0].handle.ban(banned, seconds(600), "").await.unwrap();
    assert_eq!(in_turns(&nodes, banned, "GET /other", 4).await, [403; 4]);

    server.restart();
    // Who was banned is so all the while.
    assert_eq!(in_turns(&nodes, banned, "GET /other", 4).await, [403; 4]);
    until_served(&nodes).await;
    assert_eq!(
        in_turns(&nodes, PEER, "GET /public", 4).await,
        [200, 200, 429, 429]
    );
    assert_eq!(in_turns(&nodes, banned, "GET /public", 4).await, [403; 4]);
    // And the nodes are told of bans again.
    until_told(&server, 2).await;
    server.command(&["DEL", "guard:banned_ips:192.0.2.2"]);
    eventually("free", A_SECOND, async || {
        in_turns(&nodes, banned, "GET /other", 2).await == [200; 2]
    })
    .await;
}

#[actix_web::test]
async fn a_server_that_lost_its_data_begins_anew() {
    let server = Server::start();
    let nodes =
        [0, 1].map(|_| Node::start(config(&server, |config| config.auto_ban_threshold(99))));
    until_told(&server, 2).await;
    assert_eq!(
        in_turns(&nodes, PEER, "GET /public", 7).await[5..],
        [429; 2]
    );
    let banned = "192.0.2.2";
    nodes[0].handle.ban(banned, seconds(600), "").await.unwrap();
    assert_eq!(in_turns(&nodes, banned, "GET /other", 4).await, [403; 4]);

    server.restart();
    eventually("both nodes have found out", PATIENCE, async || {
        in_turns(&nodes, banned, "GET /other", 2).await == [200; 2]
    })
    .await;
    assert_eq!(
        in_turns(&nodes, PEER, "GET /public", 7).await,
        [200, 200, 200, 200, 200, 429, 429]
    );
    assert!(!keys(&server).contains(&"guard:banned_ips:192.0.2.2".to_owned()));
}
