//! Bans by hand: set, lifted, read, listed.

use std::time::Duration;

use crate::{
    bans::BanSource,
    client::ClientKey,
    clock::Clock as _,
    decision::{Outcome, Store},
};

use super::{ALICE, Ask, BOB, HOUR, Harness, RULES, Rig};

fn threat(client: ClientKey) -> Ask {
    Ask::threat(client, "a probe").struck(RULES)
}

/// Clients and reasons of the list.
fn listed(rig: &Rig<impl Store>) -> Vec<(String, String)> {
    let bans = rig.bans().into_iter();
    bans.map(|ban| (ban.client, ban.reason)).collect()
}

pub(super) fn a_manual_ban_is_seen_by_everybody(harness: &impl Harness) {
    let rig = Rig::new(harness);
    assert_eq!(rig.ban_of(ALICE), None);
    assert!(rig.store.hot_ban(ALICE).is_none());
    let ban = rig.ban(ALICE, 5000, "by hand");
    assert_eq!(rig.ban_of(ALICE).as_ref(), Some(&ban));
    assert_eq!(rig.bans(), [ban]);
    let record = rig.expect_ban(&Ask::request(ALICE));
    assert_eq!(record.until_millis, rig.now() + 5000);
    assert_eq!(record.since_millis, rig.now());
    assert_eq!(record.by, BanSource::Manual);
    assert_eq!(&*record.reason, "by hand");
    // A store may know a ban without asking; if it does, it is the same one.
    assert!(rig.store.hot_ban(ALICE).is_none_or(|by| by == record.by));
    rig.advance(5000);
    assert!(rig.store.hot_ban(ALICE).is_none());
    assert_eq!(rig.decide(&Ask::request(ALICE)).outcome, Outcome::Admitted);
}

pub(super) fn a_ban_is_told_on_the_wall_clock(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let start = rig.clock.wall();
    let set = rig.ban(ALICE, 60_000, "by hand");
    assert_eq!(set.client, "203.0.113.1");
    assert_eq!(set.reason, "by hand");
    assert_eq!(set.by, BanSource::Manual);
    assert_eq!(
        (set.since, set.until),
        (start, start + Duration::from_secs(60))
    );
    assert_eq!(set.remaining, Duration::from_secs(60));
    rig.advance(20_000);
    let later = rig.ban_of(ALICE).unwrap();
    assert_eq!((later.since, later.until), (set.since, set.until));
    assert_eq!(later.remaining, Duration::from_secs(40));
    assert_eq!(rig.bans(), [later]);
}

pub(super) fn an_automatic_ban_is_listed(harness: &impl Harness) {
    let rig = Rig::new(harness);
    for _ in 0..3 {
        rig.decide(&threat(ALICE));
    }
    let ban = rig.ban_of(ALICE).unwrap();
    assert_eq!(
        (ban.by, ban.reason.as_str()),
        (BanSource::Automatic, "a probe")
    );
    assert_eq!(ban.remaining, Duration::from_millis(RULES.ban_millis));
    assert_eq!(rig.bans(), [ban]);
}

pub(super) fn a_lifted_ban_is_gone_and_so_are_the_strikes(harness: &impl Harness) {
    let rig = Rig::new(harness);
    for manual in [true, false] {
        if manual {
            rig.ban(ALICE, HOUR, "by hand");
        } else {
            assert_eq!(rig.admitted_of(3, &threat(ALICE)), 0);
        }
        assert!(rig.ban_of(ALICE).is_some());
        assert!(rig.unban(ALICE));
        assert_eq!(rig.ban_of(ALICE), None);
        assert!(rig.store.hot_ban(ALICE).is_none());
        assert!(rig.bans().is_empty());
        let decision = rig.decide(&Ask::request(ALICE).struck(RULES));
        assert_eq!((decision.outcome, decision.strikes), (Outcome::Admitted, 0));
        assert!(!rig.unban(ALICE));
    }
}

pub(super) fn lifting_what_is_not_there_is_false_and_clears_the_strikes(harness: &impl Harness) {
    let rig = Rig::new(harness);
    rig.decide(&threat(ALICE));
    rig.ban(BOB, HOUR, "by hand");
    assert!(!rig.unban(ALICE));
    assert_eq!(rig.decide(&threat(ALICE)).strikes, 1);
    // A ban that is over is not there.
    rig.ban(ALICE, 1000, "by hand");
    rig.advance(1000);
    assert!(!rig.unban(ALICE));
    assert!(rig.ban_of(BOB).is_some());
}

pub(super) fn a_manual_ban_replaces_the_one_before(harness: &impl Harness) {
    let rig = Rig::new(harness);
    assert_eq!(rig.admitted_of(3, &threat(ALICE)), 0);
    // Longer, shorter, and the same again.
    for (millis, reason) in [(HOUR, "longer"), (1000, "shorter"), (1000, "the same")] {
        let ban = rig.ban(ALICE, millis, reason);
        assert_eq!(ban.reason, reason);
        assert_eq!(ban.remaining, Duration::from_millis(millis));
        assert_eq!(ban.by, BanSource::Manual);
        assert_eq!(rig.bans(), [ban]);
    }
    rig.advance(1000);
    assert_eq!(rig.decide(&Ask::request(ALICE)).outcome, Outcome::Admitted);
    assert!(rig.bans().is_empty());
}

pub(super) fn a_manual_ban_leaves_no_strikes(harness: &impl Harness) {
    let rig = Rig::new(harness);
    rig.decide(&threat(ALICE));
    rig.decide(&threat(ALICE));
    rig.ban(ALICE, 1000, "by hand");
    rig.advance(1000);
    assert_eq!(rig.decide(&threat(ALICE)).strikes, 1);
}

pub(super) fn a_manual_ban_is_not_changed_by_violations(harness: &impl Harness) {
    for millis in [1000, 10 * RULES.ban_millis] {
        let rig = Rig::new(harness);
        let ban = rig.ban(ALICE, millis, "by hand");
        assert_eq!(rig.admitted_of(20, &threat(ALICE)), 0);
        assert_eq!(rig.bans(), [ban]);
    }
}

pub(super) fn bans_are_listed_in_the_order_in_which_they_end(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let client = |n| ClientKey::V4([10, 0, 0, n].into());
    for (n, millis) in [(1, 5000), (2, 1000), (3, 9000), (4, 3000)] {
        rig.ban(client(n), millis, "by hand");
    }
    // By the end, not by the length.
    rig.advance(500);
    rig.ban(client(5), 4000, "by hand");
    let clients = |rig: &Rig<_>| -> Vec<String> {
        listed(rig).into_iter().map(|(client, _)| client).collect()
    };
    assert_eq!(
        clients(&rig),
        ["10.0.0.2", "10.0.0.4", "10.0.0.5", "10.0.0.1", "10.0.0.3"]
    );
    // A ban that is replaced changes its place.
    rig.ban(client(2), 6000, "by hand");
    assert_eq!(
        clients(&rig),
        ["10.0.0.4", "10.0.0.5", "10.0.0.1", "10.0.0.2", "10.0.0.3"]
    );
}

pub(super) fn ended_bans_leave_the_list_without_any_other_event(harness: &impl Harness) {
    let rig = Rig::new(harness);
    rig.ban(ALICE, 1000, "short");
    rig.ban(BOB, 2000, "long");
    rig.advance(999);
    assert_eq!(rig.bans().len(), 2);
    rig.advance(1);
    assert_eq!(
        listed(&rig),
        [("198.51.100.2".to_owned(), "long".to_owned())]
    );
    rig.advance(1000);
    assert!(rig.bans().is_empty());
    assert_eq!(rig.ban_of(BOB), None);
}

pub(super) fn a_client_can_be_banned_again_after_a_ban_ended(harness: &impl Harness) {
    let rig = Rig::new(harness);
    for _ in 0..3 {
        rig.ban(ALICE, 1000, "by hand");
        rig.advance(1000);
        // Nobody has looked since the ban ended.
        let ban = rig.ban(ALICE, 1000, "once more");
        assert_eq!(rig.bans(), [ban]);
        rig.advance(1000);
        assert_eq!(rig.admitted_of(3, &threat(ALICE)), 0);
        assert_eq!(rig.bans().len(), 1);
        rig.advance(RULES.ban_millis);
    }
    assert!(rig.bans().is_empty());
}

pub(super) fn a_ban_hits_one_key_only(harness: &impl Harness) {
    let key = |text, prefix| ClientKey::parse(text, prefix).unwrap();
    let clients = [
        key("1.2.3.4", 64),
        key("1.2.3.5", 64),
        key("::102:304", 128),
        key("2001:db8:1:2::", 64),
        key("2001:db8:1:3::", 64),
        key("2001:db8:1:2::", 56),
    ];
    for banned in clients {
        let rig = Rig::new(harness);
        rig.ban(banned, HOUR, "by hand");
        for client in clients {
            let refused = rig.decide(&Ask::request(client)).outcome != Outcome::Admitted;
            assert_eq!(
                refused,
                client == banned,
                "{client} after a ban of {banned}"
            );
            assert_eq!(rig.ban_of(client).is_some(), client == banned);
        }
        assert_eq!(listed(&rig), [(banned.to_string(), "by hand".to_owned())]);
    }
}
