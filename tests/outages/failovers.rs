//! Another server takes over: by Sentinel, and in a Cluster.

use std::{collections::HashSet, sync::Arc};

use actix_web::rt::task::spawn_blocking;
use actix_web_guard::{RedisWindows, SecurityConfigBuilder};
use futures_util::StreamExt as _;
use redis_servers::{Cluster, Sentinels, Server};
use tracing::Level;

use super::site::{LIMIT, SLOW, Site, limited, until};
use crate::{server::log::alone, support::seconds};

/// So soon after the promotion the new master counts.
const RESUMES: u64 = 10;

fn log_of(client: &str) -> String {
    format!("guard:rate_limit:rate:{client}")
}

fn counted(server: &Server, key: &str) -> usize {
    redis::from_redis_value(server.command(&["ZCARD", key])).unwrap()
}

/// More than can be asked for in the time.
fn clients(network: &str) -> impl Iterator<Item = String> {
    (0..2_000).map(move |number| format!("{network}.{}.{}", number / 250, number % 250 + 1))
}

/// Asks for a new client each time, until a thread has done its work.
async fn ask_until<T: Send + 'static>(site: &Site, work: impl FnOnce() -> T + Send + 'static) -> T {
    let work = spawn_blocking(work);
    let mut asked = 0_u32;
    while !work.is_finished() {
        asked += 1;
        let client = format!("10.1.{}.{}", asked / 250 % 250, asked % 250);
        site.status(&client).await;
        actix_web::rt::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    work.await.unwrap()
}

/// A site on the master that Sentinels name, which has been asked.
async fn site_behind(sentinels: &Sentinels) -> Site {
    let site = Site::start_with(
        "guard:",
        |config| {
            config
                .redis_urls(sentinels.urls())
                .redis_sentinel_master(sentinels.master_name())
        },
        1,
    );
    assert_eq!(site.status("192.0.2.1").await, 200);
    site
}

/// Waits until a server counts what clients ask, to the limit. A node that has just been promoted may be slow yet, so a client with
/// whom something went wrong is followed by another one.
async fn counts(
    site: &Site,
    server: &Server,
    mut clients: impl Iterator<Item = String>,
    key: fn(&str) -> String,
) {
    until("clients are limited there", seconds(RESUMES), async || {
        let client = clients.next().unwrap();
        site.statuses(&client, LIMIT + 1).await == limited()
            && counted(server, &key(&client)) == LIMIT + 1
    })
    .await;
    site.recovers().await;
}

#[actix_web::test]
async fn the_master_that_the_sentinels_chose_counts_by_itself() {
    let sentinels = Arc::new(Sentinels::start());
    let site = site_behind(&sentinels).await;
    // The old one is not there any more.
    sentinels.kill_master();
    let waiting = Arc::clone(&sentinels);
    ask_until(&site, move || {
        waiting.wait_for_failover();
    })
    .await;
    counts(&site, sentinels.master(), clients("10.2"), log_of).await;

    // The old one is there and has become a replica.
    let old = sentinels.servers();
    let old = old.iter().find(|server| !server.is_running()).unwrap();
    old.restart();
    let waiting = Arc::clone(&sentinels);
    ask_until(&site, move || {
        waiting.wait_until_complete();
        let before = waiting.master().port();
        let sentinel = &waiting.sentinels()[0];
        sentinel.command(&["SENTINEL", "FAILOVER", waiting.master_name()]);
        while waiting.wait_for_failover().port() == before {}
    })
    .await;
    assert_eq!(sentinels.master().port(), old.port());
    counts(&site, old, clients("10.3"), log_of).await;
}

#[actix_web::test]
async fn a_master_that_was_replaced_by_plan_is_left_before_it_knows() {
    let sentinels = Arc::new(Sentinels::start());
    let site = site_behind(&sentinels).await;
    let old = sentinels.master();
    // It is made a replica when this time has passed four times. (Redis 6.2 knows no such command, and waits for eight seconds.)
    for sentinel in sentinels.sentinels() {
        sentinel
            .try_command(&["SENTINEL", "DEBUG", "PUBLISH-PERIOD", "10000"])
            .ok();
    }
    let sentinel = &sentinels.sentinels()[0];
    sentinel.command(&["SENTINEL", "FAILOVER", sentinels.master_name()]);
    let (waiting, before) = (Arc::clone(&sentinels), old.port());
    ask_until(
        &site,
        move || {
            while waiting.wait_for_failover().port() == before {}
        },
    )
    .await;
    let new = sentinels.master();
    assert_ne!(new.port(), old.port());
    counts(&site, new, clients("10.2"), log_of).await;
    assert_eq!(old.info("role").as_deref(), Some("master"));
}

#[test]
fn the_replica_of_a_master_that_was_killed_counts_by_itself() {
    alone(
        &the_replica_of_a_master_that_was_killed_counts_by_itself,
        async |log| {
            let key = |client: &str| log_of(&format!("{{{client}}}"));
            let cluster = Arc::new(Cluster::start());
            let site = Site::start_with(
                "guard:",
                |config| config.redis_urls(cluster.urls()).redis_cluster(true),
                1,
            );
            let first = "192.0.2.1";
            assert_eq!(site.statuses(first, LIMIT + 1).await, limited());
            let old = cluster.master_of_key(&key(first)).port();
            // Clients whose keys are there, too.
            let theirs: Vec<String> = clients("10.2")
                .filter(|client| cluster.master_of_key(&key(client)).port() == old)
                .collect();

            cluster.kill_master_of(&key(first));
            for client in &theirs[..20] {
                assert_eq!(site.status(client).await, 200);
            }
            let waiting = Arc::clone(&cluster);
            let slot_of = key(first);
            ask_until(&site, move || {
                waiting.wait_for_promotion(&slot_of);
            })
            .await;
            let new = cluster.master_of_key(&key(first));
            assert_ne!(new.port(), old);
            let clients = theirs[20..].iter().cloned();
            counts(&site, new, clients, |client| {
                log_of(&format!("{{{client}}}"))
            })
            .await;

            // Where the machine is slow, nodes that were only late may be given up and taken back meanwhile.
            let lost = || log.with(Level::WARN, &["the store is out of reach"]);
            let back = || log.with(Level::WARN, &["the store is back"]);
            assert!((1..=8).contains(&lost().len()), "{:?}", lost());
            until("each return is told", seconds(RESUMES), async || {
                lost().len() == back().len()
            })
            .await;
        },
    );
}

/// What clients have in common who fare alike: a 64th of all slots.
fn part(cluster: &Cluster, key: &str) -> u16 {
    cluster.key_slot(key) / 256
}

#[actix_web::test]
async fn a_master_that_is_gone_without_a_successor_is_an_outage_of_its_clients_only() {
    let key = |client: &str| log_of(&format!("{{{client}}}"));
    let cluster = Cluster::start_without_failover();
    let [here, elsewhere] = [(); 2].map(|()| {
        let servers =
            |config: SecurityConfigBuilder| config.redis_urls(cluster.urls()).redis_cluster(true);
        Site::start_with("guard:", servers, 1)
    });
    let first = "192.0.2.1";
    assert_eq!(here.status(first).await, 200);
    assert_eq!(elsewhere.status(first).await, 200);
    let gone = cluster.master_of_key(&key(first));
    let (theirs, others): (Vec<String>, Vec<String>) = clients("10.2")
        .take(150)
        .partition(|client| cluster.master_of_key(&key(client)).port() == gone.port());
    let theirs = &theirs[..15];
    let parts: HashSet<u16> = theirs
        .iter()
        .map(|client| part(&cluster, &key(client)))
        .collect();
    let apart = |client: &&String| !parts.contains(&part(&cluster, &key(client)));
    let others: Vec<&String> = others.iter().filter(apart).collect();

    gone.kill();
    for client in theirs {
        assert_eq!(here.statuses(client, LIMIT + 1).await, limited());
    }
    assert!(!here.is_available());
    // The others are counted as before, by both sites together and without delay.
    for client in &others[..15] {
        let mut statuses = Vec::new();
        for number in 0..=LIMIT {
            let site = [&here, &elsewhere][number % 2];
            let (reply, took) = site.timed(client, "/").await;
            assert!(took < SLOW, "{took:?}");
            statuses.push(reply.status);
        }
        assert_eq!(statuses, limited(), "{client}");
        let master = cluster.master_of_key(&key(client));
        assert_eq!(counted(master, &key(client)), LIMIT + 1);
    }
    // So are bans, and those that wait for the master keep nobody else's.
    for client in [&theirs[0], others[20]] {
        let ban = here.handle.ban(client, seconds(300), "during the outage");
        ban.await.unwrap();
        assert_eq!(here.status(client).await, 403);
    }
    assert_eq!(elsewhere.status(others[20]).await, 403);
    assert_eq!(elsewhere.status(&theirs[0]).await, 200);
    // The list has what can be read, and what is known here of the rest.
    let (theirs_first, other) = (theirs[0].clone(), others[20].clone());
    let known = [
        (&here, HashSet::from([theirs_first, other.clone()])),
        (&elsewhere, HashSet::from([other])),
    ];
    for (site, expected) in known {
        let listed: HashSet<String> = site.handle.bans().map(|ban| ban.client).collect().await;
        assert_eq!(listed, expected);
    }

    gone.restart();
    until("the master is back", seconds(30), async || {
        here.is_available()
    })
    .await;
    until("its bans are known", seconds(RESUMES), async || {
        elsewhere.status(&theirs[0]).await == 403
    })
    .await;
    counts(&here, gone, theirs[1..].iter().cloned(), |client| {
        log_of(&format!("{{{client}}}"))
    })
    .await;
}

#[actix_web::test]
async fn with_local_windows_bans_are_shared_by_the_masters_that_are_left() {
    let cluster = Cluster::start_without_failover();
    let [here, elsewhere] = [(); 2].map(|()| {
        let servers = |config: SecurityConfigBuilder| {
            let config = config.redis_urls(cluster.urls()).redis_cluster(true);
            config.redis_windows(RedisWindows::Local)
        };
        Site::start_with("guard:", servers, 1)
    });
    tokio::join!(here.recovers(), elsewhere.recovers());
    let key = |client: &str| format!("guard:banned_ips:{{{client}}}");
    let theirs = "192.0.2.1";
    let gone = cluster.master_of_key(&key(theirs));
    let is_of_another = |client: &String| cluster.master_of_key(&key(client)).port() != gone.port();
    let other = clients("10.2").find(is_of_another).unwrap();
    gone.kill();
    until("the loss is noticed", seconds(RESUMES), async || {
        !here.is_available() && !elsewhere.is_available()
    })
    .await;
    for client in [theirs, &other] {
        let ban = here.handle.ban(client, seconds(300), "during the outage");
        ban.await.unwrap();
    }
    let becomes = async |client: &str, status| {
        until("the ban is told", seconds(2), async || {
            elsewhere.status(client).await == status
        })
        .await;
    };
    becomes(&other, 403).await;
    assert!(here.handle.unban(&other).await.unwrap());
    becomes(&other, 200).await;
    assert_eq!(elsewhere.status(theirs).await, 200);
    gone.restart();
    until("the master is back", seconds(30), async || {
        here.is_available() && elsewhere.is_available()
    })
    .await;
    becomes(theirs, 403).await;
}
