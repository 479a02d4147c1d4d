//! The breaker: after a few failures in a row nobody asks any more, until somebody has found that it is worth it again.
//!
//! Must not know: who is asked, what is done instead.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// So many failures in a row open it. Fewer may be the trouble of one connection.
const FAILURES: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: AtomicU32,
    open: AtomicBool,
}

impl Breaker {
    /// Whether nobody is to ask.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Somebody had an answer.
    #[inline]
    pub(super) fn succeeded(&self) {
        // Nearly always it is zero already, and reading is cheaper for the other workers than writing.
        if self.failures.load(Ordering::Relaxed) != 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }

    /// Somebody had none. Whether that opened it.
    pub(super) fn failed(&self) -> bool {
        let failures = self
            .failures
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1);
        failures >= FAILURES && !self.open.swap(true, Ordering::AcqRel)
    }

    /// It was found to be worth asking.
    pub(super) fn close(&self) {
        self.failures.store(0, Ordering::Relaxed);
        self.open.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_in_a_row_open_it_and_only_closing_closes_it() {
        let breaker = Breaker::default();
        assert_eq!([(); 2].map(|()| breaker.failed()), [false; 2]);
        breaker.succeeded();
        assert_eq!(
            [(); 4].map(|()| breaker.failed()),
            [false, false, true, false]
        );
        breaker.succeeded();
        assert!(breaker.is_open());
        breaker.close();
        assert!(!breaker.is_open());
        assert!(!breaker.failed());
    }
}
