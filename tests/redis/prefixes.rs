//! Applications on one server, told apart by their prefixes, and passive mode by its own.

use redis_servers::Server;

use super::node::{Node, config, keys, until_told};
use crate::support::seconds;

#[actix_web::test]
async fn applications_with_different_prefixes_know_nothing_of_each_other() {
    let server = Server::start();
    let start = |prefix: &'static str| {
        Node::start(config(&server, move |config| {
            config
                .redis_prefix(prefix)
                .rate_limit(3)
                .auto_ban_threshold(1)
        }))
    };
    // The name of one is the beginning of another's, or a pattern that fits it.
    let nodes = ["shop", "shop2", "s*p[1]", "s"].map(start);
    let peer = "192.0.2.1";
    for node in &nodes {
        let statuses = node.statuses(peer, "GET /other", 6).await;
        assert_eq!(statuses, [200, 200, 200, 429, 403, 403]);
        let statuses = node.statuses("192.0.2.2", "GET /public", 6).await;
        assert_eq!(statuses, [200, 200, 200, 200, 200, 429]);
    }
    for (at, node) in nodes.iter().enumerate() {
        let other = format!("198.51.100.{at}");
        node.handle.ban(&other, seconds(60), "").await.unwrap();
        assert_eq!(node.banned().await, [peer.to_owned(), other]);
    }
    assert!(nodes[0].handle.unban(peer).await.unwrap());
    assert_eq!(nodes[0].status(peer, "GET /other").await, 200);
    for node in &nodes[1..] {
        assert_eq!(node.status(peer, "GET /other").await, 403);
    }
}

#[actix_web::test]
async fn passive_mode_keeps_its_own_keys_and_enforcing_nodes_never_see_them() {
    let server = Server::start();
    let start = |passive: bool| {
        Node::start(config(&server, move |config| {
            config.rate_limit(2).auto_ban_threshold(1).passive(passive)
        }))
    };
    let [passive, watching, enforcing] = [true, true, false].map(start);
    let peer = "192.0.2.1";
    for node in [&passive, &watching, &passive] {
        assert_eq!(node.statuses(peer, "GET /other", 2).await, [200; 2]);
    }
    // What would have happened, for all that watch.
    for node in [&passive, &watching] {
        assert_eq!(node.banned().await, [peer]);
    }
    assert_eq!(keys(&server), [format!("guard:passive:banned_ips:{peer}")]);
    passive.ask("192.0.2.2", "GET /public").await;
    passive.ask("192.0.2.2", "GET /.env").await;
    let of_passive = keys(&server);
    assert_eq!(of_passive.len(), 3);
    assert!(
        of_passive
            .iter()
            .all(|key| key.starts_with("guard:passive:"))
    );

    assert_eq!(enforcing.banned().await, [] as [&str; 0]);
    let statuses = enforcing.statuses(peer, "GET /other", 5).await;
    assert_eq!(statuses, [200, 200, 429, 403, 403]);
    assert!(enforcing.handle.unban(peer).await.unwrap());
    assert_eq!(passive.banned().await, [peer]);
    // And the other way round.
    until_told(&server, 5).await;
    let address = "192.0.2.3";
    enforcing
        .handle
        .ban(address, seconds(60), "")
        .await
        .unwrap();
    assert_eq!(passive.status(address, "GET /other").await, 200);
    assert_eq!(passive.banned().await, [peer]);
}
