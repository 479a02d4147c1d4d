//! How a client stands, for whoever looks on.

use crate::decision::{Decision, Outcome, QuotaStanding, RouteId, Standing, Store};

use super::{ALICE, Ask, BOB, HOUR, Harness, RULES, Rig, quota};

const SEARCH: RouteId = RouteId(RouteId::FIRST);

fn standing(used: u32, remaining: u32, reset_millis: u64) -> QuotaStanding {
    QuotaStanding {
        used,
        remaining,
        reset_millis,
    }
}

/// What remains and the resets, as a decision and as a look tell them.
fn told(decision: &Decision) -> Vec<(u32, u64)> {
    let quotas = decision.quotas.iter();
    quotas
        .map(|state| (state.remaining, state.reset_millis))
        .collect()
}

fn seen(standing: &Standing) -> Vec<(u32, u64)> {
    let quotas = standing.quotas.iter();
    quotas
        .map(|quota| (quota.remaining, quota.reset_millis))
        .collect()
}

pub(super) fn a_client_stands_as_the_last_decision_said(harness: &impl Harness) {
    for count_rejected in [true, false] {
        let rig = Rig::new(harness);
        let ask = Ask::request(ALICE)
            .counted(&[quota(3, 1000), quota(5, 60_000)])
            .count_rejected(count_rejected)
            .struck(RULES);
        for pause in [0, 100, 0, 50, 700, 300, 0, 900] {
            rig.advance(pause);
            let decision = rig.decide(&ask);
            if matches!(decision.outcome, Outcome::Banned(_)) {
                continue;
            }
            let standing = rig.standing(&ask);
            assert_eq!(seen(&standing), told(&decision), "after {pause} ms");
            assert_eq!(standing.strikes, decision.strikes);
            for (quota, requests) in standing.quotas.iter().zip([3, 5]) {
                assert_eq!(quota.used + quota.remaining, requests);
            }
        }
    }
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE).counted(&[quota(3, 1000)]);
    assert_eq!(rig.admitted_of(2, &ask), 2);
    assert_eq!(rig.standing(&ask).quotas, [standing(2, 1, 1000)]);
    rig.advance(400);
    assert_eq!(rig.standing(&ask).quotas, [standing(2, 1, 600)]);
    // Of those beyond the quota none shows.
    assert_eq!(rig.admitted_of(5, &ask), 1);
    assert_eq!(rig.standing(&ask).quotas, [standing(3, 0, 1000)]);
}

pub(super) fn a_client_that_never_came_has_used_nothing(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE)
        .counted(&[quota(3, 1000), quota(7, HOUR)])
        .counted_on(SEARCH, &[quota(2, 500)]);
    let nothing = Standing {
        strikes: 0,
        strikes_left_millis: None,
        quotas: vec![
            standing(0, 3, 1000),
            standing(0, 7, HOUR),
            standing(0, 2, 500),
        ],
    };
    assert_eq!(rig.standing(&ask), nothing);
    // Whoever else came.
    let other = Ask::request(BOB)
        .counted(&[quota(3, 1000), quota(7, HOUR)])
        .counted_on(SEARCH, &[quota(2, 500)]);
    rig.decide(&other);
    assert_eq!(rig.standing(&ask), nothing);
    assert_eq!(rig.standing(&Ask::request(ALICE)), Standing::default());
}

pub(super) fn what_is_over_is_not_counted(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE).counted(&[quota(3, 1000), quota(5, 3000)]);
    rig.decide(&ask);
    rig.advance(400);
    rig.decide(&ask);
    for (pause, expected) in [
        (599, [standing(2, 1, 1), standing(2, 3, 2001)]),
        (1, [standing(1, 2, 400), standing(2, 3, 2000)]),
        (400, [standing(0, 3, 1000), standing(2, 3, 1600)]),
        (1600, [standing(0, 3, 1000), standing(1, 4, 400)]),
        (400, [standing(0, 3, 1000), standing(0, 5, 3000)]),
        (HOUR, [standing(0, 3, 1000), standing(0, 5, 3000)]),
    ] {
        rig.advance(pause);
        assert_eq!(rig.standing(&ask).quotas, expected, "after {pause} ms");
    }
}

/// Two stores that are asked the same at the same times. One of them is looked at all the while.
pub(super) fn whoever_looks_on_changes_nothing(harness: &impl Harness) {
    for count_rejected in [true, false] {
        let (alone, watched) = (Rig::new(harness), Rig::new(harness));
        let ask = Ask::request(ALICE)
            .counted(&[quota(3, 1000)])
            .counted_on(SEARCH, &[quota(4, 3000), quota(2, 200)])
            .count_rejected(count_rejected)
            .struck(RULES);
        for (forward, back) in [
            (0, 0),
            (0, 0),
            (150, 0),
            (60, 0),
            (0, 100),
            (500, 0),
            (0, 5000),
            (200, 0),
            (1000, 0),
            (2000, HOUR),
            (3000, 0),
            (RULES.ban_millis, 0),
            (0, 0),
        ] {
            for rig in [&alone, &watched] {
                rig.advance(forward);
                rig.step_back(back);
            }
            look_at_all(&watched, &ask);
            let (expected, decision) = (alone.decide(&ask), watched.decide(&ask));
            assert_eq!(decision, expected, "{forward} ms on, {back} ms back");
            look_at_all(&watched, &ask);
            assert_eq!(watched.ban_of(ALICE), alone.ban_of(ALICE));
        }
    }
}

/// Also at quotas that are none of the log's, as they are after another configuration was put in force.
fn look_at_all<S: Store>(rig: &Rig<S>, ask: &Ask) {
    rig.standing(ask);
    let others = Ask::request(ALICE)
        .counted(&[quota(1, 1)])
        .counted_on(SEARCH, &[quota(1, 1), quota(100, HOUR)]);
    rig.standing(&others);
}

pub(super) fn looking_keeps_nothing_alive(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE).counted(&[quota(1, 1000)]).struck(RULES);
    assert_eq!(rig.admitted_of(2, &ask), 1);
    for _ in 0..10 {
        rig.advance(RULES.ttl_millis / 10 - 1);
        assert_eq!(rig.standing(&ask).strikes, 1);
    }
    rig.advance(10);
    let over = Standing {
        strikes: 0,
        strikes_left_millis: None,
        quotas: vec![standing(0, 1, 1000)],
    };
    assert_eq!(rig.standing(&ask), over);
    assert_eq!(rig.decide(&ask).strikes, 0);
}

pub(super) fn strikes_are_told_with_the_time_they_have_left(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let threat = Ask::threat(ALICE, "a probe").struck(RULES);
    let strikes = |ask: &Ask| {
        let standing = rig.standing(ask);
        (standing.strikes, standing.strikes_left_millis)
    };
    let look = Ask::request(ALICE);
    assert_eq!(strikes(&look), (0, None));
    rig.decide(&threat);
    assert_eq!(strikes(&look), (1, Some(RULES.ttl_millis)));
    rig.advance(1000);
    assert_eq!(strikes(&look), (1, Some(RULES.ttl_millis - 1000)));
    rig.decide(&threat);
    assert_eq!(strikes(&look), (2, Some(RULES.ttl_millis)));
    assert_eq!(strikes(&Ask::request(BOB)), (0, None));
    rig.clear_strikes(ALICE);
    assert_eq!(strikes(&look), (0, None));
}

pub(super) fn a_banned_client_has_no_strikes(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let search = Ask::request(ALICE).counted_on(SEARCH, &[quota(9, HOUR)]);
    let ask = Ask::request(ALICE).counted(&[quota(1, HOUR)]).struck(RULES);
    assert_eq!(rig.admitted_of(2, &search), 2);
    assert_eq!(rig.admitted_of(3, &ask), 1);
    assert_eq!(rig.standing(&ask).strikes, 2);
    rig.expect_ban(&ask);
    // The window that was tripped is empty.
    let expected = Standing {
        strikes: 0,
        strikes_left_millis: None,
        quotas: vec![standing(0, 1, HOUR)],
    };
    assert_eq!(rig.standing(&ask), expected);
    assert_eq!(rig.standing(&search).quotas, [standing(2, 7, HOUR)]);
    assert!(rig.unban(ALICE));
    assert_eq!(rig.standing(&ask), expected);
    // By hand as well.
    let threat = Ask::threat(ALICE, "a probe").struck(RULES);
    rig.decide(&threat);
    rig.ban(ALICE, HOUR, "by hand");
    assert_eq!(rig.standing(&ask), expected);
}

pub(super) fn several_logs_are_told_in_their_order(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let upload = RouteId(RouteId::FIRST + 1);
    let (search, both) = (quota(5, HOUR), [quota(6, HOUR), quota(7, 1000)]);
    for (route, quotas, times) in [
        (RouteId::GLOBAL, &[quota(4, HOUR)][..], 1),
        (SEARCH, &[search], 2),
        (upload, &both, 3),
    ] {
        let ask = Ask::request(ALICE).counted_on(route, quotas);
        assert_eq!(rig.admitted_of(times, &ask), times);
    }
    let look = Ask::request(ALICE)
        .counted_on(upload, &both)
        .counted(&[quota(4, HOUR)])
        .counted_on(RouteId::PREFLIGHT, &[quota(8, HOUR)])
        .counted_on(SEARCH, &[search]);
    let used: Vec<_> = rig.standing(&look).quotas;
    let used: Vec<_> = used.iter().map(|quota| quota.used).collect();
    assert_eq!(used, [3, 3, 1, 0, 2]);
}

pub(super) fn after_a_step_back_nothing_stands_longer_than_it_may(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE)
        .counted(&[quota(2, 60_000)])
        .struck(RULES);
    assert_eq!(rig.admitted_of(3, &ask), 2);
    rig.step_back(HOUR);
    let standing_then = rig.standing(&ask);
    assert_eq!(standing_then.quotas, [standing(2, 0, 60_000)]);
    assert_eq!(standing_then.strikes, 1);
    assert_eq!(standing_then.strikes_left_millis, Some(RULES.ttl_millis));
}
