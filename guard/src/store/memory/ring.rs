//! The stamps of a log: a ring that grows only as far as it is used. The first few need no memory of their own.
//!
//! Must not know: quotas.

use smallvec::SmallVec;

/// Stamps that fit without an allocation: most clients of a public site come a few times and are gone.
const IN_PLACE: usize = 4;

/// Oldest first.
#[derive(Debug, Default)]
#[cfg_attr(feature = "admin", derive(Clone))]
pub(super) struct Ring {
    slots: SmallVec<[u64; IN_PLACE]>,
    /// The slot of the oldest stamp.
    head: usize,
    length: usize,
}

impl Ring {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The stamp that `nth` others are older than.
    #[inline]
    pub(super) fn get(&self, nth: usize) -> Option<u64> {
        if nth >= self.length {
            return None;
        }
        self.slots.get(self.slot(nth)).copied()
    }

    #[inline]
    pub(super) fn oldest(&self) -> Option<u64> {
        self.get(0)
    }

    #[inline]
    pub(super) fn drop_oldest(&mut self) {
        if self.length > 0 {
            self.head = self.slot(1);
            self.length -= 1;
        }
    }

    /// Adds the newest stamp; of more than `most` the oldest go.
    #[inline]
    pub(super) fn push(&mut self, stamp: u64, most: usize) {
        while self.length >= most {
            self.drop_oldest();
        }
        if self.length == self.slots.len() {
            self.grow(most);
        }
        let slot = self.slot(self.length);
        if let Some(free) = self.slots.get_mut(slot) {
            *free = stamp;
            self.length += 1;
        }
    }

    /// No stamp is later than `now`.
    #[inline]
    pub(super) fn pull_back_to(&mut self, now: u64) {
        for nth in (0..self.length).rev() {
            let slot = self.slot(nth);
            match self.slots.get_mut(slot) {
                Some(stamp) if *stamp > now => *stamp = now,
                _ => return,
            }
        }
    }

    /// How many of the oldest stamps `is_out` holds for; it does for none that is newer than one it does not hold for.
    pub(super) fn count_oldest(&self, is_out: impl Fn(u64) -> bool) -> usize {
        let (mut low, mut high) = (0, self.length);
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
        (self.head, self.length) = (0, 0);
    }

    /// The slot of the `nth` stamp, which may be the first free one.
    #[inline]
    fn slot(&self, nth: usize) -> usize {
        let slot = self.head + nth;
        if slot < self.slots.len() {
            slot
        } else {
            slot - self.slots.len()
        }
    }

    /// Makes room by doubling, but for no more than `most` stamps.
    fn grow(&mut self, most: usize) {
        if self.slots.is_empty() {
            self.slots = SmallVec::from_buf_and_len([0; IN_PLACE], IN_PLACE.min(most.max(1)));
            return;
        }
        let wanted = (self.length * 2)
            .max(IN_PLACE)
            .min(most.max(self.length + 1));
        self.slots.rotate_left(self.head);
        self.head = 0;
        self.slots.reserve_exact(wanted - self.slots.len());
        self.slots.resize(wanted, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    fn stamps(ring: &Ring) -> Vec<u64> {
        (0..).map_while(|nth| ring.get(nth)).collect()
    }

    #[test]
    fn it_grows_no_further_than_it_may() {
        let mut ring = Ring::default();
        for stamp in 0..100 {
            ring.push(stamp, 11);
            assert!(ring.capacity() <= 11);
        }
        assert_eq!(stamps(&ring), (89..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_few_stamps_need_no_memory_of_their_own() {
        let mut ring = Ring::default();
        let allocated =
            allocation_counter::measure(|| (0..4).for_each(|stamp| ring.push(stamp, 50)));
        assert_eq!(allocated.count_total, 0);
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_queue(steps in prop::collection::vec((0u8..8, 1usize..20, 0u64..100), 0..200)) {
            let mut ring = Ring::default();
            let mut model: VecDeque<u64> = VecDeque::new();
            for (step, most, stamp) in steps {
                match step {
                    0 => {
                        ring.drop_oldest();
                        model.pop_front();
                    }
                    1 => {
                        ring.pull_back_to(stamp);
                        model.iter_mut().rev().take_while(|other| **other > stamp).for_each(|other| *other = stamp);
                    }
                    _ => {
                        ring.push(stamp, most);
                        while model.len() >= most {
                            model.pop_front();
                        }
                        model.push_back(stamp);
                    }
                }
                prop_assert_eq!(stamps(&ring), model.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(ring.oldest(), model.front().copied());
                prop_assert_eq!(ring.len(), model.len());
            }
        }

        #[test]
        fn the_oldest_are_counted_from_the_front(mut times in prop::collection::vec(0u64..50, 0..30), limit in 0u64..50) {
            times.sort_unstable();
            let mut ring = Ring::default();
            times.iter().for_each(|time| ring.push(*time, 100));
            let expected = times.iter().filter(|time| **time < limit).count();
            prop_assert_eq!(ring.count_oldest(|stamp| stamp < limit), expected);
        }
    }
}
