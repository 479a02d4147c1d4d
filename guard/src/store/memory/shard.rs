//! One shard: a part of the clients with all that is known of them, behind one lock.
//!
//! Must not know: the other shards.

use crate::{
    bans::BanRecord,
    client::ClientKey,
    decision::{LogHit, LogKey, Quota, QuotaStates, StrikeRules},
    store::table::{Place, Table},
};

use super::{
    log::{Log, longest_window},
    strikes::Strikes,
};

/// Idle entries dropped with each operation: more than one can add, so they never pile up.
const DROPS_PER_OPERATION: usize = 2;

#[derive(Debug)]
pub(super) struct Shard {
    logs: Table<LogKey, Log>,
    strikes: Table<ClientKey, Strikes>,
    bans: Table<ClientKey, BanRecord>,
}

impl Shard {
    /// A shard for so many windows, and as many strikes. The bound of the bans is over all shards, so it is not here.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            logs: Table::new(capacity),
            strikes: Table::new(capacity),
            bans: Table::new(usize::MAX),
        }
    }

    /// The ban that is kept for a client, whether it is over or not.
    pub(super) fn ban(&mut self, hash: u64, client: ClientKey) -> Option<&mut BanRecord> {
        self.bans.get_mut(hash, &client)
    }

    /// Sets a ban; the one that it replaces. The strikes are gone.
    pub(super) fn set_ban(
        &mut self,
        hash: u64,
        client: ClientKey,
        ban: BanRecord,
    ) -> Option<BanRecord> {
        let before = self.take_ban(hash, client);
        self.bans.touch(hash, client, u64::MAX, || ban);
        before
    }

    /// Takes the ban away, whether it is over or not; the strikes are gone.
    pub(super) fn take_ban(&mut self, hash: u64, client: ClientKey) -> Option<BanRecord> {
        self.strikes.remove(hash, &client);
        self.bans.remove(hash, &client)
    }

    /// Decides about a request that counts in one log.
    #[inline]
    pub(super) fn decide(
        &mut self,
        hash: u64,
        log: &LogHit<'_>,
        now_millis: u64,
        count_rejected: bool,
        states: &mut QuotaStates,
    ) -> bool {
        let place = self.touch_log(hash, log.key, now_millis, log.quotas);
        let known = self.logs.at_mut(place);
        known.is_none_or(|known| known.decide(now_millis, log.quotas, count_rejected, states))
    }

    /// Where the log of a key is, caught up with the time.
    pub(super) fn log(
        &mut self,
        hash: u64,
        key: LogKey,
        now_millis: u64,
        quotas: &[Quota],
    ) -> Place {
        let place = self.touch_log(hash, key, now_millis, quotas);
        if let Some(log) = self.logs.at_mut(place) {
            log.catch_up(now_millis, quotas);
        }
        place
    }

    #[inline(always)]
    fn touch_log(&mut self, hash: u64, key: LogKey, now_millis: u64, quotas: &[Quota]) -> Place {
        let ends = now_millis.saturating_add(longest_window(quotas));
        self.logs.touch(hash, key, ends, Log::default)
    }

    /// Whether a log has room for one more request.
    pub(super) fn admits(&mut self, place: Place, now_millis: u64, quotas: &[Quota]) -> bool {
        self.logs
            .at_mut(place)
            .is_none_or(|log| log.admits(now_millis, quotas))
    }

    /// Records a request in a log (or not) and adds how its quotas stand.
    pub(super) fn settle(
        &mut self,
        place: Place,
        now_millis: u64,
        quotas: &[Quota],
        record: bool,
        states: &mut QuotaStates,
    ) {
        if let Some(log) = self.logs.at_mut(place) {
            log.settle(now_millis, quotas, record, states);
        }
    }

    /// Empties a log.
    pub(super) fn clear_log(&mut self, hash: u64, key: LogKey) {
        if let Some(log) = self.logs.get_mut(hash, &key) {
            log.clear();
        }
    }

    /// The strikes of a client.
    #[inline]
    pub(super) fn strikes(&mut self, hash: u64, client: ClientKey, now_millis: u64) -> u32 {
        if self.strikes.is_empty() {
            return 0;
        }
        let Some(strikes) = self.strikes.get_mut(hash, &client) else {
            return 0;
        };
        strikes.catch_up(now_millis);
        let count = strikes.count(now_millis);
        if count == 0 {
            // What is over must not come back when the clock is set.
            self.clear_strikes(hash, client);
        }
        count
    }

    /// Adds a strike; whether it exceeds the threshold, and the count.
    pub(super) fn strike(
        &mut self,
        hash: u64,
        client: ClientKey,
        now_millis: u64,
        rules: &StrikeRules,
    ) -> (bool, u32) {
        let ends = now_millis.saturating_add(rules.ttl_millis);
        let place = self.strikes.touch(hash, client, ends, Strikes::default);
        let Some(strikes) = self.strikes.at_mut(place) else {
            return (false, 0);
        };
        strikes.catch_up(now_millis);
        (strikes.add(now_millis, rules), strikes.count(now_millis))
    }

    /// Forgets the strikes of a client.
    pub(super) fn clear_strikes(&mut self, hash: u64, client: ClientKey) {
        self.strikes.remove(hash, &client);
    }

    /// A copy of the strikes that are kept for a client, whether they are over or not.
    #[cfg(feature = "admin")]
    pub(super) fn kept_strikes(&mut self, hash: u64, client: ClientKey) -> Strikes {
        let kept = self.strikes.get_mut(hash, &client);
        kept.map_or_else(Strikes::default, |strikes| *strikes)
    }

    /// A copy of the log that is kept for a key.
    #[cfg(feature = "admin")]
    pub(super) fn kept_log(&mut self, hash: u64, key: LogKey) -> Log {
        let kept = self.logs.get_mut(hash, &key);
        kept.map_or_else(Log::default, |log| log.clone())
    }

    /// Drops a few idle entries. Called with every operation, so that there is no sweep to wait for.
    #[inline(always)]
    pub(super) fn tidy(&mut self, now_millis: u64) {
        for _ in 0..DROPS_PER_OPERATION {
            let log = self.logs.tidy(now_millis, Log::ends_millis);
            let strikes = self.strikes.tidy(now_millis, Strikes::ends_millis);
            if !log && !strikes {
                break;
            }
        }
    }

    /// Entries in a log.
    #[cfg(test)]
    pub(super) fn log_length(&mut self, place: Place) -> usize {
        self.logs.at_mut(place).map_or(0, |log| log.len())
    }

    /// Windows kept.
    #[cfg(test)]
    pub(super) fn windows(&self) -> usize {
        self.logs.len()
    }

    /// Clients with strikes kept.
    #[cfg(test)]
    pub(super) fn struck_clients(&self) -> usize {
        self.strikes.len()
    }
}
