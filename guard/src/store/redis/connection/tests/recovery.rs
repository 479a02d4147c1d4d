//! Servers that are not there, go, and come back.

use std::net::TcpListener;

use redis_servers::Server;

use super::*;

/// A port where nobody listens.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[actix_web::test]
async fn where_nobody_listens_calls_fail_at_once() {
    let connections = single(&format!("redis://127.0.0.1:{}", free_port()));
    let (took, result) = timed(count(&connections, "k")).await;
    assert!(matches!(result, Err(Failure::Refused(_))), "{result:?}");
    assert!(took < TIMEOUT / 2, "{took:?}");
    // While the next attempt is not due.
    let (took, result) = timed(count(&connections, "k")).await;
    assert_eq!(result, Err(Failure::Unavailable));
    assert!(took < TIMEOUT / 2, "{took:?}");
}

#[actix_web::test]
async fn a_host_without_an_address_is_out_of_reach() {
    let connections = single("redis://does-not-exist.invalid");
    let (_, result) = timed(count(&connections, "k")).await;
    assert!(
        matches!(result, Err(Failure::Refused(_) | Failure::TimedOut)),
        "{result:?}"
    );
}

#[actix_web::test]
async fn a_host_with_several_addresses_is_reached_by_the_one_that_works() {
    let server = Server::start();
    // Usually ::1 as well, where the server does not listen.
    let connections = single(&format!("redis://localhost:{}", server.port()));
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
}

#[actix_web::test]
async fn a_server_that_was_restarted_is_found_again() {
    let server = Server::start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    server.kill();
    for _ in 0..20 {
        let (_, result) = timed(count(&connections, "k")).await;
        assert!(
            matches!(
                result,
                Err(Failure::Disconnected | Failure::Refused(_) | Failure::Unavailable)
            ),
            "{result:?}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.restart();
    let took = recovered(&connections, "k").await;
    assert!(took < RECOVERY, "{took:?}");
    // Nothing was persisted, so nothing was counted but this.
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(2)));
}

#[actix_web::test]
async fn who_hears_that_a_server_was_found_connects_at_once() {
    let server = Server::start();
    let connections = single(&server.url());
    for round in 1..=5 {
        server.kill();
        let waits = || async { count(&connections, "k").await == Err(Failure::Unavailable) };
        while !waits().await {}
        server.restart();
        connections.try_again();
        let (_, result) = timed(count(&connections, "k")).await;
        assert_eq!(result, Ok(Value::Int(1)), "{round}");
    }
}

#[actix_web::test]
async fn a_connection_that_was_closed_between_calls_costs_no_call() {
    let server = Server::start();
    let connections = single(&server.url());
    for expected in 1..=5 {
        assert_eq!(count(&connections, "k").await, Ok(Value::Int(expected)));
        server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
        // The news has to be read first.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[actix_web::test]
async fn a_call_that_was_under_way_when_the_connection_was_lost_is_not_sent_again() {
    let server = Server::start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    let mut blocking = ::redis::cmd("BLPOP");
    blocking.arg("queue").arg(0);
    let call = tokio::spawn(connections.command(blocking));
    let is_blocked = || server.info("blocked_clients").as_deref() == Some("1");
    until("the call is under way", is_blocked).await;
    server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
    assert_eq!(call.await.unwrap(), Err(Failure::Disconnected));
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(2)));
    assert_eq!(server.info("blocked_clients").as_deref(), Some("0"));
}

#[actix_web::test]
async fn connections_close_when_they_are_dropped() {
    let server = Server::start();
    let connections = single(&server.url());
    let clone = connections.clone();
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    drop(connections);
    assert_eq!(count(&clone, "k").await, Ok(Value::Int(2)));
    assert_eq!(clients(&server).len(), 1);
    drop(clone);
    until("the connection is closed", || clients(&server).is_empty()).await;
}
