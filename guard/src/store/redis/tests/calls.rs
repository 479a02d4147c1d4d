//! What a decision has the server do.

use std::collections::BTreeMap;

use redis::cmd;
use redis_servers::Server;

use crate::store::contract::{ALICE, Ask, BOB, HOUR, RULES, quota};

use super::{RedisStore, decide, threat};

/// How often each command was called, by clients and by scripts, since the last time.
fn calls(store: &RedisStore) -> BTreeMap<String, u64> {
    let mut info = cmd("INFO");
    info.arg("commandstats");
    let text: String = store.query(&info);
    store.run(&["CONFIG", "RESETSTAT"]);
    let line = |line: &str| {
        let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        let (calls, _) = rest.split_once(',')?;
        Some((name.to_owned(), calls.parse().ok()?))
    };
    let mut calls: BTreeMap<_, _> = text.lines().filter_map(line).collect();
    // The question itself, and the end of the one before.
    calls.retain(|name, _| name != "info" && name != "config|resetstat");
    calls
}

#[test]
fn a_decision_is_one_call_and_the_script_makes_few() {
    let server = Server::start();
    let store = RedisStore::on(&server);
    let clean = Ask::request(ALICE)
        .counted(&[quota(50, HOUR)])
        .struck(RULES);
    let uncounted = Ask::request(BOB).struck(RULES);
    // The server learns the scripts, and the log has its first member.
    for ask in [&clean, &uncounted, &threat()] {
        decide(&store, ask);
    }
    decide(
        &store,
        &Ask::request(BOB).counted(&[quota(50, HOUR)]).struck(RULES),
    );
    store.run(&["DEL", &store.keys.strikes(ALICE)]);
    calls(&store);

    let count = |ask: &Ask, times: u64| {
        for _ in 0..times {
            decide(&store, ask);
        }
        calls(&store)
    };
    let expected = |names: &[&str], times: u64| -> BTreeMap<String, u64> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), times))
            .collect()
    };
    let script = [
        "evalsha", "exists", "time", "zcard", "zrange", "zadd", "pexpire",
    ];
    assert_eq!(count(&clean, 20), expected(&script, 20));
    assert_eq!(count(&uncounted, 20), expected(&["evalsha", "exists"], 20));
    let threats = count(&threat(), 1);
    assert_eq!(threats, expected(&["evalsha", "exists", "time", "set"], 1));
}
