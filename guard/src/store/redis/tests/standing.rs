//! Looking at a client, on a server.

use std::{collections::BTreeSet, net::Ipv4Addr, time::Duration};

use redis::Value;
use redis_servers::{Cluster, Server};

use crate::{
    client::ClientKey,
    config::{RedisWindows, SecurityConfig},
    decision::{Answer, CountedBy, LogHit, LogName, Standing, Store},
    store::{
        contract::{ALICE, Ask, HOUR, RULES, quota},
        open,
        redis::{connection::Servers, script::Scripts, store::RedisStore as Calls},
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

/// The words of a line, as a shell would read them.
fn words(line: &str) -> Vec<String> {
    let quoted_quote = line.replace(r"'\''", "\0");
    let mut words = Vec::new();
    for (number, part) in quoted_quote.split('\'').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.replace('\0', "'")),
        }
    }
    words
}

/// Where the command stands in a line, behind the options.
fn command_at(words: &[String]) -> usize {
    let commands = ["GET", "TTL", "ZRANGE", "DEL"];
    let is_command = |word: &String| commands.contains(&word.as_str());
    words.iter().position(is_command).unwrap()
}

#[test]
fn the_lines_to_paste_name_the_keys_that_are_there() {
    for cluster in [false, true] {
        let store = RedisStore::real(cluster);
        let lines = || -> Vec<Vec<String>> {
            let lines = ask().with_hit(|hit| store.redis_cli(ALICE, hit.logs));
            lines.iter().map(|line| words(line)).collect()
        };
        let run = |words: &[String]| {
            let command: Vec<&str> = words.iter().map(String::as_str).collect();
            store.run(&command)
        };
        for _ in 0..3 {
            decide(&store, &ask());
        }
        let mut named = BTreeSet::new();
        for words in lines() {
            assert_eq!(words[0], "redis-cli");
            assert_eq!(words.contains(&"-c".to_owned()), cluster);
            let at = command_at(&words);
            let (command, key) = (words[at].as_str(), &words[at + 1]);
            if command != "DEL" && !key.contains("banned_ips") {
                named.insert(key.clone());
                let Value::Int(1) = store.run(&["EXISTS", key]) else {
                    panic!("there is no {key}");
                };
            }
            match (command, run(&words[at..])) {
                ("GET", Value::BulkString(_) | Value::Nil) | ("TTL", Value::Int(_)) => {}
                ("ZRANGE", Value::Array(members)) => assert!(!members.is_empty()),
                ("DEL", Value::Int(0)) => {}
                other => panic!("{other:?} to {words:?}"),
            }
        }
        assert_eq!(named, names(&store));
        // The last one lifts a ban.
        RUNTIME.block_on(store.ban(ALICE, HOUR, "by hand").wait());
        let last = lines().pop().unwrap();
        assert_eq!(run(&last[command_at(&last)..]), Value::Int(1));
        assert_eq!(RUNTIME.block_on(store.ban_of(ALICE).wait()), None);
    }
}

#[test]
fn in_passive_mode_and_with_local_windows_the_lines_are_those_of_the_keys_there() {
    let store = |windows, enforcing| {
        let config = SecurityConfig::builder()
            .store("redis://127.0.0.1:1")
            .redis_windows(windows);
        open(config.build().unwrap().settings(), enforcing)
    };
    let lines = |store: &dyn Store| ask().with_hit(|hit| store.redis_cli(ALICE, hit.logs));
    let passive = lines(&*store(RedisWindows::Shared, false));
    assert_eq!(
        passive[0],
        "redis-cli GET 'guard:passive:banned_ips:203.0.113.1'"
    );
    assert!(passive.iter().all(|line| line.contains(" 'guard:passive:")));
    let local = store(RedisWindows::Local, true);
    let expected = ["GET", "TTL", "DEL"];
    let expected =
        expected.map(|command| format!("redis-cli {command} 'guard:banned_ips:203.0.113.1'"));
    assert_eq!(lines(&*local), expected);
    // Windows and strikes are here, and nothing of them is asked for there.
    let decide = |ask: &Ask| RUNTIME.block_on(ask.with_hit(|hit| local.decide(hit).wait()));
    for _ in 0..3 {
        decide(&ask());
    }
    let ttl = RULES.ttl_millis;
    let standing = ask().with_hit(|hit| local.standing(ALICE, hit.logs, ttl));
    let Answer::Ready(standing) = standing else {
        panic!("it is in memory");
    };
    let used: Vec<u32> = standing.quotas.iter().map(|quota| quota.used).collect();
    assert_eq!((used, standing.strikes), (vec![3, 3, 2], 1));
}

#[test]
fn in_a_cluster_every_client_is_looked_at_on_its_node() {
    let cluster = Cluster::start();
    let servers = Servers::parse(&cluster.urls(), None, true, Duration::from_secs(30)).unwrap();
    let calls = Calls::new(servers, "guard:", true);
    let runtime = actix_web::rt::Runtime::new().unwrap();
    for number in 0..20 {
        let client = ClientKey::V4(Ipv4Addr::new(192, 0, 2, number));
        let ask = Ask::request(client)
            .counted(&[quota(5, HOUR)])
            .counted_on(SEARCH, &[quota(3, HOUR)]);
        let question = ask.with_hit(|hit| calls.question(hit));
        let look = || ask.with_hit(|hit| calls.standing(client, hit.logs, HOUR));
        runtime.block_on(async {
            for _ in 0..2 {
                calls.decide(&question).await.unwrap();
            }
            let standing = look().await.unwrap();
            let used: Vec<u32> = standing.quotas.iter().map(|quota| quota.used).collect();
            assert_eq!(used, [2, 2], "{client}");
        });
    }
}
