//! One shard: a part of the clients with all that is known of them, behind one lock.
//!
//! Must not know: the other shards.

use crate::{
    bans::BanRecord,
    client::ClientKey,
    decision::{LogKey, Quota, QuotaState, StrikeRules},
};

use super::{log::Log, strikes::Strikes, table::Table};

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

    /// The ban in force.
    pub(super) fn ban(
        &mut self,
        hash: u64,
        client: ClientKey,
        now_millis: u64,
    ) -> Option<&BanRecord> {
        let ban = self.bans.get_mut(hash, &client)?;
        ban.not_after(now_millis);
        (ban.until_millis > now_millis).then_some(&*ban)
    }

    /// Sets a ban; the strikes are gone.
    pub(super) fn set_ban(&mut self, hash: u64, client: ClientKey, ban: BanRecord) {
        self.strikes.remove(hash, &client);
        if let Some(place) = self.bans.touch(hash, client, || ban.clone()) {
            *place = ban;
        }
    }

    /// Takes the ban away, whether it is over or not; the strikes are gone.
    pub(super) fn take_ban(&mut self, hash: u64, client: ClientKey) -> Option<BanRecord> {
        self.strikes.remove(hash, &client);
        self.bans.remove(hash, &client)
    }

    /// Takes the ban away if it is over; else says when it will be.
    pub(super) fn take_ended_ban(
        &mut self,
        hash: u64,
        client: ClientKey,
        now_millis: u64,
    ) -> Option<u64> {
        let until = self
            .ban(hash, client, now_millis)
            .map(|ban| ban.until_millis);
        if until.is_none() {
            self.bans.remove(hash, &client);
        }
        until
    }

    /// The log of a key, caught up with the time.
    pub(super) fn log(
        &mut self,
        hash: u64,
        key: LogKey,
        now_millis: u64,
        quotas: &[Quota],
    ) -> Option<&mut Log> {
        let log = self.logs.touch(hash, key, Log::default)?;
        log.catch_up(now_millis, quotas);
        Some(log)
    }

    /// Records a request in a log (or not) and adds how its quotas stand.
    pub(super) fn settle(
        &mut self,
        hash: u64,
        key: LogKey,
        now_millis: u64,
        quotas: &[Quota],
        record: bool,
        states: &mut impl Extend<QuotaState>,
    ) {
        let Some(log) = self.logs.get_mut(hash, &key) else {
            return;
        };
        let before: smallvec::SmallVec<[bool; 2]> = quotas
            .iter()
            .map(|quota| log.count(now_millis, quota) >= quota.requests as usize)
            .collect();
        if record {
            log.record(now_millis, quotas);
        }
        states.extend(
            quotas
                .iter()
                .zip(before)
                .map(|(quota, exceeded)| log.state(now_millis, quota, exceeded)),
        );
    }

    /// Empties a log.
    pub(super) fn clear_log(&mut self, hash: u64, key: LogKey) {
        if let Some(log) = self.logs.get_mut(hash, &key) {
            log.clear();
        }
    }

    /// The strikes of a client.
    pub(super) fn strikes(&mut self, hash: u64, client: ClientKey, now_millis: u64) -> u32 {
        self.strikes.get_mut(hash, &client).map_or(0, |strikes| {
            strikes.catch_up(now_millis);
            strikes.count(now_millis)
        })
    }

    /// Adds a strike; whether it exceeds the threshold, and the count.
    pub(super) fn strike(
        &mut self,
        hash: u64,
        client: ClientKey,
        now_millis: u64,
        rules: &StrikeRules,
    ) -> (bool, u32) {
        let Some(strikes) = self.strikes.touch(hash, client, Strikes::default) else {
            return (false, 0);
        };
        strikes.catch_up(now_millis);
        (strikes.add(now_millis, rules), strikes.count(now_millis))
    }

    /// Forgets the strikes of a client.
    pub(super) fn clear_strikes(&mut self, hash: u64, client: ClientKey) {
        self.strikes.remove(hash, &client);
    }

    /// Drops a few idle entries. Called with every operation, so that there is no sweep to wait for.
    pub(super) fn tidy(&mut self, now_millis: u64) {
        for _ in 0..DROPS_PER_OPERATION {
            let log = self.logs.drop_oldest_if(|log| log.is_idle(now_millis));
            let strikes = self
                .strikes
                .drop_oldest_if(|strikes| strikes.is_over(now_millis));
            if !log && !strikes {
                break;
            }
        }
    }

    /// Windows kept.
    pub(super) fn windows(&self) -> usize {
        self.logs.len()
    }
}
