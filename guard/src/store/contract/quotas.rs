//! Several quotas, several logs, and whose they are.

use crate::{
    client::ClientKey,
    decision::{Decision, Outcome, RouteId},
};

use super::{ALICE, Ask, BOB, HOUR, Harness, Rig, quota};

const SEARCH: RouteId = RouteId(RouteId::FIRST);
const UPLOAD: RouteId = RouteId(RouteId::FIRST + 1);

fn exceeded(decision: &Decision) -> Vec<bool> {
    decision.quotas.iter().map(|state| state.exceeded).collect()
}

fn remaining(decision: &Decision) -> Vec<u32> {
    decision
        .quotas
        .iter()
        .map(|state| state.remaining)
        .collect()
}

pub(super) fn all_quotas_of_a_log_must_admit(harness: &impl Harness) {
    let rig = Rig::new(harness);
    // In the order of the hit, not of the lengths.
    let ask = Ask::request(ALICE)
        .counted(&[quota(2, 1000), quota(5, 60_000)])
        .count_rejected(false);
    assert_eq!(remaining(&rig.decide(&ask)), [1, 4]);
    assert_eq!(remaining(&rig.decide(&ask)), [0, 3]);
    let burst = rig.decide(&ask);
    assert_eq!(burst.outcome, Outcome::Limited);
    assert_eq!(exceeded(&burst), [true, false]);
    assert_eq!(burst.wait_millis(), 1000);

    rig.advance(1000);
    assert_eq!(rig.admitted_of(3, &ask), 2);
    rig.advance(1000);
    assert_eq!(remaining(&rig.decide(&ask)), [1, 0]);
    let sustained = rig.decide(&ask);
    assert_eq!(sustained.outcome, Outcome::Limited);
    assert_eq!(exceeded(&sustained), [false, true]);
    assert_eq!(sustained.wait_millis(), 58_000);
}

pub(super) fn several_logs_are_recorded_all_or_none(harness: &impl Harness) {
    // The second request is over the second log's quota: what becomes of the first log shows in the third column.
    for (count_rejected, left) in [(false, 2), (true, 1)] {
        let rig = Rig::new(harness);
        let ask = Ask::request(ALICE)
            .counted(&[quota(3, HOUR)])
            .counted_on(SEARCH, &[quota(1, HOUR)])
            .count_rejected(count_rejected);
        let first = rig.decide(&ask);
        assert_eq!(first.outcome, Outcome::Admitted);
        assert_eq!(remaining(&first), [2, 0]);
        let second = rig.decide(&ask);
        assert_eq!(second.outcome, Outcome::Limited);
        assert_eq!(exceeded(&second), [false, true]);
        assert_eq!(remaining(&second), [left, 0], "{count_rejected}");
    }
}

pub(super) fn without_logs_everything_is_admitted(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let decision = rig.decide(&Ask::request(ALICE));
    assert_eq!(decision.outcome, Outcome::Admitted);
    assert!(decision.quotas.is_empty());
    assert_eq!(decision.wait_millis(), 0);
}

pub(super) fn routes_and_clients_do_not_share_logs(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let logs = [ALICE, BOB, ClientKey::Unknown]
        .into_iter()
        .flat_map(|client| {
            [RouteId::GLOBAL, RouteId::PREFLIGHT, SEARCH, UPLOAD]
                .map(|route| Ask::request(client).counted_on(route, &[quota(2, HOUR)]))
        });
    let logs: Vec<Ask> = logs.collect();
    for ask in &logs {
        assert_eq!(rig.admitted_of(3, ask), 2, "{ask:?}");
    }
    for ask in &logs {
        assert_eq!(rig.decide(ask).outcome, Outcome::Limited, "{ask:?}");
    }
}

pub(super) fn addresses_of_both_families_are_kept_apart(harness: &impl Harness) {
    let key = |text, prefix| ClientKey::parse(text, prefix).unwrap();
    let rig = Rig::new(harness);
    for client in [
        key("1.2.3.4", 64),
        // The same bits, but not mapped: an address of its own.
        key("::102:304", 128),
        key("2001:db8:1:2::", 64),
        key("2001:db8:1:3::", 64),
        // The same network address with another length.
        key("2001:db8:1:2::", 56),
        key("2001:db8:1:2::", 128),
    ] {
        let ask = Ask::request(client).counted(&[quota(1, HOUR)]);
        assert_eq!(rig.admitted_of(2, &ask), 1, "{client}");
    }
    // Whereas these are the same clients as above.
    for (text, prefix) in [("::ffff:1.2.3.4", 64), ("2001:db8:1:2:aaaa::5", 64)] {
        let ask = Ask::request(key(text, prefix)).counted(&[quota(1, HOUR)]);
        assert_eq!(rig.decide(&ask).outcome, Outcome::Limited, "{text}");
    }
}

pub(super) fn a_value_is_counted_over_all_its_clients(harness: &impl Harness) {
    let rig = Rig::new(harness);
    // Many values, so that they are everywhere a store may keep them.
    for value in 0..100 {
        let of = |client| {
            Ask::request(client)
                .counted(&[quota(1000, HOUR)])
                .counted_by(value, SEARCH, &[quota(3, HOUR)])
        };
        assert_eq!(rig.admitted_of(2, &of(ALICE)), 2);
        assert_eq!(rig.admitted_of(2, &of(BOB)), 1);
        assert_eq!(rig.decide(&of(ALICE)).outcome, Outcome::Limited);
    }
    // The clients' own logs have counted all of it.
    let own = Ask::request(ALICE).counted(&[quota(1000, HOUR)]);
    assert_eq!(remaining(&rig.decide(&own)), [1000 - 300 - 1]);
}

pub(super) fn a_value_and_the_client_are_recorded_all_or_none(harness: &impl Harness) {
    let rig = Rig::new(harness);
    let own = [quota(5, HOUR)];
    for value in 0..100 {
        // Whichever of the two is over, the other one's log stays as it was.
        let ask = Ask::request(ALICE)
            .counted_by(value, SEARCH, &[quota(1, HOUR)])
            .counted(&own)
            .count_rejected(false);
        let decision = rig.decide(&ask);
        let expected = [
            if value < 5 { 0 } else { 1 },
            4u32.saturating_sub(value as u32),
        ];
        assert_eq!(remaining(&decision), expected, "{value}");
        assert_eq!(exceeded(&decision), [false, value >= 5], "{value}");
    }
    let repeat = Ask::request(BOB)
        .counted_by(0, SEARCH, &[quota(1, HOUR)])
        .counted(&own)
        .count_rejected(false);
    assert_eq!(remaining(&rig.decide(&repeat)), [0, 5]);
}
