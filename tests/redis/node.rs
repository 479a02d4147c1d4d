//! Nodes in this process, and what tests do with them.

use std::{future::Future, time::Duration};

use actix_web::App;
use actix_web_guard::{
    Guard, GuardHandle, SecurityConfig, SecurityConfigBuilder, StoreFailurePolicy,
};
use futures_util::{StreamExt as _, stream};
use redis_servers::Server;
use tokio::time::{Instant, sleep};

use super::app::routes;
use crate::{
    guard::Dotfiles,
    server::{
        client::{Connection, Reply},
        listen::{Listening, PEER, listen_on, peer_from_header},
    },
};

/// What every node learns within a second.
pub(super) const A_SECOND: Duration = Duration::from_secs(1);
/// Far more than it takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Takes a builder to a configuration; the same for all nodes of a test.
pub(super) trait Set: Fn(SecurityConfigBuilder) -> SecurityConfigBuilder {}
impl<T: Fn(SecurityConfigBuilder) -> SecurityConfigBuilder> Set for T {}

/// A configuration without a store. A machine under load is no outage.
pub(super) fn configured(set: impl Set) -> SecurityConfig {
    let builder = SecurityConfig::builder()
        .redis_timeout_ms(8000)
        .on_store_failure(StoreFailurePolicy::Closed)
        .detector(Dotfiles);
    set(builder).build().unwrap()
}

/// A configuration for one server.
pub(super) fn config(server: &Server, set: impl Set) -> SecurityConfig {
    configured(|builder| set(builder.store(server.url())))
}

/// An HTTP server with a guard of its own.
pub(super) struct Node {
    server: Listening,
    pub(super) handle: GuardHandle,
}

impl Node {
    /// On one worker.
    pub(super) fn start(config: SecurityConfig) -> Self {
        Self::start_on(1, config)
    }

    pub(super) fn start_on(workers: usize, config: SecurityConfig) -> Self {
        let handle = GuardHandle::of(&config);
        let guard = Guard::new(config);
        let server = listen_on(workers, move || {
            App::new()
                .configure(routes)
                .wrap(guard.clone())
                .wrap_fn(peer_from_header)
        });
        Self { server, handle }
    }

    /// Two nodes on one server.
    pub(super) fn pair(server: &Server, set: impl Set) -> [Self; 2] {
        [0, 1].map(|_| Self::start(config(server, &set)))
    }

    pub(super) async fn connect(&self) -> Connection {
        self.server.connect().await
    }

    pub(super) async fn ask(&self, peer: &str, request: &str) -> Reply {
        self.server.ask(request, &[(PEER, peer)]).await
    }

    pub(super) async fn status(&self, peer: &str, request: &str) -> u16 {
        self.ask(peer, request).await.status
    }

    /// The statuses of as many requests, one after another.
    pub(super) async fn statuses(&self, peer: &str, request: &str, number: usize) -> Vec<u16> {
        let mut connection = self.connect().await;
        let mut statuses = Vec::new();
        for _ in 0..number {
            let reply = connection.ask(request, &[(PEER, peer)]).await;
            statuses.push(reply.status);
        }
        statuses
    }

    /// Everybody who is banned.
    pub(super) async fn banned(&self) -> Vec<String> {
        let bans = self.handle.bans().map(|ban| ban.client);
        let mut clients: Vec<String> = bans.collect().await;
        clients.sort();
        clients
    }
}

/// The statuses of as many requests, to one node after the other.
pub(super) async fn in_turns(nodes: &[Node], peer: &str, request: &str, number: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for node in nodes.iter().cycle().take(number) {
        statuses.push(node.status(peer, request).await);
    }
    statuses
}

/// The statuses of as many requests to each node, all under way at once on many connections.
pub(super) async fn at_once(nodes: &[Node], peer: &str, request: &str, number: usize) -> Vec<u16> {
    const CONNECTIONS: usize = 25;
    let connections = nodes
        .iter()
        .flat_map(|node| std::iter::repeat_n(node, CONNECTIONS));
    let statuses: Vec<Vec<u16>> = stream::iter(connections)
        .map(|node| node.statuses(peer, request, number / CONNECTIONS))
        .buffer_unordered(usize::MAX)
        .collect()
        .await;
    statuses.into_iter().flatten().collect()
}

pub(super) fn count(statuses: &[u16], wanted: u16) -> usize {
    statuses.iter().filter(|status| **status == wanted).count()
}

/// Waits until it holds.
pub(super) async fn eventually<F: Future<Output = bool>>(
    what: &str,
    limit: Duration,
    mut holds: impl FnMut() -> F,
) {
    let end = Instant::now() + limit;
    while !holds().await {
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until so many nodes are told what becomes of bans.
pub(super) async fn until_told(server: &Server, nodes: usize) {
    eventually("nodes follow the bans", PATIENCE, async || {
        followers(server) == nodes
    })
    .await;
}

/// How many clients have tracking switched on.
fn followers(server: &Server) -> usize {
    let list = text(server, &["CLIENT", "LIST"]);
    let flags = list
        .split(' ')
        .filter_map(|field| field.strip_prefix("flags="));
    flags.filter(|flags| flags.contains('t')).count()
}

/// A command whose answer is text.
pub(super) fn text(server: &Server, command: &[&str]) -> String {
    ::redis::from_redis_value(server.command(command)).unwrap()
}

/// A command whose answer is a number.
pub(super) fn number(server: &Server, command: &[&str]) -> i64 {
    ::redis::from_redis_value(server.command(command)).unwrap()
}

/// All keys of a server.
pub(super) fn keys(server: &Server) -> Vec<String> {
    let mut keys: Vec<String> = ::redis::from_redis_value(server.command(&["KEYS", "*"])).unwrap();
    keys.sort();
    keys
}
