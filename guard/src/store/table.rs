//! A hash table of bounded size that keeps its entries in the order of their last use.
//!
//! Must not know: what it holds.

use hashbrown::HashTable;

/// Where an entry is, until another one is made or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

/// Stands for "no entry" in links.
const NONE: u32 = u32::MAX;

/// Entries live in slots that are reused, so a full table allocates nothing. When it is full, the entry that was used
/// longest ago makes room.
#[derive(Debug)]
pub(super) struct Table<K, V> {
    index: HashTable<u32>,
    slots: Vec<Slot<K, V>>,
    free: Vec<u32>,
    oldest: u32,
    newest: u32,
    capacity: usize,
}

#[derive(Debug)]
struct Slot<K, V> {
    hash: u64,
    older: u32,
    newer: u32,
    /// `None`: the slot is free.
    entry: Option<(K, V)>,
}

impl<K: Copy + Eq, V> Table<K, V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            index: HashTable::new(),
            slots: Vec::new(),
            free: Vec::new(),
            oldest: NONE,
            newest: NONE,
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

    /// The place of a key, made if need be; now the most recently used one.
    #[inline(always)]
    pub(super) fn touch(&mut self, hash: u64, key: K, make: impl FnOnce() -> V) -> Place {
        let place = match self.find(hash, &key) {
            Some(place) if place == self.newest => return Place(place),
            Some(place) => {
                self.unlink(place);
                place
            }
            None => self.insert(hash, key, make()),
        };
        self.link_newest(place);
        Place(place)
    }

    /// The value at a place.
    #[inline]
    pub(super) fn at_mut(&mut self, place: Place) -> Option<&mut V> {
        self.value(place.0)
    }

    pub(super) fn remove(&mut self, hash: u64, key: &K) -> Option<V> {
        let place = self.find(hash, key)?;
        self.unlink(place);
        self.release(place)
    }

    /// Removes the entry that was used longest ago if `is_done` says so; whether it did. A few calls with each operation
    /// replace a sweep.
    #[inline]
    pub(super) fn drop_oldest_if(&mut self, is_done: impl FnOnce(&V) -> bool) -> bool {
        let place = self.oldest;
        let done = self
            .slot(place)
            .and_then(|slot| slot.entry.as_ref())
            .is_some_and(|(_, value)| is_done(value));
        if done {
            self.unlink(place);
            self.release(place);
        }
        done
    }

    /// Puts an entry that is not there yet into a slot, unlinked.
    fn insert(&mut self, hash: u64, key: K, value: V) -> u32 {
        if self.index.len() >= self.capacity {
            let place = self.oldest;
            self.unlink(place);
            self.release(place);
        }
        let slot = Slot {
            hash,
            older: NONE,
            newer: NONE,
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
            .insert_unique(hash, place, |place| hash_at(slots, *place));
        place
    }

    /// Frees a slot that is unlinked already.
    fn release(&mut self, place: u32) -> Option<V> {
        let slot = self.slots.get_mut(place as usize)?;
        let (_, value) = slot.entry.take()?;
        if let Ok(found) = self.index.find_entry(slot.hash, |other| *other == place) {
            found.remove();
        }
        self.free.push(place);
        Some(value)
    }

    #[inline]
    fn find(&self, hash: u64, key: &K) -> Option<u32> {
        let slots = &self.slots;
        self.index
            .find(hash, |place| {
                slots
                    .get(*place as usize)
                    .and_then(|slot| slot.entry.as_ref())
                    .is_some_and(|(other, _)| other == key)
            })
            .copied()
    }

    #[inline]
    fn link_newest(&mut self, place: u32) {
        let newest = self.newest;
        if let Some(slot) = self.slot_mut(place) {
            slot.older = newest;
            slot.newer = NONE;
        }
        match self.slot_mut(newest) {
            Some(slot) => slot.newer = place,
            None => self.oldest = place,
        }
        self.newest = place;
    }

    #[inline]
    fn unlink(&mut self, place: u32) {
        let Some((older, newer)) = self.slot(place).map(|slot| (slot.older, slot.newer)) else {
            return;
        };
        match self.slot_mut(older) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
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
                self.unlink(place);
                self.release(place);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }
}

/// The hash an entry was inserted under, for growing the index.
fn hash_at<K, V>(slots: &[Slot<K, V>], place: u32) -> u64 {
    slots.get(place as usize).map_or(0, |slot| slot.hash)
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

    #[test]
    fn a_full_table_lets_go_of_what_was_used_longest_ago() {
        let mut table = Table::new(2);
        for key in [1, 2, 1, 3] {
            table.touch(hash(key), key, || key * 10);
        }
        assert_eq!(keys(&table), [1, 3]);
        assert_eq!(table.get_mut(hash(1), &1), Some(&mut 10));
        assert_eq!(table.get_mut(hash(2), &2), None);
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_list_ordered_by_last_use(steps in prop::collection::vec((0u8..4, 0u32..12), 0..200)) {
            let mut table = Table::new(5);
            let mut model: Vec<u32> = Vec::new();
            for (step, key) in steps {
                match step {
                    0 | 1 => {
                        table.touch(hash(key), key, || key);
                        if let Some(at) = model.iter().position(|other| *other == key) {
                            model.remove(at);
                        } else if model.len() == 5 {
                            model.remove(0);
                        }
                        model.push(key);
                    }
                    2 => {
                        let removed = table.remove(hash(key), &key);
                        prop_assert_eq!(removed.is_some(), model.contains(&key));
                        model.retain(|other| *other != key);
                    }
                    _ => {
                        let odd = |value: &u32| value % 2 == 1;
                        let dropped = table.drop_oldest_if(odd);
                        prop_assert_eq!(dropped, model.first().is_some_and(odd));
                        if dropped {
                            model.remove(0);
                        }
                    }
                }
                prop_assert_eq!(keys(&table), model.clone());
                prop_assert_eq!(table.len(), model.len());
                prop_assert!(table.slots.len() <= 5);
            }
        }
    }
}
