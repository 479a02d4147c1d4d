//! What only shows from inside; the rest is in the acceptance tests.

use std::{
    net::Ipv4Addr,
    time::{Duration, Instant},
};

use ::redis::Value;
use redis_servers::{Cluster, Server};

use super::*;
use crate::{
    bans::BanSource,
    clock::ManualClock,
    store::{
        MemoryStoreOptions,
        contract::{ALICE, Ask, BOB, HOUR},
        redis::{Event, store_at, store_of_cluster},
        upkeep::Upheld as _,
    },
};

use crate::{decision::RouteId, store::contract::quota};

#[cfg(feature = "admin")]
use crate::store::contract::RULES;

const MAX_BANS: usize = 10;

fn start(server: &Server) -> (Failover, Arc<ManualClock>) {
    start_on(store_at(&server.url()))
}

fn start_on(redis: RedisStore) -> (Failover, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new());
    let options = MemoryStoreOptions {
        max_clients: 1000,
        max_bans: MAX_BANS,
        ban_file: None,
    };
    let memory = MemoryStore::new(&options, clock.clone());
    (Failover::start(redis, memory, 100, clock.clone()), clock)
}

fn client(number: usize) -> ClientKey {
    ClientKey::V4(Ipv4Addr::from_bits(u32::try_from(number).unwrap()))
}

async fn break_off(store: &Failover) {
    while store.state() == StoreState::Available {
        store.ban_of(ALICE).wait().await;
    }
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(10), "{what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn exists(server: &Server, client: ClientKey) -> bool {
    server.command(&["EXISTS", &format!("guard:banned_ips:{client}")]) == Value::Int(1)
}

#[actix_web::test]
async fn an_outage_piles_up_no_more_than_the_bans_that_may_be_kept() {
    let server = Server::start();
    let (store, clock) = start(&server);
    server.kill();
    break_off(&store).await;
    for number in 0..100 {
        store.ban(client(number), HOUR, "a reason").wait().await;
    }
    store.unban(BOB).wait().await;
    store.shared.tidy();
    let unwritten = store.shared.unwritten.all();
    assert_eq!(unwritten.len(), MAX_BANS + 1);
    assert!(unwritten.contains(&(BOB, Change::Lifted)));

    // What is over need not be written.
    clock.advance(Duration::from_millis(HOUR));
    store.shared.tidy();
    assert_eq!(store.shared.unwritten.all(), [(BOB, Change::Lifted)]);
}

#[actix_web::test]
async fn what_is_decided_with_redis_goes_before_what_waits_to_be_written() {
    let server = Server::start();
    let (store, _) = start(&server);
    let banned = Change::Banned {
        ends_millis: u64::MAX,
        reason: "a single failure".into(),
        by: BanSource::Automatic,
        replaces: false,
    };
    for _ in 0..20 {
        store.shared.unwritten.note(ALICE, banned.clone());
        store.unban(ALICE).wait().await;
        store.shared.unwritten.note(BOB, Change::Lifted);
        store.ban(BOB, HOUR, "a reason").wait().await;
        assert!(store.shared.write(|_| true).await);
        assert!(!exists(&server, ALICE));
        assert!(exists(&server, BOB));
    }
}

#[actix_web::test]
async fn bans_that_were_known_stay_known_while_redis_tells_but_does_not_answer() {
    let server = Server::start();
    let (store, _) = start(&server);
    server.kill();
    break_off(&store).await;
    // As it would be, had it been asked for before.
    let record = BanRecord {
        since_millis: 0,
        until_millis: HOUR,
        reason: "a reason".into(),
        by: BanSource::Manual,
    };
    let hot = &store.shared.hot;
    hot.remember(hot.moment(), ALICE, record, HOUR);
    store.shared.told(Event::Up).await;
    assert!(store.hot_ban(ALICE).is_some());
    store.shared.told(Event::Invalidated(ALICE)).await;
    assert_eq!(store.hot_ban(ALICE), None);
}

#[actix_web::test]
async fn what_redis_says_of_a_client_replaces_what_was_known_before_an_outage() {
    let server = Server::start();
    let (store, _) = start(&server);
    let hot = &store.shared.hot;
    store.ban(ALICE, HOUR, "a reason").wait().await;
    while hot.last_known(ALICE, BanRecord::clone).is_none() {
        Ask::request(ALICE).put(&store).wait().await;
    }
    hot.doubt_all();
    server.command(&["DEL", &format!("guard:banned_ips:{ALICE}")]);
    Ask::request(ALICE).put(&store).wait().await;
    assert_eq!(hot.last_known(ALICE, BanRecord::clone), None);
}

#[actix_web::test]
async fn a_key_whose_master_is_gone_is_no_outage_of_the_client_that_sends_it() {
    let cluster = Cluster::start_without_failover();
    let (store, _) = start_on(store_of_cluster(&cluster.urls()));
    let route = RouteId(RouteId::FIRST);
    let ask = |value| Ask::request(ALICE).counted_by(value, route, &[quota(100, HOUR)]);
    let alices = format!("guard:rate_limit:rate:{{{ALICE}}}");
    let hers = cluster.master_of_key(&alices);
    let master = |value: &u128| cluster.master_of_key(&format!("{{by:test:{value}}}"));
    let lost = (0..)
        .find(|value| master(value).port() != hers.port())
        .unwrap();
    let other = (0..)
        .find(|value| master(value).port() == hers.port())
        .unwrap();
    assert_eq!(ask(lost).put(&store).wait().await.quotas[0].remaining, 99);

    master(&lost).kill();
    for remaining in (94..100).rev() {
        // Counted here.
        let decision = ask(lost).put(&store).wait().await;
        assert_eq!(decision.quotas[0].remaining, remaining);
    }
    let parts = &store.shared.parts;
    assert_eq!(parts.out().len(), 1);
    assert!(!store.shared.is_out(ALICE));
    // So it stays as long as the master is not back, and what Alice sends otherwise is counted there.
    for number in 1..=20 {
        ask(lost).put(&store).wait().await;
        ask(other).put(&store).wait().await;
        let plain = Ask::request(ALICE).counted(&[quota(100, HOUR)]);
        plain.put(&store).wait().await;
        assert_eq!(hers.command(&["ZCARD", &alices]), Value::Int(number));
        store.shared.turn().await;
    }
    assert_eq!(parts.out().len(), 1);
}

#[actix_web::test]
async fn the_thread_ends_with_the_store() {
    let server = Server::start();
    let (store, _) = start(&server);
    let clients = || {
        let Value::BulkString(list) = server.command(&["CLIENT", "LIST"]) else {
            panic!("no list of clients");
        };
        let list = String::from_utf8(list).unwrap();
        list.matches(" addr=127.0.0.1:").count()
    };
    until("the thread listens", || clients() == 1).await;
    let weak = Arc::downgrade(&store.shared);
    drop(store);
    until("nobody listens", || clients() == 0).await;
    assert_eq!(weak.strong_count(), 0);
}

#[cfg(feature = "admin")]
#[actix_web::test]
async fn while_redis_is_out_a_client_stands_as_it_was_counted_here() {
    let server = Server::start();
    let (store, _) = start(&server);
    let ask = Ask::request(ALICE).counted(&[quota(5, HOUR)]).struck(RULES);
    let standing = async || {
        let answer = ask.with_hit(|hit| store.standing(ALICE, hit.logs, RULES.ttl_millis));
        let standing = answer.wait().await;
        (standing.quotas[0].used, standing.strikes)
    };
    let threat = Ask::threat(ALICE, "a probe").struck(RULES);
    for ask in [&ask, &ask, &threat] {
        ask.put(&store).wait().await;
    }
    assert_eq!(standing().await, (2, 1));
    server.kill();
    // Also while nobody knows yet that it is out.
    assert_eq!(standing().await, (0, 0));
    break_off(&store).await;
    assert_eq!(standing().await, (0, 0));
    ask.put(&store).wait().await;
    assert_eq!(standing().await, (1, 0));
}
