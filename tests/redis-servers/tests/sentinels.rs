//! Sentinel.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use redis::{Client, Value};
use redis_servers::Sentinels;

/// Asks all sentinels as a client would.
fn ports_named(sentinels: &Sentinels) -> Vec<u16> {
    let ask = |url: String| {
        let mut connection = Client::open(url).unwrap().get_connection().unwrap();
        let address: (String, u16) = redis::cmd("SENTINEL")
            .arg("GET-MASTER-ADDR-BY-NAME")
            .arg(sentinels.master_name())
            .query(&mut connection)
            .unwrap();
        address.1
    };
    sentinels.urls().into_iter().map(ask).collect()
}

#[test]
fn a_failover_promotes_the_replica_and_the_old_master_follows_it() {
    let sentinels = Sentinels::start();
    let (master, replica) = (sentinels.master(), sentinels.replica());
    assert_eq!(ports_named(&sentinels), [master.port(); 3]);
    master.command(&["SET", "key", "value"]);
    assert_eq!(master.command(&["WAIT", "1", "5000"]), Value::Int(1));

    let killed = sentinels.kill_master();
    assert_eq!(killed.port(), master.port());
    let promoted = sentinels.wait_for_failover();
    assert_eq!(promoted.port(), replica.port());
    assert_eq!(ports_named(&sentinels), [replica.port(); 3]);
    let value = promoted.command(&["GET", "key"]);
    assert_eq!(value, Value::BulkString(b"value".to_vec()));

    killed.restart();
    sentinels.wait_until_complete();
    assert_eq!(killed.info("role").as_deref(), Some("slave"));
    assert_eq!(sentinels.master().port(), promoted.port());
}

#[test]
fn a_suspended_master_has_a_successor_too_and_passwords_are_known() {
    let sentinels = Sentinels::start_with_password("s3cr et");
    let (master, replica) = (sentinels.master(), sentinels.replica());
    assert!(master.url().contains(":s3cr%20et@"));
    master.suspend();
    assert_eq!(sentinels.wait_for_failover().port(), replica.port());
    master.resume();
    sentinels.wait_until_complete();
    assert_eq!(sentinels.replica().port(), master.port());
}
