//! What is the memory store's own: its bounds, its locks, its allocations. The rules are in `store::contract`.

use std::{
    net::Ipv4Addr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{
    clock::ManualClock,
    decision::{Answer, Outcome, Quota, RouteId, Store as _, StrikeRules},
    store::contract::{ALICE, Ask, BOB, HOUR, RULES, quota},
};

use super::{shared::FEWEST_PER_SHARD, *};

const SEARCH: RouteId = RouteId(RouteId::FIRST);

fn store(max_clients: usize, max_bans: usize) -> (MemoryStore, Arc<ManualClock>) {
    let options = MemoryStoreOptions {
        max_clients,
        max_bans,
        ban_file: None,
    };
    let clock = Arc::new(ManualClock::new());
    (MemoryStore::new(&options, Arc::clone(&clock) as _), clock)
}

/// The answer of a store that never lets one wait.
fn at_once<T>(answer: Answer<T>) -> T {
    match answer {
        Answer::Ready(value) => value,
        Answer::Later(_) => panic!("the memory store has nothing to wait for"),
    }
}

fn decide(store: &MemoryStore, ask: &Ask) -> Decision {
    at_once(ask.put(store))
}

/// Some client; not one of those that the contract names.
fn client(n: u32) -> ClientKey {
    ClientKey::V4(Ipv4Addr::from_bits((10 << 24) + n))
}

fn counted(client: ClientKey, quota: Quota) -> Ask {
    Ask::request(client).counted(&[quota])
}

#[test]
fn a_flood_of_addresses_stays_within_the_bound_and_frees_nobody() {
    const BOUND: usize = 10_000;
    let (store, _) = store(BOUND, 100);
    let few = quota(5, HOUR);
    at_once(store.ban(ALICE, HOUR, "by hand"));
    let regular = counted(BOB, few);
    for _ in 0..6 {
        decide(&store, &regular);
    }
    let mut most = 0;
    for n in 0..1_000_000 {
        assert_eq!(
            decide(&store, &counted(client(n), few)).outcome,
            Outcome::Admitted
        );
        if n % 500 == 0 {
            most = most.max(store.shared.windows());
            assert_eq!(
                decide(&store, &regular).outcome,
                Outcome::Limited,
                "after {n}"
            );
        }
    }
    most = most.max(store.shared.windows());
    assert!(most <= BOUND, "{most}");
    // The bound is used, too: it is not that everything was forgotten.
    assert!(most > BOUND * 9 / 10, "{most}");
    let banned = decide(&store, &counted(ALICE, few)).outcome;
    assert!(matches!(banned, Outcome::Banned(_)));
}

#[test]
fn threats_from_many_addresses_stay_within_the_bound() {
    let (store, _) = store(1000, 100);
    for n in 0..10_000 {
        decide(&store, &Ask::threat(client(n), "a probe").struck(RULES));
    }
    let strikes = store.shared.struck_clients();
    assert!(strikes <= 1000, "{strikes}");
}

#[test]
fn small_bounds_hold_and_each_quota_is_answered() {
    for bound in [0, 1, 2, 10] {
        let (store, _) = store(bound, bound);
        for n in 0..100 {
            let ask = counted(client(n), quota(5, HOUR))
                .counted_on(SEARCH, &[quota(3, HOUR), quota(2, 1000)])
                .struck(StrikeRules {
                    threshold: 0,
                    ..RULES
                });
            let decision = decide(&store, &ask);
            assert_eq!(decision.quotas.len(), 3, "with {bound}");
            assert!(store.shared.windows() <= bound.max(1));
            decide(
                &store,
                &Ask::threat(client(n), "a probe").struck(StrikeRules {
                    threshold: 0,
                    ..RULES
                }),
            );
            assert!(at_once(store.bans()).len() <= bound.max(1));
        }
    }
}

#[test]
fn idle_windows_and_strikes_go_away_with_a_few_operations() {
    // One shard, so that it is certain whose operations tidy up.
    let (store, clock) = store(FEWEST_PER_SHARD, 100);
    for n in 0..1000 {
        decide(&store, &counted(client(n), quota(5, 1000)));
        decide(&store, &Ask::threat(client(n), "a probe").struck(RULES));
    }
    assert_eq!(store.shared.windows(), 1000);
    clock.advance(Duration::from_millis(HOUR));
    // Every operation lets go of more than it can add.
    for n in 0..1000 {
        decide(&store, &counted(client(n % 10), quota(5, 1000)));
    }
    assert_eq!(store.shared.windows(), 10);
    assert_eq!(store.shared.struck_clients(), 0);
}

#[test]
fn strikes_that_were_seen_to_be_over_do_not_come_back_although_they_are_not_tidied_up_yet() {
    let (store, clock) = store(FEWEST_PER_SHARD, 100);
    let threat = |client, ttl_millis| {
        Ask::threat(client, "a probe").struck(StrikeRules {
            ttl_millis,
            ..RULES
        })
    };
    // What is older and not over keeps the operations from tidying up.
    decide(&store, &threat(ALICE, HOUR));
    decide(&store, &threat(BOB, 1000));
    clock.advance(Duration::from_millis(1000));
    let strikes = || decide(&store, &Ask::request(BOB).struck(RULES)).strikes;
    assert_eq!(strikes(), 0);
    clock.step_back(Duration::from_millis(500));
    assert_eq!(strikes(), 0);
}

#[test]
fn when_there_are_too_many_bans_the_one_that_ends_soonest_goes() {
    let (store, clock) = store(1000, 3);
    let listed = || -> Vec<String> {
        let bans = at_once(store.bans()).into_iter();
        bans.map(|ban| ban.reason).collect()
    };
    for (n, minutes, reason) in [(1, 30, "b"), (2, 10, "a"), (3, 60, "c"), (4, 40, "d")] {
        at_once(store.ban(client(n), minutes * 60_000, reason));
    }
    assert_eq!(listed(), ["b", "d", "c"]);
    assert_eq!(
        decide(&store, &Ask::request(client(2))).outcome,
        Outcome::Admitted
    );
    // A ban that is replaced is not one more.
    at_once(store.ban(client(3), 3 * HOUR, "c again"));
    assert_eq!(listed(), ["b", "d", "c again"]);
    // Nor is one that is over.
    clock.advance(Duration::from_secs(30 * 60));
    at_once(store.ban(client(5), HOUR, "e"));
    assert_eq!(listed(), ["d", "e", "c again"]);
    // Automatic bans are bound as well, and it may be the new one that ends soonest.
    let rules = StrikeRules {
        threshold: 0,
        ..RULES
    };
    for n in 10..20 {
        assert!(decide(&store, &Ask::threat(client(n), "f").struck(rules)).newly_banned);
        assert_eq!(listed(), ["d", "e", "c again"]);
    }
}

#[test]
fn bans_that_end_together_are_not_let_go_of_by_one_request() {
    let (store, clock) = store(10_000, 10_000);
    for n in 1..=1000 {
        at_once(store.ban(client(n), 1000, ""));
    }
    clock.advance(Duration::from_secs(1));
    decide(&store, &counted(client(0), quota(5, HOUR)));
    let kept = store.shared.ends.len();
    assert!((990..1000).contains(&kept), "{kept}");
    // Nobody notices.
    assert!(store.hot_ban(client(1000)).is_none());
    assert_eq!(at_once(store.bans()), []);
}

#[test]
fn a_ban_that_a_clock_step_moved_counts_once_against_the_bound() {
    let (store, clock) = store(1000, 2);
    for _ in 0..5 {
        at_once(store.ban(ALICE, HOUR, "by hand"));
        clock.step_back(Duration::from_secs(60));
    }
    at_once(store.ban(BOB, 3 * HOUR, "by hand"));
    assert_eq!(at_once(store.bans()).len(), 2);
    assert!(store.hot_ban(ALICE).is_some());
    at_once(store.unban(ALICE));
    at_once(store.unban(BOB));
    assert_eq!(store.shared.ends.len(), 0);
}

#[test]
fn it_is_its_own_hot_cache() {
    let (store, clock) = store(1000, 100);
    assert_eq!(store.hot_ban(ALICE), None);
    at_once(store.ban(ALICE, 1000, "by hand"));
    assert_eq!(store.hot_ban(ALICE), Some(BanSource::Manual));
    assert_eq!(store.hot_ban(BOB), None);
    clock.advance(Duration::from_millis(1000));
    assert_eq!(store.hot_ban(ALICE), None);
}

/// Later by a millisecond each time it is read, by whichever thread.
#[derive(Debug, Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now_millis(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + (1 << 40)
    }
}

#[test]
fn a_call_that_waited_for_the_lock_does_not_take_what_happened_meanwhile_for_a_clock_step() {
    const WINDOW: u64 = 50;
    let options = MemoryStoreOptions {
        max_clients: 1000,
        max_bans: 100,
        ban_file: None,
    };
    let store = MemoryStore::new(&options, Arc::new(Ticking::default()));
    let ask = counted(ALICE, quota(1, WINDOW)).count_rejected(false);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5000 {
                    let decision = decide(&store, &ask);
                    if decision.outcome == Outcome::Limited {
                        // Each reading is later than the one before. An entry that is of this very millisecond was
                        // moved there: its window would begin earlier than the request was admitted.
                        assert!(decision.wait_millis() < WINDOW);
                    }
                }
            });
        }
    });
}

/// What a known client's decision allocates.
#[track_caller]
fn assert_allocates_nothing(
    store: &MemoryStore,
    ask: &Ask,
    expected: impl FnOnce(&Outcome) -> bool,
) {
    let mut outcome = None;
    let allocated = ask.with_hit(|hit| {
        allocation_counter::measure(|| outcome = Some(at_once(store.decide(hit)).outcome))
    });
    assert!(outcome.as_ref().is_some_and(expected), "{outcome:?}");
    assert_eq!(allocated.count_total, 0, "{outcome:?}");
}

#[test]
fn a_known_client_costs_no_allocation() {
    let (store, _) = store(100_000, 100);
    let rules = StrikeRules {
        threshold: u32::MAX,
        ..RULES
    };
    let banned = client(1_000_000);
    at_once(store.ban(banned, HOUR, "by hand"));
    // Many clients and values: the logs of a request are in one shard or in several.
    for n in 0..100 {
        let threat = Ask::threat(client(n), "a probe").struck(rules);
        let ask = counted(client(n), quota(7, HOUR))
            .counted_by(u128::from(n), SEARCH, &[quota(7, HOUR)])
            .struck(rules);
        decide(&store, &threat);
        // The fifth entry makes each log as large as it will ever be.
        for _ in 0..5 {
            decide(&store, &ask);
        }
        let is = |expected: Outcome| move |outcome: &Outcome| *outcome == expected;
        for expected in [Outcome::Admitted, Outcome::Admitted, Outcome::Limited] {
            assert_allocates_nothing(&store, &ask, is(expected));
        }
        assert_allocates_nothing(&store, &ask, is(Outcome::Limited));
        assert_allocates_nothing(&store, &threat, is(Outcome::Threat));
    }
    // Which is asked before any decision.
    let hot = allocation_counter::measure(|| assert!(store.hot_ban(banned).is_some()));
    assert_eq!(hot.count_total, 0);
}

#[cfg(feature = "admin")]
#[test]
fn whoever_is_looked_at_takes_no_room_and_no_turn() {
    let (store, _) = store(2, 2);
    let look = |client| {
        let ask = counted(client, quota(5, HOUR));
        let standing = ask.with_hit(|hit| store.standing(client, hit.logs, RULES.ttl_millis));
        at_once(standing).quotas[0].used
    };
    for client in [ALICE, BOB] {
        decide(&store, &counted(client, quota(5, HOUR)));
    }
    for n in 0..100 {
        assert_eq!(look(client(n)), 0);
    }
    assert_eq!((look(BOB), look(ALICE)), (1, 1));
    // Alice was looked at last, and came before Bob.
    decide(&store, &counted(client(1), quota(5, HOUR)));
    assert_eq!((look(ALICE), look(BOB)), (0, 1));
    assert_eq!(store.shared.struck_clients(), 0);
}
