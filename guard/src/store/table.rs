//! A hash table of bounded size: when it is full, the entry that was used longest ago makes room, and entries that are over go by themselves.
//!
//! Entries are in a list, the one that was used longest ago first. To move one within the list writes to its neighbours, and with many
//! clients each of them is a wait for memory. So while there is room enough, a use moves nothing, and an entry is moved no more often than it
//! would be over without use. Must not know: what it holds.

use hashbrown::HashTable;

/// Where an entry is, until another one is made or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

/// Stands for "no entry" in links.
const NONE: u32 = u32::MAX;

/// Entries live in slots that are reused, so a full table allocates nothing.
#[derive(Debug)]
pub(super) struct Table<K, V> {
    index: HashTable<u32>,
    slots: Vec<Slot<K, V>>,
    free: Vec<u32>,
    oldest: u32,
    newest: u32,
    /// When the first entry of the list was to be over, at least: until then, nobody has to fetch it to know.
    next_due_millis: u64,
    capacity: usize,
}

/// Aligned to the lines of the processor's caches: what is used together is fetched together.
#[derive(Debug)]
#[repr(align(64))]
struct Slot<K, V> {
    hash: ShortHash,
    older: u32,
    newer: u32,
    /// When the entry was to be over, at the time when it came to its place in the list.
    due_millis: u64,
    /// `None`: the slot is free.
    entry: Option<(K, V)>,
}

/// As much of a hash as is kept for growing the index: every byte of a slot counts.
#[derive(Clone, Copy, Debug)]
struct ShortHash(u32);

impl ShortHash {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "keys are compared, so a few more that share a hash do no harm"
    )]
    fn of(hash: u64) -> Self {
        Self(hash as u32)
    }

    /// The hash in the index, which looks at the upper bits and the lower ones.
    #[inline]
    fn spread(self) -> u64 {
        /// Any odd number with many bits does.
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        u64::from(self.0).wrapping_mul(SPREAD)
    }
}

impl<K: Copy + Eq, V> Table<K, V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            index: HashTable::new(),
            slots: Vec::new(),
            free: Vec::new(),
            oldest: NONE,
            newest: NONE,
            next_due_millis: 0,
            capacity: capacity.clamp(1, NONE as usize),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.newest == NONE
    }

    /// The value of a key; does not count as a use.
    pub(super) fn get_mut(&mut self, hash: u64, key: &K) -> Option<&mut V> {
        let place = self.find(hash, key)?;
        self.value(place)
    }

    /// Uses the entry of a key, made if need be; its place. `ends_millis`: when it is over if it is never used again.
    #[inline(always)]
    pub(super) fn touch(
        &mut self,
        hash: u64,
        key: K,
        ends_millis: u64,
        make: impl FnOnce() -> V,
    ) -> Place {
        match self.find(hash, &key) {
            Some(place) => {
                if self.is_crowded() {
                    self.move_to_the_end(place, ends_millis);
                }
                Place(place)
            }
            None => Place(self.insert(hash, key, make(), ends_millis)),
        }
    }

    /// The value at a place.
    #[inline]
    pub(super) fn at_mut(&mut self, place: Place) -> Option<&mut V> {
        self.value(place.0)
    }

    pub(super) fn remove(&mut self, hash: u64, key: &K) -> Option<V> {
        let place = self.find(hash, key)?;
        self.take(place)
    }

    /// Removes the first entry of the list if it is over, by the end that `ends_millis` gives. If it only was to be over by now, it has been
    /// used meanwhile, and holds up the others no longer. Whether there may be more to do: a few calls with each operation replace a sweep.
    #[inline]
    pub(super) fn tidy(&mut self, now_millis: u64, ends_millis: impl FnOnce(&V) -> u64) -> bool {
        self.next_due_millis <= now_millis && self.tidy_first(now_millis, ends_millis)
    }

    fn tidy_first(&mut self, now_millis: u64, ends_millis: impl FnOnce(&V) -> u64) -> bool {
        let first = self.oldest;
        let Some(slot) = self.slot(first) else {
            return false;
        };
        if slot.due_millis > now_millis {
            self.next_due_millis = slot.due_millis;
            return false;
        }
        match slot.entry.as_ref().map(|(_, value)| ends_millis(value)) {
            Some(ends) if ends > now_millis => self.move_to_the_end(first, ends),
            _ => drop(self.take(first)),
        }
        true
    }

    /// From then on, the list is kept in order with every use: long before an entry has to make room for another.
    #[inline]
    fn is_crowded(&self) -> bool {
        self.index.len() >= self.capacity / 2
    }

    /// Puts an entry that is not there yet into a slot.
    fn insert(&mut self, hash: u64, key: K, value: V, ends_millis: u64) -> u32 {
        if self.index.len() >= self.capacity {
            self.take(self.oldest);
        }
        let hash = ShortHash::of(hash);
        let slot = Slot {
            hash,
            older: NONE,
            newer: NONE,
            due_millis: ends_millis,
            entry: Some((key, value)),
        };
        let place = match self.free.pop() {
            Some(place) => {
                if let Some(free) = self.slots.get_mut(place as usize) {
                    *free = slot;
                }
                place
            }
            None => {
                self.slots.push(slot);
                u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
            }
        };
        let slots = &self.slots;
        self.index
            .insert_unique(hash.spread(), place, |place| hash_at(slots, *place));
        self.link_newest(place);
        place
    }

    /// Removes an entry from the list and the index, and frees its slot.
    fn take(&mut self, place: u32) -> Option<V> {
        self.unlink(place);
        let slot = self.slots.get_mut(place as usize)?;
        let (_, value) = slot.entry.take()?;
        if let Ok(found) = self
            .index
            .find_entry(slot.hash.spread(), |other| *other == place)
        {
            found.remove();
        }
        self.free.push(place);
        Some(value)
    }

    #[inline]
    fn find(&self, hash: u64, key: &K) -> Option<u32> {
        let slots = &self.slots;
        self.index
            .find(ShortHash::of(hash).spread(), |place| {
                slots
                    .get(*place as usize)
                    .and_then(|slot| slot.entry.as_ref())
                    .is_some_and(|(other, _)| other == key)
            })
            .copied()
    }

    fn move_to_the_end(&mut self, place: u32, ends_millis: u64) {
        if place != self.newest {
            self.unlink(place);
            self.link_newest(place);
        }
        if let Some(slot) = self.slot_mut(place) {
            slot.due_millis = ends_millis;
        }
    }

    fn link_newest(&mut self, place: u32) {
        let newest = self.newest;
        if let Some(slot) = self.slot_mut(place) {
            slot.older = newest;
            slot.newer = NONE;
        }
        match self.slot_mut(newest) {
            Some(slot) => slot.newer = place,
            None => self.set_oldest(place),
        }
        self.newest = place;
    }

    fn set_oldest(&mut self, place: u32) {
        self.oldest = place;
        self.next_due_millis = 0;
    }

    fn unlink(&mut self, place: u32) {
        let Some((older, newer)) = self.slot(place).map(|slot| (slot.older, slot.newer)) else {
            return;
        };
        match self.slot_mut(older) {
            Some(slot) => slot.newer = newer,
            None => self.set_oldest(newer),
        }
        match self.slot_mut(newer) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
    }

    fn slot(&self, place: u32) -> Option<&Slot<K, V>> {
        self.slots.get(place as usize)
    }

    fn slot_mut(&mut self, place: u32) -> Option<&mut Slot<K, V>> {
        self.slots.get_mut(place as usize)
    }

    #[inline]
    fn value(&mut self, place: u32) -> Option<&mut V> {
        self.slot_mut(place)?.entry.as_mut().map(|(_, value)| value)
    }
}

#[cfg(any(test, feature = "redis"))]
impl<K: Copy + Eq, V> Table<K, V> {
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }
}

#[cfg(feature = "redis")]
impl<K: Copy + Eq, V> Table<K, V> {
    /// Calls `visit` with every entry.
    pub(super) fn each(&self, mut visit: impl FnMut(&K, &V)) {
        for (key, value) in self.slots.iter().filter_map(|slot| slot.entry.as_ref()) {
            visit(key, value);
        }
    }

    /// Removes the entries for which `stays` says no.
    pub(super) fn retain(&mut self, stays: impl Fn(&V) -> bool) {
        for place in 0..self.slots.len() {
            let place = u32::try_from(place).unwrap_or(NONE);
            let goes = self.value(place).is_some_and(|value| !stays(value));
            if goes {
                self.take(place);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }
}

/// The hash an entry was inserted under, for growing the index.
fn hash_at<K, V>(slots: &[Slot<K, V>], place: u32) -> u64 {
    slots
        .get(place as usize)
        .map_or(0, |slot| slot.hash.spread())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Everything under few hashes, so that collisions are the rule.
    fn hash(key: u32) -> u64 {
        u64::from(key % 3)
    }

    fn keys(table: &Table<u32, u32>) -> Vec<u32> {
        let mut keys = Vec::new();
        let mut place = table.oldest;
        while let Some(slot) = table.slot(place) {
            keys.extend(slot.entry.map(|(key, _)| key));
            place = slot.newer;
        }
        keys
    }

    fn touch(table: &mut Table<u32, u32>, key: u32) {
        table.touch(hash(key), key, u64::MAX, || key * 10);
    }

    #[test]
    fn a_full_table_lets_go_of_what_was_used_longest_ago() {
        let mut table = Table::new(2);
        for key in [1, 2, 1, 3] {
            touch(&mut table, key);
        }
        assert_eq!(keys(&table), [1, 3]);
        assert_eq!(table.get_mut(hash(1), &1), Some(&mut 10));
        assert_eq!(table.get_mut(hash(2), &2), None);
    }

    #[test]
    fn whoever_is_seen_again_and_again_stays_whatever_comes_and_goes() {
        for requests_each in [1, 2, 5] {
            let mut table = Table::new(100);
            (0..10).for_each(|regular| touch(&mut table, regular));
            for (turn, passing) in (100..5000).enumerate() {
                (0..requests_each).for_each(|_| touch(&mut table, passing));
                let regular = (turn % 10) as u32;
                assert!(table.get_mut(hash(regular), &regular).is_some(), "{turn}");
                touch(&mut table, regular);
            }
        }
    }

    #[test]
    fn what_is_over_goes_and_what_was_used_meanwhile_holds_nothing_up() {
        let mut table = Table::new(10);
        // The values are when they are over.
        let tidy = |table: &mut Table<u32, u32>, now| table.tidy(now, |ends| u64::from(*ends));
        for (key, ends) in [(1, 100), (2, 100), (3, 150)] {
            table.touch(hash(key), key, ends.into(), || ends);
        }
        if let Some(ends) = table.get_mut(hash(1), &1) {
            *ends = 190;
        }
        assert!(!tidy(&mut table, 99));
        assert_eq!(keys(&table), [1, 2, 3]);
        assert!(tidy(&mut table, 100));
        assert_eq!(keys(&table), [2, 3, 1]);
        assert!(tidy(&mut table, 100));
        assert!(!tidy(&mut table, 100));
        assert_eq!(keys(&table), [3, 1]);
        assert!(tidy(&mut table, 150));
        assert!(!tidy(&mut table, 189));
        assert!(tidy(&mut table, 190));
        assert!(!tidy(&mut table, u64::MAX));
        assert!(table.is_empty());
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_list(steps in prop::collection::vec((0u8..5, 0u32..24), 0..200)) {
            const CAPACITY: usize = 12;
            let mut table = Table::new(CAPACITY);
            // Keys, and when they were to be over.
            let mut model: Vec<(u32, u64)> = Vec::new();
            for (now, (step, key)) in (0u64..).zip(steps) {
                let ends = |key: u32| u64::from(key) * 10;
                let at = model.iter().position(|(other, _)| *other == key);
                match step {
                    0 | 1 => {
                        let due = ends(key) / 2;
                        table.touch(hash(key), key, due, || key);
                        match at {
                            Some(at) if model.len() >= CAPACITY / 2 => {
                                model.remove(at);
                                model.push((key, due));
                            }
                            Some(_) => {}
                            None => {
                                if model.len() == CAPACITY {
                                    model.remove(0);
                                }
                                model.push((key, due));
                            }
                        }
                    }
                    2 => {
                        prop_assert_eq!(table.remove(hash(key), &key), at.map(|_| key));
                        model.retain(|(other, _)| *other != key);
                    }
                    _ => {
                        let is_due = model.first().is_some_and(|(_, due)| *due <= now);
                        prop_assert_eq!(table.tidy(now, |key| ends(*key)), is_due);
                        if is_due {
                            let (key, _) = model.remove(0);
                            if ends(key) > now {
                                model.push((key, ends(key)));
                            }
                        }
                    }
                }
                let expected: Vec<u32> = model.iter().map(|(key, _)| *key).collect();
                prop_assert_eq!(keys(&table), expected);
                prop_assert_eq!(table.len(), model.len());
                prop_assert!(table.slots.len() <= CAPACITY);
            }
        }
    }
}
