//! The admin scope of one node shows what all nodes did, and what it lifts is lifted everywhere.

use redis_servers::Server;
use serde_json::{Value, json};

use super::node::{A_SECOND, Node, eventually};
use crate::{
    admin::TOKEN,
    server::{client::Reply, listen::PEER},
};

const CLIENT: &str = "198.51.100.4";

/// A call of an operator.
async fn call(node: &Node, request: &str) -> Reply {
    let bearer = format!("Bearer {TOKEN}");
    let fields = [(PEER, "192.0.2.99"), ("Authorization", &*bearer)];
    node.connect().await.ask(request, &fields).await
}

async fn look(node: &Node, path: &str) -> Value {
    let reply = call(node, &format!("GET /guard/api/{path}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    serde_json::from_str(reply.text()).unwrap()
}

#[actix_web::test]
async fn bans_of_another_node_are_seen_and_lifted() {
    let server = Server::start();
    let [one, two] = Node::pair(&server, |config| config.rate_limit(2).auto_ban_threshold(1));
    assert_eq!(
        one.statuses(CLIENT, "GET /other", 4).await,
        [200, 200, 429, 403]
    );

    let bans = look(&two, "bans").await;
    assert_eq!(bans["total"], 1);
    assert_eq!(bans["bans"][0]["client"], CLIENT);
    assert_eq!(bans["bans"][0]["reason"], "rate limit");
    let overview = look(&two, "overview").await;
    let store = json!({"kind": "redis", "windows": "shared", "state": "available"});
    assert_eq!(overview["store"], store);

    let lifted = call(&two, &format!("DELETE /guard/api/bans/{CLIENT}")).await;
    assert_eq!(lifted.status, 200);
    eventually("the client gets in", A_SECOND, async || {
        one.status(CLIENT, "GET /other").await == 200
    })
    .await;
}

#[actix_web::test]
async fn how_a_client_stands_is_read_from_redis() {
    let server = Server::start();
    let [one, two] = Node::pair(&server, |config| config.rate_limit(3).auto_ban_threshold(9));
    assert_eq!(
        one.statuses(CLIENT, "GET /other", 4).await,
        [200, 200, 200, 429]
    );
    let client = look(&two, &format!("clients/{CLIENT}")).await;
    assert_eq!(
        (&client["strikes"], &client["strike_limit"]),
        (&json!(1), &json!(9))
    );
    assert_eq!(client["ban"], Value::Null);
    let window = &client["windows"][0];
    assert_eq!(
        (&window["name"], &window["requests"]),
        (&json!("default"), &json!(3))
    );
    assert_eq!(window["remaining"], 0);
    let lines = client["redis_cli"].as_array().unwrap().iter();
    let lines: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
    for expected in [
        "ZRANGE 'guard:rate_limit:rate:198.51.100.4' 0 -1 WITHSCORES",
        "GET 'guard:strikes:198.51.100.4'",
        "DEL 'guard:banned_ips:198.51.100.4'",
    ] {
        let is_there = lines.iter().any(|line| line.contains(expected));
        assert!(is_there, "{expected}: {lines:#?}");
    }
    // Looking has counted nothing.
    assert_eq!(look(&two, &format!("clients/{CLIENT}")).await["strikes"], 1);
}

#[actix_web::test]
async fn without_redis_operators_still_get_in() {
    let server = Server::start();
    let node = Node::start(super::node::config(&server, |config| {
        config
            .redis_timeout_ms(250)
            .on_store_failure(actix_web_guard::StoreFailurePolicy::Local)
    }));
    assert_eq!(node.status(CLIENT, "GET /other").await, 200);
    server.kill();
    eventually("the outage is seen", super::node::PATIENCE, async || {
        node.status(CLIENT, "GET /other").await;
        look(&node, "overview").await["store"]["state"] == "unavailable"
    })
    .await;
    assert_eq!(look(&node, "bans").await["total"], 0);
    let client = look(&node, &format!("clients/{CLIENT}")).await;
    assert_eq!(client["windows"][0]["name"], "default");
}
