//! Paths, header values and texts of queries in which nothing was found lately: they repeat, and looking is dear.
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

/// A value, and who found nothing in it: a bit for each detector.
#[derive(Clone, Default)]
struct Remembered {
    by: u64,
    value: Vec<u8>,
}

/// Who is known to find nothing in a value.
pub(super) fn known_to(value: &[u8]) -> u64 {
    if value.is_empty() {
        return 0;
    }
    MEMORY.with(|memory| {
        let places = memory.places.borrow();
        let place = places.get(memory.place_of(value));
        place
            .filter(|one| one.value == value)
            .map_or(0, |one| one.by)
    })
}

/// Remembers that `by` find nothing in a value, in place of another.
pub(super) fn remember(by: u64, value: &[u8]) {
    if value.len() > LONGEST || value.is_empty() {
        return;
    }
    MEMORY.with(|memory| {
        let mut places = memory.places.borrow_mut();
        if places.is_empty() {
            places.resize_with(VALUES, Remembered::default);
        }
        if let Some(place) = places.get_mut(memory.place_of(value)) {
            if place.value != value {
                place.by = 0;
                place.value.clear();
                place.value.extend_from_slice(value);
            }
            place.by |= by;
        }
    });
}

impl Memory {
    fn place_of(&self, value: &[u8]) -> usize {
        let mut hasher = self.hasher.build_hasher();
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
        assert_eq!(known_to(value), 0);
        remember(1, value);
        assert_eq!(known_to(value), 1);
        remember(4, value);
        assert_eq!(known_to(value), 5);
        assert_eq!(known_to(b"Mozilla/5.0 (of this test"), 0);
        assert_eq!(known_to(b""), 0);
    }

    #[test]
    fn the_memory_is_bounded() {
        remember(1, &[b'x'; LONGEST + 1]);
        assert_eq!(known_to(&[b'x'; LONGEST + 1]), 0);
        for number in 0..10 * VALUES {
            remember(1, number.to_string().as_bytes());
        }
        let known = (0..10 * VALUES).filter(|number| known_to(number.to_string().as_bytes()) == 1);
        assert!((1..=VALUES).contains(&known.count()));
        MEMORY.with(|memory| assert_eq!(memory.places.borrow().len(), VALUES));
    }
}
