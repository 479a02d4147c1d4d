//! Clusters.

use std::collections::BTreeSet;

use redis_servers::Cluster;

use super::*;

/// Nodes need a while to agree.
const FAILOVER: Duration = Duration::from_secs(20);

fn connect(cluster: &Cluster) -> Connections {
    connections(&cluster.urls(), None, true)
}

fn keys(number: usize) -> Vec<String> {
    (0..number)
        .map(|number| format!("guard:{{{number}}}"))
        .collect()
}

#[actix_web::test]
async fn each_key_is_counted_by_its_node() {
    let cluster = Cluster::start();
    // One node knows the others.
    let connections = connections(&cluster.urls()[..1], None, true);
    for key in keys(40) {
        for expected in 1..=2 {
            let (_, counted) = timed(count(&connections, &key)).await;
            assert_eq!(counted, Ok(Value::Int(expected)), "{key}");
        }
    }
    let get = ::redis::cmd("GET").arg("guard:{7}").to_owned();
    let counted = connections.command(get).await;
    assert_eq!(counted, Ok(Value::BulkString(b"2".into())));

    let masters = connections.masters().await.unwrap();
    assert_eq!(masters.len(), 3);
    let mut found = BTreeSet::new();
    for master in &masters {
        let scan = ::redis::cmd("SCAN")
            .arg(0)
            .arg("COUNT")
            .arg(1000)
            .to_owned();
        let page = connections.command_on(master, scan).await.unwrap();
        let (_, keys): (u64, Vec<String>) = ::redis::from_redis_value(page).unwrap();
        assert!(!keys.is_empty());
        found.extend(keys);
    }
    assert_eq!(found, keys(40).into_iter().collect());
}

#[actix_web::test]
async fn a_slot_that_moves_loses_no_count() {
    let cluster = Cluster::start();
    let connections = connect(&cluster);
    let key = "guard:{client}";
    let slot = cluster.key_slot(key);
    let from = cluster.master_of_slot(slot);
    let to = *cluster
        .masters()
        .iter()
        .find(|master| master.port() != from.port())
        .unwrap();
    assert_eq!(count(&connections, key).await, Ok(Value::Int(1)));

    cluster.begin_slot_move(slot, to);
    // It is still there; a key that is not is on the other side.
    assert_eq!(count(&connections, key).await, Ok(Value::Int(2)));
    assert_eq!(count(&connections, "new:{client}").await, Ok(Value::Int(1)));
    cluster.migrate_keys(slot, to);
    assert_eq!(count(&connections, key).await, Ok(Value::Int(3)));
    // A script whose text the other side does not know.
    let unknown = script("return redis.call('INCRBY', KEYS[1], 10)");
    let added = connections.eval(&unknown, &[key.as_bytes()], &[]).await;
    assert_eq!(added, Ok(Value::Int(13)));
    cluster.finish_slot_move(slot, to);
    assert_eq!(count(&connections, key).await, Ok(Value::Int(14)));
    assert_eq!(count(&connections, "new:{client}").await, Ok(Value::Int(2)));
    assert_eq!(to.command(&["GET", key]), Value::BulkString(b"14".into()));
}

#[actix_web::test]
async fn keys_on_both_sides_of_a_move_are_no_outage() {
    let cluster = Cluster::start();
    let connections = connect(&cluster);
    let slot = cluster.key_slot("{client}");
    let from = cluster.master_of_slot(slot);
    let to = *cluster
        .masters()
        .iter()
        .find(|master| master.port() != from.port())
        .unwrap();
    assert_eq!(count(&connections, "a:{client}").await, Ok(Value::Int(1)));
    cluster.begin_slot_move(slot, to);
    let both = script("return redis.call('INCR', KEYS[1]) + redis.call('INCR', KEYS[2])");
    let keys: [&[u8]; 2] = [b"a:{client}", b"b:{client}"];
    let (_, result) = timed(connections.eval(&both, &keys, &[])).await;
    assert_eq!(result, Err(Failure::Moving));
    assert!(!Failure::Moving.is_outage());
    cluster.migrate_keys(slot, to);
    cluster.finish_slot_move(slot, to);
    let result = connections.eval(&both, &keys, &[]).await;
    assert_eq!(result, Ok(Value::Int(3)));
}

#[actix_web::test]
async fn the_replica_of_a_killed_master_is_found() {
    let cluster = Cluster::start();
    let connections = connect(&cluster);
    for key in keys(20) {
        count(&connections, &key).await.unwrap();
    }
    let killed = cluster.kill_master_of("guard:{1}").port();
    let took = recovered(&connections, "guard:{1}").await;
    assert!(took < FAILOVER, "{took:?}");
    assert_ne!(cluster.wait_for_promotion("guard:{1}").port(), killed);
    for key in keys(20) {
        let took = recovered(&connections, &key).await;
        assert!(took < FAILOVER, "{key}: {took:?}");
    }
}

#[actix_web::test]
async fn a_master_that_hangs_is_replaced_and_the_others_go_on() {
    let cluster = Cluster::start();
    let connections = connect(&cluster);
    for key in keys(20) {
        count(&connections, &key).await.unwrap();
    }
    let hanging = cluster.master_of_key("guard:{1}");
    hanging.suspend();
    let took = recovered(&connections, "guard:{1}").await;
    assert!(took < FAILOVER, "{took:?}");
    hanging.resume();
}

#[actix_web::test]
async fn a_password_is_for_all_nodes() {
    let cluster = Cluster::start_with_password("secret");
    let right = connect(&cluster);
    for key in keys(20) {
        assert_eq!(count(&right, &key).await, Ok(Value::Int(1)));
    }
    let port = cluster.node(0).port();
    let wrong = connections(&[format!("redis://:wrong@127.0.0.1:{port}")], None, true);
    let failure = count(&wrong, "k").await.unwrap_err();
    assert!(
        matches!(failure, Failure::Unauthenticated(_)),
        "{failure:?}"
    );
}

#[actix_web::test]
async fn a_cluster_that_is_not_there_fails_in_time() {
    let cluster = Cluster::start();
    let connections = connect(&cluster);
    count(&connections, "k").await.unwrap();
    for node in cluster.nodes() {
        node.suspend();
    }
    for _ in 0..5 {
        let (_, result) = timed(count(&connections, "k")).await;
        assert!(result.is_err());
    }
    for node in cluster.nodes() {
        node.resume();
    }
    recovered(&connections, "k").await;
}

#[actix_web::test]
async fn a_server_of_its_own_is_no_cluster_and_a_node_is_no_server_of_its_own() {
    let server = Server::start();
    let alone = connections(&[server.url()], None, true);
    let failure = count(&alone, "k").await.unwrap_err();
    assert!(failure.to_string().contains("cluster"), "{failure}");

    let cluster = Cluster::start();
    let node = single(&cluster.urls()[0]);
    let mut failures = Vec::new();
    for key in keys(20) {
        failures.extend(count(&node, &key).await.err());
    }
    let failure = failures.first().unwrap().to_string();
    assert!(failure.contains("Cluster"), "{failure}");
}
