//! Paths and header values in which nothing was found lately: they repeat, and looking is dear.
//!
//! One small memory for each thread; a value is compared as a whole, so nobody can make another one pass for it.
//! Must not know: what is looked for.

use std::{
    cell::RefCell,
    hash::{BuildHasher, Hasher},
};

use foldhash::quality::RandomState;

/// So many values are remembered, no longer ones than this.
const VALUES: usize = 1024;
const LONGEST: usize = 512;

thread_local! {
    static MEMORY: Memory = Memory::default();
}

#[derive(Default)]
struct Memory {
    places: RefCell<Vec<Remembered>>,
    hasher: RandomState,
}

/// A value, and for whom nothing was found in it.
#[derive(Clone, Default)]
struct Remembered {
    by: u64,
    value: Vec<u8>,
}

/// Whether `by`, a set of detectors, is known to find nothing in a value.
pub(super) fn is_known(by: u64, value: &[u8]) -> bool {
    MEMORY.with(|memory| {
        let places = memory.places.borrow();
        let place = places.get(memory.place_of(by, value));
        place.is_some_and(|one| one.by == by && one.value == value)
    })
}

/// Remembers that `by` finds nothing in a value, in place of another.
pub(super) fn remember(by: u64, value: &[u8]) {
    if value.len() > LONGEST || value.is_empty() {
        return;
    }
    MEMORY.with(|memory| {
        let mut places = memory.places.borrow_mut();
        if places.is_empty() {
            places.resize_with(VALUES, Remembered::default);
        }
        if let Some(place) = places.get_mut(memory.place_of(by, value)) {
            place.by = by;
            place.value.clear();
            place.value.extend_from_slice(value);
        }
    });
}

impl Memory {
    fn place_of(&self, by: u64, value: &[u8]) -> usize {
        let mut hasher = self.hasher.build_hasher();
        hasher.write_u64(by);
        hasher.write(value);
        usize::try_from(hasher.finish() % VALUES as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_to_whom_it_was_remembered_for() {
        let value = b"Mozilla/5.0 (of this test)";
        assert!(!is_known(1, value));
        remember(1, value);
        assert!(is_known(1, value));
        assert!(!is_known(2, value));
        assert!(!is_known(1, b"Mozilla/5.0 (of this test"));
        assert!(!is_known(1, b""));
    }

    #[test]
    fn the_memory_is_bounded() {
        remember(1, &[b'x'; LONGEST + 1]);
        assert!(!is_known(1, &[b'x'; LONGEST + 1]));
        for number in 0..10 * VALUES {
            remember(1, number.to_string().as_bytes());
        }
        let known = (0..10 * VALUES).filter(|number| is_known(1, number.to_string().as_bytes()));
        assert!((1..=VALUES).contains(&known.count()));
        MEMORY.with(|memory| assert_eq!(memory.places.borrow().len(), VALUES));
    }
}
