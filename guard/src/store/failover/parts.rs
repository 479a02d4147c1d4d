//! The parts of the store that can be out of reach by themselves: one, or in a Cluster some for each master, by the slots of clients. A
//! master that is dead is then an outage of its clients only.
//!
//! Must not know: what is done meanwhile, how Redis is asked.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU32, AtomicUsize, Ordering},
};

use crate::store::redis::Failure;

use super::breaker::Breaker;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Parts {
    parts: Box<[Part]>,
    /// How many are out of reach.
    out: AtomicUsize,
}

#[derive(Debug, Default)]
pub(super) struct Part {
    breaker: Breaker,
    /// Turns without a look whether it is back.
    waits: AtomicU32,
    trouble: Mutex<Trouble>,
}

/// What is known of an outage.
#[derive(Debug, Default)]
struct Trouble {
    /// The key by which to look whether the part is back: of the last one that was asked for in vain.
    key: Option<Box<str>>,
    /// Why. That there is no connection at present is no reason.
    cause: Option<Failure>,
}

impl Parts {
    pub(super) fn new(number: usize) -> Self {
        Self {
            parts: (0..number.max(1)).map(|_| Part::default()).collect(),
            out: AtomicUsize::new(0),
        }
    }

    /// Whether a part is out of reach.
    #[inline]
    pub(super) fn any_is_out(&self) -> bool {
        self.out.load(Ordering::Acquire) != 0
    }

    pub(super) fn all_are_out(&self) -> bool {
        self.out.load(Ordering::Acquire) >= self.parts.len()
    }

    pub(super) fn is_out(&self, index: usize) -> bool {
        self.get(index).is_some_and(|part| part.breaker.is_open())
    }

    /// The numbers of the parts that are out of reach.
    pub(super) fn out(&self) -> Vec<usize> {
        let indices = 0..self.parts.len();
        indices.filter(|index| self.is_out(*index)).collect()
    }

    /// Somebody had an answer.
    #[inline]
    pub(super) fn succeeded(&self, index: usize) {
        if let Some(part) = self.get(index) {
            part.breaker.succeeded();
        }
    }

    /// Somebody had none. Whether the part is found out of reach by that, and if so, why.
    pub(super) fn failed(
        &self,
        index: usize,
        key: Option<Box<str>>,
        failure: &Failure,
    ) -> Option<Failure> {
        let part = self.get(index)?;
        let cause = {
            let mut trouble = part.trouble();
            if key.is_some() {
                trouble.key = key;
            }
            if *failure != Failure::Unavailable {
                trouble.cause = Some(failure.clone());
            }
            trouble.cause.clone()
        };
        // What is the matter with one part is likely to be with others.
        if !part.breaker.failed(self.any_is_out()) {
            return None;
        }
        self.out.fetch_add(1, Ordering::AcqRel);
        part.waits.store(part.breaker.wait(), Ordering::Relaxed);
        Some(cause.unwrap_or_else(|| failure.clone()))
    }

    /// Whether it is time to look whether a part is back.
    pub(super) fn is_due(&self, index: usize) -> bool {
        let Some(part) = self.get(index) else {
            return false;
        };
        let waits = part.waits.load(Ordering::Relaxed);
        part.waits.store(waits.saturating_sub(1), Ordering::Relaxed);
        waits == 0
    }

    /// The key by which to look whether a part is back.
    pub(super) fn key(&self, index: usize) -> Option<Box<str>> {
        self.get(index)?.trouble().key.clone()
    }

    /// A part was found to be back. Only one task finds that.
    pub(super) fn is_back(&self, index: usize) {
        if let Some(part) = self.get(index) {
            part.trouble().cause = None;
            self.out.fetch_sub(1, Ordering::AcqRel);
            part.breaker.close();
        }
    }

    fn get(&self, index: usize) -> Option<&Part> {
        self.parts.get(index)
    }
}

impl Part {
    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_out_is_no_outage_of_the_others_but_a_hint() {
        let parts = Parts::new(3);
        let fails = |index, key: &str| parts.failed(index, Some(key.into()), &Failure::TimedOut);
        assert_eq!([(); 2].map(|()| fails(1, "a")), [None, None]);
        assert!(!parts.any_is_out());
        assert_eq!(fails(1, "b"), Some(Failure::TimedOut));
        assert_eq!(
            [0, 1, 2].map(|index| parts.is_out(index)),
            [false, true, false]
        );
        assert_eq!((parts.out(), parts.key(1)), (vec![1], Some("b".into())));
        assert!(parts.any_is_out() && !parts.all_are_out());

        // The next one is found out of reach at its first failure, and each is back by itself.
        assert_eq!(fails(2, "a"), Some(Failure::TimedOut));
        assert_eq!(fails(2, "a"), None);
        parts.is_back(1);
        assert_eq!(parts.out(), [2]);
        assert_eq!(fails(0, "b"), Some(Failure::TimedOut));
        parts.is_back(0);
        parts.is_back(2);
        assert!(!parts.any_is_out());
        assert_eq!([(); 2].map(|()| fails(1, "a")), [None, None]);
    }

    #[test]
    fn the_reason_of_an_outage_is_the_last_one_that_says_something() {
        let parts = Parts::new(1);
        for failure in [Failure::TimedOut, Failure::Unavailable] {
            assert_eq!(parts.failed(0, None, &failure), None);
        }
        let reason = parts.failed(0, None, &Failure::Unavailable);
        assert_eq!(reason, Some(Failure::TimedOut));
        assert!(parts.all_are_out());
    }
}
