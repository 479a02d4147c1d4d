//! What is on the server: names, types and lives of the keys are part of the contract, for people who look with redis-cli.

use std::time::{SystemTime, UNIX_EPOCH};

use actix_web::http::Method;
use actix_web_guard::RouteOverride;
use redis_servers::Server;
use serde_json::Value;

use super::node::{Node, PATIENCE, at_once, config, eventually, keys, number, text};
use crate::server::{client::Lines, listen::PEER};

/// What a request of a client that was never seen leaves behind.
async fn left_by(server: &Server, node: &Node, request: &str, headers: Lines<'_>) -> Vec<String> {
    server.command(&["FLUSHALL"]);
    node.connect().await.ask(request, headers).await;
    keys(server)
}

fn node(server: &Server) -> Node {
    Node::start(config(server, |config| {
        config
            .auto_ban_threshold(1)
            .auto_ban_duration(40)
            .strike_ttl(30)
            .rate_limit_window(50)
            .route(RouteOverride::new("/plain/{id}", 2, 60).method(Method::GET))
    }))
}

#[actix_web::test]
async fn each_window_has_the_name_of_its_client_and_route() {
    let server = Server::start();
    let node = node(&server);
    let log = "guard:rate_limit:rate:192.0.2.1";
    for (request, endpoint) in [
        ("GET /other", ""),
        ("GET /nowhere", ""),
        ("POST /other", ""),
        ("GET /public", ":/public"),
        ("GET /public?a=b", ":/public"),
        ("GET /%70ublic", ":/public"),
        ("GET /v1/public", ":/v1/public"),
        ("GET /items/7", ":/items/:id"),
        ("POST /items/7", ":/items/:id:POST"),
        ("GET /multi", ":/multi"),
        ("HEAD /multi", ":/multi"),
        ("GET /stacked", ":/stacked"),
        ("GET /plain/7", ":/plain/:id"),
    ] {
        let left = left_by(&server, &node, request, &[(PEER, "192.0.2.1")]).await;
        assert_eq!(left, [format!("{log}{endpoint}")], "{request}");
    }
    // Where several may sit at one pattern, a hash tells them apart.
    for (request, endpoint) in [
        ("GET /limited/other", ":/limited:*~"),
        ("GET /versioned", ":/versioned~"),
        ("GET /by-hand", ":/by-hand:*~"),
    ] {
        let left = left_by(&server, &node, request, &[(PEER, "192.0.2.1"), ("v", "1")]).await;
        let hash = left
            .first()
            .and_then(|name| name.strip_prefix(&format!("{log}{endpoint}")));
        let is_hash = |hash: &str| hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(left.len() == 1 && hash.is_some_and(is_hash), "{left:?}");
    }
    let headers = [(PEER, "2001:db8:1:2:3::4")];
    let left = left_by(&server, &node, "GET /items/7", &headers).await;
    assert_eq!(left, ["guard:rate_limit:rate:2001:db8:1:2::/64:/items/:id"]);
}

#[actix_web::test]
async fn what_is_counted_by_a_key_is_beside_the_global_window_of_the_client() {
    let server = Server::start();
    let node = node(&server);
    let global = "guard:rate_limit:rate:192.0.2.1";
    for (key, name) in [
        (Some("key-1"), "key-1"),
        // Colons and lengths are the sender's to choose.
        (Some("192.0.2.1:/other"), "#21b2a4a4a3d0c7ff"),
        (None, "@192.0.2.1"),
    ] {
        let mut headers = vec![(PEER, "192.0.2.1")];
        headers.extend(key.map(|key| ("X-Api-Key", key)));
        let left = left_by(&server, &node, "GET /data", &headers).await;
        assert_eq!(left.len(), 2);
        assert!(left.contains(&global.to_owned()), "{left:?}");
        let start = format!("guard:rate_limit:rate:by:api_key:{}", &name[..1]);
        let of_key = left.iter().find(|name| name.starts_with(&start)).unwrap();
        match name.starts_with('#') {
            true => assert_eq!(of_key.len(), start.len() + 32 + ":/data".len()),
            false => assert_eq!(
                *of_key,
                format!("guard:rate_limit:rate:by:api_key:{name}:/data")
            ),
        }
    }
}

#[actix_web::test]
async fn preflights_strikes_and_bans_have_keys_of_their_own_and_exempt_routes_none() {
    let server = Server::start();
    let node = node(&server);
    let of = &[(PEER, "192.0.2.1")];
    let preflight = [
        of[0],
        ("Origin", "https://app.example"),
        ("Access-Control-Request-Method", "POST"),
    ];
    assert_eq!(
        left_by(&server, &node, "OPTIONS /other", &preflight).await,
        ["guard:rate_limit:rate:192.0.2.1:~preflight"]
    );
    assert_eq!(
        left_by(&server, &node, "GET /.env", of).await,
        ["guard:strikes:192.0.2.1"]
    );
    assert_eq!(text(&server, &["GET", "guard:strikes:192.0.2.1"]), "1");
    assert_eq!(node.status("192.0.2.1", "GET /.env").await, 403);
    assert_eq!(keys(&server), ["guard:banned_ips:192.0.2.1"]);
    assert_eq!(
        left_by(&server, &node, "GET /health", of).await,
        [] as [&str; 0]
    );
}

#[actix_web::test]
async fn a_ban_is_json_that_says_why_since_when_until_when_and_by_whom() {
    let server = Server::start();
    let node = node(&server);
    let now = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        u64::try_from(now.as_millis()).unwrap()
    };
    let before = now();
    assert_eq!(node.statuses("192.0.2.1", "GET /.env", 2).await, [403; 2]);
    let ban = text(&server, &["GET", "guard:banned_ips:192.0.2.1"]);
    let ban: Value = serde_json::from_str(&ban).unwrap();
    assert_eq!(ban["reason"], "threat: probe (dotfile)");
    assert_eq!(ban["by"], "automatic");
    let (since, until) = (
        ban["since"].as_u64().unwrap(),
        ban["until"].as_u64().unwrap(),
    );
    assert!((before..=now()).contains(&since), "{ban}");
    assert_eq!(until - since, 40_000);
    assert_eq!(ban.as_object().unwrap().len(), 4);

    let duration = crate::support::seconds(100);
    let reason = "a \"quoted\" reason\n";
    node.handle
        .ban("192.0.2.2", duration, reason)
        .await
        .unwrap();
    let ban = text(&server, &["GET", "guard:banned_ips:192.0.2.2"]);
    let ban: Value = serde_json::from_str(&ban).unwrap();
    assert_eq!(
        (&ban["reason"], &ban["by"]),
        (&reason.into(), &"manual".into())
    );
}

#[actix_web::test]
async fn each_key_lives_as_long_as_its_window_the_strikes_or_the_ban() {
    let server = Server::start();
    let node = node(&server);
    let peer = "192.0.2.1";
    for (request, key, seconds) in [
        ("GET /other", "rate_limit:rate:192.0.2.1", 50),
        ("GET /public", "rate_limit:rate:192.0.2.1:/public", 60),
        // The longest of its windows.
        ("GET /stacked", "rate_limit:rate:192.0.2.1:/stacked", 3600),
        ("GET /.env", "strikes:192.0.2.1", 30),
        ("GET /.env", "banned_ips:192.0.2.1", 40),
    ] {
        node.ask(peer, request).await;
        let left = number(&server, &["PTTL", &format!("guard:{key}")]);
        let whole = seconds * 1000;
        // At least what a machine under load leaves of it; at most what it is, but for a little.
        assert!(
            (whole - 9000..=whole + 100).contains(&left),
            "{key}: {left}"
        );
    }
    let log = "guard:rate_limit:rate:192.0.2.2";
    node.ask("192.0.2.2", "GET /other").await;
    assert_eq!(text(&server, &["TYPE", log]), "zset");
    // Somebody takes the end away.
    assert_eq!(number(&server, &["PERSIST", log]), 1);
    assert_eq!(number(&server, &["TTL", log]), -1);
    node.ask("192.0.2.2", "GET /other").await;
    assert!((40..=50).contains(&number(&server, &["TTL", log])));
}

/// The keys without an end. One script, so that it sees no half of another.
const ENDLESS: &str = "\
    local endless = {} \
    for _, key in ipairs(redis.call('KEYS', '*')) do \
      if redis.call('PTTL', key) == -1 then endless[#endless + 1] = key end \
    end \
    return endless";

#[actix_web::test]
async fn no_key_is_without_an_end_at_any_time() {
    let server = Server::start();
    let set = |config: actix_web_guard::SecurityConfigBuilder| {
        config.rate_limit(5).auto_ban_threshold(20)
    };
    let nodes = [0, 1].map(|_| Node::start(config(&server, set)));
    let endless = || -> Vec<String> {
        ::redis::from_redis_value(server.command(&["EVAL", ENDLESS, "0"])).unwrap()
    };
    let traffic = async {
        for request in ["GET /other", "GET /stacked", "GET /data", "GET /.env"] {
            at_once(&nodes, "192.0.2.1", request, 50).await;
            at_once(&nodes, "192.0.2.2", request, 50).await;
            nodes[0].handle.unban("192.0.2.2").await.unwrap();
        }
    };
    let mut looked = 0;
    let looking = async {
        loop {
            assert_eq!(endless(), [] as [&str; 0]);
            looked += 1;
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = traffic => {}
        () = looking => {}
    }
    assert!(looked > 10, "{looked}");
    assert!(!keys(&server).is_empty());
}

#[actix_web::test]
async fn nothing_is_left_when_all_is_over() {
    let server = Server::start();
    let node = Node::start(config(&server, |config| {
        config
            .rate_limit(1)
            .rate_limit_window(1)
            .auto_ban_threshold(1)
            .auto_ban_duration(1)
            .strike_ttl(1)
    }));
    for number in 0..20 {
        let peer = format!("192.0.2.{number}");
        node.statuses(&peer, "GET /other", 1 + number % 4).await;
    }
    assert!(keys(&server).len() >= 20);
    eventually("no key is left", PATIENCE, async || {
        keys(&server).is_empty()
    })
    .await;
    assert_eq!(node.banned().await, [] as [&str; 0]);
    assert_eq!(node.status("192.0.2.3", "GET /other").await, 200);
}
