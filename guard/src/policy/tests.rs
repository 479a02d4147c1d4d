//! The order of the chain, pinned: for every pair of stages that can both apply, the earlier one decides.

use std::{cell::Cell, sync::Arc};

use super::*;
use crate::{
    bans::BanSource,
    client::{Sender, identify},
    config::SecurityConfig,
};

/// What a stage makes of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Exempt,
    Denied,
    Banned,
    Detected,
    Preflight,
    Counted,
}

/// The stages in their order.
const ORDER: [Stage; 6] = [
    Stage::Exempt,
    Stage::Denied,
    Stage::Banned,
    Stage::Detected,
    Stage::Preflight,
    Stage::Counted,
];

/// The course of a request to which all of `stages` apply, and whether bans and detectors were looked at.
fn decide(stages: &[Stage]) -> (Stage, bool, bool) {
    let applies = |stage| stages.contains(&stage);
    let mut config = SecurityConfig::builder();
    if applies(Stage::Exempt) {
        config = config.exempt_ips(["192.0.2.1"]);
    }
    if applies(Stage::Denied) {
        config = config.denied_ips(["192.0.2.0/24"]);
    }
    let config = config.build().unwrap();
    let sender = Sender {
        peer: Some("192.0.2.1".parse().unwrap()),
        forwarded: false,
    };
    let client = identify(sender, 64, 0);
    let facts = Facts {
        client: &client,
        forwarded: false,
        preflight: applies(Stage::Preflight),
    };
    let (asked_for_ban, detected) = (Cell::new(false), Cell::new(false));
    let ban = || {
        asked_for_ban.set(true);
        applies(Stage::Banned).then(|| {
            Arc::new(BanRecord {
                since_millis: 0,
                until_millis: 1,
                reason: "".into(),
                by: BanSource::Manual,
            })
        })
    };
    let threat = || {
        detected.set(true);
        applies(Stage::Detected).then(|| Threat::new("probe", "test"))
    };
    let stage = match course(config.settings(), facts, ban, threat) {
        Course::Serve => Stage::Exempt,
        Course::Refuse(Barred::Denied) => Stage::Denied,
        Course::Refuse(Barred::Banned(_)) => Stage::Banned,
        Course::Decide(Question::Threat(_)) => Stage::Detected,
        Course::Decide(Question::Preflight) => Stage::Preflight,
        Course::Decide(Question::Counted) => Stage::Counted,
        Course::Decide(Question::Uncounted) => panic!("rate limiting is on"),
    };
    (stage, asked_for_ban.get(), detected.get())
}

#[test]
fn of_two_stages_that_apply_the_earlier_one_decides() {
    for (index, earlier) in ORDER.iter().enumerate() {
        for later in &ORDER[index..] {
            assert_eq!(
                decide(&[*later, *earlier]).0,
                *earlier,
                "{earlier:?} and {later:?}"
            );
        }
    }
    assert_eq!(decide(&ORDER).0, Stage::Exempt);
    assert_eq!(decide(&[]).0, Stage::Counted);
}

#[test]
fn later_stages_are_not_even_looked_at() {
    for (stage, looks_for_ban, detects) in [
        (Stage::Exempt, false, false),
        (Stage::Denied, false, false),
        (Stage::Banned, true, false),
        (Stage::Detected, true, true),
        (Stage::Counted, true, true),
    ] {
        assert_eq!(decide(&[stage]), (stage, looks_for_ban, detects));
    }
}

#[test]
fn switches() {
    let client = identify(
        Sender {
            peer: Some("192.0.2.1".parse().unwrap()),
            forwarded: false,
        },
        64,
        0,
    );
    let facts = Facts {
        client: &client,
        forwarded: false,
        preflight: true,
    };
    let config = SecurityConfig::builder()
        .enable_ip_banning(false)
        .enable_detection(false)
        .enable_rate_limiting(false)
        .build()
        .unwrap();
    let course = course(
        config.settings(),
        facts,
        || panic!("banning is off"),
        || panic!("detection is off"),
    );
    assert_eq!(course, Course::Decide(Question::Uncounted));
}
