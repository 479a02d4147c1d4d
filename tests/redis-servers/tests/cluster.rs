//! Cluster.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use redis::Value;
use redis_servers::{Cluster, Server};

fn is_set(node: &Server, key: &str, value: &str) -> bool {
    node.command(&["GET", key]) == Value::BulkString(value.as_bytes().to_vec())
}

/// The name of the error with which a node sends its client elsewhere.
fn sends_elsewhere(node: &Server, key: &str) -> Option<String> {
    let error = node.try_command(&["GET", key]).err()?;
    error.code().map(str::to_owned)
}

fn ports(servers: &[&Server]) -> Vec<u16> {
    servers.iter().map(|server| server.port()).collect()
}

#[test]
fn keys_are_spread_over_three_masters_with_a_replica_each() {
    let cluster = Cluster::start();
    let masters = cluster.masters();
    assert_eq!(masters.len(), 3);
    assert_eq!(cluster.urls().len(), 6);
    for master in &masters {
        let replicas = cluster.replicas_of(master);
        assert_eq!(replicas.len(), 1);
        assert!(!ports(&masters).contains(&replicas[0].port()));
    }
    let mut owners: Vec<_> = [0, 8_000, 16_383]
        .map(|slot| cluster.master_of_slot(slot).port())
        .into();
    owners.sort_unstable();
    let mut masters = ports(&masters);
    masters.sort_unstable();
    assert_eq!(owners, masters);
    assert_eq!(cluster.key_slot("a{tag}"), cluster.key_slot("b{tag}"));
    cluster
        .master_of_key("key")
        .command(&["SET", "key", "value"]);
}

#[test]
fn a_killed_master_has_a_successor_and_follows_it_when_it_comes_back() {
    let cluster = Cluster::start();
    let master = cluster.master_of_key("key");
    let replicas = cluster.replicas_of(master);
    master.command(&["SET", "key", "value"]);
    assert_eq!(master.command(&["WAIT", "1", "5000"]), Value::Int(1));

    let killed = cluster.kill_master_of("key");
    assert_eq!(killed.port(), master.port());
    let promoted = cluster.wait_for_promotion("key");
    assert_eq!(ports(&replicas), [promoted.port()]);
    assert!(is_set(promoted, "key", "value"));

    killed.restart();
    cluster.wait_until_complete();
    assert_eq!(ports(&cluster.replicas_of(promoted)), [killed.port()]);
}

#[test]
fn a_slot_moves_with_its_keys_step_by_step() {
    let cluster = Cluster::start_with_password("secret");
    let (slot, from) = (cluster.key_slot("{tag}"), cluster.master_of_key("{tag}"));
    let masters = cluster.masters();
    let to = masters
        .iter()
        .find(|node| node.port() != from.port())
        .unwrap();
    from.command(&["SET", "{tag}1", "one"]);
    from.command(&["SET", "{tag}2", "two"]);

    cluster.begin_slot_move(slot, to);
    assert!(is_set(from, "{tag}1", "one"));
    assert_eq!(sends_elsewhere(from, "{tag}3").as_deref(), Some("ASK"));
    cluster.migrate_keys(slot, to);
    assert_eq!(sends_elsewhere(from, "{tag}1").as_deref(), Some("ASK"));
    assert_eq!(sends_elsewhere(to, "{tag}1").as_deref(), Some("MOVED"));
    cluster.finish_slot_move(slot, to);
    assert_eq!(sends_elsewhere(from, "{tag}1").as_deref(), Some("MOVED"));
    assert!(is_set(to, "{tag}1", "one") && is_set(to, "{tag}2", "two"));
    assert_eq!(cluster.master_of_slot(slot).port(), to.port());

    cluster.move_slot(slot, from);
    assert!(is_set(from, "{tag}1", "one") && is_set(from, "{tag}2", "two"));
}
