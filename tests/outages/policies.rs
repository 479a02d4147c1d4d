//! Each policy, whatever is wrong with Redis.

use std::time::Duration;

use actix_web_guard::StoreFailurePolicy;
use redis_servers::Server;

use super::{
    faults::{Fault, Place},
    impostor::Says,
    site::{EXEMPT, FAILURES, LIMIT, SLOW, Site, THRESHOLD, limited},
};
use crate::server::client::Reply;

const BANNED: &str = "192.0.2.1";
const CLIENT: &str = "192.0.2.2";
const PROBER: &str = "192.0.2.3";
const MONITOR: &str = "192.0.2.5";
/// Not seen before the outage nor during it.
const LATER: &str = "192.0.2.4";

/// When it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    BeforeTheStart,
    Later,
}

/// A site under observation.
struct Observed {
    site: Site,
    took: Vec<Duration>,
}

impl Observed {
    fn start(url: &str, policy: StoreFailurePolicy) -> Self {
        Self {
            site: Site::with_policy(url, policy),
            took: Vec::new(),
        }
    }

    async fn ask(&mut self, client: &str, path: &str) -> Reply {
        let (reply, took) = self.site.timed(client, path).await;
        self.took.push(took);
        reply
    }

    async fn replies(&mut self, client: &str, requests: usize) -> Vec<Reply> {
        let mut replies = Vec::new();
        for _ in 0..requests {
            replies.push(self.ask(client, "/").await);
        }
        replies
    }

    /// What holds under every policy.
    async fn assert_common(&mut self, when: When) {
        if when == When::Later {
            assert_eq!(self.ask(BANNED, "/").await.status, 403);
        }
        for _ in 0..3 {
            assert_eq!(self.ask(MONITOR, "/health").await.status, 200);
            assert_eq!(self.ask(EXEMPT, "/").await.status, 200);
        }
        assert!(!self.site.is_available());
        let slow = self.took.iter().filter(|took| **took >= SLOW);
        assert!(slow.count() <= FAILURES, "{:?}", self.took);
    }

    async fn assert_local(&mut self, when: When) {
        let replies = self.replies(CLIENT, LIMIT + 4).await;
        let [served, refused] = [&replies[..LIMIT], &replies[LIMIT..]];
        let remaining: Vec<_> = served.iter().map(Reply::remaining).collect();
        assert_eq!(remaining, [4, 3, 2, 1, 0].map(Some));
        assert_eq!(statuses(served), [200; LIMIT]);
        // As many strikes as are allowed, the one that bans, and one that is banned.
        assert_eq!(statuses(refused), [429, 429, 403, 403]);
        for _ in 0..=THRESHOLD {
            assert_eq!(self.ask(PROBER, "/.env").await.status, 403);
        }
        assert_eq!(self.ask(PROBER, "/").await.status, 403);
        self.assert_common(when).await;
    }

    async fn assert_open(&mut self, when: When) {
        for reply in self.replies(CLIENT, LIMIT * 2).await {
            assert_eq!(reply.status, 200);
            assert_eq!(reply.header("ratelimit"), None, "{reply:?}");
            assert_eq!(reply.header("ratelimit-policy"), None, "{reply:?}");
        }
        for _ in 0..=THRESHOLD {
            assert_eq!(self.ask(PROBER, "/.env").await.status, 403);
        }
        assert_eq!(self.ask(PROBER, "/").await.status, 200);
        self.assert_common(when).await;
    }

    async fn assert_closed(&mut self, when: When) {
        for reply in self.replies(CLIENT, LIMIT * 2).await {
            assert_eq!(reply.status, 503);
            let retry_after: u32 = reply.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=60).contains(&retry_after), "{reply:?}");
            let kind = reply.header("content-type");
            assert_eq!(kind, Some("application/problem+json"));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            let problem: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
            assert_eq!(problem["status"], 503);
            assert_eq!(reply.header("ratelimit"), None, "{reply:?}");
        }
        assert_eq!(self.ask(PROBER, "/.env").await.status, 403);
        self.assert_common(when).await;
    }

    /// The limit is that of Redis again, and each request was counted there once.
    async fn assert_counts(&self, server: &Server) {
        self.site.recovers().await;
        let statuses = self.site.statuses(LATER, LIMIT + 1).await;
        assert_eq!(statuses, limited());
        let key = format!("{}rate_limit:rate:{LATER}", self.site.prefix);
        let counted: usize = redis::from_redis_value(server.command(&["ZCARD", &key])).unwrap();
        assert_eq!(counted, LIMIT + 1);
    }
}

fn statuses(replies: &[Reply]) -> Vec<u16> {
    replies.iter().map(|reply| reply.status).collect()
}

async fn withstand(fault: Fault, when: When) {
    let mut place = Place::new();
    if when == When::BeforeTheStart {
        place.befall(fault);
    }
    let url = place.url();
    let start = |policy| Observed::start(&url, policy);
    let mut local = start(StoreFailurePolicy::Local);
    let mut open = start(StoreFailurePolicy::Open);
    let mut closed = start(StoreFailurePolicy::Closed);
    if when == When::Later {
        for observed in [&local, &open, &closed] {
            observed.site.remembers_ban(&place.server, BANNED).await;
            assert!(observed.site.is_available());
        }
        place.befall(fault);
    }
    tokio::join!(
        local.assert_local(when),
        open.assert_open(when),
        closed.assert_closed(when),
    );
    place.put_right(fault);
    tokio::join!(
        local.assert_counts(&place.server),
        open.assert_counts(&place.server),
        closed.assert_counts(&place.server),
    );
}

#[actix_web::test]
async fn a_server_that_is_not_there_at_the_start() {
    withstand(Fault::Killed, When::BeforeTheStart).await;
}

#[actix_web::test]
async fn a_server_that_hangs_at_the_start() {
    withstand(Fault::Hanging, When::BeforeTheStart).await;
}

#[actix_web::test]
async fn a_server_that_refuses_the_password_from_the_start() {
    withstand(Fault::OtherPassword, When::BeforeTheStart).await;
}

#[actix_web::test]
async fn a_web_server_in_place_of_redis_from_the_start() {
    withstand(Fault::Replaced(Says::Http), When::BeforeTheStart).await;
}

#[actix_web::test]
async fn a_server_that_is_shut_down() {
    withstand(Fault::Stopped, When::Later).await;
}

#[actix_web::test]
async fn a_server_that_is_killed() {
    withstand(Fault::Killed, When::Later).await;
}

#[actix_web::test]
async fn a_server_that_hangs() {
    withstand(Fault::Hanging, When::Later).await;
}

#[actix_web::test]
async fn a_server_that_puts_off_whatever_writes() {
    withstand(Fault::Paused, When::Later).await;
}

#[actix_web::test]
async fn a_server_that_has_become_a_replica() {
    withstand(Fault::ReadOnly, When::Later).await;
}

#[actix_web::test]
async fn a_server_without_memory_left() {
    withstand(Fault::Full, When::Later).await;
}

#[actix_web::test]
async fn a_server_that_loads_its_data() {
    withstand(Fault::Loading, When::Later).await;
}

#[actix_web::test]
async fn a_server_that_runs_an_endless_script_of_somebody_else() {
    withstand(Fault::Busy, When::Later).await;
}

#[actix_web::test]
async fn a_server_without_the_replicas_that_it_is_to_have() {
    withstand(Fault::WithoutReplicas, When::Later).await;
}

#[actix_web::test]
async fn a_server_that_wants_another_password() {
    withstand(Fault::OtherPassword, When::Later).await;
}

/// Threats would be counted: no decision about them needs a sorted set.
#[actix_web::test]
async fn a_user_that_may_not_do_all_that_scripts_do() {
    withstand(Fault::NoSortedSets, When::Later).await;
}

#[actix_web::test]
async fn a_user_that_may_not_run_scripts() {
    withstand(Fault::NoScripts, When::Later).await;
}

#[actix_web::test]
async fn a_web_server_in_place_of_redis() {
    withstand(Fault::Replaced(Says::Http), When::Later).await;
}

#[actix_web::test]
async fn nonsense_in_place_of_redis() {
    withstand(Fault::Replaced(Says::Garbage), When::Later).await;
}

#[actix_web::test]
async fn something_in_place_of_redis_that_never_answers() {
    withstand(Fault::Replaced(Says::Nothing), When::Later).await;
}

#[actix_web::test]
async fn something_in_place_of_redis_that_hangs_up() {
    withstand(Fault::Replaced(Says::Goodbye), When::Later).await;
}
