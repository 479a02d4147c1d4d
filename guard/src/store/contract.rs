//! The contract of [`Store`] as tests, one for each rule. A new store gets all of them with a [`Harness`] and a line of
//! `run_contract!` at the end of this file; `model` checks it against random interleavings in the same way.

mod ask;
mod bans;
mod bounds;
mod clock_steps;
mod concurrency;
mod quotas;
#[cfg(feature = "admin")]
mod standing;
mod strikes;
mod windows;

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use actix_web::rt::Runtime;

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    clock::{Clock as _, ManualClock},
    decision::{Answer, Decision, Hit, LogKey, Outcome, Quota, Store},
};

#[cfg(feature = "admin")]
use crate::decision::{LogHit, Standing};

use super::{MemoryStore, MemoryStoreOptions};

#[cfg(feature = "redis")]
pub(super) use ask::Names;
pub(super) use ask::{Ask, RULES, quota};

/// How a store is made for a test.
pub(super) trait Harness {
    type Store: Store + 'static;

    /// How many random cases a property is tried with.
    const CASES: u32 = 96;

    /// An empty store that nobody else uses and that reads the time from `clock`.
    fn store(&self, clock: Arc<ManualClock>) -> Self::Store;

    /// How many entries a log holds; may trim it as the next request of its key would.
    fn log_length(store: &Self::Store, key: LogKey, quotas: &[Quota]) -> usize;
}

pub(super) const ALICE: ClientKey = ClientKey::V4(Ipv4Addr::new(203, 0, 113, 1));
pub(super) const BOB: ClientKey = ClientKey::V4(Ipv4Addr::new(198, 51, 100, 2));

pub(super) const HOUR: u64 = 3_600_000;

/// A fresh store with its clock, and what it takes to wait for its answers.
pub(super) struct Rig<S> {
    pub(super) store: S,
    pub(super) clock: Arc<ManualClock>,
    runtime: Runtime,
}

impl<S: Store> Rig<S> {
    pub(super) fn new(harness: &impl Harness<Store = S>) -> Self {
        let clock = Arc::new(ManualClock::new());
        Self {
            store: harness.store(Arc::clone(&clock)),
            clock,
            runtime: Runtime::new().unwrap(),
        }
    }

    pub(super) fn wait<T>(&self, answer: Answer<T>) -> T {
        self.runtime.block_on(answer.wait())
    }

    pub(super) fn decide(&self, ask: &Ask) -> Decision {
        self.wait(ask.put(&self.store))
    }

    /// Asks so many times; how many requests were admitted.
    pub(super) fn admitted_of(&self, times: usize, ask: &Ask) -> usize {
        let admitted = |_: &usize| self.decide(ask).outcome == Outcome::Admitted;
        (0..times).filter(admitted).count()
    }

    /// Asks and has the client banned by it; the ban.
    #[track_caller]
    pub(super) fn expect_ban(&self, ask: &Ask) -> BanRecord {
        match self.decide(ask).outcome {
            Outcome::Banned(ban) => *ban,
            other => panic!("{other:?} instead of a ban"),
        }
    }

    pub(super) fn clear_strikes(&self, client: ClientKey) {
        self.wait(self.store.clear_strikes(client));
    }

    pub(super) fn ban(&self, client: ClientKey, millis: u64, reason: &str) -> Ban {
        self.wait(self.store.ban(client, millis, reason))
    }

    pub(super) fn unban(&self, client: ClientKey) -> bool {
        self.wait(self.store.unban(client))
    }

    pub(super) fn ban_of(&self, client: ClientKey) -> Option<Ban> {
        self.wait(self.store.ban_of(client))
    }

    pub(super) fn bans(&self) -> Vec<Ban> {
        self.wait(self.store.bans())
    }

    /// How the client of a question stands, in the logs of the question.
    #[cfg(feature = "admin")]
    pub(super) fn standing(&self, ask: &Ask) -> Standing {
        let ttl = RULES.ttl_millis;
        let look = |hit: &Hit<'_>| self.store.standing(hit.client, hit.logs, ttl);
        self.wait(ask.with_hit(look))
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.now_millis()
    }

    pub(super) fn advance(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
    }

    pub(super) fn step_back(&self, millis: u64) {
        self.clock.step_back(Duration::from_millis(millis));
    }
}

/// The memory store with its default bounds.
pub(super) struct Memory;

impl Harness for Memory {
    type Store = MemoryStore;

    fn store(&self, clock: Arc<ManualClock>) -> MemoryStore {
        let options = MemoryStoreOptions {
            max_clients: 1_000_000,
            max_bans: 100_000,
            ban_file: None,
        };
        MemoryStore::new(&options, clock)
    }

    fn log_length(store: &MemoryStore, key: LogKey, quotas: &[Quota]) -> usize {
        store.log_length(key, quotas)
    }
}

/// A store that knows nothing without waiting, as one behind a network: keeps the suite from leaning on answers that are
/// there at once.
struct Remote;

struct RemoteStore(MemoryStore);

impl Harness for Remote {
    type Store = RemoteStore;

    fn store(&self, clock: Arc<ManualClock>) -> RemoteStore {
        RemoteStore(Memory.store(clock))
    }

    fn log_length(store: &RemoteStore, key: LogKey, quotas: &[Quota]) -> usize {
        store.0.log_length(key, quotas)
    }
}

fn later<T: Send + 'static>(answer: Answer<T>) -> Answer<T> {
    match answer {
        Answer::Ready(value) => Answer::Later(Box::pin(async { value })),
        later @ Answer::Later(_) => later,
    }
}

impl Store for RemoteStore {
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision> {
        later(self.0.decide(hit))
    }

    fn hot_ban(&self, _: ClientKey) -> Option<BanSource> {
        None
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        later(self.0.clear_strikes(client))
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        later(self.0.ban(client, duration_millis, reason))
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        later(self.0.unban(client))
    }

    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>> {
        later(self.0.ban_of(client))
    }

    fn bans(&self) -> Answer<Vec<Ban>> {
        later(self.0.bans())
    }

    #[cfg(feature = "admin")]
    fn standing(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
        strike_ttl_millis: u64,
    ) -> Answer<Standing> {
        later(self.0.standing(client, logs, strike_ttl_millis))
    }
}

/// Makes a test of every rule for the stores of a harness. A rule that is missing here is reported as dead code.
macro_rules! run_contract {
    ($harness:expr) => {
        run_contract! { @rules $harness;
            windows: [
                a_frozen_millisecond_admits_exactly_the_quota,
                an_entry_exactly_as_old_as_the_window_is_out,
                the_window_slides_with_each_entry,
                a_client_that_hammers_stays_out_if_rejected_requests_count,
                a_client_that_hammers_comes_free_if_they_do_not,
                waiting_the_wait_admits_and_a_millisecond_less_does_not,
                polling_does_not_restart_the_wait_if_rejected_requests_do_not_count,
                the_reset_is_when_the_oldest_entry_leaves,
                a_log_holds_one_entry_more_than_the_quota_at_most,
            ]
            quotas: [
                all_quotas_of_a_log_must_admit,
                several_logs_are_recorded_all_or_none,
                without_logs_everything_is_admitted,
                routes_and_clients_do_not_share_logs,
                addresses_of_both_families_are_kept_apart,
                a_value_is_counted_over_all_its_clients,
                a_value_and_the_client_are_recorded_all_or_none,
            ]
            strikes: [
                strikes_up_to_the_threshold_are_refusals_and_the_next_one_bans,
                both_kinds_of_violation_feed_one_counter,
                a_request_is_one_strike_however_many_quotas_it_exceeds,
                a_ban_lasts_exactly_its_length_and_leaves_no_strikes,
                a_banned_request_changes_nothing,
                the_windows_that_were_tripped_are_empty_after_the_ban,
                a_window_that_was_not_tripped_keeps_its_entries_over_a_ban,
                a_tripped_log_of_a_value_is_emptied_as_well,
                a_clean_request_clears_the_strikes,
                each_strike_restarts_the_life_of_the_counter,
                strikes_nearer_than_the_interval_count_as_one,
                a_request_without_rules_never_strikes_but_is_refused_when_banned,
                without_the_look_up_a_ban_is_not_seen,
                an_admitted_request_tells_the_strikes,
                clients_are_struck_one_by_one,
            ]
            bans: [
                a_manual_ban_is_seen_by_everybody,
                a_ban_is_told_on_the_wall_clock,
                an_automatic_ban_is_listed,
                a_lifted_ban_is_gone_and_so_are_the_strikes,
                lifting_what_is_not_there_is_false_and_clears_the_strikes,
                a_manual_ban_replaces_the_one_before,
                a_manual_ban_leaves_no_strikes,
                a_manual_ban_is_not_changed_by_violations,
                bans_are_listed_in_the_order_in_which_they_end,
                ended_bans_leave_the_list_without_any_other_event,
                a_client_can_be_banned_again_after_a_ban_ended,
                a_ban_hits_one_key_only,
            ]
            clock_steps: [
                after_a_step_back_no_wait_exceeds_the_window,
                after_a_step_back_strikes_live_no_longer_than_their_life,
                after_a_step_back_a_ban_is_no_longer_than_its_length,
                a_ban_from_before_a_step_back_is_replaced_and_lifted_like_any_other,
                what_was_seen_to_be_over_does_not_come_back_with_a_step_back,
                a_step_forward_ends_windows_strikes_and_bans,
                the_largest_numbers_are_no_trouble,
                the_smallest_numbers_are_no_trouble,
            ]
            concurrency: [
                many_threads_are_admitted_exactly_the_quota,
                many_threads_bring_about_one_ban,
                hits_in_opposite_orders_do_not_block_each_other,
            ]
            bounds: [
                no_window_ever_holds_more_than_the_quota,
            ]
            #[cfg(feature = "admin")]
            standing: [
                a_client_stands_as_the_last_decision_said,
                a_client_that_never_came_has_used_nothing,
                what_is_over_is_not_counted,
                whoever_looks_on_changes_nothing,
                looking_keeps_nothing_alive,
                strikes_are_told_with_the_time_they_have_left,
                a_banned_client_has_no_strikes,
                several_logs_are_told_in_their_order,
                after_a_step_back_nothing_stands_longer_than_it_may,
            ]
        }
    };
    (@rules $harness:expr; $($(#[$when:meta])? $part:ident: [$($rule:ident,)+])+) => {
        $(
            $(#[$when])?
            mod $part {
                $(
                    #[test]
                    fn $rule() {
                        crate::store::contract::$part::$rule(&$harness);
                    }
                )+
            }
        )+
    };
}

mod memory_store {
    run_contract!(crate::store::contract::Memory);
}

mod remote_store {
    run_contract!(crate::store::contract::Remote);
}

#[cfg(feature = "redis")]
mod redis_store {
    run_contract!(crate::store::redis::tests::Redis::Frozen);
}

#[cfg(feature = "redis")]
mod redis_store_between_milliseconds {
    run_contract!(crate::store::redis::tests::Redis::Ticking);
}
