//! What scripts and commands get back.

use redis_servers::Server;
use tokio::task::JoinSet;

use super::*;

#[actix_web::test]
async fn a_script_that_the_server_does_not_know_runs_once() {
    let server = Server::start();
    let connections = single(&server.url());
    for expected in 1..=3 {
        server.command(&["SCRIPT", "FLUSH"]);
        assert_eq!(count(&connections, "k").await, Ok(Value::Int(expected)));
    }
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(4)));
    // By its hash each time, and by its text when that was unknown.
    let calls = |command: &str| {
        let stats = server.info(&format!("cmdstat_{command}")).unwrap();
        stats.split(',').next().unwrap().to_owned()
    };
    assert_eq!(
        (calls("evalsha"), calls("eval")),
        ("calls=4".into(), "calls=3".into())
    );
}

#[actix_web::test]
async fn concurrent_calls_share_one_connection_and_keep_their_replies_apart() {
    let server = Server::start();
    let connections = single(&server.url());
    let echo = script("return ARGV[1]");
    let mut calls = JoinSet::new();
    for number in 0..2_000_usize {
        let text = number.to_string().repeat(1 + number % 50);
        let call = connections.eval(&echo, &[b"k"], &[text.as_bytes()]);
        calls.spawn(async move { (text, call.await) });
    }
    while let Some(call) = calls.join_next().await {
        let (text, reply) = call.unwrap();
        assert_eq!(reply, Ok(Value::BulkString(text.into_bytes())));
    }
    assert_eq!(clients(&server).len(), 1);
}

#[actix_web::test]
async fn commands_reach_the_only_master() {
    let server = Server::start();
    let connections = single(&server.url());
    let set = ::redis::cmd("SET").arg("k").arg("v").to_owned();
    assert_eq!(connections.command(set).await, Ok(Value::Okay));
    let masters = connections.masters().await.unwrap();
    assert_eq!(masters.len(), 1);
    let scan = ::redis::cmd("SCAN").arg(0).to_owned();
    let found = connections.command_on(&masters[0], scan).await.unwrap();
    let (cursor, keys): (u64, Vec<String>) = ::redis::from_redis_value(found).unwrap();
    assert_eq!((cursor, keys), (0, vec!["k".to_owned()]));
}

#[actix_web::test]
async fn a_url_may_name_a_database() {
    let server = Server::start();
    let connections = single(&format!("{}/3", server.url()));
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    assert_eq!(server.command(&["DBSIZE"]), Value::Int(0));
    let keyspace = server.info("db3").unwrap();
    assert!(keyspace.starts_with("keys=1,"), "{keyspace}");
}

#[actix_web::test]
async fn a_foreign_value_is_no_outage_and_costs_no_connection() {
    let server = Server::start();
    let connections = single(&server.url());
    server.command(&["LPUSH", "list", "element"]);
    server.command(&["SET", "text", "abc"]);
    for key in ["list", "text"] {
        let failure = count(&connections, key).await.unwrap_err();
        assert!(matches!(failure, Failure::WrongType(_)), "{failure:?}");
        assert!(!failure.is_outage());
    }
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    assert_eq!(clients(&server).len(), 1);
}

#[actix_web::test]
async fn a_full_server_says_so() {
    let server = Server::start();
    let connections = single(&server.url());
    server.command(&["CONFIG", "SET", "maxmemory", "1"]);
    assert_eq!(count(&connections, "k").await, Err(Failure::OutOfMemory));
    server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
}

#[actix_web::test]
async fn a_replica_is_left_and_tried_again_by_and_by() {
    let master = Server::start();
    let replica = Server::builder().replica_of(&master).start();
    let connections = single(&replica.url());
    assert_eq!(count(&connections, "k").await, Err(Failure::ReadOnly));
    assert_eq!(count(&connections, "k").await, Err(Failure::Unavailable));
    replica.command(&["REPLICAOF", "NO", "ONE"]);
    assert!(recovered(&connections, "k").await < RECOVERY);
}

#[actix_web::test]
async fn what_a_script_does_wrong_is_told() {
    let server = Server::start();
    let connections = single(&server.url());
    let wrong = connections
        .eval(&script("return nothing.at.all"), &[], &[])
        .await;
    assert!(matches!(wrong, Err(Failure::Other(_))), "{wrong:?}");
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
}
