//! The memory store: everything in this process, nothing to install. It is its own hot ban cache.
//!
//! Must not know: requests, responses, routes' patterns.

mod ban_file;
mod ends;
mod log;
mod shard;
mod strikes;
mod table;

use std::{
    hash::{BuildHasher, RandomState},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

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
            hasher: RandomState::new(),
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
        shard.log(hash, key, now, quotas).map_or(0, |log| log.len())
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

    fn hot_ban(&self, client: ClientKey) -> Option<BanRecord> {
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
    logs: SmallVec<[u64; 3]>,
}

/// The shards that a hit touches, locked.
struct Held<'a> {
    client: MutexGuard<'a, Shard>,
    others: SmallVec<[(usize, MutexGuard<'a, Shard>); 1]>,
}

impl Held<'_> {
    fn shard(&mut self, index: usize) -> &mut Shard {
        match self.others.iter_mut().find(|(other, _)| *other == index) {
            Some((_, shard)) => shard,
            None => &mut self.client,
        }
    }
}

impl Shared {
    fn decide(&self, hit: &Hit<'_>) -> Decision {
        let now = self.clock.now_millis();
        if self.ends.is_due(now) {
            self.drop_ended_bans(now);
        }
        let places = self.places(hit);
        let mut held = self.hold(&places);
        held.client.tidy(now);
        if hit.bans
            && !self.ends.is_empty()
            && let Some(ban) = held.client.ban(places.client, hit.client, now)
        {
            let ban = ban.clone();
            return Decision {
                outcome: Outcome::Banned(ban),
                newly_banned: false,
                strikes: 0,
                quotas: QuotaStates::new(),
            };
        }
        let (outcome, quotas) = match hit.cause {
            Cause::Threat(_) => (Outcome::Threat, QuotaStates::new()),
            Cause::Request => self.count(&mut held, &places, hit, now),
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
        let ban = automatic_ban(hit, &rules, now);
        self.clear_tripped(&mut held, &places, hit, &quotas);
        held.client.set_ban(places.client, hit.client, ban.clone());
        self.ends.enter(hit.client, ban.until_millis, None);
        Decision {
            outcome: Outcome::Banned(ban),
            newly_banned: true,
            strikes: 0,
            quotas,
        }
    }

    /// Checks all logs, then records in all or none.
    fn count(
        &self,
        held: &mut Held<'_>,
        places: &Places,
        hit: &Hit<'_>,
        now: u64,
    ) -> (Outcome, QuotaStates) {
        let mut admitted = true;
        for (hash, log) in places.logs.iter().zip(hit.logs) {
            let found = held
                .shard(self.shard_of(*hash))
                .log(*hash, log.key, now, log.quotas);
            admitted &= found.is_none_or(|found| found.admits(now, log.quotas));
        }
        let record = admitted || hit.count_rejected;
        let mut quotas = QuotaStates::new();
        for (hash, log) in places.logs.iter().zip(hit.logs) {
            let shard = held.shard(self.shard_of(*hash));
            shard.settle(*hash, log.key, now, log.quotas, record, &mut quotas);
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

    /// A new ban starts afresh: the windows that were tripped are empty when it ends.
    fn clear_tripped(
        &self,
        held: &mut Held<'_>,
        places: &Places,
        hit: &Hit<'_>,
        quotas: &QuotaStates,
    ) {
        let mut states = quotas.iter();
        for (hash, log) in places.logs.iter().zip(hit.logs) {
            let tripped = states
                .by_ref()
                .take(log.quotas.len())
                .filter(|state| state.exceeded)
                .count()
                > 0;
            if tripped {
                held.shard(self.shard_of(*hash)).clear_log(*hash, log.key);
            }
        }
    }

    fn places(&self, hit: &Hit<'_>) -> Places {
        let client = self.client_hash(hit.client);
        let logs = hit
            .logs
            .iter()
            .map(|log| match log.key.subject {
                Subject::Client(key) if key == hit.client => route_hash(client, log.key),
                _ => self.log_hash(log.key),
            })
            .collect();
        Places { client, logs }
    }

    /// Locks the shards of a hit, always in the same order.
    fn hold(&self, places: &Places) -> Held<'_> {
        let home = self.shard_of(places.client);
        let mut indexes: SmallVec<[usize; 3]> = places
            .logs
            .iter()
            .map(|hash| self.shard_of(*hash))
            .collect();
        indexes.retain(|index| *index != home);
        if indexes.is_empty() {
            return Held {
                client: self.shard(home),
                others: SmallVec::new(),
            };
        }
        indexes.push(home);
        indexes.sort_unstable();
        indexes.dedup();
        let mut others: SmallVec<[(usize, MutexGuard<'_, Shard>); 1]> = indexes
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

    fn ban_record(&self, client: ClientKey) -> Option<BanRecord> {
        if self.ends.is_empty() {
            return None;
        }
        let now = self.clock.now_millis();
        let (hash, mut shard) = self.home(client);
        shard.ban(hash, client, now).cloned()
    }

    fn records(&self) -> Vec<(ClientKey, BanRecord)> {
        self.drop_ended_bans(self.clock.now_millis());
        let banned = self.ends.clients().into_iter();
        banned
            .filter_map(|client| Some((client, self.ban_record(client)?)))
            .collect()
    }

    fn set_ban(&self, client: ClientKey, ban: BanRecord) {
        let now = self.clock.now_millis();
        let (hash, mut shard) = self.home(client);
        let before = shard.ban(hash, client, now).map(|ban| ban.until_millis);
        self.ends.enter(client, ban.until_millis, before);
        shard.set_ban(hash, client, ban);
    }

    fn lift_ban(&self, client: ClientKey) -> bool {
        let now = self.clock.now_millis();
        let (hash, mut shard) = self.home(client);
        let in_force = shard.ban(hash, client, now).is_some();
        if let Some(ban) = shard.take_ban(hash, client) {
            self.ends.leave(client, ban.until_millis);
        }
        in_force
    }

    fn drop_ended_bans(&self, now: u64) {
        while let Some(client) = self.ends.take_first(now) {
            let (hash, mut shard) = self.home(client);
            if let Some(until) = shard.take_ended_ban(hash, client, now) {
                self.ends.enter(client, until, None);
            }
        }
    }

    fn make_room_for_bans(&self) {
        while self.ends.len() > self.max_bans {
            let Some(client) = self.ends.take_first(u64::MAX) else {
                return;
            };
            let (hash, mut shard) = self.home(client);
            shard.take_ban(hash, client);
            tracing::warn!(%client, max_bans = self.max_bans, "too many bans: the one that ends soonest was lifted");
        }
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
