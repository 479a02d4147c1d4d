//! A clock that is set, and numbers at their limits.

use std::time::Duration;

use crate::decision::{Outcome, StrikeRules};

use super::{ALICE, Ask, BOB, HOUR, Harness, RULES, Rig, quota};

pub(super) fn after_a_step_back_no_wait_exceeds_the_window(harness: &impl Harness) {
    for count_rejected in [true, false] {
        let rig = Rig::new(harness);
        let ask = Ask::request(ALICE)
            .counted(&[quota(5, 60_000)])
            .count_rejected(count_rejected);
        assert_eq!(rig.admitted_of(5, &ask), 5);
        rig.step_back(HOUR);
        // The entries are not forgotten, but taken to be of now.
        let decision = rig.decide(&ask);
        assert_eq!(decision.outcome, Outcome::Limited);
        assert_eq!(decision.wait_millis(), 60_000);
        rig.advance(59_999);
        if !count_rejected {
            assert_eq!(rig.decide(&ask).outcome, Outcome::Limited);
        }
        rig.advance(1);
        assert_eq!(rig.admitted_of(6, &ask), 5);
    }
}

pub(super) fn after_a_step_back_strikes_live_no_longer_than_their_life(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let threat = Ask::threat(ALICE, "a probe").struck(RULES);
    let ask = Ask::request(ALICE).struck(RULES);
    assert_eq!([(); 2].map(|()| rig.decide(&threat).strikes), [1, 2]);
    rig.step_back(HOUR);
    assert_eq!(rig.decide(&ask).strikes, 2);
    rig.advance(RULES.ttl_millis - 1);
    assert_eq!(rig.decide(&ask).strikes, 2);
    rig.advance(1);
    assert_eq!(rig.decide(&ask).strikes, 0);

    // Within the interval the strikes stay one, after it they count again.
    let rules = StrikeRules {
        interval_millis: 100,
        ..RULES
    };
    let threat = threat.struck(rules);
    assert_eq!(rig.decide(&threat).strikes, 1);
    rig.step_back(HOUR);
    assert_eq!(rig.decide(&threat).strikes, 1);
    rig.advance(100);
    assert_eq!(rig.decide(&threat).strikes, 2);
}

pub(super) fn after_a_step_back_a_ban_is_no_longer_than_its_length(harness: &impl Harness) {
    let rig = Rig::new(harness);
    rig.ban(ALICE, 60_000, "by hand");
    rig.step_back(HOUR);
    let ban = rig.ban_of(ALICE).unwrap();
    assert_eq!(ban.remaining, Duration::from_secs(60));
    assert_eq!(rig.bans(), [ban]);
    let record = rig.expect_ban(&Ask::request(ALICE));
    assert_eq!(record.until_millis - rig.now(), 60_000);
    rig.advance(59_999);
    rig.expect_ban(&Ask::request(ALICE));
    rig.advance(1);
    assert_eq!(rig.decide(&Ask::request(ALICE)).outcome, Outcome::Admitted);
    assert_eq!(rig.ban_of(ALICE), None);
    assert!(rig.bans().is_empty());
}

pub(super) fn a_ban_from_before_a_step_back_is_replaced_and_lifted_like_any_other(
    harness: &impl Harness,
) {
    let rig = Rig::new(harness);
    rig.ban(ALICE, HOUR, "before");
    rig.step_back(HOUR);
    let ban = rig.ban(ALICE, 5000, "replaced");
    assert_eq!(rig.bans(), [ban]);
    rig.step_back(HOUR);
    assert!(rig.unban(ALICE));
    assert!(rig.bans().is_empty());
    // Nothing of them is left that could come up again.
    let ban = rig.ban(ALICE, 10 * HOUR, "afterwards");
    assert_eq!(rig.bans(), [ban]);
    rig.advance(9 * HOUR);
    assert_eq!(rig.bans().len(), 1);
    rig.advance(HOUR);
    assert!(rig.bans().is_empty());
}

pub(super) fn what_was_seen_to_be_over_does_not_come_back_with_a_step_back(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let threat = Ask::threat(BOB, "a probe").struck(RULES);
    let ask = Ask::request(BOB)
        .counted(&[quota(2, RULES.ttl_millis)])
        .struck(RULES);
    rig.step_back(1);
    rig.ban(ALICE, RULES.ttl_millis, "by hand");
    rig.decide(&threat);
    rig.decide(&ask);
    rig.step_back(HOUR);
    assert!(rig.ban_of(ALICE).is_some());
    assert_eq!(rig.decide(&ask).strikes, 1);
    rig.advance(RULES.ttl_millis);
    for _ in 0..2 {
        assert_eq!(rig.ban_of(ALICE), None);
        assert_eq!(rig.decide(&Ask::request(BOB).struck(RULES)).strikes, 0);
        rig.step_back(1000);
    }
}

pub(super) fn a_step_forward_ends_windows_strikes_and_bans(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let ask = Ask::request(BOB).counted(&[quota(1, 60_000)]).struck(RULES);
    rig.ban(ALICE, 60_000, "by hand");
    assert_eq!(rig.admitted_of(3, &ask), 1);
    rig.advance(HOUR);
    assert!(rig.bans().is_empty());
    let decision = rig.decide(&ask);
    assert_eq!((decision.outcome, decision.strikes), (Outcome::Admitted, 0));
    assert_eq!(rig.decide(&ask).wait_millis(), 60_000);
}

pub(super) fn the_largest_numbers_are_no_trouble(harness: &impl Harness) {
    let rules = StrikeRules {
        threshold: u32::MAX,
        ttl_millis: u64::MAX,
        interval_millis: u64::MAX,
        ban_millis: u64::MAX,
    };
    for millis in [u64::MAX, u64::MAX - 1, u64::MAX / 2, 1 << 53] {
        let rig = Rig::new(harness);
        let most = quota(u32::MAX, millis);
        let ask = Ask::request(ALICE).counted(&[most]).struck(rules);
        for remaining in 1..=3 {
            assert_eq!(rig.decide(&ask).quotas[0].remaining, u32::MAX - remaining);
        }
        // The only entry of a window without end.
        let once = Ask::request(BOB).counted(&[quota(1, millis)]);
        assert_eq!(rig.admitted_of(2, &once), 1);
        rig.advance(1 << 40);
        assert_eq!(rig.decide(&once).outcome, Outcome::Limited);
        rig.step_back(1 << 41);
        assert_eq!(rig.decide(&once).outcome, Outcome::Limited);

        let threat = Ask::threat(ALICE, "a probe").struck(StrikeRules {
            threshold: 0,
            ban_millis: millis,
            ..rules
        });
        rig.expect_ban(&threat);
        rig.ban(BOB, millis, "by hand");
        for step in 0..2 {
            assert_eq!(rig.bans().len(), 2, "{step}");
            rig.expect_ban(&ask);
            rig.step_back(1 << 40);
        }
        assert!(rig.unban(ALICE));
        assert!(rig.unban(BOB));
        assert!(rig.bans().is_empty());
    }
}

pub(super) fn the_smallest_numbers_are_no_trouble(harness: &impl Harness) {
    let rig = Rig::new(harness);
    // The clock at its very beginning.
    rig.step_back(u64::MAX);
    assert_eq!(rig.now(), 0);
    for requests in 1..=4 {
        let ask = Ask::request(ALICE).counted(&[quota(requests, 1)]);
        for _ in 0..3 {
            assert_eq!(rig.admitted_of(6, &ask), requests as usize);
            rig.advance(1);
        }
    }
    let threat = Ask::threat(ALICE, "a probe").struck(StrikeRules {
        threshold: 0,
        ttl_millis: 1,
        interval_millis: 0,
        ban_millis: 1,
    });
    assert!(rig.decide(&threat).newly_banned);
    assert!(!rig.decide(&threat).newly_banned);
    rig.advance(1);
    assert!(rig.decide(&threat).newly_banned);
}
