//! The scripts on a server. The rules are in `store::contract`; here is what is Redis' own: keys, their lives, and what
//! other hands did to them.

mod calls;
mod foreign;
mod lives;
mod rights;
#[cfg(feature = "admin")]
mod standing;
mod store;

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    clock::ManualClock,
    decision::{Decision, LogKey, Outcome, RouteId, Store, Subject},
    store::contract::{ALICE, Ask, HOUR, Harness as _, RULES, quota},
};

pub(in crate::store) use store::Redis;
use store::{RUNTIME, RedisStore};

const SEARCH: RouteId = RouteId(RouteId::FIRST);

/// Alice's global log.
const LOG: LogKey = LogKey {
    subject: Subject::Client(ALICE),
    route: RouteId::GLOBAL,
};

fn decide(store: &RedisStore, ask: &Ask) -> Decision {
    RUNTIME.block_on(ask.put(store).wait())
}

fn threat() -> Ask {
    Ask::threat(ALICE, "a probe").struck(RULES)
}

/// The names of all keys.
fn names(store: &RedisStore) -> BTreeSet<String> {
    let mut command = redis::cmd("SCAN");
    // More than there are: one call sees them all.
    command.arg(0).arg("COUNT").arg(100_000);
    let (cursor, names): (u64, BTreeSet<String>) = store.query(&command);
    assert_eq!(cursor, 0);
    names
}

#[test]
fn fifty_requests_in_a_millisecond_admit_five_and_leave_six_members_at_most() {
    for (count_rejected, members) in [(true, 6), (false, 5)] {
        for redis in [Redis::Frozen, Redis::Ticking] {
            let store = redis.store(Arc::new(ManualClock::new()));
            let ask = Ask::request(ALICE)
                .counted(&[quota(5, 60_000)])
                .count_rejected(count_rejected);
            let decisions: Vec<_> = (0..50).map(|_| decide(&store, &ask)).collect();
            let admitted = decisions
                .iter()
                .filter(|decision| decision.outcome == Outcome::Admitted);
            let remaining: Vec<_> = admitted
                .map(|decision| decision.quotas[0].remaining)
                .collect();
            assert_eq!(remaining, [4, 3, 2, 1, 0]);
            assert_eq!(store.number(&["ZCARD", &store.log(LOG)]), members);
        }
    }
}

#[test]
fn on_the_servers_clock_a_burst_admits_exactly_the_quota() {
    let store = RedisStore::real(false);
    let ask = Ask::request(ALICE).counted(&[quota(5, 60_000)]);
    let answers = (0..50).map(|_| ask.put(&store).wait());
    let decisions = RUNTIME.block_on(async {
        let tasks: Vec<_> = answers.map(|answer| RUNTIME.spawn(answer)).collect();
        let mut decisions = Vec::new();
        for task in tasks {
            decisions.push(task.await.unwrap());
        }
        decisions
    });
    let admitted = |decision: &&Decision| decision.outcome == Outcome::Admitted;
    let admitted: BTreeSet<_> = decisions
        .iter()
        .filter(admitted)
        .map(|decision| decision.quotas[0].remaining)
        .collect();
    assert_eq!(admitted, BTreeSet::from([0, 1, 2, 3, 4]));
    assert_eq!(decisions.len(), 50);
    assert!(store.number(&["ZCARD", &store.log(LOG)]) <= 6);
}

#[test]
fn the_names_on_the_server_are_those_of_the_documentation() {
    let store = RedisStore::real(false);
    let ask = Ask::request(ALICE)
        .counted(&[quota(1, HOUR)])
        .counted_on(SEARCH, &[quota(5, HOUR)])
        .counted_by(7, SEARCH, &[quota(5, HOUR)])
        .struck(RULES);
    decide(&store, &ask);
    decide(&store, &ask);
    let before = [
        "rate_limit:rate:203.0.113.1",
        "rate_limit:rate:203.0.113.1:/route/4",
        "rate_limit:rate:by:test:7:/route/4",
    ];
    let with_prefix = |names: &[&str]| -> BTreeSet<String> {
        names
            .iter()
            .map(|name| format!("a*[guard]:{name}"))
            .collect()
    };
    let mut expected = with_prefix(&before);
    expected.extend(with_prefix(&["strikes:203.0.113.1"]));
    assert_eq!(names(&store), expected);
    decide(&store, &ask);
    assert!(decide(&store, &ask).newly_banned);
    // What was tripped is gone, and so are the strikes.
    let mut expected = with_prefix(&before[1..]);
    expected.extend(with_prefix(&["banned_ips:203.0.113.1"]));
    assert_eq!(names(&store), expected);
}

#[test]
fn in_a_cluster_a_client_and_a_value_are_asked_about_apart() {
    let store = RedisStore::real(true);
    let both = |requests| {
        Ask::request(ALICE)
            .counted_by(7, SEARCH, &[quota(requests, HOUR)])
            .counted(&[quota(5, HOUR)])
            .struck(RULES)
    };
    let first = decide(&store, &both(2));
    let remaining: Vec<u32> = first.quotas.iter().map(|state| state.remaining).collect();
    assert_eq!((first.outcome, remaining), (Outcome::Admitted, vec![1, 4]));
    decide(&store, &both(2));
    // What the value's log refuses is a strike of the client.
    let third = decide(&store, &both(2));
    let exceeded: Vec<bool> = third.quotas.iter().map(|state| state.exceeded).collect();
    assert_eq!((third.outcome, third.strikes), (Outcome::Limited, 1));
    assert_eq!(exceeded, [true, false]);
    let expected = [
        "a*[guard]:rate_limit:rate:{203.0.113.1}",
        "a*[guard]:rate_limit:rate:{by:test:7}:/route/4",
        "a*[guard]:strikes:{203.0.113.1}",
    ];
    assert_eq!(names(&store), expected.map(str::to_owned).into());
}

#[test]
fn a_ban_is_json_for_whoever_looks_at_it() {
    let store = RedisStore::real(false);
    let odd = "a \"quoted\" one,\"since\":1,\"until\":2,\\\u{0}\n%s é";
    let rules = crate::decision::StrikeRules {
        threshold: 0,
        ..RULES
    };
    for (by, reason) in [
        ("manual", odd),
        ("automatic", odd),
        ("automatic", "rate limit"),
    ] {
        let ban = match (by, reason) {
            ("manual", _) => RUNTIME.block_on(store.ban(ALICE, 300_000, odd).wait()),
            (_, "rate limit") => {
                decide(
                    &store,
                    &Ask::request(ALICE).counted(&[quota(0, HOUR)]).struck(rules),
                );
                RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap()
            }
            _ => {
                decide(&store, &Ask::threat(ALICE, odd).struck(rules));
                RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap()
            }
        };
        assert_eq!((ban.reason.as_str(), ban.by.as_str()), (reason, by));
        let mut get = redis::cmd("GET");
        get.arg(store.keys.ban(ALICE));
        let text: String = store.query(&get);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["reason"], reason);
        assert_eq!(json["by"], by);
        let since = json["since"].as_u64().unwrap();
        assert_eq!(json["until"], since + 300_000);
        assert_eq!(
            ban.since,
            std::time::UNIX_EPOCH + std::time::Duration::from_millis(since)
        );
        // However often it is read, and whenever.
        assert_eq!(
            RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap().until,
            ban.until
        );
        assert!(RUNTIME.block_on(store.unban(ALICE).wait()));
    }
}

/// Releases share a server while one takes the other's place.
#[test]
fn what_is_kept_on_the_server_is_what_other_releases_read() {
    let store = RedisStore::real(false);
    let ask = Ask::request(ALICE).counted(&[quota(5, HOUR)]).struck(RULES);
    let mut oldest = None;
    for _ in 0..3 {
        decide(&store, &ask);
        let mut newest = redis::cmd("ZRANGE");
        newest.arg(store.log(LOG)).arg(&["-1", "-1", "WITHSCORES"]);
        let (member, score): (String, String) = store.query(&newest);
        let oldest = oldest.get_or_insert_with(|| score.clone());
        let [micros, first] = [&member[..16], &member[16..]];
        assert!(micros.starts_with(&score) && first == oldest, "{member}");
    }
    let get = |key: String| -> String {
        let mut get = redis::cmd("GET");
        get.arg(key);
        store.query(&get)
    };
    for strikes in 1..=RULES.threshold {
        decide(&store, &threat());
        assert_eq!(get(store.keys.strikes(ALICE)), strikes.to_string());
    }
    let Outcome::Banned(ban) = decide(&store, &threat()).outcome else {
        panic!("not banned");
    };
    let (since, until) = (ban.since_millis, ban.until_millis);
    assert_eq!(
        get(store.keys.ban(ALICE)),
        format!(r#"{{"reason":"a probe","since":{since},"until":{until},"by":"automatic"}}"#)
    );
}

#[test]
fn a_log_is_cut_to_a_lowered_limit_and_fills_up_to_a_raised_one() {
    let store = Redis::Ticking.store(Arc::new(ManualClock::new()));
    let ask = |requests| Ask::request(ALICE).counted(&[quota(requests, HOUR)]);
    let admitted = |times: usize, ask: &Ask| {
        let admitted = |_: &usize| decide(&store, ask).outcome == Outcome::Admitted;
        (0..times).filter(admitted).count()
    };
    assert_eq!(admitted(20, &ask(10)), 10);
    assert_eq!(admitted(5, &ask(3)), 0);
    assert_eq!(store.number(&["ZCARD", &store.log(LOG)]), 4);
    assert_eq!(decide(&store, &ask(6)).quotas[0].remaining, 1);
    assert_eq!(admitted(5, &ask(6)), 1);
}
