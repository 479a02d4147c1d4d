//! Keys that somebody else wrote or changed: an operator, another program, a release to come.

use std::time::Duration;

use crate::{
    bans::BanSource,
    decision::{Outcome, Store as _},
    store::contract::{ALICE, Ask, BOB, RULES, quota},
};

use super::{LOG, RUNTIME, RedisStore, decide, threat};

/// The longest that a ban may last, in seconds.
const TEN_YEARS: u64 = 10 * 365 * 24 * 3600;

/// Has the client banned and says why, and for how many seconds from now.
#[track_caller]
fn assert_banned(store: &RedisStore, ask: &Ask, reason: &str, by: BanSource) -> u64 {
    let Outcome::Banned(record) = decide(store, ask).outcome else {
        panic!("not banned");
    };
    assert_eq!((&*record.reason, record.by), (reason, by));
    let bans = RUNTIME.block_on(store.bans().wait());
    assert_eq!(bans.len(), 1);
    assert_eq!((bans[0].reason.as_str(), bans[0].by), (reason, by));
    assert_eq!(
        RUNTIME
            .block_on(store.ban_of(ALICE).wait())
            .map(|ban| ban.client),
        Some(ALICE.to_string())
    );
    bans[0].remaining.as_millis().div_ceil(1000) as u64
}

#[test]
fn any_value_is_a_ban_as_long_as_its_key_is_there() {
    let ask = Ask::request(ALICE)
        .counted(&[quota(5, 60_000)])
        .struck(RULES);
    let preflight = Ask::request(ALICE).counted(&[quota(5, 60_000)]);
    for set in [
        &["SET", "KEY", "1"][..],
        &["SET", "KEY", ""],
        &["SET", "KEY", "{\"reason\":"],
        &[
            "SET",
            "KEY",
            "{\"reason\":7,\"since\":\"x\",\"until\":-1,\"by\":null}",
        ],
        &["SET", "KEY", "\u{e9}[]"],
        &["HSET", "KEY", "field", "value"],
        &["RPUSH", "KEY", "a", "b"],
        &["SADD", "KEY", "a"],
        &["ZADD", "KEY", "1", "a"],
    ] {
        let store = RedisStore::real(false);
        let key = store.keys.ban(ALICE);
        let words: Vec<&str> = set
            .iter()
            .map(|word| if *word == "KEY" { &key } else { *word })
            .collect();
        store.run(&words);
        // Without an end: until somebody lifts it, and no longer than any ban may last.
        let seconds = assert_banned(&store, &ask, "unknown", BanSource::Manual);
        assert_eq!(seconds, TEN_YEARS);
        assert!(store.number(&["TTL", &key]) > 0);
        store.run(&["EXPIRE", &key, "100"]);
        for ask in [&ask, &preflight, &threat()] {
            let seconds = assert_banned(&store, ask, "unknown", BanSource::Manual);
            assert!((99..=100).contains(&seconds), "{seconds}");
        }
        assert!(RUNTIME.block_on(store.unban(ALICE).wait()));
        assert_eq!(decide(&store, &ask).outcome, Outcome::Admitted);
        assert!(RUNTIME.block_on(store.bans().wait()).is_empty());
    }
}

#[test]
fn what_is_told_of_a_ban_is_taken_over() {
    let store = RedisStore::real(false);
    let key = store.keys.ban(ALICE);
    let told =
        r#"{ "by": "automatic", "reason": "for years", "since": 1000, "until": 99, "more": [1] }"#;
    store.run(&["SET", &key, told, "EX", "100"]);
    let ask = Ask::request(ALICE);
    let seconds = assert_banned(&store, &ask, "for years", BanSource::Automatic);
    assert!((99..=100).contains(&seconds), "{seconds}");
    let ban = RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap();
    assert_eq!(ban.since, std::time::UNIX_EPOCH + Duration::from_secs(1));
}

#[test]
fn a_ban_that_was_given_another_life_ends_when_its_key_does() {
    for seconds in [30, 900] {
        let store = RedisStore::real(false);
        RUNTIME.block_on(store.ban(ALICE, 300_000, "by hand").wait());
        let since = RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap().since;
        store.run(&["EXPIRE", &store.keys.ban(ALICE), &seconds.to_string()]);
        let ask = Ask::request(ALICE);
        let left = assert_banned(&store, &ask, "by hand", BanSource::Manual);
        assert!((seconds - 1..=seconds).contains(&left), "{left}");
        let ban = RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap();
        assert_eq!(ban.since, since);
    }
}

#[test]
fn a_ban_whose_key_lost_its_end_ends_when_it_was_to_end() {
    let ask = Ask::request(ALICE)
        .counted(&[quota(5, 60_000)])
        .struck(RULES);
    let look_by: [fn(&RedisStore, &Ask); 3] = [
        |store, ask| drop(decide(store, ask)),
        |store, _| drop(RUNTIME.block_on(store.ban_of(ALICE).wait())),
        |store, _| drop(RUNTIME.block_on(store.bans().wait())),
    ];
    for look in look_by {
        let store = RedisStore::real(false);
        let key = store.keys.ban(ALICE);
        RUNTIME.block_on(store.ban(ALICE, 300_000, "by hand").wait());
        let ban = RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap();
        store.run(&["PERSIST", &key]);
        look(&store, &ask);
        let left = store.number(&["PTTL", &key]);
        assert!((290_000..=300_000).contains(&left), "{left}");
        let same = RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap();
        assert_eq!((same.since, same.until), (ban.since, ban.until));

        // One that is over by what it says has ended.
        let told = r#"{"reason":"x","since":1000,"until":2000,"by":"manual"}"#;
        store.run(&["SET", &key, told]);
        look(&store, &ask);
        assert_eq!(decide(&store, &ask).outcome, Outcome::Admitted);
        assert!(RUNTIME.block_on(store.bans().wait()).is_empty());
    }
}

#[test]
fn a_ban_of_an_outage_goes_before_one_without_an_end_that_is_over_and_before_no_other() {
    for (until, seconds, reason) in [
        (2000_u64, 100, "an outage"),
        (9_000_000_000_000, TEN_YEARS, "x"),
    ] {
        let store = RedisStore::real(false);
        let told = format!(r#"{{"reason":"x","since":1000,"until":{until},"by":"manual"}}"#);
        store.run(&["SET", &store.keys.ban(ALICE), &told]);
        RUNTIME.block_on(store.write(ALICE, 100_000));
        let ban = RUNTIME.block_on(store.ban_of(ALICE).wait()).unwrap();
        assert_eq!(ban.reason, reason);
        assert_eq!(ban.remaining.as_millis().div_ceil(1000), seconds.into());
    }
}

#[test]
fn a_bare_del_lifts_a_ban() {
    let store = RedisStore::real(false);
    RUNTIME.block_on(store.ban(ALICE, 300_000, "by hand").wait());
    assert_eq!(store.number(&["EXISTS", &store.keys.ban(ALICE)]), 1);
    store.run(&["DEL", &store.keys.ban(ALICE)]);
    assert_eq!(
        decide(&store, &Ask::request(ALICE)).outcome,
        Outcome::Admitted
    );
    assert!(!RUNTIME.block_on(store.unban(ALICE).wait()));
}

#[test]
fn a_ban_from_the_future_is_no_longer_than_it_was_meant_to_be() {
    let store = RedisStore::real(false);
    let key = store.keys.ban(ALICE);
    let told = r#"{"reason":"%1","since":9000000000000,"until":9000000060000,"by":"manual"}"#;
    store.run(&["SET", &key, told, "PX", "7000000000000"]);
    let ask = Ask::request(ALICE);
    for _ in 0..3 {
        let seconds = assert_banned(&store, &ask, "%1", BanSource::Manual);
        assert!((55..=60).contains(&seconds), "{seconds}");
    }
    // One that was not even meant to last.
    let told = r#"{"reason":"x","since":9000000000000,"until":8000000000000,"by":"manual"}"#;
    store.run(&["SET", &key, told, "PX", "7000000000000"]);
    let Outcome::Banned(record) = decide(&store, &ask).outcome else {
        panic!("not banned");
    };
    assert!(record.until_millis - record.since_millis <= 1);
}

#[test]
fn the_list_survives_what_is_not_ours() {
    let store = RedisStore::real(false);
    RUNTIME.block_on(store.ban(ALICE, 300_000, "by hand").wait());
    RUNTIME.block_on(store.ban(BOB, 200_000, "by hand").wait());
    for name in [
        "",
        "nobody",
        "203.0.113.1:x",
        "2001:DB8::/64",
        "203.0.113.001",
    ] {
        store.run(&["SET", &format!("a*[guard]:banned_ips:{name}"), "1"]);
    }
    let mut binary = redis::cmd("SET");
    binary.arg(b"a*[guard]:banned_ips:\xFF\r\n").arg("1");
    let () = store.query(&binary);
    // What the pattern would match if the prefix were one.
    store.run(&["SET", "axg:banned_ips:192.0.2.1", "1"]);
    let bans = RUNTIME.block_on(store.bans().wait());
    let clients: Vec<_> = bans.into_iter().map(|ban| ban.client).collect();
    assert_eq!(clients, [BOB.to_string(), ALICE.to_string()]);
}

#[test]
fn foreign_members_of_a_log_count_as_requests() {
    for (score, member) in [
        ("NOW", "foo"),
        ("NOW", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"),
        ("NOW", "5"),
        ("9000000000000", "foo"),
        ("+inf", "foo"),
        ("9000000000000", "90000000000000009000000000000"),
    ] {
        for before in [0, 1, 3] {
            let store = RedisStore::real(false);
            let ask = Ask::request(ALICE).counted(&[quota(6, 60_000)]);
            let log = store.log(LOG);
            for _ in 0..before {
                decide(&store, &ask);
            }
            let now = store.now_millis().to_string();
            store.run(&[
                "ZADD",
                &log,
                if score == "NOW" { &now } else { score },
                member,
            ]);
            for remaining in (0..5 - before).rev() {
                let decision = decide(&store, &ask);
                assert_eq!(decision.outcome, Outcome::Admitted, "{score} {member}");
                assert_eq!(decision.quotas[0].remaining, remaining, "{score} {member}");
            }
            let limited = decide(&store, &ask);
            assert_eq!(limited.outcome, Outcome::Limited);
            assert!((50_000..=60_000).contains(&limited.wait_millis()));
            assert!(store.number(&["PTTL", &log]) > 50_000);
        }
    }
}

#[test]
fn foreign_members_that_are_over_leave_like_any_other() {
    let store = RedisStore::real(false);
    let ask = Ask::request(ALICE).counted(&[quota(6, 60_000)]);
    let log = store.log(LOG);
    for (score, member) in [("-inf", "a"), ("17", "b"), ("1700000000.5", "1700000000.5")] {
        store.run(&["ZADD", &log, score, member]);
    }
    assert_eq!(decide(&store, &ask).quotas[0].remaining, 5);
    assert_eq!(store.number(&["ZCARD", &log]), 1);
}

#[test]
fn foreign_members_among_ours_are_no_trouble() {
    let window = 60_000;
    let [one, two] = [quota(2, window), quota(3, window / 2)];
    let by = |quotas: &[_]| Ask::request(ALICE).counted(quotas);
    for member in [
        "foo",
        "5",
        &"z".repeat(40),
        &"!".repeat(29),
        &"9".repeat(29),
    ] {
        for (age, quotas) in [
            (1000, &[one][..]),
            (1000, &[one, two]),
            (1000, &[two]),
            (window + 1000, &[one]),
            (window + 1000, &[one, two]),
            (window / 2 + 1000, &[one, two]),
        ] {
            for count_rejected in [true, false] {
                let store = RedisStore::real(false);
                let log = store.log(LOG);
                let ask = by(quotas).count_rejected(count_rejected);
                decide(&store, &ask);
                let old = store.now_millis() - age;
                for (number, old) in [old, old + 1].into_iter().enumerate() {
                    let member = format!("{member}{}", &"xyz"[..number]);
                    store.run(&["ZADD", &log, &old.to_string(), &member]);
                }
                // The oldest of ours leaves with those that are older.
                for _ in 0..6 {
                    let decision = decide(&store, &ask);
                    for state in &decision.quotas {
                        assert!(state.reset_millis <= window, "{member} {age}: {state:?}");
                    }
                }
                assert_eq!(decide(&store, &ask).outcome, Outcome::Limited);
            }
        }
    }
}

#[test]
fn strikes_that_are_an_odd_number_are_one_that_can_be() {
    let clean = Ask::request(ALICE)
        .counted(&[quota(6, 60_000)])
        .struck(RULES);
    for (value, strikes) in [
        ("-5", 0),
        ("-1e300", 0),
        ("nan", 0),
        ("-nan", 0),
        ("0", 0),
        ("0.5", 0),
        ("1.5", 1),
        ("2", 2),
    ] {
        let store = RedisStore::real(false);
        let key = store.keys.strikes(ALICE);
        store.run(&["SET", &key, value, "EX", "60"]);
        let decision = decide(&store, &clean);
        assert_eq!(decision.outcome, Outcome::Admitted);
        assert_eq!(decision.strikes, strikes, "{value}");
        let decision = decide(&store, &threat());
        assert_eq!(decision.newly_banned, strikes >= RULES.threshold, "{value}");
    }
    for value in ["1e300", "inf", "9223372036854775807", "4294967296"] {
        let store = RedisStore::real(false);
        let key = store.keys.strikes(ALICE);
        store.run(&["SET", &key, value]);
        assert_eq!(decide(&store, &clean).outcome, Outcome::Admitted);
        assert!(decide(&store, &threat()).newly_banned, "{value}");
    }
}

#[test]
fn strikes_that_are_no_number_are_none() {
    for set in [
        &["SET", "KEY", "many"][..],
        &["RPUSH", "KEY", "1"],
        &["SET", "KEY", ""],
    ] {
        let store = RedisStore::real(false);
        let key = store.keys.strikes(ALICE);
        let words: Vec<&str> = set
            .iter()
            .map(|word| if *word == "KEY" { &key } else { *word })
            .collect();
        store.run(&words);
        let clean = Ask::request(ALICE)
            .counted(&[quota(6, 60_000)])
            .struck(RULES);
        let decision = decide(&store, &clean);
        assert_eq!((decision.outcome, decision.strikes), (Outcome::Admitted, 0));
        assert_eq!(decide(&store, &threat()).strikes, 1);
        assert_eq!(decide(&store, &threat()).strikes, 2);
    }
}
