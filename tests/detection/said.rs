//! What the log says of findings.

use tracing::Level;

use super::{BAD, app, config};
use crate::{
    server::log::alone,
    support::{get, peer, send},
};

#[test]
fn each_finding_is_one_line_with_its_rule_place_and_a_piece_of_it() {
    alone(
        &each_finding_is_one_line_with_its_rule_place_and_a_piece_of_it,
        async |log| {
            for (lines, words) in [
                ("", ["threat", "own.query", "passive=false", "struck=true"]),
                (
                    "passive = true",
                    ["threat", "own.query", "passive=true", "struck=true"],
                ),
                (
                    "[detection]\nsqli = \"refuse\"",
                    ["threat", "own.query", "struck=false", "passive=false"],
                ),
                (
                    "[detection]\nsqli = \"log\"",
                    ["found, and served", "own.query", "query q", "passive=false"],
                ),
            ] {
                let app = app!(config!(lines));
                let before = log.lines().len();
                send(&app, get(BAD)).await;
                let said: Vec<_> = log.lines().split_off(before);
                assert_eq!(said.len(), 1, "{said:?}");
                let (level, line) = &said[0];
                assert_eq!(*level, Level::INFO);
                for word in words
                    .iter()
                    .chain(&["very bad", "query q", "sqli", "192.0.2.10"])
                {
                    assert!(line.contains(word), "{word}: {line}");
                }
            }
        },
    );
}

#[test]
fn nobody_can_write_a_line_of_his_own() {
    alone(&nobody_can_write_a_line_of_his_own, async |log| {
        let app = app!(config!(""));
        // What one client does within a second is summed up.
        for (client, path) in [
            ("203.0.113.1", "/very-bad%0d%0aBANNED%20203.0.113.50"),
            ("203.0.113.2", "/very-bad/%1b%5b31m"),
            ("203.0.113.3", "/very-bad?%0a=1"),
        ] {
            send(&app, get(path).peer_addr(peer(client))).await;
        }
        let lines = log.lines();
        assert!(lines.len() >= 3);
        for (_, line) in lines {
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    });
}
