//! Every key has an end at all times.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{
    decision::{Outcome, Store as _, StrikeRules},
    store::contract::{ALICE, Ask, HOUR, RULES, quota},
};

use super::{LOG, RUNTIME, RedisStore, SEARCH, decide, names, threat};

impl RedisStore {
    /// What is left of a key.
    fn left(&self, key: &str) -> i64 {
        self.number(&["PTTL", key])
    }
}

#[track_caller]
fn assert_life(store: &RedisStore, key: &str, millis: i64) {
    let left = store.left(key);
    assert!(
        left <= millis && left > millis - 2000,
        "{left} of {millis} for {key}"
    );
}

#[test]
fn a_log_lives_as_long_as_its_longest_window_from_its_last_request_on() {
    let store = RedisStore::real(false);
    let quotas = [quota(100, 10_000), quota(100, 40_000), quota(100, 20_000)];
    for ask in [
        Ask::request(ALICE).counted(&[quota(100, 40_000)]),
        Ask::request(ALICE).counted(&quotas),
        Ask::request(ALICE).counted(&quotas).struck(RULES),
    ] {
        let log = store.log(LOG);
        for meddling in [&[][..], &["PEXPIRE", &log, "3000"], &["PERSIST", &log]] {
            if !meddling.is_empty() {
                store.run(meddling);
            }
            decide(&store, &ask);
            assert_life(&store, &log, 40_000);
        }
    }
}

#[test]
fn a_persisted_log_has_an_end_again_even_if_nothing_is_recorded() {
    let store = RedisStore::real(false);
    let ask = Ask::request(ALICE)
        .counted(&[quota(1, 40_000)])
        .count_rejected(false);
    decide(&store, &ask);
    store.run(&["PERSIST", &store.log(LOG)]);
    assert_eq!(decide(&store, &ask).outcome, Outcome::Limited);
    assert_life(&store, &store.log(LOG), 40_000);
    // But a refusal that records nothing does not prolong it.
    store.run(&["PEXPIRE", &store.log(LOG), "20000"]);
    assert_eq!(decide(&store, &ask).outcome, Outcome::Limited);
    assert_life(&store, &store.log(LOG), 20_000);
}

#[test]
fn strikes_and_bans_have_an_end() {
    let store = RedisStore::real(false);
    let strikes = store.keys.strikes(ALICE);
    let rules = StrikeRules {
        ttl_millis: 50_000,
        ban_millis: 70_000,
        ..RULES
    };
    let clean = Ask::request(ALICE).struck(rules);
    let threat = threat().struck(rules);
    for ask in [&threat, &clean, &threat] {
        if store.left(&strikes) > 0 {
            store.run(&["PERSIST", &strikes]);
        }
        decide(&store, ask);
        assert_life(&store, &strikes, 50_000);
    }
    assert!(decide(&store, &threat).newly_banned);
    assert_life(&store, &store.keys.ban(ALICE), 70_000);
    RUNTIME.block_on(store.ban(ALICE, 90_000, "by hand").wait());
    assert_life(&store, &store.keys.ban(ALICE), 90_000);
}

#[test]
fn after_a_silence_no_key_is_left() {
    let store = RedisStore::real(false);
    let rules = StrikeRules {
        threshold: 1,
        ttl_millis: 150,
        ban_millis: 150,
        ..RULES
    };
    let ask = |client| {
        Ask::request(client)
            .counted(&[quota(1, 150)])
            .counted_on(SEARCH, &[quota(9, 100), quota(9, 120)])
            .struck(rules)
    };
    decide(&store, &ask(ALICE));
    decide(&store, &ask(ALICE));
    decide(&store, &ask(ALICE));
    decide(&store, &ask(crate::store::contract::BOB));
    let start = Instant::now();
    while !names(&store).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(decide(&store, &ask(ALICE)).outcome, Outcome::Admitted);
    assert!(RUNTIME.block_on(store.bans().wait()).is_empty());
}

#[test]
fn the_largest_numbers_are_no_trouble_on_the_servers_clock() {
    let store = RedisStore::real(false);
    let rules = StrikeRules {
        threshold: 1,
        ttl_millis: u64::MAX,
        interval_millis: 0,
        ban_millis: u64::MAX,
    };
    let ask = Ask::request(ALICE)
        .counted(&[quota(u32::MAX, u64::MAX), quota(1, HOUR)])
        .struck(rules);
    assert_eq!(decide(&store, &ask).outcome, Outcome::Admitted);
    assert_eq!(decide(&store, &ask).strikes, 1);
    assert!(decide(&store, &ask).newly_banned);
    let banned = decide(&store, &ask);
    assert!(matches!(banned.outcome, Outcome::Banned(_)));
    RUNTIME.block_on(store.ban(ALICE, u64::MAX, "by hand").wait());
    assert_eq!(RUNTIME.block_on(store.bans().wait()).len(), 1);
}
