//! The stamps of a log, which grows only as far as it is used. The newest few are kept in place, the older ones in a ring of their own.
//!
//! A log of many clients is seldom in a cache of the processor: what is elsewhere is another wait for memory. So most calls read and write
//! only what is in place. Must not know: quotas.

/// Stamps in place. Most clients of a public site come a few times and are gone: they need no memory of their own.
const IN_PLACE: usize = 4;

/// Oldest first.
#[derive(Debug, Default)]
#[cfg_attr(feature = "admin", derive(Clone))]
pub(super) struct Stamps {
    /// The newest stamps, `count` of them, from `first` on. There is one, if there is any stamp at all; they begin at 0, if there are older
    /// ones.
    newest: [u64; IN_PLACE],
    first: u8,
    count: u8,
    older: Box<[u64]>,
    /// The slot of the oldest of the older ones, and their number.
    head: u32,
    older_count: u32,
    /// The oldest of all once more, if there is any.
    oldest: u64,
}

impl Stamps {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.older_count as usize + usize::from(self.count)
    }

    /// Stamps that there is memory for, beside those in place.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.older.len()
    }

    /// The stamp that `nth` others are older than.
    #[inline]
    pub(super) fn get(&self, nth: usize) -> Option<u64> {
        if nth == 0 {
            return self.oldest();
        }
        match nth.checked_sub(self.older_count as usize) {
            None => self.older.get(self.slot(nth)).copied(),
            Some(nth) if nth < usize::from(self.count) => {
                self.newest.get(usize::from(self.first) + nth).copied()
            }
            Some(_) => None,
        }
    }

    #[inline]
    pub(super) fn oldest(&self) -> Option<u64> {
        (self.count > 0).then_some(self.oldest)
    }

    #[inline]
    pub(super) fn drop_oldest(&mut self) {
        if self.older_count > 0 {
            self.head = index(self.slot(1));
            self.older_count -= 1;
        } else if self.count > 0 {
            self.first += 1;
            self.count -= 1;
        }
        self.read_oldest();
    }

    /// Adds the newest stamp; of more than `most` the oldest go.
    #[inline]
    pub(super) fn push(&mut self, stamp: u64, most: usize) {
        while self.count > 0 && self.len() >= most {
            self.drop_oldest();
        }
        if usize::from(self.first + self.count) == IN_PLACE {
            self.make_room(most);
        }
        if let Some(free) = self.newest.get_mut(usize::from(self.first + self.count)) {
            *free = stamp;
            self.count += 1;
        }
        if self.len() == 1 {
            self.oldest = stamp;
        }
    }

    /// No stamp is later than `now`.
    #[inline]
    pub(super) fn pull_back_to(&mut self, now: u64) {
        let end = usize::from(self.first + self.count);
        let newest = self.newest.get(end.wrapping_sub(1));
        if self.count > 0 && newest.is_some_and(|stamp| *stamp > now) {
            self.pull_some_back_to(now);
        }
    }

    #[cold]
    fn pull_some_back_to(&mut self, now: u64) {
        // In no particular order: each is looked at.
        let all = self.newest.iter_mut().chain(&mut self.older);
        all.for_each(|stamp| *stamp = now.min(*stamp));
        self.read_oldest();
    }

    /// How many of the oldest stamps `is_out` holds for; it does for none that is newer than one it does not hold for.
    pub(super) fn count_oldest(&self, is_out: impl Fn(u64) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle).is_some_and(&is_out) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(super) fn clear(&mut self) {
        (self.first, self.count, self.head, self.older_count) = (0, 0, 0, 0);
    }

    /// The slot of the `nth` of the older stamps, which may be the first free one.
    #[inline]
    fn slot(&self, nth: usize) -> usize {
        let slot = self.head as usize + nth;
        if slot < self.older.len() {
            slot
        } else {
            slot - self.older.len()
        }
    }

    #[inline]
    fn read_oldest(&mut self) {
        let oldest = match self.older_count {
            0 => self.newest.get(usize::from(self.first)),
            _ => self.older.get(self.head as usize),
        };
        if let Some(stamp) = oldest {
            self.oldest = *stamp;
        }
    }

    /// Makes room in place for one more stamp at least.
    #[inline(never)]
    fn make_room(&mut self, most: usize) {
        if self.first > 0 {
            self.newest.rotate_left(usize::from(self.first));
        } else {
            self.move_to_the_older(most);
            self.count = 0;
        }
        self.first = 0;
    }

    /// Those in place become older ones.
    fn move_to_the_older(&mut self, most: usize) {
        let wanted = self.older_count as usize + IN_PLACE;
        if wanted > self.older.len() {
            self.grow(wanted, most);
        }
        for stamp in self.newest {
            let slot = self.slot(self.older_count as usize);
            if let Some(free) = self.older.get_mut(slot) {
                *free = stamp;
                self.older_count += 1;
            }
        }
    }

    /// Makes room by doubling, for `wanted` stamps at least, and for no more than `most`.
    fn grow(&mut self, wanted: usize, most: usize) {
        let size = (wanted * 2).min(most).max(wanted);
        self.older.rotate_left(self.head as usize);
        self.head = 0;
        let mut grown = vec![0; size].into_boxed_slice();
        if let Some(same) = grown.get_mut(..self.older.len()) {
            same.copy_from_slice(&self.older);
        }
        self.older = grown;
    }
}

/// There are no more stamps than a quota has requests, which are counted in 32 bits.
fn index(slot: usize) -> u32 {
    u32::try_from(slot).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    fn all(stamps: &Stamps) -> Vec<u64> {
        (0..).map_while(|nth| stamps.get(nth)).collect()
    }

    #[test]
    fn it_grows_no_further_than_it_may() {
        let mut stamps = Stamps::default();
        for stamp in 0..100 {
            stamps.push(stamp, 11);
            assert!(stamps.capacity() <= 11);
        }
        assert_eq!(all(&stamps), (89..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_few_stamps_need_no_memory_of_their_own() {
        let mut stamps = Stamps::default();
        let allocated =
            allocation_counter::measure(|| (0..4).for_each(|stamp| stamps.push(stamp, 50)));
        assert_eq!(allocated.count_total, 0);
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_queue(steps in prop::collection::vec((0u8..8, 1usize..20, 0u64..100), 0..200)) {
            let mut stamps = Stamps::default();
            let mut model: VecDeque<u64> = VecDeque::new();
            for (step, most, stamp) in steps {
                match step {
                    0 => {
                        stamps.drop_oldest();
                        model.pop_front();
                    }
                    1 => {
                        stamps.pull_back_to(stamp);
                        model.iter_mut().rev().take_while(|other| **other > stamp).for_each(|other| *other = stamp);
                    }
                    _ => {
                        // As a log does: time goes on.
                        let stamp = stamp.max(model.back().copied().unwrap_or(0));
                        stamps.push(stamp, most);
                        while model.len() >= most {
                            model.pop_front();
                        }
                        model.push_back(stamp);
                    }
                }
                prop_assert_eq!(all(&stamps), model.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(stamps.oldest(), model.front().copied());
                prop_assert_eq!(stamps.len(), model.len());
            }
        }

        #[test]
        fn the_oldest_are_counted_from_the_front(mut times in prop::collection::vec(0u64..50, 0..30), limit in 0u64..50) {
            times.sort_unstable();
            let mut stamps = Stamps::default();
            times.iter().for_each(|time| stamps.push(*time, 100));
            let expected = times.iter().filter(|time| **time < limit).count();
            prop_assert_eq!(stamps.count_oldest(|stamp| stamp < limit), expected);
        }
    }
}
