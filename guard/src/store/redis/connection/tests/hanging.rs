//! Servers that neither answer nor go away.

use redis_servers::Server;
use tokio::task::JoinSet;

use super::*;

/// So many calls at once, each of which has to end in time.
async fn all_time_out(connections: &Connections, calls: usize) {
    let mut waiting = JoinSet::new();
    for _ in 0..calls {
        let connections = connections.clone();
        waiting.spawn(async move { timed(count(&connections, "k")).await });
    }
    while let Some(call) = waiting.join_next().await {
        let (took, result) = call.unwrap();
        match result {
            Err(Failure::TimedOut) => assert!(took >= TIMEOUT, "{took:?}"),
            other => panic!("{other:?}"),
        }
    }
}

#[actix_web::test]
async fn calls_to_a_server_that_hangs_end_in_time_and_it_is_found_again() {
    let server = Server::start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    server.suspend();
    all_time_out(&connections, 100).await;
    // Who was let down has another question, and is not to wait again.
    assert_eq!(count(&connections, "k").await, Err(Failure::Unavailable));
    // Nothing was heard of it, so after a while a new connection is tried, and that hangs as well.
    tokio::time::sleep(TIMEOUT / 4).await;
    let (_, result) = timed(count(&connections, "k")).await;
    assert_eq!(result, Err(Failure::TimedOut));
    assert_eq!(count(&connections, "k").await, Err(Failure::Unavailable));
    server.resume();
    let took = recovered(&connections, "k").await;
    assert!(took < RECOVERY, "{took:?}");
}

#[actix_web::test]
async fn a_server_that_hangs_from_the_start_does_no_worse() {
    let server = Server::start();
    let connections = single(&server.url());
    server.suspend();
    let mut waiting = JoinSet::new();
    for _ in 0..100 {
        let connections = connections.clone();
        waiting.spawn(async move { timed(count(&connections, "k")).await });
    }
    while let Some(call) = waiting.join_next().await {
        let (_, result) = call.unwrap();
        assert_eq!(result, Err(Failure::TimedOut));
    }
    server.resume();
    let took = recovered(&connections, "k").await;
    assert!(took < RECOVERY, "{took:?}");
}

#[actix_web::test]
async fn a_server_that_is_slow_keeps_its_connection() {
    let server = Server::start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    let client = clients(&server);
    // Each is answered when there is something in its queue, and the second one only after the first one.
    let wait_for = |queue: &str| {
        let call = ::redis::cmd("BLPOP").arg(queue).arg(0).to_owned();
        tokio::spawn(connections.command(call))
    };
    let first = wait_for("first");
    let is_blocked = || server.info("blocked_clients").as_deref() == Some("1");
    until("the call is under way", is_blocked).await;
    tokio::time::sleep(TIMEOUT / 4).await;
    let second = wait_for("second");
    tokio::time::sleep(TIMEOUT / 4).await;
    server.command(&["RPUSH", "first", "element"]);
    first.await.unwrap().unwrap();
    assert_eq!(second.await.unwrap(), Err(Failure::TimedOut));

    server.command(&["RPUSH", "second", "element"]);
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(2)));
    assert_eq!(clients(&server), client);
}

#[actix_web::test]
async fn a_call_behind_others_waits_no_longer_than_they_did() {
    let server = Server::start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    server.suspend();
    let mut waiting = JoinSet::new();
    for _ in 0..20 {
        let connections = connections.clone();
        waiting.spawn(async move { timed(count(&connections, "k")).await.0 });
        tokio::time::sleep(TIMEOUT / 50).await;
    }
    while let Some(took) = waiting.join_next().await {
        let took = took.unwrap();
        assert!(took >= TIMEOUT, "{took:?}");
    }
}

#[actix_web::test]
async fn more_calls_than_anybody_needs_are_refused_at_once() {
    let server = Server::start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    server.suspend();
    let mut waiting = JoinSet::new();
    for _ in 0..10_050 {
        let connections = connections.clone();
        waiting.spawn(async move { count(&connections, "k").await });
    }
    let mut busy = 0;
    let mut timed_out = 0;
    while let Some(call) = waiting.join_next().await {
        match call.unwrap() {
            Err(Failure::Busy) => busy += 1,
            Err(Failure::TimedOut) => timed_out += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((busy, timed_out), (50, 10_000));
    server.resume();
    recovered(&connections, "k").await;
}

#[actix_web::test]
async fn a_busy_thread_does_not_let_the_next_calls_time_out() {
    let server = Server::start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    for expected in 2..=4 {
        let call = tokio::spawn({
            let connections = connections.clone();
            async move { count(&connections, "k").await }
        });
        tokio::task::yield_now().await;
        // A handler that computes something for longer than any deadline.
        std::thread::sleep(LIMIT);
        assert_eq!(call.await.unwrap(), Ok(Value::Int(expected)));
    }
}
