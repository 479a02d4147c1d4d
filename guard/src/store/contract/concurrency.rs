//! Many threads at one store.

use std::{
    sync::{
        Arc, Barrier,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use actix_web::rt::Runtime;

use crate::{
    client::ClientKey,
    decision::{Decision, Outcome, RouteId, StrikeRules},
};

use super::{ALICE, Ask, HOUR, Harness, RULES, Rig, quota};

const THREADS: usize = 8;
const SEARCH: RouteId = RouteId(RouteId::FIRST);
/// Longer than any of these takes: only threads that block each other get there.
const PATIENCE: Duration = Duration::from_secs(60);

/// Has each thread put its questions to one store, round after round, all at once; sums up what `count` makes of the
/// answers.
fn all_at_once<H: Harness>(
    harness: &H,
    rounds: usize,
    asks: impl Fn(usize) -> Vec<Ask>,
    count: fn(&Decision) -> usize,
) -> usize {
    let Rig { store, .. } = Rig::new(harness);
    let store = Arc::new(store);
    let barrier = Arc::new(Barrier::new(THREADS));
    let (sender, sums) = mpsc::channel();
    for thread in 0..THREADS {
        let (store, barrier) = (Arc::clone(&store), Arc::clone(&barrier));
        let (sender, asks) = (sender.clone(), asks(thread));
        // Not scoped: threads that block each other must not block the test.
        thread::spawn(move || {
            let runtime = Runtime::new().unwrap();
            barrier.wait();
            let decide = |ask: &Ask| count(&runtime.block_on(ask.put(&*store).wait()));
            let sum: usize = (0..rounds).flat_map(|_| asks.iter().map(decide)).sum();
            sender.send(sum).unwrap();
        });
    }
    drop(sender);
    (0..THREADS)
        .map(|_| match sums.recv_timeout(PATIENCE) {
            Ok(sum) => sum,
            Err(RecvTimeoutError::Timeout) => panic!("the threads block each other"),
            Err(RecvTimeoutError::Disconnected) => panic!("a thread panicked"),
        })
        .sum()
}

fn admitted(decision: &Decision) -> usize {
    usize::from(decision.outcome == Outcome::Admitted)
}

pub(super) fn many_threads_are_admitted_exactly_the_quota(harness: &impl Harness) {
    let ask = Ask::request(ALICE).counted(&[quota(1000, HOUR)]);
    assert_eq!(
        all_at_once(harness, 1000, |_| vec![ask.clone()], admitted),
        1000
    );
}

pub(super) fn many_threads_bring_about_one_ban(harness: &impl Harness) {
    let newly_banned = |decision: &Decision| usize::from(decision.newly_banned);
    // Each violation is a strike: one short of the ban, exactly enough, and far more than that.
    for (rounds, threshold, bans) in [(125, 1000, 0), (125, 999, 1), (1000, 999, 1)] {
        let rules = StrikeRules { threshold, ..RULES };
        let threat = Ask::threat(ALICE, "a probe").struck(rules);
        let got = all_at_once(harness, rounds, |_| vec![threat.clone()], newly_banned);
        assert_eq!(got, bans, "{rounds} rounds, threshold {threshold}");
    }
}

pub(super) fn hits_in_opposite_orders_do_not_block_each_other(harness: &impl Harness) {
    const VALUES: u128 = 16;
    let most = [quota(1000, HOUR)];
    let client = |n: usize| ClientKey::V4([10, 0, 0, n as u8].into());
    // Half of the threads name the logs the other way round; all of them meet at the logs of the values, which are all
    // over the store.
    let asks = |thread: usize| {
        (0..VALUES)
            .map(|value| {
                let ask = Ask::request(client(thread));
                let other = VALUES - 1 - value;
                if thread.is_multiple_of(2) {
                    ask.counted_by(value, SEARCH, &most)
                        .counted(&[quota(u32::MAX, HOUR)])
                        .counted_by(other, RouteId::GLOBAL, &most)
                } else {
                    ask.counted_by(other, RouteId::GLOBAL, &most)
                        .counted_by(value, SEARCH, &most)
                }
            })
            .collect()
    };
    // Both logs of a question are only ever named together, so each question is admitted as often as one log allows.
    let got = all_at_once(harness, 200, asks, admitted);
    assert_eq!(got, VALUES as usize * 1000);
}
