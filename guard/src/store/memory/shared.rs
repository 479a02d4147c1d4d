//! What the threads share: the shards, and the bans over all of them.
//!
//! Must not know: how a store is made, files.

use std::{
    hash::BuildHasher as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;

use crate::{
    bans::{BanRecord, BanSource},
    client::ClientKey,
    clock::Clock,
    decision::{Cause, Decision, Hit, LogKey, Outcome, QuotaStates, StrikeRules, Subject},
};

use super::{
    ends::Ends,
    held::{Alone, Held, Several},
    shard::Shard,
};

/// Enough that workers seldom meet at one lock.
const MOST_SHARDS: usize = 64;
/// A shard holds at least so many windows: a few clients more or less in a shard must not matter.
pub(super) const FEWEST_PER_SHARD: usize = 1024;
/// Ended bans let go of with each decision: thousands may end at once, and no request is to wait for all of them.
const DROPS_PER_OPERATION: usize = 4;
/// Spreads routes over the hash space; any odd number with many bits does.
const ROUTE_SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Debug)]
pub(super) struct Shared {
    shards: Box<[Mutex<Shard>]>,
    pub(super) ends: Ends,
    hasher: RandomState,
    max_bans: usize,
    pub(super) clock: Arc<dyn Clock>,
}

impl Shared {
    /// Room for so many windows, over all clients and routes, and so many bans.
    pub(super) fn new(max_clients: usize, max_bans: usize, clock: Arc<dyn Clock>) -> Self {
        let count = (max_clients / FEWEST_PER_SHARD).clamp(1, MOST_SHARDS);
        // Down to a power of two: the index of a shard is a mask.
        let count = 1 << count.ilog2();
        let capacity = (max_clients / count).max(1);
        Self {
            shards: (0..count)
                .map(|_| Mutex::new(Shard::new(capacity)))
                .collect(),
            ends: Ends::new(),
            hasher: RandomState::default(),
            max_bans: max_bans.max(1),
            clock,
        }
    }

    #[inline]
    pub(super) fn decide(&self, hit: &Hit<'_>) -> Decision {
        let client = self.client_hash(hit.client);
        match hit.logs {
            // The usual request counts in one log, which is in the client's shard.
            [log] if log.key.subject == Subject::Client(hit.client) => {
                let shard = self.shard(self.shard_of(client));
                self.decide_held(Alone::new(shard, route_hash(client, log.key)), client, hit)
            }
            _ => self.decide_in_several(client, hit),
        }
    }

    #[inline(never)]
    fn decide_in_several(&self, client: u64, hit: &Hit<'_>) -> Decision {
        let hashes = hit.logs.iter().map(|log| self.log_hash(log.key));
        self.decide_held(Several::hold(self, client, hashes), client, hit)
    }

    #[inline]
    fn decide_held(&self, mut held: impl Held, client: u64, hit: &Hit<'_>) -> Decision {
        // Under the locks: a call that waited for them would otherwise be earlier than those that it waited for, and take
        // their entries for ones from before a clock step.
        let now = self.clock.now_millis();
        let decision = self.decide_at(&mut held, client, hit, now);
        drop(held);
        if self.ends.is_due(now) {
            self.drop_ended_bans(now, DROPS_PER_OPERATION);
        }
        decision
    }

    #[inline]
    fn decide_at(&self, held: &mut impl Held, client: u64, hit: &Hit<'_>, now: u64) -> Decision {
        held.home().tidy(now);
        if hit.bans
            && !self.ends.is_empty()
            && let Some(ban) = self.ban_in(held.home(), client, hit.client, now, BanRecord::clone)
        {
            return Decision {
                outcome: Outcome::Banned(Box::new(ban)),
                newly_banned: false,
                strikes: 0,
                quotas: QuotaStates::new(),
            };
        }
        let mut quotas = QuotaStates::new();
        let outcome = match hit.cause {
            Cause::Threat(_) => Outcome::Threat,
            Cause::Request if held.count(hit, now, &mut quotas) => Outcome::Admitted,
            Cause::Request => Outcome::Limited,
        };
        let (exceeded, strikes) = match hit.strikes {
            None => (false, 0),
            Some(_) if outcome == Outcome::Admitted => {
                (false, held.home().strikes(client, hit.client, now))
            }
            Some(rules) => held.home().strike(client, hit.client, now, &rules),
        };
        if exceeded && let Some(rules) = hit.strikes {
            return self.ban_at(held, client, hit, now, rules, quotas);
        }
        Decision {
            outcome,
            newly_banned: false,
            strikes,
            quotas,
        }
    }

    /// The strike exceeded the threshold.
    #[cold]
    fn ban_at(
        &self,
        held: &mut impl Held,
        client: u64,
        hit: &Hit<'_>,
        now: u64,
        rules: StrikeRules,
        quotas: QuotaStates,
    ) -> Decision {
        let ban = automatic_ban(hit, &rules, now);
        // A ban starts afresh: the windows that were tripped are empty when it ends.
        held.clear_tripped(hit, &quotas);
        self.set_ban_in(held.home(), client, hit.client, ban.clone());
        Decision {
            outcome: Outcome::Banned(Box::new(ban)),
            newly_banned: true,
            strikes: 0,
            quotas,
        }
    }

    pub(super) fn client_hash(&self, client: ClientKey) -> u64 {
        self.hasher.hash_one(client)
    }

    pub(super) fn log_hash(&self, key: LogKey) -> u64 {
        match key.subject {
            Subject::Client(client) => route_hash(self.client_hash(client), key),
            Subject::Value(value) => route_hash(self.hasher.hash_one(value), key),
        }
    }

    /// Windows kept at the moment.
    #[cfg(test)]
    pub(super) fn windows(&self) -> usize {
        self.each_shard(Shard::windows)
    }

    /// Clients with strikes kept at the moment.
    #[cfg(test)]
    pub(super) fn struck_clients(&self) -> usize {
        self.each_shard(Shard::struck_clients)
    }

    #[cfg(test)]
    fn each_shard(&self, count: fn(&Shard) -> usize) -> usize {
        (0..self.shards.len())
            .map(|index| count(&self.shard(index)))
            .sum()
    }

    /// Entries in a log.
    #[cfg(test)]
    pub(super) fn log_length(&self, key: LogKey, quotas: &[crate::decision::Quota]) -> usize {
        let hash = self.log_hash(key);
        let mut shard = self.shard(self.shard_of(hash));
        let place = shard.log(hash, key, self.clock.now_millis(), quotas);
        shard.log_length(place)
    }

    /// All logs of a client are in the shard of the client: `route_hash` leaves these bits alone.
    pub(super) fn shard_of(&self, hash: u64) -> usize {
        usize::try_from(hash >> 48 & 0x7F).unwrap_or(0) & (self.shards.len() - 1)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "shard_of masks the index to the number of shards"
    )]
    pub(super) fn shard(&self, index: usize) -> MutexGuard<'_, Shard> {
        self.shards[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn home(&self, client: ClientKey) -> (u64, MutexGuard<'_, Shard>) {
        let hash = self.client_hash(client);
        (hash, self.shard(self.shard_of(hash)))
    }

    /// What is read of the ban in force, on the client's shard, which is locked. One that is over is taken away.
    #[inline]
    fn ban_in<T>(
        &self,
        shard: &mut Shard,
        hash: u64,
        client: ClientKey,
        now: u64,
        read: impl FnOnce(&BanRecord) -> T,
    ) -> Option<T> {
        let ban = shard.ban(hash, client)?;
        let before = ban.until_millis;
        if ban.since_millis > now {
            ban.not_after(now);
        }
        let until = ban.until_millis;
        if until <= now {
            shard.take_ban(hash, client);
            self.ends.leave(client, before);
            return None;
        }
        if until != before {
            self.ends.enter(client, until, Some(before));
        }
        Some(read(ban))
    }

    fn set_ban_in(&self, shard: &mut Shard, hash: u64, client: ClientKey, ban: BanRecord) {
        let until = ban.until_millis;
        let before = shard.set_ban(hash, client, ban);
        self.ends
            .enter(client, until, before.map(|ban| ban.until_millis));
    }

    /// What is read of a client's ban, if there is one in force.
    #[inline]
    pub(super) fn in_force<T>(
        &self,
        client: ClientKey,
        read: impl FnOnce(&BanRecord) -> T,
    ) -> Option<T> {
        if self.ends.is_empty() {
            return None;
        }
        let (hash, mut shard) = self.home(client);
        self.ban_in(&mut shard, hash, client, self.clock.now_millis(), read)
    }

    pub(super) fn records(&self) -> Vec<(ClientKey, BanRecord)> {
        self.drop_ended_bans(self.clock.now_millis(), usize::MAX);
        let banned = self.ends.clients().into_iter();
        banned
            .filter_map(|client| Some((client, self.in_force(client, BanRecord::clone)?)))
            .collect()
    }

    pub(super) fn set_ban(&self, client: ClientKey, ban: BanRecord) {
        let (hash, mut shard) = self.home(client);
        self.set_ban_in(&mut shard, hash, client, ban);
    }

    pub(super) fn lift_ban(&self, client: ClientKey) -> bool {
        let (hash, mut shard) = self.home(client);
        let now = self.clock.now_millis();
        let in_force = self.ban_in(&mut shard, hash, client, now, |ban| ban.until_millis);
        // The strikes go in any case.
        shard.take_ban(hash, client);
        if let Some(until) = in_force {
            self.ends.leave(client, until);
        }
        in_force.is_some()
    }

    /// Lets go of at most so many bans that are over.
    fn drop_ended_bans(&self, now: u64, most: usize) {
        for _ in 0..most {
            let Some((until, client)) = self.ends.take_first(now) else {
                return;
            };
            self.end_ban(client, until);
        }
    }

    /// How many bans are in force.
    #[cfg(feature = "metrics")]
    pub(super) fn active_bans(&self) -> usize {
        self.drop_ended_bans(self.clock.now_millis(), DROPS_PER_OPERATION);
        self.ends.len()
    }

    pub(super) fn make_room_for_bans(&self) {
        while self.ends.len() > self.max_bans {
            let Some((until, client)) = self.ends.take_first(u64::MAX) else {
                return;
            };
            if self.end_ban(client, until) {
                tracing::warn!(%client, max_bans = self.max_bans, "too many bans: the one that ends soonest was lifted");
            }
        }
    }

    /// Takes away the ban that was to end at `until`, unless another one has replaced it; whether it did.
    fn end_ban(&self, client: ClientKey, until: u64) -> bool {
        let (hash, mut shard) = self.home(client);
        let still = shard
            .ban(hash, client)
            .is_some_and(|ban| ban.until_millis == until);
        if still {
            shard.take_ban(hash, client);
        }
        still
    }
}

/// The hash of a client's log: other than the client's own, in the same shard.
fn route_hash(subject: u64, key: LogKey) -> u64 {
    const SHARD_BITS: u64 = 0x7F << 48;
    subject ^ ((u64::from(key.route.0) + 1).wrapping_mul(ROUTE_SPREAD) & !SHARD_BITS)
}

fn automatic_ban(hit: &Hit<'_>, rules: &StrikeRules, now: u64) -> BanRecord {
    BanRecord {
        since_millis: now,
        until_millis: now.saturating_add(rules.ban_millis),
        reason: match hit.cause {
            Cause::Request => "rate limit".into(),
            Cause::Threat(reason) => reason.into(),
        },
        by: BanSource::Automatic,
    }
}
