//! A master that Sentinels name.

use redis_servers::Sentinels;

use super::node::{A_SECOND, Node, configured, eventually, in_turns, keys, until_told};

#[actix_web::test]
async fn nodes_find_the_master_and_share_limits_and_bans() {
    let sentinels = Sentinels::start();
    let nodes = [0, 1].map(|_| {
        Node::start(configured(|config| {
            config
                .redis_urls(sentinels.urls())
                .redis_sentinel_master(sentinels.master_name())
                .rate_limit(5)
                .auto_ban_threshold(2)
        }))
    });
    until_told(sentinels.master(), 2).await;
    let peer = "192.0.2.1";
    for (request, statuses) in [
        ("GET /public", [200, 200, 200, 200, 200, 429]),
        ("GET /other", [200, 200, 200, 200, 200, 429]),
    ] {
        assert_eq!(in_turns(&nodes, peer, request, 6).await, statuses);
    }
    let statuses = in_turns(&nodes, peer, "GET /other", 6).await;
    assert_eq!(statuses, [429, 403, 403, 403, 403, 403]);
    for node in &nodes {
        assert_eq!(node.banned().await, [peer]);
    }
    assert!(keys(sentinels.master()).contains(&format!("guard:banned_ips:{peer}")));
    assert!(nodes[1].handle.unban(peer).await.unwrap());
    eventually("free", A_SECOND, async || {
        in_turns(&nodes, peer, "GET /health", 2).await == [200; 2]
    })
    .await;
}
