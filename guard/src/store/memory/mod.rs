//! The memory store: everything in this process, nothing to install. It is its own hot ban cache.
//!
//! Must not know: requests, responses, routes' patterns.

mod ban_file;
mod ends;
mod log;
mod shard;
mod strikes;
mod table;
#[cfg(test)]
mod tests;

use std::{
    hash::BuildHasher,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;
use smallvec::SmallVec;

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    clock::Clock,
    decision::{
        Answer, Cause, Decision, Hit, LogKey, Outcome, QuotaStates, Store, StrikeRules, Subject,
    },
};

use ban_file::BanFile;
use ends::Ends;
use shard::Shard;

/// Enough that workers seldom meet at one lock.
const MOST_SHARDS: usize = 64;
/// A shard holds at least so many windows: a few clients more or less in a shard must not matter.
const FEWEST_PER_SHARD: usize = 1024;
/// Ended bans let go of with each decision: thousands may end at once, and no request is to wait for all of them.
const DROPS_PER_OPERATION: usize = 4;
/// Spreads routes over the hash space; any odd number with many bits does.
const ROUTE_SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// What a [`MemoryStore`] is made with.
#[derive(Clone, Debug)]
pub(crate) struct MemoryStoreOptions {
    /// Most windows, over all clients and routes.
    pub(crate) max_clients: usize,
    /// Most bans; when there are more, the one that ends soonest goes.
    pub(crate) max_bans: usize,
    /// Where bans outlive the process.
    pub(crate) ban_file: Option<PathBuf>,
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct MemoryStore {
    shared: Arc<Shared>,
    file: Option<BanFile>,
}

#[derive(Debug)]
struct Shared {
    shards: Box<[Mutex<Shard>]>,
    ends: Ends,
    hasher: RandomState,
    max_bans: usize,
    clock: Arc<dyn Clock>,
}

impl MemoryStore {
    pub(crate) fn new(options: &MemoryStoreOptions, clock: Arc<dyn Clock>) -> Self {
        let count = (options.max_clients / FEWEST_PER_SHARD).clamp(1, MOST_SHARDS);
        // Down to a power of two: the index of a shard is a mask.
        let count = 1 << count.ilog2();
        let capacity = (options.max_clients / count).max(1);
        let shared = Arc::new(Shared {
            shards: (0..count)
                .map(|_| Mutex::new(Shard::new(capacity)))
                .collect(),
            ends: Ends::new(),
            hasher: RandomState::default(),
            max_bans: options.max_bans.max(1),
            clock,
        });
        let file = options
            .ban_file
            .clone()
            .map(|path| BanFile::open(path, &shared));
        Self { shared, file }
    }

    /// Windows kept at the moment.
    #[cfg(test)]
    pub(crate) fn windows(&self) -> usize {
        (0..self.shared.shards.len())
            .map(|index| self.shared.shard(index).windows())
            .sum()
    }

    /// Entries in a log.
    #[cfg(test)]
    pub(crate) fn log_length(&self, key: LogKey, quotas: &[crate::decision::Quota]) -> usize {
        let now = self.shared.clock.now_millis();
        let hash = self.shared.log_hash(key);
        let mut shard = self.shared.shard(self.shared.shard_of(hash));
        let place = shard.log(hash, key, now, quotas);
        shard.log_length(place)
    }

    fn bans_changed(&self) {
        if let Some(file) = &self.file {
            file.changed();
        }
    }
}

impl Store for MemoryStore {
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision> {
        let decision = self.shared.decide(hit);
        if decision.newly_banned {
            self.shared.make_room_for_bans();
            self.bans_changed();
        }
        Answer::Ready(decision)
    }

    fn hot_ban(&self, client: ClientKey) -> Option<Arc<BanRecord>> {
        self.shared.ban_record(client)
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        let hash = self.shared.client_hash(client);
        self.shared
            .shard(self.shared.shard_of(hash))
            .clear_strikes(hash, client);
        Answer::Ready(())
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        let now = self.shared.clock.now_millis();
        let record = BanRecord {
            since_millis: now,
            until_millis: now.saturating_add(duration_millis),
            reason: reason.into(),
            by: BanSource::Manual,
        };
        let ban = record.to_ban(client, now, self.shared.clock.wall());
        self.shared.set_ban(client, record);
        self.shared.make_room_for_bans();
        self.bans_changed();
        Answer::Ready(ban)
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        let lifted = self.shared.lift_ban(client);
        if lifted {
            self.bans_changed();
        }
        Answer::Ready(lifted)
    }

    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>> {
        let (now, wall) = (self.shared.clock.now_millis(), self.shared.clock.wall());
        Answer::Ready(
            self.shared
                .ban_record(client)
                .map(|ban| ban.to_ban(client, now, wall)),
        )
    }

    fn bans(&self) -> Answer<Vec<Ban>> {
        let (now, wall) = (self.shared.clock.now_millis(), self.shared.clock.wall());
        let mut bans: Vec<Ban> = self
            .shared
            .records()
            .into_iter()
            .map(|(client, ban)| ban.to_ban(client, now, wall))
            .collect();
        bans.sort_by_key(|ban| ban.remaining);
        Answer::Ready(bans)
    }
}

/// The places of a hit: the hash of the client, and of each of its logs.
struct Places {
    client: u64,
    logs: SmallVec<[u64; 2]>,
}

/// The logs of a hit, in its order.
type Logs = SmallVec<[At; 2]>;

/// Where a log is, as long as its shard is locked.
#[derive(Clone, Copy)]
struct At {
    shard: usize,
    place: table::Place,
}

/// The shards that a hit touches, locked.
struct Held<'a> {
    client: MutexGuard<'a, Shard>,
    others: SmallVec<[(usize, MutexGuard<'a, Shard>); 3]>,
}

impl Held<'_> {
    #[inline]
    fn shard(&mut self, index: usize) -> &mut Shard {
        if self.others.is_empty() {
            return &mut self.client;
        }
        match self.others.iter_mut().find(|(other, _)| *other == index) {
            Some((_, shard)) => shard,
            None => &mut self.client,
        }
    }
}

impl Shared {
    fn decide(&self, hit: &Hit<'_>) -> Decision {
        let places = self.places(hit);
        let mut held = self.hold(&places);
        // Under the locks: a call that waited for them would otherwise be earlier than those that it waited for, and take
        // their entries for ones from before a clock step.
        let now = self.clock.now_millis();
        let decision = self.decide_held(&mut held, &places, hit, now);
        drop(held);
        if self.ends.is_due(now) {
            self.drop_ended_bans(now, DROPS_PER_OPERATION);
        }
        decision
    }

    fn decide_held(
        &self,
        held: &mut Held<'_>,
        places: &Places,
        hit: &Hit<'_>,
        now: u64,
    ) -> Decision {
        held.client.tidy(now);
        if hit.bans
            && !self.ends.is_empty()
            && let Some(ban) = self.ban_in(&mut held.client, places.client, hit.client, now)
        {
            return Decision {
                outcome: Outcome::Banned(ban),
                newly_banned: false,
                strikes: 0,
                quotas: QuotaStates::new(),
            };
        }
        let (outcome, quotas, logs) = match hit.cause {
            Cause::Threat(_) => (Outcome::Threat, QuotaStates::new(), Logs::new()),
            Cause::Request => {
                let logs = self.logs(held, places, hit, now);
                let (outcome, quotas) = Self::count(held, &logs, hit, now);
                (outcome, quotas, logs)
            }
        };
        let Some(rules) = hit.strikes else {
            return Decision {
                outcome,
                newly_banned: false,
                strikes: 0,
                quotas,
            };
        };
        if outcome == Outcome::Admitted {
            let strikes = held.client.strikes(places.client, hit.client, now);
            return Decision {
                outcome,
                newly_banned: false,
                strikes,
                quotas,
            };
        }
        let (exceeded, strikes) = held.client.strike(places.client, hit.client, now, &rules);
        if !exceeded {
            return Decision {
                outcome,
                newly_banned: false,
                strikes,
                quotas,
            };
        }
        let ban = Arc::new(automatic_ban(hit, &rules, now));
        Self::clear_tripped(held, &logs, hit, &quotas);
        self.set_ban_in(
            &mut held.client,
            places.client,
            hit.client,
            Arc::clone(&ban),
        );
        Decision {
            outcome: Outcome::Banned(ban),
            newly_banned: true,
            strikes: 0,
            quotas,
        }
    }

    /// Checks all logs, then records in all or none.
    fn count(held: &mut Held<'_>, logs: &Logs, hit: &Hit<'_>, now: u64) -> (Outcome, QuotaStates) {
        let mut admitted = true;
        for (at, log) in logs.iter().zip(hit.logs) {
            admitted &= held.shard(at.shard).admits(at.place, now, log.quotas);
        }
        let record = admitted || hit.count_rejected;
        let mut quotas = QuotaStates::new();
        for (at, log) in logs.iter().zip(hit.logs) {
            held.shard(at.shard)
                .settle(at.place, now, log.quotas, record, &mut quotas);
        }
        (
            if admitted {
                Outcome::Admitted
            } else {
                Outcome::Limited
            },
            quotas,
        )
    }

    /// Finds the logs of a hit, or makes them.
    fn logs(&self, held: &mut Held<'_>, places: &Places, hit: &Hit<'_>, now: u64) -> Logs {
        let mut logs = Logs::new();
        for (hash, log) in places.logs.iter().zip(hit.logs) {
            let shard = self.shard_of(*hash);
            let place = held.shard(shard).log(*hash, log.key, now, log.quotas);
            logs.push(At { shard, place });
        }
        logs
    }

    /// A new ban starts afresh: the windows that were tripped are empty when it ends.
    fn clear_tripped(held: &mut Held<'_>, logs: &Logs, hit: &Hit<'_>, quotas: &QuotaStates) {
        let mut states = quotas.iter();
        for (at, log) in logs.iter().zip(hit.logs) {
            let own = states.by_ref().take(log.quotas.len());
            if own.filter(|state| state.exceeded).count() > 0 {
                held.shard(at.shard).clear_log(at.place);
            }
        }
    }

    fn places(&self, hit: &Hit<'_>) -> Places {
        let client = self.client_hash(hit.client);
        let mut logs = SmallVec::new();
        for log in hit.logs {
            logs.push(match log.key.subject {
                Subject::Client(key) if key == hit.client => route_hash(client, log.key),
                _ => self.log_hash(log.key),
            });
        }
        Places { client, logs }
    }

    /// Locks the shards of a hit.
    #[inline]
    fn hold(&self, places: &Places) -> Held<'_> {
        let home = self.shard_of(places.client);
        if places.logs.iter().all(|hash| self.shard_of(*hash) == home) {
            return Held {
                client: self.shard(home),
                others: SmallVec::new(),
            };
        }
        self.hold_several(home, places)
    }

    /// Locks shards always in the same order, so that nobody waits in a circle.
    #[cold]
    fn hold_several(&self, home: usize, places: &Places) -> Held<'_> {
        let mut indexes: SmallVec<[usize; 3]> = places
            .logs
            .iter()
            .map(|hash| self.shard_of(*hash))
            .collect();
        indexes.push(home);
        indexes.sort_unstable();
        indexes.dedup();
        let mut others: SmallVec<[(usize, MutexGuard<'_, Shard>); 3]> = indexes
            .into_iter()
            .map(|index| (index, self.shard(index)))
            .collect();
        let at = others
            .iter()
            .position(|(index, _)| *index == home)
            .unwrap_or(0);
        let (_, client) = others.swap_remove(at);
        Held { client, others }
    }

    fn client_hash(&self, client: ClientKey) -> u64 {
        self.hasher.hash_one(client)
    }

    fn log_hash(&self, key: LogKey) -> u64 {
        match key.subject {
            Subject::Client(client) => route_hash(self.client_hash(client), key),
            Subject::Value(value) => route_hash(self.hasher.hash_one(value), key),
        }
    }

    /// All logs of a client are in the shard of the client: `route_hash` leaves these bits alone.
    fn shard_of(&self, hash: u64) -> usize {
        usize::try_from(hash >> 48 & 0x7F).unwrap_or(0) & (self.shards.len() - 1)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "shard_of masks the index to the number of shards"
    )]
    fn shard(&self, index: usize) -> MutexGuard<'_, Shard> {
        self.shards[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn home(&self, client: ClientKey) -> (u64, MutexGuard<'_, Shard>) {
        let hash = self.client_hash(client);
        (hash, self.shard(self.shard_of(hash)))
    }

    /// The ban in force, on the client's shard, which is locked. One that is over is taken away.
    fn ban_in(
        &self,
        shard: &mut Shard,
        hash: u64,
        client: ClientKey,
        now: u64,
    ) -> Option<Arc<BanRecord>> {
        let ban = shard.ban(hash, client)?;
        let before = ban.until_millis;
        if ban.since_millis > now {
            Arc::make_mut(ban).not_after(now);
        }
        let ban = Arc::clone(ban);
        if ban.until_millis <= now {
            shard.take_ban(hash, client);
            self.ends.leave(client, before);
            return None;
        }
        if ban.until_millis != before {
            self.ends.enter(client, ban.until_millis, Some(before));
        }
        Some(ban)
    }

    fn set_ban_in(&self, shard: &mut Shard, hash: u64, client: ClientKey, ban: Arc<BanRecord>) {
        let until = ban.until_millis;
        let before = shard.set_ban(hash, client, ban);
        self.ends
            .enter(client, until, before.map(|ban| ban.until_millis));
    }

    fn ban_record(&self, client: ClientKey) -> Option<Arc<BanRecord>> {
        if self.ends.is_empty() {
            return None;
        }
        let (hash, mut shard) = self.home(client);
        self.ban_in(&mut shard, hash, client, self.clock.now_millis())
    }

    fn records(&self) -> Vec<(ClientKey, Arc<BanRecord>)> {
        self.drop_ended_bans(self.clock.now_millis(), usize::MAX);
        let banned = self.ends.clients().into_iter();
        banned
            .filter_map(|client| Some((client, self.ban_record(client)?)))
            .collect()
    }

    fn set_ban(&self, client: ClientKey, ban: BanRecord) {
        let (hash, mut shard) = self.home(client);
        self.set_ban_in(&mut shard, hash, client, Arc::new(ban));
    }

    fn lift_ban(&self, client: ClientKey) -> bool {
        let (hash, mut shard) = self.home(client);
        let in_force = self.ban_in(&mut shard, hash, client, self.clock.now_millis());
        // The strikes go in any case.
        shard.take_ban(hash, client);
        if let Some(ban) = &in_force {
            self.ends.leave(client, ban.until_millis);
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

    fn make_room_for_bans(&self) {
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
