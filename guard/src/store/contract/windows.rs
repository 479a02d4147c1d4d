//! The sliding window of one log.

use proptest::{prelude::*, test_runner::TestRunner};

use crate::decision::{Decision, LogKey, Outcome, QuotaState, RouteId, Subject};

use super::{ALICE, Ask, Harness, Rig, quota};

pub(super) fn a_frozen_millisecond_admits_exactly_the_quota(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE).counted(&[quota(5, 60_000)]);
    for remaining in [4, 3, 2, 1, 0] {
        let decision = rig.decide(&ask);
        assert_eq!(decision.outcome, Outcome::Admitted);
        assert_eq!(
            decision.quotas.as_slice(),
            [QuotaState {
                remaining,
                reset_millis: 60_000,
                exceeded: false
            }]
        );
    }
    for _ in 0..10 {
        let decision = rig.decide(&ask);
        assert_eq!(decision.outcome, Outcome::Limited);
        assert_eq!(decision.quotas[0].remaining, 0);
        assert!(decision.quotas[0].exceeded);
    }
}

pub(super) fn an_entry_exactly_as_old_as_the_window_is_out(harness: &impl Harness) {
    for (age, outcome) in [
        (999, Outcome::Limited),
        (1000, Outcome::Admitted),
        (1001, Outcome::Admitted),
    ] {
        let rig = Rig::new(harness);
        let ask = Ask::request(ALICE).counted(&[quota(1, 1000)]);
        rig.decide(&ask);
        rig.advance(age);
        assert_eq!(rig.decide(&ask).outcome, outcome, "{age} ms");
    }
}

/// Steps of a schedule: at a time, so many requests.
const SCHEDULE: [(u64, usize); 5] = [(0, 1), (3000, 4), (4300, 5), (7300, 5), (12_000, 1)];

pub(super) fn the_window_slides_with_each_entry(harness: &impl Harness) {
    // A fixed window, or two of them weighted, differ from this at 4.3 s or at 7.3 s. What was rejected at 4.3 s fills
    // the window of 7.3 s if it counts.
    for (count_rejected, admitted) in [(false, [1, 4, 1, 4, 1]), (true, [1, 4, 1, 0, 1])] {
        let rig = Rig::new(harness);
        let ask = Ask::request(ALICE)
            .counted(&[quota(5, 4000)])
            .count_rejected(count_rejected);
        let start = rig.now();
        for ((at, requests), admitted) in SCHEDULE.into_iter().zip(admitted) {
            rig.advance(start + at - rig.now());
            let mut last = None;
            let got = (0..requests)
                .filter(|_| {
                    let decision = rig.decide(&ask);
                    last = Some(decision.quotas[0].remaining);
                    decision.outcome == Outcome::Admitted
                })
                .count();
            assert_eq!(got, admitted, "{at} ms, count_rejected = {count_rejected}");
            if at == 12_000 {
                assert_eq!(last, Some(4));
            }
        }
    }
}

pub(super) fn a_client_that_hammers_stays_out_if_rejected_requests_count(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE).counted(&[quota(5, 1000)]);
    assert_eq!(hammer(&rig, &ask), 5);
    // Silence for one window after the last request, which was 100 ms ago.
    rig.advance(900);
    assert_eq!(rig.admitted_of(10, &ask), 5);
}

pub(super) fn a_client_that_hammers_comes_free_if_they_do_not(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE)
        .counted(&[quota(5, 1000)])
        .count_rejected(false);
    assert_eq!(hammer(&rig, &ask), 50);
}

/// A request each tenth of a second for ten seconds; how many were admitted.
fn hammer(rig: &Rig<impl crate::decision::Store>, ask: &Ask) -> usize {
    (0..100)
        .map(|_| {
            let admitted = rig.admitted_of(1, ask);
            rig.advance(100);
            admitted
        })
        .sum()
}

pub(super) fn waiting_the_wait_admits_and_a_millisecond_less_does_not<H: Harness>(harness: &H) {
    let quotas = || prop::collection::vec((1u32..5, 1u64..1000), 1..3);
    let schedule = (
        prop::collection::vec(quotas(), 1..3),
        prop::collection::vec(prop_oneof![Just(0), 0u64..10, 0u64..400], 1..30),
        any::<bool>(),
    );
    let mut runner = TestRunner::new(ProptestConfig {
        cases: H::CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&schedule, |(logs, gaps, count_rejected)| {
        let mut ask = Ask::request(ALICE).count_rejected(count_rejected);
        for (route, quotas) in (RouteId::FIRST..).zip(&logs) {
            let quotas: Vec<_> = quotas
                .iter()
                .map(|(n, window)| quota(*n, *window))
                .collect();
            ask = ask.counted_on(RouteId(route), &quotas);
        }
        let run = |pause: &dyn Fn(u64) -> Option<u64>| {
            let rig = Rig::new(harness);
            let mut wait = 0;
            for gap in &gaps {
                rig.advance(*gap);
                wait = rig.decide(&ask).wait_millis();
            }
            pause(wait).map(|pause| {
                rig.advance(pause);
                rig.decide(&ask).outcome
            })
        };
        prop_assert_eq!(run(&|wait| Some(wait)), Some(Outcome::Admitted));
        let early = run(&|wait| wait.checked_sub(1));
        prop_assert!(early.is_none_or(|outcome| outcome == Outcome::Limited));
        Ok(())
    });
    result.unwrap();
}

pub(super) fn polling_does_not_restart_the_wait_if_rejected_requests_do_not_count(
    harness: &impl Harness,
) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE)
        .counted(&[quota(5, 60_000)])
        .count_rejected(false);
    assert_eq!(rig.admitted_of(5, &ask), 5);
    for second in 0..60 {
        let decision = rig.decide(&ask);
        assert_eq!(decision.outcome, Outcome::Limited);
        assert_eq!(decision.wait_millis(), 60_000 - second * 1000);
        rig.advance(1000);
    }
    assert_eq!(rig.decide(&ask).outcome, Outcome::Admitted);
}

pub(super) fn the_reset_is_when_the_oldest_entry_leaves(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(ALICE).counted(&[quota(3, 1000)]);
    let state = |decision: Decision| {
        let state = decision.quotas[0];
        (state.remaining, state.reset_millis, decision.wait_millis())
    };
    assert_eq!(state(rig.decide(&ask)), (2, 1000, 0));
    rig.advance(300);
    assert_eq!(state(rig.decide(&ask)), (1, 700, 0));
    rig.advance(300);
    // Full: the next one is admitted when the first entry leaves.
    assert_eq!(state(rig.decide(&ask)), (0, 400, 400));
    // One over, and recorded: two entries have to leave now.
    assert_eq!(state(rig.decide(&ask)), (0, 700, 700));
    rig.advance(700);
    // The first two have left; those of 600 ms are still there.
    assert_eq!(state(rig.decide(&ask)), (0, 300, 300));
}

pub(super) fn a_log_holds_one_entry_more_than_the_quota_at_most<H: Harness>(harness: &H) {
    for count_rejected in [true, false] {
        let rig = Rig::new(harness);
        let quotas = [quota(7, 60_000), quota(2, 100)];
        let ask = Ask::request(ALICE)
            .counted(&quotas)
            .count_rejected(count_rejected);
        let key = LogKey {
            subject: Subject::Client(ALICE),
            route: RouteId::GLOBAL,
        };
        let mut longest = 0;
        for _ in 0..1000 {
            rig.decide(&ask);
            rig.advance(7);
            longest = longest.max(H::log_length(&rig.store, key, &quotas));
        }
        // What is rejected fills the one place more.
        assert_eq!(longest, if count_rejected { 8 } else { 7 });
    }
}
