//! A Cluster of six nodes, the same for all tests here; each has a prefix of its own.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use futures_util::future::join;
use redis_servers::{Cluster, Server};

use super::node::{
    A_SECOND, Node, PATIENCE, Set, at_once, configured, count, eventually, in_turns, number,
};
use crate::{server::listen::PEER, support::seconds};

/// It ends with this process.
fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(Cluster::start_without_failover)
}

fn pair(prefix: &str, set: impl Set) -> [Node; 2] {
    [0, 1].map(|_| {
        Node::start(configured(|config| {
            set(config
                .redis_urls(cluster().urls())
                .redis_cluster(true)
                .redis_prefix(prefix))
        }))
    })
}

/// The keys of a prefix by the masters that have them.
fn keys(prefix: &str) -> BTreeMap<u16, BTreeSet<String>> {
    let keys = |master: &Server| {
        let all = super::node::keys(master).into_iter();
        all.filter(|key| key.starts_with(prefix)).collect()
    };
    let masters = cluster().masters();
    masters
        .iter()
        .map(|master| (master.port(), keys(master)))
        .collect()
}

#[actix_web::test]
async fn of_each_client_exactly_the_limit_is_admitted_by_all_nodes_together() {
    let nodes = pair("r05:", |config| {
        config.rate_limit(5).enable_ip_banning(false)
    });
    for request in ["GET /other", "GET /public"] {
        for number in 0..30 {
            let peer = format!("192.0.2.{number}");
            let statuses = in_turns(&nodes, &peer, request, 10).await;
            let expected = [[200; 5], [429; 5]].concat();
            assert_eq!(statuses, expected, "{peer} {request}");
        }
    }
    let statuses = at_once(&nodes, "198.51.100.1", "GET /other", 100).await;
    assert_eq!(count(&statuses, 200), 5);
    assert_eq!(count(&statuses, 429), 195);
}

#[actix_web::test]
async fn bans_on_all_masters_are_listed_lifted_and_told() {
    let nodes = pair("bans:", |config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(1)
            .auto_ban_duration(600)
    });
    let peers: Vec<String> = (1..=9).map(|number| format!("192.0.2.{number}")).collect();
    for peer in &peers {
        let statuses = in_turns(&nodes, peer, "GET /other", 6).await;
        assert_eq!(statuses, [200, 200, 429, 403, 403, 403], "{peer}");
    }
    for node in &nodes {
        assert_eq!(node.banned().await, peers);
    }
    let of_masters = keys("bans:banned_ips:");
    assert!(
        of_masters.values().all(|keys| !keys.is_empty()),
        "{of_masters:?}"
    );
    for (peer, node) in peers.iter().zip(nodes.iter().cycle()) {
        assert_eq!(in_turns(&nodes, peer, "GET /public", 4).await, [403; 4]);
        assert!(node.handle.unban(peer).await.unwrap());
        eventually(peer, A_SECOND, async || {
            in_turns(&nodes, peer, "GET /health", 2).await == [200; 2]
        })
        .await;
    }
    assert_eq!(nodes[0].banned().await, [] as [&str; 0]);
    // By hand, on the master that has it.
    let (peer, key) = ("192.0.2.1", "bans:banned_ips:{192.0.2.1}");
    nodes[0].handle.ban(peer, seconds(600), "").await.unwrap();
    assert_eq!(in_turns(&nodes, peer, "GET /public", 4).await, [403; 4]);
    cluster().master_of_key(key).command(&["DEL", key]);
    eventually(peer, A_SECOND, async || {
        in_turns(&nodes, peer, "GET /health", 2).await == [200; 2]
    })
    .await;
}

#[actix_web::test]
async fn all_keys_of_a_client_are_in_one_slot_and_the_clients_are_all_over() {
    let nodes = pair("spread:", |config| config.auto_ban_threshold(2));
    let mut slots = HashSet::new();
    for number in 0..60 {
        let peer = match number % 2 {
            0 => format!("192.0.2.{number}"),
            _ => format!("2001:db8:0:{number}::1"),
        };
        for request in ["GET /other", "GET /items/7", "POST /items/7", "GET /.env"] {
            in_turns(&nodes, &peer, request, 1).await;
        }
        let client = match number % 2 {
            0 => peer,
            _ => format!("2001:db8:0:{number}::/64"),
        };
        let expected = [
            format!("spread:rate_limit:rate:{{{client}}}"),
            format!("spread:rate_limit:rate:{{{client}}}:/items/:id"),
            format!("spread:rate_limit:rate:{{{client}}}:/items/:id:POST"),
            format!("spread:strikes:{{{client}}}"),
        ];
        let slot = cluster().key_slot(&expected[0]);
        slots.insert(slot);
        let master = cluster().master_of_slot(slot);
        for key in &expected {
            assert_eq!(cluster().key_slot(key), slot, "{key}");
            assert_eq!(super::node::number(master, &["EXISTS", key]), 1, "{key}");
        }
    }
    assert!(slots.len() > 50, "{}", slots.len());
    let of_masters = keys("spread:");
    // A third each, but for chance.
    assert!(
        of_masters.values().all(|keys| keys.len() > 20),
        "{of_masters:?}"
    );
    assert_eq!(
        of_masters.values().map(BTreeSet::len).sum::<usize>(),
        4 * 60
    );
}

#[actix_web::test]
async fn a_key_is_counted_exactly_though_it_lives_elsewhere_and_its_violation_strikes_the_client() {
    let nodes = pair("keyed:", |config| {
        config.rate_limit(50).auto_ban_threshold(1)
    });
    let mut connections = [nodes[0].connect().await, nodes[1].connect().await];
    for key in 0..12 {
        let key = format!("key-{key}");
        let mut statuses = Vec::new();
        for number in 0..6 {
            // Each of a client that has been seen seldom enough not to be banned.
            let peer = format!("192.0.2.{number}");
            let headers = [(PEER, peer.as_str()), ("X-Api-Key", key.as_str())];
            let reply = connections[number % 2].ask("GET /data", &headers).await;
            statuses.push(reply.status);
            nodes[0].handle.unban(&peer).await.unwrap();
        }
        assert_eq!(statuses, [200, 200, 429, 429, 429, 429], "{key}");
    }
    let mut statuses = Vec::new();
    for number in 0..5 {
        let headers = [(PEER, "198.51.100.1"), ("X-Api-Key", "mine")];
        let reply = connections[number % 2].ask("GET /data", &headers).await;
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [200, 200, 429, 403, 403]);
    let ban = nodes[1].handle.ban_of("198.51.100.1").await.unwrap();
    assert_eq!(ban.unwrap().reason, "rate limit");
}

#[actix_web::test]
async fn the_global_window_beside_a_key_is_exact_too() {
    let nodes = pair("beside:", |config| {
        config.rate_limit(4).enable_ip_banning(false)
    });
    let mut connections = [nodes[0].connect().await, nodes[1].connect().await];
    let mut statuses = Vec::new();
    for number in 0..8 {
        let key = format!("key-{number}");
        let headers = [(PEER, "192.0.2.1"), ("X-Api-Key", key.as_str())];
        let reply = connections[number % 2].ask("GET /data", &headers).await;
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [[200; 4], [429; 4]].concat());
}

#[actix_web::test]
async fn a_slot_that_moves_during_traffic_loses_and_doubles_nothing() {
    let nodes = pair("moving:", |config| config.rate_limit(1_000_000));
    let peer = "192.0.2.1";
    let log = "moving:rate_limit:rate:{192.0.2.1}";
    let slot = cluster().key_slot(log);
    let (done, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let send = async |node: &Node| {
        let mut connection = node.connect().await;
        while !done.load(Ordering::SeqCst) {
            let reply = connection.ask("GET /other", &[(PEER, peer)]).await;
            assert_eq!(reply.status, 200);
            sent.fetch_add(1, Ordering::SeqCst);
        }
    };
    let moving = async {
        for _ in 0..2 {
            for to in 0..3 {
                let moved = actix_web::rt::task::spawn_blocking(move || {
                    let masters = cluster().masters();
                    let to = masters[to];
                    if cluster().master_of_slot(slot).port() != to.port() {
                        cluster().move_slot(slot, to);
                    }
                });
                moved.await.unwrap();
                let so_far = sent.load(Ordering::SeqCst);
                eventually("traffic goes on", PATIENCE, async || {
                    sent.load(Ordering::SeqCst) > so_far + 20
                })
                .await;
            }
        }
        done.store(true, Ordering::SeqCst);
    };
    join(moving, join(send(&nodes[0]), send(&nodes[1]))).await;
    let sent = i64::try_from(sent.load(Ordering::SeqCst)).unwrap();
    assert!(sent > 100);
    let counted = number(cluster().master_of_key(log), &["ZCARD", log]);
    assert_eq!(counted, sent);
}
