//! Bans are in force on every node, and so is their end, within a second.

use redis_servers::Server;

use super::node::{
    A_SECOND, Node, PATIENCE, config, eventually, in_turns, keys, number, until_told,
};
use crate::support::seconds;

const PEER: &str = "192.0.2.1";

/// Two nodes that are told of each other's bans.
async fn pair(server: &Server) -> [Node; 2] {
    let nodes = Node::pair(server, |config| {
        config.auto_ban_threshold(2).auto_ban_duration(600)
    });
    until_told(server, 2).await;
    nodes
}

/// Bans, and lets both nodes refuse until they do so by heart.
async fn ban(nodes: &[Node], length: u64) {
    let ban = nodes[0].handle.ban(PEER, seconds(length), "a test").await;
    assert_eq!(ban.unwrap().client, PEER);
    for request in ["GET /other", "GET /public", "GET /items/1"] {
        assert_eq!(in_turns(nodes, PEER, request, 6).await, [403; 6]);
    }
}

async fn free_within_a_second(nodes: &[Node], how: &str) {
    eventually(how, A_SECOND, async || {
        in_turns(nodes, PEER, "GET /other", 2).await == [200; 2]
    })
    .await;
    for node in nodes {
        assert_eq!(node.handle.ban_of(PEER).await.unwrap(), None);
    }
}

#[actix_web::test]
async fn a_ban_that_is_lifted_in_any_way_is_gone_everywhere_within_a_second() {
    let server = Server::start();
    let nodes = pair(&server).await;
    let key = "guard:banned_ips:192.0.2.1";
    for (how, command) in [
        ("DEL", vec!["DEL", key]),
        ("UNLINK", vec!["UNLINK", key]),
        ("FLUSHALL", vec!["FLUSHALL"]),
        ("FLUSHDB", vec!["FLUSHDB", "ASYNC"]),
        ("EXPIRE", vec!["PEXPIRE", key, "1"]),
    ] {
        ban(&nodes, 600).await;
        server.command(&command);
        free_within_a_second(&nodes, how).await;
    }
    for node in &nodes {
        ban(&nodes, 600).await;
        assert!(node.handle.unban(PEER).await.unwrap());
        free_within_a_second(&nodes, "unban").await;
        assert!(!node.handle.unban(PEER).await.unwrap());
    }
}

#[actix_web::test]
async fn a_ban_that_is_over_is_over_everywhere_within_a_second() {
    let server = Server::start();
    let nodes = pair(&server).await;
    ban(&nodes, 2).await;
    eventually("the ban ends", PATIENCE, async || keys(&server).is_empty()).await;
    free_within_a_second(&nodes, "the end of the ban").await;
}

#[actix_web::test]
async fn a_ban_that_is_set_by_hand_on_the_server_bites_everywhere() {
    let server = Server::start();
    let nodes = pair(&server).await;
    assert_eq!(in_turns(&nodes, PEER, "GET /other", 2).await, [200; 2]);
    let key = "guard:banned_ips:192.0.2.1";
    server.command(&["SET", key, "by hand", "EX", "600"]);
    for request in ["GET /other", "GET /public", "HEAD /multi", "GET /.env"] {
        assert_eq!(in_turns(&nodes, PEER, request, 4).await, [403; 4]);
    }
    let ban = nodes[1].handle.ban_of(PEER).await.unwrap().unwrap();
    assert!(ban.remaining > seconds(500));
    // Attempts don't prolong it.
    assert!(number(&server, &["TTL", key]) <= 600);
    server.command(&["DEL", key]);
    free_within_a_second(&nodes, "DEL").await;
}

#[actix_web::test]
async fn a_ban_that_is_shortened_or_prolonged_is_so_everywhere() {
    let server = Server::start();
    let nodes = pair(&server).await;
    ban(&nodes, 3600).await;
    let ban = nodes[1].handle.ban(PEER, seconds(2), "shorter").await;
    assert!(ban.unwrap().remaining <= seconds(2));
    eventually("the ban ends", PATIENCE, async || keys(&server).is_empty()).await;
    free_within_a_second(&nodes, "the end of the shorter ban").await;

    nodes[0].handle.ban(PEER, seconds(1), "").await.unwrap();
    assert_eq!(in_turns(&nodes, PEER, "GET /other", 4).await, [403; 4]);
    let key = "guard:banned_ips:192.0.2.1";
    assert_eq!(number(&server, &["EXPIRE", key, "600"]), 1);
    // What the nodes knew is over by now, and what they are told is not.
    tokio::time::sleep(seconds(1)).await;
    assert_eq!(in_turns(&nodes, PEER, "GET /other", 4).await, [403; 4]);
}

#[actix_web::test]
async fn a_ban_by_one_node_is_refused_by_the_other_on_every_kind_of_route() {
    let server = Server::start();
    let [one, two] = pair(&server).await;
    assert_eq!(one.statuses(PEER, "GET /.env", 3).await, [403; 3]);
    for request in [
        "GET /other",
        "GET /nowhere",
        "GET /public",
        "POST /items/1",
        "GET /limited/other",
        "GET /data",
        "HEAD /multi",
        "OPTIONS /other",
        "GET /.env",
    ] {
        // The first thing that the other node hears of the client.
        let fresh = Node::start(config(&server, |config| config));
        assert_eq!(fresh.status(PEER, request).await, 403, "{request}");
        assert_eq!(two.status(PEER, request).await, 403, "{request}");
    }
    assert_eq!(two.status("192.0.2.2", "GET /public").await, 200);
}

#[actix_web::test]
async fn a_banned_client_is_refused_on_exempt_routes_by_nodes_that_did_not_ban_it() {
    let server = Server::start();
    let nodes = pair(&server).await;
    assert_eq!(in_turns(&nodes, PEER, "GET /health", 2).await, [200; 2]);
    assert_eq!(nodes[0].statuses(PEER, "GET /.env", 3).await, [403; 3]);
    // The first thing that the other node hears of the client since.
    let others = [&nodes[1], &nodes[0]];
    for node in others {
        assert_eq!(node.status(PEER, "GET /health").await, 403);
    }
    assert_eq!(
        in_turns(&nodes, "192.0.2.2", "GET /health", 4).await,
        [200; 4]
    );
}

#[actix_web::test]
async fn exempt_routes_are_served_while_nobody_knows_who_is_banned() {
    let server = Server::start();
    let node = Node::start(config(&server, |config| config.redis_timeout_ms(250)));
    let banned = "192.0.2.2";
    node.handle.ban(banned, seconds(60), "").await.unwrap();
    assert_eq!(node.status(banned, "GET /health").await, 403);
    server.kill();
    assert_eq!(node.status(PEER, "GET /health").await, 200);
    assert_eq!(node.status(PEER, "GET /other").await, 503);
    // Who is known to be banned stays so.
    assert_eq!(node.status(banned, "GET /health").await, 403);
}

#[actix_web::test]
async fn lifting_a_ban_leaves_no_strikes_on_any_node() {
    let server = Server::start();
    let [one, two] = pair(&server).await;
    for node in [&one, &two, &one] {
        assert_eq!(node.status(PEER, "GET /.env").await, 403);
    }
    assert_eq!(two.status(PEER, "GET /other").await, 403);
    assert!(two.handle.unban(PEER).await.unwrap());
    for node in [&one, &two] {
        eventually("free", A_SECOND, async || {
            node.status(PEER, "GET /other").await == 200
        })
        .await;
    }
    // The next two probes don't ban, and the third does.
    for node in [&two, &one] {
        assert_eq!(node.status(PEER, "GET /.env").await, 403);
        assert_eq!(one.handle.ban_of(PEER).await.unwrap(), None);
    }
    assert_eq!(two.status(PEER, "GET /.env").await, 403);
    assert!(one.handle.ban_of(PEER).await.unwrap().is_some());
    // An unban takes back strikes that brought no ban as well.
    assert_eq!(one.status("192.0.2.2", "GET /.env").await, 403);
    assert!(!two.handle.unban("192.0.2.2").await.unwrap());
    assert_eq!(number(&server, &["EXISTS", "guard:strikes:192.0.2.2"]), 0);
}
