//! Lists of bans on a server that holds more than those.

use std::collections::BTreeSet;

use ::redis::{Pipeline, pipe};
use redis_servers::Server;

use super::node::{Node, config, number};
use crate::support::seconds;

const BANS: u32 = 4000;

/// An address that depends on a number.
fn address(number: u32) -> String {
    std::net::Ipv4Addr::from_bits(0x0A00_0000 + number).to_string()
}

fn fill(server: &Server, add: impl Fn(&mut Pipeline, u32)) {
    let mut pipeline = pipe();
    for number in 0..BANS {
        add(&mut pipeline, number);
    }
    pipeline.exec(&mut server.connection()).unwrap();
}

#[actix_web::test]
async fn all_own_bans_are_listed_among_many_foreign_keys_and_can_be_lifted() {
    let server = Server::start();
    // Each of them could be taken for another's: a beginning, a pattern, a match of the pattern.
    for prefix in ["shop", "shop2", "s*p[1]", "sxp1", "other"] {
        fill(&server, |pipeline, number| {
            let key = format!("{prefix}banned_ips:{}", address(number));
            let until = 1_700_000_000_000 + u64::from(number);
            let ban = format!(
                r#"{{"reason":"{prefix} {number}","since":1700000000000,"until":{until},"by":"manual"}}"#
            );
            pipeline.set_ex(key, ban, 600).ignore();
            let log = format!("{prefix}rate_limit:rate:{}", address(number));
            pipeline.set_ex(log, "", 600).ignore();
        });
    }
    let before = number(&server, &["DBSIZE"]);
    assert_eq!(before, 10 * i64::from(BANS));
    let start = |prefix: &'static str| {
        Node::start(config(&server, move |config| config.redis_prefix(prefix)))
    };
    for node in ["shop", "s*p[1]"].map(start) {
        let listed: BTreeSet<String> = node.banned().await.into_iter().collect();
        assert_eq!(listed, (0..BANS).map(address).collect());
        for number in 0..BANS / 10 {
            assert!(node.handle.unban(address(number)).await.unwrap());
        }
        let banned = node.banned().await.len();
        assert_eq!(banned, usize::try_from(BANS - BANS / 10).unwrap());
    }
    // Nothing else has gone.
    let lifted = 2 * i64::from(BANS / 10);
    assert_eq!(number(&server, &["DBSIZE"]), before - lifted);
    assert_eq!(server.info("cmdstat_keys"), None);
}

#[actix_web::test]
async fn a_ban_is_listed_with_all_that_is_known_of_it_the_next_to_end_first() {
    use futures_util::StreamExt as _;
    let server = Server::start();
    let [one, two] = Node::pair(&server, |config| config.auto_ban_threshold(0));
    for (address, length, reason) in [
        ("192.0.2.1", 300, "the longest"),
        ("2001:db8::1", 100, "the shortest"),
    ] {
        one.handle
            .ban(address, seconds(length), reason)
            .await
            .unwrap();
    }
    assert_eq!(one.status("192.0.2.3", "GET /.env").await, 403);
    let bans: Vec<_> = two.handle.bans().collect().await;
    let told: Vec<_> = bans
        .iter()
        .map(|ban| (ban.client.as_str(), ban.reason.as_str(), ban.by.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("2001:db8::/64", "the shortest", "manual"),
            ("192.0.2.1", "the longest", "manual"),
            ("192.0.2.3", "threat: probe (dotfile)", "automatic"),
        ]
    );
    let ban = two.handle.ban_of("2001:db8::9").await.unwrap().unwrap();
    assert_eq!(ban.client, "2001:db8::/64");
    let left = ban.remaining;
    assert!(left <= seconds(100) && left > seconds(90), "{left:?}");
}

#[actix_web::test]
async fn foreign_values_below_the_own_prefix_hurt_nobody() {
    let server = Server::start();
    let node = Node::start(config(&server, |config| config));
    // A key that is there is a ban, whatever it holds; a name that is nobody's is none.
    server.command(&["SET", "guard:banned_ips:192.0.2.1", "no JSON"]);
    server.command(&["RPUSH", "guard:banned_ips:192.0.2.2", "a list"]);
    server.command(&["SET", "guard:banned_ips:192.0.2.3", ""]);
    server.command(&["SET", "guard:banned_ips:nobody", "{}"]);
    server.command(&["SET", "guard:banned_ips:", "{}"]);
    server.command(&["SET", "guard:banned_ips:192.0.2.004", "{}"]);
    let banned = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
    assert_eq!(node.banned().await, banned);
    for peer in banned {
        assert_eq!(node.status(peer, "GET /other").await, 403);
        assert_eq!(node.status(peer, "GET /public").await, 403);
        assert!(node.handle.unban(peer).await.unwrap());
        assert_eq!(node.status(peer, "GET /other").await, 200);
    }
    assert_eq!(node.status("192.0.2.4", "GET /other").await, 200);
    assert_eq!(node.banned().await, [] as [&str; 0]);
}
