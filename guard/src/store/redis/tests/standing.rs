//! Looking at a client, on a server.

use std::collections::BTreeSet;

use redis::Value;
use redis_servers::Server;

use crate::{
    decision::{CountedBy, LogHit, LogName, Standing, Store as _},
    store::{
        contract::{ALICE, Ask, HOUR, RULES, quota},
        redis::script::Scripts,
    },
};

use super::{LOG, RUNTIME, RedisStore, SEARCH, decide, names};

fn stand(store: &RedisStore, ask: &Ask) -> Standing {
    let ttl = RULES.ttl_millis;
    RUNTIME.block_on(ask.with_hit(|hit| store.standing(ALICE, hit.logs, ttl).wait()))
}

fn ask() -> Ask {
    Ask::request(ALICE)
        .counted(&[quota(5, HOUR), quota(3, 60_000)])
        .counted_on(SEARCH, &[quota(2, HOUR)])
        .struck(RULES)
}

#[test]
fn a_look_writes_nothing() {
    let server = Server::start();
    let store = RedisStore::on(&server);
    let changes = || {
        let Value::BulkString(info) = store.run(&["INFO", "persistence"]) else {
            panic!("no numbers");
        };
        let info = String::from_utf8(info).unwrap();
        let changes = info.split("rdb_changes_since_last_save:").nth(1).unwrap();
        changes.split_whitespace().next().unwrap().to_owned()
    };
    for number in 0..4 {
        let (before, keys) = (changes(), names(&store));
        for _ in 0..3 {
            stand(&store, &ask());
        }
        assert_eq!((changes(), names(&store)), (before, keys), "{number}");
        decide(&store, &ask());
    }
    assert!(!names(&store).is_empty());
}

#[test]
fn on_the_servers_clock_a_client_stands_as_the_last_decision_said() {
    let store = RedisStore::real(false);
    for strikes in [0, 0, 1, 2] {
        let decision = decide(&store, &ask());
        let standing = stand(&store, &ask());
        assert_eq!(standing.strikes, strikes);
        assert_eq!(standing.strikes_left_millis.is_some(), strikes > 0);
        for (seen, told) in standing.quotas.iter().zip(&decision.quotas) {
            assert_eq!(seen.remaining, told.remaining);
            let passed = told.reset_millis - seen.reset_millis;
            assert!(passed < 10_000, "{passed} ms passed");
        }
    }
}

#[test]
fn strikes_that_others_wrote_are_told_as_decisions_take_them() {
    for (set, strikes, left) in [
        (&["SET", "KEY", "2"][..], 2, Some(RULES.ttl_millis)),
        (
            &["SET", "KEY", "2", "PX", "9000000"],
            2,
            Some(RULES.ttl_millis),
        ),
        (&["SET", "KEY", "many"], 0, None),
        (&["SET", "KEY", "-7"], 0, None),
        (&["RPUSH", "KEY", "1"], 0, None),
        (
            &["SET", "KEY", "99999999999"],
            u32::MAX,
            Some(RULES.ttl_millis),
        ),
    ] {
        let store = RedisStore::real(false);
        let key = store.keys.strikes(ALICE);
        let word = |word: &&'static str| {
            if *word == "KEY" {
                key.clone()
            } else {
                (*word).to_owned()
            }
        };
        let words: Vec<String> = set.iter().map(word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        store.run(&words);
        let standing = stand(&store, &ask());
        assert_eq!(standing.strikes, strikes, "{set:?}");
        assert_eq!(standing.strikes_left_millis, left, "{set:?}");
    }
}

#[test]
fn members_that_others_wrote_are_told_as_decisions_count_them() {
    for (score, member) in [("NOW", "foo"), ("9000000000000", "foo"), ("+inf", "foo")] {
        let store = RedisStore::real(false);
        decide(&store, &ask());
        let now = store.now_millis().to_string();
        let score = if score == "NOW" { &now } else { score };
        store.run(&["ZADD", &store.log(LOG), score, member]);
        let seen = stand(&store, &ask());
        let told = decide(&store, &ask());
        // The decision has recorded one more.
        let remaining: Vec<u32> = seen
            .quotas
            .iter()
            .map(|quota| quota.remaining - 1)
            .collect();
        let expected: Vec<u32> = told.quotas.iter().map(|quota| quota.remaining).collect();
        assert_eq!(remaining, expected, "{score} {member}");
        assert!(seen.quotas.iter().all(|quota| quota.reset_millis <= HOUR));
    }
}

#[test]
fn a_log_without_a_value_is_the_clients_own() {
    let store = RedisStore::real(true);
    let quotas = [quota(5, HOUR)];
    let log = LogHit {
        key: LOG,
        name: LogName {
            endpoint: None,
            counted_by: Some(CountedBy {
                function: "user",
                value: None,
            }),
        },
        quotas: &quotas,
    };
    let standing = RUNTIME.block_on(store.standing(ALICE, &[log], 1000).wait());
    assert_eq!(standing.quotas[0].used, 0);
    let key = "a*[guard]:rate_limit:rate:by:user:@{203.0.113.1}";
    let now = store.now_millis().to_string();
    store.run(&["ZADD", key, &now, "member"]);
    let standing = RUNTIME.block_on(store.standing(ALICE, &[log], 1000).wait());
    assert_eq!(standing.quotas[0].used, 1);
}

#[test]
fn the_script_calls_nothing_that_writes() {
    let scripts = Scripts::new();
    let calls = scripts.state_of.text().split("call('").skip(1);
    let called: BTreeSet<&str> = calls.filter_map(|rest| rest.split('\'').next()).collect();
    let reads = ["GET", "PTTL", "TIME", "ZCARD", "ZCOUNT", "ZRANGE"];
    assert_eq!(called, reads.into());
}
