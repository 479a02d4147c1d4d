//! Who has which connection.

use std::{
    pin::pin,
    sync::Barrier,
    task::{Context, Poll, Waker},
    thread,
};

use redis_servers::Server;
use tokio::runtime::Runtime;

use super::*;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn each_thread_has_a_connection_of_its_own() {
    let server = Server::start();
    let connections = single(&server.url());
    let barrier = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let runtime = runtime();
                for _ in 0..10 {
                    runtime.block_on(count(&connections, "k")).unwrap();
                }
                barrier.wait();
                assert_eq!(clients(&server).len(), 4);
                barrier.wait();
            });
        }
    });
    assert_eq!(
        server.command(&["GET", "k"]),
        Value::BulkString(b"40".into())
    );
}

#[test]
fn a_runtime_that_has_gone_is_replaced_by_the_next_one() {
    let server = Server::start();
    let connections = single(&server.url());
    for expected in 1..=5 {
        let runtime = runtime();
        let counted = runtime.block_on(count(&connections, "k"));
        assert_eq!(counted, Ok(Value::Int(expected)));
        assert_eq!(clients(&server).len(), 1);
    }
}

#[test]
fn runtimes_that_take_turns_on_one_thread_do_not_wait_for_each_other() {
    let server = Server::start();
    let connections = single(&server.url());
    let runtimes = [runtime(), runtime()];
    for expected in 1..=6 {
        let runtime = &runtimes[expected % 2];
        let counted = runtime.block_on(count(&connections, "k"));
        assert_eq!(counted, Ok(Value::Int(expected as i64)));
    }
    assert_eq!(clients(&server).len(), 2);
}

#[test]
fn a_runtime_of_many_threads_does_as_well() {
    let server = Server::start();
    let connections = single(&server.url());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(3)
        .enable_all()
        .build()
        .unwrap();
    let calls: Vec<_> = (0..200)
        .map(|_| {
            let connections = connections.clone();
            runtime.spawn(async move { count(&connections, "k").await })
        })
        .collect();
    for call in calls {
        runtime.block_on(call).unwrap().unwrap();
    }
    assert_eq!(
        server.command(&["GET", "k"]),
        Value::BulkString(b"200".into())
    );
    assert!(clients(&server).len() <= 4);
}

#[test]
fn a_runtime_that_ends_takes_its_calls_along() {
    let server = Server::start();
    let connections = single(&server.url());
    let doomed = runtime();
    doomed.block_on(count(&connections, "k")).unwrap();
    server.suspend();
    let call = connections.command(::redis::cmd("GET").arg("k").to_owned());
    let call = doomed.spawn(call);
    doomed.block_on(tokio::task::yield_now());
    drop(doomed);
    let outcome = runtime().block_on(call);
    assert!(outcome.unwrap_err().is_cancelled());
}

#[test]
fn outside_of_a_runtime_a_call_fails() {
    let server = Server::start();
    let connections = single(&server.url());
    let mut call = pin!(connections.command(::redis::cmd("GET").arg("k").to_owned()));
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(result) = call.as_mut().poll(&mut context) else {
        panic!("it waits");
    };
    assert!(matches!(result, Err(Failure::Other(_))), "{result:?}");
}
