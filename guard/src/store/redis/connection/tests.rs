//! Against real servers, and against peers that are none.

mod access;
mod cluster;
mod hanging;
mod peers;
mod recovery;
mod replies;
mod sentinel;
mod threads;
#[cfg(feature = "redis-tls")]
mod tls;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use ::redis::Value;
use redis_servers::Server;

use super::{Connections, Failure, Script, Servers};

/// No call takes longer, in these tests.
const TIMEOUT: Duration = Duration::from_millis(400);

/// What a call may take: a quarter more than the timeout.
const LIMIT: Duration = Duration::from_millis(500);

/// Recovery is quick: the longest backoff, and a little.
const RECOVERY: Duration = Duration::from_secs(2);

/// What takes this long does not happen at all.
const NEVER: Duration = Duration::from_secs(30);

fn single(url: &str) -> Connections {
    connections(&[url.to_owned()], None, false)
}

fn connections(urls: &[String], sentinel_master: Option<&str>, cluster: bool) -> Connections {
    let servers = Servers::parse(urls, sentinel_master, cluster, TIMEOUT).unwrap();
    Connections::new(Arc::new(servers))
}

fn script(text: &str) -> Arc<Script> {
    Arc::new(Script::new(text))
}

/// Calls a script that adds one to the key.
async fn count(connections: &Connections, key: &str) -> Result<Value, Failure> {
    let increment = script("return redis.call('INCR', KEYS[1])");
    connections.eval(&increment, &[key.as_bytes()], &[]).await
}

/// Makes a call that has to end in time, and returns what it took. What the machine is late by is not the call's fault.
async fn timed<T>(call: impl Future<Output = T>) -> (Duration, T) {
    let late = Arc::new(AtomicU64::new(0));
    let pulse = tokio::spawn(pulse(Arc::clone(&late)));
    let start = Instant::now();
    let result = call.await;
    let took = start.elapsed();
    pulse.abort();
    let late = Duration::from_micros(late.load(Ordering::Relaxed));
    assert!(took < LIMIT + late, "{took:?}, late by {late:?}");
    (took, result)
}

/// Counts the microseconds by which tasks of this runtime run later than they should.
async fn pulse(late: Arc<AtomicU64>) {
    const BEAT: Duration = Duration::from_millis(5);
    loop {
        let start = Instant::now();
        tokio::time::sleep(BEAT).await;
        let over = start.elapsed().saturating_sub(BEAT + BEAT / 2);
        let over = u64::try_from(over.as_micros()).unwrap();
        late.fetch_add(over, Ordering::Relaxed);
    }
}

/// Calls until it succeeds, and returns how long that took.
async fn recovered(connections: &Connections, key: &str) -> Duration {
    let start = Instant::now();
    loop {
        match timed(count(connections, key)).await.1 {
            Ok(_) => return start.elapsed(),
            Err(failure) => assert!(start.elapsed() < NEVER, "still {failure:?}"),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Where the clients are that come over TCP: the tests' own commands come another way.
fn clients(server: &Server) -> Vec<String> {
    let Value::BulkString(list) = server.command(&["CLIENT", "LIST"]) else {
        panic!("no list of clients");
    };
    let list = String::from_utf8(list).unwrap();
    list.split_whitespace()
        .filter(|field| field.starts_with("addr=127.0.0.1:"))
        .map(str::to_owned)
        .collect()
}

/// Lets tasks run until something has come about.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < NEVER, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
