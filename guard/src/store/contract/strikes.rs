//! Violations, strikes, and the bans that come of them.

use crate::{
    bans::BanSource,
    decision::{Outcome, RouteId, Store, StrikeRules},
};

use super::{ALICE, Ask, BOB, HOUR, Harness, RULES, Rig, quota};

const SEARCH: RouteId = RouteId(RouteId::FIRST);

/// A request over its quota, once the first one has used it up.
fn over() -> Ask {
    Ask::request(ALICE).counted(&[quota(1, HOUR)]).struck(RULES)
}

fn threat() -> Ask {
    Ask::threat(ALICE, "a probe").struck(RULES)
}

/// The client's strikes, by a request that counts nowhere.
fn strikes(rig: &Rig<impl Store>) -> u32 {
    rig.decide(&Ask::request(ALICE).struck(RULES)).strikes
}

pub(super) fn strikes_up_to_the_threshold_are_refusals_and_the_next_one_bans(
    harness: &impl Harness,
) {
    for threshold in 0..4 {
        let rules = StrikeRules { threshold, ..RULES };
        for (ask, refusal, reason) in [
            (over(), Outcome::Limited, "rate limit"),
            (threat(), Outcome::Threat, "a probe"),
        ] {
            let ask = ask.struck(rules);
            let rig = Rig::new(harness);
            rig.decide(&over());
            for strike in 1..=threshold {
                let decision = rig.decide(&ask);
                assert_eq!(decision.outcome, refusal);
                assert_eq!(decision.strikes, strike);
                assert!(!decision.newly_banned);
            }
            let decision = rig.decide(&ask);
            assert!(decision.newly_banned);
            assert_eq!(decision.strikes, 0);
            let Outcome::Banned(ban) = decision.outcome else {
                panic!("{:?} at threshold {threshold}", decision.outcome);
            };
            assert_eq!(ban.since_millis, rig.now());
            assert_eq!(ban.until_millis, rig.now() + rules.ban_millis);
            assert_eq!(&*ban.reason, reason);
            assert_eq!(ban.by, BanSource::Automatic);
        }
    }
}

pub(super) fn both_kinds_of_violation_feed_one_counter(harness: &impl Harness) {
    for (asks, reason) in [
        ([threat(), over(), threat()], "a probe"),
        ([over(), threat(), over()], "rate limit"),
    ] {
        let rig = Rig::new(harness);
        rig.decide(&over());
        let counted = asks.map(|ask| rig.decide(&ask).strikes);
        assert_eq!(counted, [1, 2, 0]);
        assert_eq!(rig.ban_of(ALICE).unwrap().reason, reason);
    }
}

pub(super) fn a_request_is_one_strike_however_many_quotas_it_exceeds(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = over()
        .counted_on(SEARCH, &[quota(1, HOUR), quota(1, 1000)])
        .counted_by(7, SEARCH, &[quota(1, HOUR)]);
    rig.decide(&ask);
    let decision = rig.decide(&ask);
    assert!(decision.quotas.iter().all(|state| state.exceeded));
    assert_eq!(decision.strikes, 1);
}

pub(super) fn a_ban_lasts_exactly_its_length_and_leaves_no_strikes(harness: &impl Harness) {
    let rig = Rig::new(harness);
    assert_eq!(
        [(); 3].map(|()| rig.decide(&threat()).newly_banned),
        [false, false, true]
    );
    rig.advance(RULES.ban_millis - 1);
    let decision = rig.decide(&threat());
    assert!(matches!(decision.outcome, Outcome::Banned(_)));
    assert!(!decision.newly_banned);
    rig.advance(1);
    assert_eq!(rig.decide(&Ask::request(ALICE)).outcome, Outcome::Admitted);
    // And never longer for a repeat.
    assert_eq!([(); 3].map(|()| rig.decide(&threat()).strikes), [1, 2, 0]);
    rig.advance(RULES.ban_millis);
    assert_eq!(rig.decide(&threat()).strikes, 1);
}

pub(super) fn a_banned_request_changes_nothing(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let counted = Ask::request(ALICE)
        .counted_on(SEARCH, &[quota(5, HOUR)])
        .struck(RULES);
    let ban = rig.ban(ALICE, 10_000, "by hand");
    for _ in 0..100 {
        for ask in [&counted, &over(), &threat()] {
            let decision = rig.decide(ask);
            assert!(matches!(decision.outcome, Outcome::Banned(_)));
            assert!(!decision.newly_banned);
            assert_eq!(decision.strikes, 0);
            assert!(decision.quotas.is_empty());
        }
        rig.advance(100 - 1);
    }
    // No time was added, no entry and no strike.
    assert_eq!(rig.ban_of(ALICE).unwrap().until, ban.until);
    rig.advance(100);
    let decision = rig.decide(&counted);
    assert_eq!(decision.outcome, Outcome::Admitted);
    assert_eq!(decision.quotas[0].remaining, 4);
    assert_eq!(decision.strikes, 0);
}

pub(super) fn the_windows_that_were_tripped_are_empty_after_the_ban(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE).counted(&[quota(4, HOUR)]).struck(RULES);
    assert_eq!(rig.admitted_of(6, &ask), 4);
    rig.expect_ban(&ask);
    rig.advance(RULES.ban_millis);
    // The window is longer than the ban: what remains is not a matter of age.
    assert_eq!(rig.decide(&ask).quotas[0].remaining, 3);
}

pub(super) fn a_window_that_was_not_tripped_keeps_its_entries_over_a_ban(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let search = Ask::request(ALICE).counted_on(SEARCH, &[quota(9, HOUR)]);
    assert_eq!(rig.admitted_of(2, &search), 2);
    // One log is part of the very request that bans, but not over its quota.
    let both = over().counted_on(SEARCH, &[quota(9, HOUR)]);
    assert_eq!(rig.admitted_of(3, &both), 1);
    rig.expect_ban(&both);
    rig.advance(RULES.ban_millis);
    // Two before, four of the requests that led to the ban, and this one.
    assert_eq!(rig.decide(&search).quotas[0].remaining, 9 - 2 - 4 - 1);

    // A threat trips no window.
    let rig = Rig::new(harness);
    assert_eq!(rig.admitted_of(2, &search), 2);
    assert_eq!(rig.admitted_of(2, &threat()), 0);
    rig.expect_ban(&threat().counted_on(SEARCH, &[quota(1, HOUR)]));
    rig.advance(RULES.ban_millis);
    assert_eq!(rig.decide(&search).quotas[0].remaining, 9 - 2 - 1);
}

pub(super) fn a_tripped_log_of_a_value_is_emptied_as_well(harness: &impl Harness) {
    for value in 0..20 {
        let rig = Rig::new(harness);
        let ask = |client| {
            Ask::request(client)
                .counted(&[quota(100, HOUR)])
                .counted_by(value, SEARCH, &[quota(2, HOUR)])
                .struck(RULES)
        };
        assert_eq!(rig.admitted_of(4, &ask(ALICE)), 2);
        rig.expect_ban(&ask(ALICE));
        let decision = rig.decide(&ask(BOB));
        assert_eq!(decision.outcome, Outcome::Admitted);
        assert_eq!(decision.quotas[1].remaining, 1);
    }
}

pub(super) fn a_clean_request_clears_the_strikes(harness: &impl Harness) {
    let rig = Rig::new(harness);
    for _ in 0..10 {
        assert_eq!([(); 2].map(|()| rig.decide(&threat()).strikes), [1, 2]);
        rig.clear_strikes(ALICE);
        assert_eq!(strikes(&rig), 0);
    }
    // Nobody's are no trouble.
    rig.clear_strikes(BOB);
}

pub(super) fn each_strike_restarts_the_life_of_the_counter(harness: &impl Harness) {
    let rules = StrikeRules {
        threshold: 3,
        ttl_millis: 1000,
        ..RULES
    };
    let threat = threat().struck(rules);
    for (pause, counted) in [(999, [1, 2, 3]), (1000, [1, 1, 1])] {
        let rig = Rig::new(harness);
        let seen = [(); 3].map(|()| {
            let strikes = rig.decide(&threat).strikes;
            rig.advance(pause);
            strikes
        });
        assert_eq!(seen, counted, "{pause} ms between strikes");
    }
}

pub(super) fn strikes_nearer_than_the_interval_count_as_one(harness: &impl Harness) {
    let rules = StrikeRules {
        threshold: 2,
        interval_millis: 100,
        ..RULES
    };
    let rig = Rig::new(harness);
    let start = rig.now();
    for (at, counted, banned) in [
        (0, 1, false),
        (0, 1, false),
        (99, 1, false),
        (100, 2, false),
        // The interval begins at the last strike that counted.
        (199, 2, false),
        (200, 0, true),
    ] {
        rig.advance(start + at - rig.now());
        let decision = rig.decide(&threat().struck(rules));
        assert_eq!(
            (decision.strikes, decision.newly_banned),
            (counted, banned),
            "{at} ms"
        );
    }
}

pub(super) fn a_request_without_rules_never_strikes_but_is_refused_when_banned(
    harness: &impl Harness,
) {
    let rig = Rig::new(harness);
    let preflight = Ask::request(ALICE).counted_on(RouteId::PREFLIGHT, &[quota(1, HOUR)]);
    rig.decide(&threat());
    assert_eq!(rig.admitted_of(20, &preflight), 1);
    assert_eq!(rig.decide(&preflight).outcome, Outcome::Limited);
    assert_eq!(
        rig.decide(&Ask::threat(ALICE, "a probe")).outcome,
        Outcome::Threat
    );
    assert_eq!(strikes(&rig), 1);
    rig.decide(&threat());
    rig.expect_ban(&threat());
    rig.expect_ban(&preflight);
}

pub(super) fn without_the_look_up_a_ban_is_not_seen(harness: &impl Harness) {
    let rig = Rig::new(harness);
    rig.ban(ALICE, HOUR, "by hand");
    let ask = Ask::request(ALICE)
        .counted(&[quota(1, HOUR)])
        .without_bans();
    assert_eq!(rig.decide(&ask).outcome, Outcome::Admitted);
    assert_eq!(rig.decide(&ask).outcome, Outcome::Limited);
    assert!(rig.ban_of(ALICE).is_some());
}

pub(super) fn an_admitted_request_tells_the_strikes(harness: &impl Harness) {
    let rig = Rig::new(harness);
    assert_eq!(strikes(&rig), 0);
    rig.decide(&threat());
    rig.decide(&threat());
    assert_eq!(strikes(&rig), 2);
    rig.advance(RULES.ttl_millis);
    assert_eq!(strikes(&rig), 0);
}

pub(super) fn clients_are_struck_one_by_one(harness: &impl Harness) {
    let rig = Rig::new(harness);
    rig.decide(&threat());
    rig.decide(&threat());
    let other = Ask::threat(BOB, "a probe").struck(RULES);
    assert_eq!(rig.decide(&other).strikes, 1);
    rig.expect_ban(&threat());
    assert_eq!(rig.decide(&other).strikes, 2);
    assert_eq!(rig.ban_of(BOB), None);
}
