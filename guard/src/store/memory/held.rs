//! The shards of one decision, locked, with the logs that the request counts in.
//!
//! Must not know: bans, strikes.

use std::sync::MutexGuard;

use smallvec::SmallVec;

use crate::{
    decision::{Hit, QuotaStates},
    store::table::Place,
};

use super::{shard::Shard, shared::Shared};

/// What a decision works on, as long as it takes.
pub(super) trait Held {
    /// The shard of the client.
    fn home(&mut self) -> &mut Shard;

    /// Checks all logs, then records the request in all or none, and adds how their quotas stand; whether it is admitted.
    fn count(&mut self, hit: &Hit<'_>, now: u64, states: &mut QuotaStates) -> bool;

    /// Empties the logs whose quotas were exceeded.
    fn clear_tripped(&mut self, hit: &Hit<'_>, states: &QuotaStates);
}

/// One log, in the client's shard.
pub(super) struct Alone<'a> {
    shard: MutexGuard<'a, Shard>,
    hash: u64,
}

impl<'a> Alone<'a> {
    #[inline]
    pub(super) fn new(shard: MutexGuard<'a, Shard>, hash: u64) -> Self {
        Self { shard, hash }
    }
}

impl Held for Alone<'_> {
    #[inline]
    fn home(&mut self) -> &mut Shard {
        &mut self.shard
    }

    #[inline]
    fn count(&mut self, hit: &Hit<'_>, now: u64, states: &mut QuotaStates) -> bool {
        let Some(log) = hit.logs.first() else {
            return true;
        };
        let rejected = hit.count_rejected;
        self.shard.decide(self.hash, log, now, rejected, states)
    }

    fn clear_tripped(&mut self, hit: &Hit<'_>, states: &QuotaStates) {
        if let Some(log) = hit.logs.first()
            && states.iter().any(|state| state.exceeded)
        {
            self.shard.clear_log(self.hash, log.key);
        }
    }
}

/// Any number of logs, in any shards.
pub(super) struct Several<'a> {
    home: MutexGuard<'a, Shard>,
    others: SmallVec<[(usize, MutexGuard<'a, Shard>); 3]>,
    logs: SmallVec<[At; 2]>,
}

/// Where a log is.
struct At {
    hash: u64,
    shard: usize,
}

impl<'a> Several<'a> {
    /// Locks shards always in the same order, so that nobody waits in a circle.
    pub(super) fn hold(shared: &'a Shared, client: u64, hashes: impl Iterator<Item = u64>) -> Self {
        let home = shared.shard_of(client);
        let at = |hash| At {
            hash,
            shard: shared.shard_of(hash),
        };
        let logs: SmallVec<[At; 2]> = hashes.map(at).collect();
        let mut indexes: SmallVec<[usize; 3]> = logs.iter().map(|at| at.shard).collect();
        indexes.push(home);
        indexes.sort_unstable();
        indexes.dedup();
        let mut others: SmallVec<[(usize, MutexGuard<'_, Shard>); 3]> = indexes
            .into_iter()
            .map(|index| (index, shared.shard(index)))
            .collect();
        let at = others.iter().position(|(index, _)| *index == home);
        let (_, home) = others.swap_remove(at.unwrap_or(0));
        Self { home, others, logs }
    }

    fn shard(&mut self, index: usize) -> &mut Shard {
        let other = self.others.iter_mut().find(|(other, _)| *other == index);
        other.map_or(&mut self.home, |(_, shard)| shard)
    }
}

impl Held for Several<'_> {
    fn home(&mut self) -> &mut Shard {
        &mut self.home
    }

    fn count(&mut self, hit: &Hit<'_>, now: u64, states: &mut QuotaStates) -> bool {
        let mut admitted = true;
        let mut places: SmallVec<[(usize, Place); 2]> = SmallVec::new();
        let ats = std::mem::take(&mut self.logs);
        for (at, log) in ats.iter().zip(hit.logs) {
            let shard = self.shard(at.shard);
            let place = shard.log(at.hash, log.key, now, log.quotas);
            admitted &= shard.admits(place, now, log.quotas);
            places.push((at.shard, place));
        }
        let record = admitted || hit.count_rejected;
        for ((shard, place), log) in places.into_iter().zip(hit.logs) {
            let shard = self.shard(shard);
            shard.settle(place, now, log.quotas, record, states);
        }
        self.logs = ats;
        admitted
    }

    fn clear_tripped(&mut self, hit: &Hit<'_>, states: &QuotaStates) {
        let mut states = states.iter();
        for (at, log) in std::mem::take(&mut self.logs).iter().zip(hit.logs) {
            let own = states.by_ref().take(log.quotas.len());
            if own.filter(|state| state.exceeded).count() > 0 {
                self.shard(at.shard).clear_log(at.hash, log.key);
            }
        }
    }
}
