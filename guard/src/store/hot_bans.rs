//! The hot ban cache: who is banned as far as this process knows, answered without asking anybody.
//!
//! Only bans are kept, never their absence. An entry is believed for as long as somebody would say if it were wrong; while nobody would, it
//! is asked for again after [`UNTOLD_MILLIS`]. One that is not believed stays until the answer is there: nobody may be there to answer. Must not know: where bans come from, how changes are told.

use std::{
    hash::BuildHasher as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use foldhash::quality::RandomState;

use crate::{
    bans::{BanRecord, BanSource},
    client::ClientKey,
    clock::Clock,
};

use super::table::Table;

/// An entry is believed for so long while changes are told.
const TOLD_MILLIS: u64 = 3_600_000;
/// And for so long while they are not.
const UNTOLD_MILLIS: u64 = 5000;
/// Enough that workers seldom meet at one lock; a power of two.
const SHARDS: usize = 16;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct HotBans {
    shards: Box<[Mutex<Table<ClientKey, Entry>>]>,
    hasher: RandomState,
    /// Read on every request without a lock. May be too large, never too small.
    count: AtomicUsize,
    /// How often something was said to have changed.
    changes: AtomicU64,
    /// What was asked before so many changes is not believed.
    doubted: AtomicU64,
    /// Whether changes are told.
    told: AtomicBool,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
struct Entry {
    ban: BanRecord,
    asked: Moment,
    /// On the clock of this process, as the next one.
    ends_millis: u64,
    checked_millis: u64,
}

/// A moment before which nothing that is learned later may have been asked; see [`HotBans::remember`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

impl HotBans {
    /// Room for so many bans, and for a few more: they do not fall into all shards evenly, and none of so many is to be forgotten.
    pub(crate) fn new(entries: usize, clock: Arc<dyn Clock>) -> Self {
        let even = entries.div_ceil(SHARDS);
        let capacity = even + even / 4 + 4;
        Self {
            shards: (0..SHARDS)
                .map(|_| Mutex::new(Table::new(capacity)))
                .collect(),
            hasher: RandomState::default(),
            count: AtomicUsize::new(0),
            changes: AtomicU64::new(0),
            doubted: AtomicU64::new(0),
            told: AtomicBool::new(false),
            clock,
        }
    }

    /// Who banned a client, if a ban is known and still believed.
    #[inline]
    pub(crate) fn get(&self, client: ClientKey) -> Option<BanSource> {
        if self.is_empty() {
            return None;
        }
        let believed = match self.told.load(Ordering::Acquire) {
            true => TOLD_MILLIS,
            false => UNTOLD_MILLIS,
        };
        let since = Moment(self.doubted.load(Ordering::Acquire));
        self.known(client, believed, since, |ban| ban.by)
    }

    /// What is read of the ban of a client that was known last, while nobody can be asked.
    pub(crate) fn last_known<T>(
        &self,
        client: ClientKey,
        read: impl FnOnce(&BanRecord) -> T,
    ) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.known(client, u64::MAX, Moment(0), read)
    }

    /// Taken before somebody is asked about a ban.
    pub(crate) fn moment(&self) -> Moment {
        Moment(self.changes.load(Ordering::Acquire))
    }

    /// Remembers a ban that was learned of, with the milliseconds that are left of it; unless something has changed since it
    /// was asked for: then it may be wrong already.
    pub(crate) fn remember(
        &self,
        asked: Moment,
        client: ClientKey,
        ban: BanRecord,
        left_millis: u64,
    ) {
        let now = self.clock.now_millis();
        let entry = Entry {
            ban,
            asked,
            ends_millis: now.saturating_add(left_millis),
            checked_millis: now,
        };
        let (hash, mut shard) = self.shard(client);
        // Looked at under the lock: a change that comes later finds the entry.
        if self.changes.load(Ordering::Acquire) != asked.0 {
            return;
        }
        shard.remove(hash, &client);
        shard.touch(hash, client, u64::MAX, || entry);
        self.count.fetch_add(1, Ordering::Release);
    }

    /// There was no ban, as an answer says.
    pub(crate) fn has_none(&self, client: ClientKey) {
        if self.is_empty() {
            return;
        }
        let (hash, mut shard) = self.shard(client);
        shard.remove(hash, &client);
    }

    /// What is known of a client is wrong.
    pub(crate) fn forget(&self, client: ClientKey) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.has_none(client);
    }

    /// Anything may be wrong: each ban is to be asked for again.
    pub(crate) fn doubt_all(&self) {
        let changes = self.changes.fetch_add(1, Ordering::AcqRel);
        self.doubted.fetch_max(changes + 1, Ordering::AcqRel);
    }

    /// All is wrong.
    pub(crate) fn forget_all(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        for shard in &self.shards {
            lock(shard).clear();
        }
        self.recount();
    }

    /// Whether changes are told from now on.
    pub(crate) fn set_told(&self, told: bool) {
        self.told.store(told, Ordering::Release);
    }

    /// All that are known, and not over.
    pub(crate) fn all(&self) -> Vec<(ClientKey, BanRecord, u64)> {
        let now = self.clock.now_millis();
        let mut all = Vec::new();
        for shard in &self.shards {
            lock(shard).each(|client, entry| {
                if entry.ends_millis > now {
                    all.push((*client, entry.ban.clone(), entry.ends_millis - now));
                }
            });
        }
        all
    }

    /// Lets go of bans that are over. Called now and then, so that an attack that is over costs no look-ups.
    pub(crate) fn tidy(&self) {
        if self.is_empty() {
            return;
        }
        let now = self.clock.now_millis();
        for shard in &self.shards {
            lock(shard).retain(|entry| entry.ends_millis > now);
        }
        self.recount();
    }

    fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    #[inline]
    fn known<T>(
        &self,
        client: ClientKey,
        believed: u64,
        since: Moment,
        read: impl FnOnce(&BanRecord) -> T,
    ) -> Option<T> {
        let now = self.clock.now_millis();
        let (hash, mut shard) = self.shard(client);
        let entry = shard.get_mut(hash, &client)?;
        if entry.ends_millis <= now {
            shard.remove(hash, &client);
            return None;
        }
        let is_believed =
            entry.asked >= since && now.saturating_sub(entry.checked_millis) < believed;
        is_believed.then(|| read(&entry.ban))
    }

    /// Counts what is there, with all shards locked: nobody adds to them meanwhile.
    fn recount(&self) {
        let shards: Vec<_> = self.shards.iter().map(lock).collect();
        let count = shards.iter().map(|shard| shard.len()).sum();
        self.count.store(count, Ordering::Release);
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the index is masked to the number of shards"
    )]
    fn shard(&self, client: ClientKey) -> (u64, MutexGuard<'_, Table<ClientKey, Entry>>) {
        let hash = self.hasher.hash_one(client);
        let index = usize::try_from(hash >> 48).unwrap_or(0) & (SHARDS - 1);
        (hash, lock(&self.shards[index]))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Duration};

    use super::*;
    use crate::{
        clock::ManualClock,
        store::contract::{ALICE, BOB, HOUR},
    };

    fn bans(entries: usize) -> (HotBans, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::new());
        (HotBans::new(entries, clock.clone()), clock)
    }

    fn ban() -> BanRecord {
        BanRecord {
            since_millis: 1,
            until_millis: 2,
            reason: "a reason".into(),
            by: BanSource::Automatic,
        }
    }

    fn advance(clock: &ManualClock, millis: u64) {
        clock.advance(Duration::from_millis(millis));
    }

    #[test]
    fn a_ban_is_known_until_it_ends_and_not_beyond() {
        let (bans, clock) = bans(100);
        bans.set_told(true);
        bans.remember(bans.moment(), ALICE, ban(), 1000);
        assert_eq!(bans.get(BOB), None);
        advance(&clock, 999);
        assert_eq!(bans.get(ALICE), Some(BanSource::Automatic));
        advance(&clock, 1);
        assert_eq!(bans.get(ALICE), None);
        assert_eq!(bans.last_known(ALICE, BanRecord::clone), None);
    }

    #[test]
    fn a_ban_is_asked_for_again_after_an_hour_and_after_seconds_while_nobody_tells() {
        let (bans, clock) = bans(100);
        for (told, believed) in [(true, HOUR), (false, 5000)] {
            bans.set_told(told);
            bans.remember(bans.moment(), ALICE, ban(), 10 * HOUR);
            advance(&clock, believed - 1);
            assert_eq!(bans.get(ALICE), Some(BanSource::Automatic), "{told}");
            advance(&clock, 1);
            assert_eq!(bans.get(ALICE), None, "{told}");
            assert_eq!(
                bans.last_known(ALICE, BanRecord::clone),
                Some(ban()),
                "{told}"
            );
        }
    }

    #[test]
    fn an_answer_that_was_under_way_when_something_changed_is_not_remembered() {
        let (bans, _) = bans(100);
        let asked = bans.moment();
        bans.forget(ALICE);
        bans.remember(asked, ALICE, ban(), HOUR);
        assert_eq!(bans.last_known(ALICE, BanRecord::clone), None);
        let asked = bans.moment();
        bans.forget_all();
        bans.remember(asked, ALICE, ban(), HOUR);
        assert_eq!(bans.last_known(ALICE, BanRecord::clone), None);
        bans.remember(bans.moment(), ALICE, ban(), HOUR);
        assert_eq!(bans.last_known(ALICE, BanRecord::clone), Some(ban()));
    }

    #[test]
    fn what_is_doubted_is_asked_for_again_and_stays_known() {
        let (bans, _) = bans(100);
        bans.set_told(true);
        for client in [ALICE, BOB] {
            bans.remember(bans.moment(), client, ban(), HOUR);
        }
        let asked = bans.moment();
        bans.doubt_all();
        bans.remember(asked, ALICE, ban(), HOUR);
        for client in [ALICE, BOB] {
            assert_eq!(bans.get(client), None);
            assert_eq!(bans.last_known(client, BanRecord::clone), Some(ban()));
        }
        bans.remember(bans.moment(), ALICE, ban(), HOUR);
        bans.has_none(BOB);
        assert_eq!(bans.get(ALICE), Some(BanSource::Automatic));
        assert_eq!(bans.last_known(BOB, BanRecord::clone), None);
    }

    #[test]
    fn what_is_forgotten_is_gone_and_the_rest_stays() {
        let (bans, clock) = bans(100);
        for client in [ALICE, BOB] {
            bans.remember(bans.moment(), client, ban(), HOUR);
        }
        bans.forget(ALICE);
        assert_eq!(bans.get(ALICE), None);
        assert_eq!(bans.all(), [(BOB, ban(), HOUR)]);
        advance(&clock, HOUR);
        assert_eq!(bans.all(), []);
        bans.tidy();
        assert!(bans.is_empty());
    }

    fn remember_many(bans: &HotBans, number: u32) {
        for number in 0..number {
            let client = ClientKey::V4(Ipv4Addr::from_bits(number));
            bans.remember(bans.moment(), client, ban(), HOUR);
        }
    }

    #[test]
    fn as_many_are_kept_as_there_is_to_be_room_for() {
        let (bans, _) = bans(10_000);
        remember_many(&bans, 10_000);
        assert_eq!(bans.all().len(), 10_000);
    }

    #[test]
    fn not_many_more_are_kept() {
        let (bans, _) = bans(10_000);
        remember_many(&bans, 100_000);
        let kept = bans.all().len();
        assert!((10_000..=13_000).contains(&kept), "{kept}");
    }
}
