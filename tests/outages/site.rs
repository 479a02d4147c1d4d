//! A guarded application on Redis: what would be a process of its own.

use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use actix_web::{App, web};
use actix_web_guard::{
    Guard, GuardHandle, SecurityConfig, SecurityConfigBuilder, StoreFailurePolicy, StoreState,
};

use redis_servers::Server;

use super::pace::Stopwatch;
use crate::{
    guard::{Dotfiles, health},
    server::{
        client::Reply,
        listen::{Listening, PEER, listen_on, peer_from_header},
    },
    support::seconds,
};

/// No request takes longer: the 250 ms of `redis_timeout_ms`, a quarter of it, and what a busy machine and a new connection to the site
/// take.
pub(super) const LONGEST: Duration = Duration::from_millis(250 + 250 / 4 + 100);

/// A request that takes so long has waited for Redis.
pub(super) const SLOW: Duration = Duration::from_millis(200);

/// After so many failures nobody asks any more.
pub(super) const FAILURES: usize = 3;

/// How soon all is well again.
pub(super) const RECOVERY: Duration = Duration::from_secs(2);

pub(super) const LIMIT: usize = 5;

/// The address is exempt.
pub(super) const EXEMPT: &str = "198.51.100.200";

/// For tests of their own.
const MARKER: &str = "198.51.100.201";

/// The first strike of a client is its last but two.
pub(super) const THRESHOLD: i64 = 2;

/// A listening application with a guard of its own; it stops when this is dropped.
pub(super) struct Site {
    pub(super) listening: Listening,
    pub(super) handle: GuardHandle,
    /// What its keys begin with.
    pub(super) prefix: String,
}

impl Site {
    pub(super) fn start(
        url: &str,
        set: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder,
    ) -> Self {
        Self::start_with("guard:", |config| set(config.store(url)), 1)
    }

    /// The same for other arrangements of servers, and for several workers.
    pub(super) fn start_with(
        prefix: &str,
        set: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder,
        workers: usize,
    ) -> Self {
        let config = SecurityConfig::builder()
            .rate_limit(i64::try_from(LIMIT).unwrap())
            .rate_limit_window(60)
            .auto_ban_threshold(THRESHOLD)
            .exempt_ips([EXEMPT])
            .redis_prefix(prefix)
            .detector(Dotfiles);
        let guard = Guard::new(set(config).build().unwrap());
        let handle = guard.handle();
        let listening = listen_on(workers, move || {
            App::new()
                .route("/", web::get().to(async || "root"))
                .service(health)
                .wrap(guard.clone())
                .wrap_fn(peer_from_header)
        });
        Self {
            listening,
            handle,
            prefix: prefix.to_owned(),
        }
    }

    /// Keys have prefixes of their own.
    pub(super) fn with_policy(url: &str, policy: StoreFailurePolicy) -> Self {
        let set = |config: SecurityConfigBuilder| config.store(url).on_store_failure(policy);
        Self::start_with(&format!("{policy:?}:"), set, 1)
    }

    /// Asks, and looks whether the answer is one that may be.
    pub(super) async fn ask(&self, client: &str, path: &str) -> Reply {
        self.timed(client, path).await.0
    }

    pub(super) async fn timed(&self, client: &str, path: &str) -> (Reply, Duration) {
        let request = format!("GET {path}");
        let asked = Stopwatch::start();
        let reply = self.listening.ask(&request, &[(PEER, client)]).await;
        let took = asked.elapsed();
        assert!(took <= LONGEST, "{took:?} for {reply:?}");
        assert!([200, 403, 429, 503].contains(&reply.status), "{reply:?}");
        (reply, took)
    }

    pub(super) async fn status(&self, client: &str) -> u16 {
        self.ask(client, "/").await.status
    }

    /// The statuses of so many requests, one after the other.
    pub(super) async fn statuses(&self, client: &str, requests: usize) -> Vec<u16> {
        let mut statuses = Vec::new();
        for _ in 0..requests {
            statuses.push(self.status(client).await);
        }
        statuses
    }

    /// Bans a client, and has this remembered.
    pub(super) async fn remembers_ban(&self, server: &Server, client: &str) {
        for client in [client, MARKER] {
            let ban = self.handle.ban(client, seconds(300), "a reason");
            ban.await.unwrap();
            self.remembers(server, client).await;
        }
        // What the server tells comes in its order: when this is known, nothing is to come that was said of the bans.
        server.command(&["DEL", &format!("{}banned_ips:{MARKER}", self.prefix)]);
        until("the ban is lifted", seconds(1), async || {
            self.status(MARKER).await == 200
        })
        .await;
        self.remembers(server, client).await;
    }

    /// Asks until the answer comes without a call to Redis.
    async fn remembers(&self, server: &Server, client: &str) {
        until("the ban is remembered", seconds(1), async || {
            let calls = server.info("cmdstat_evalsha");
            assert_eq!(self.status(client).await, 403);
            server.info("cmdstat_evalsha") == calls
        })
        .await;
    }

    pub(super) fn is_available(&self) -> bool {
        self.handle.store_state() == StoreState::Available
    }

    /// Asks, for clients that nobody else asks for, until nobody asks Redis any more.
    pub(super) async fn notices(&self) {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        for _ in 0..FAILURES {
            let number = ASKED.fetch_add(1, Ordering::Relaxed);
            let client = Ipv4Addr::from_bits(Ipv4Addr::new(203, 0, 0, 0).to_bits() + number);
            self.ask(&client.to_string(), "/").await;
        }
        assert!(!self.is_available());
    }

    /// Waits until Redis is asked again.
    pub(super) async fn recovers(&self) {
        until("the store is available", RECOVERY, async || {
            self.is_available()
        })
        .await;
    }
}

/// A limit that counts: so many requests are served and the next one is not.
pub(super) fn limited() -> Vec<u16> {
    [vec![200; LIMIT], vec![429]].concat()
}

/// Waits for something that has to come about within the time.
pub(super) async fn until(what: &str, limit: Duration, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Stopwatch::start();
    while !holds().await {
        assert!(begun.elapsed() < limit, "not within {limit:?}: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
