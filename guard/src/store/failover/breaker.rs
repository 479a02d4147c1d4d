//! The breaker: after a few failures in a row nobody asks any more, until somebody has found that it is worth it again.
//!
//! Must not know: who is asked, what is done instead.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// So many failures in a row open it. Fewer may be the trouble of one connection.
const FAILURES: u32 = 3;

/// After so many relapses in a row the wait before the next look does not grow any more.
const MOST_RELAPSES: u32 = 7;

#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: AtomicU32,
    open: AtomicBool,
    /// Closed, and nobody has had an answer since.
    unproven: AtomicBool,
    /// How often in a row it was closed and opened again before anybody had an answer.
    relapses: AtomicU32,
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
        // Nearly always it is so already, and reading is cheaper for the other workers than writing.
        if self.failures.load(Ordering::Relaxed) != 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
        if self.unproven.load(Ordering::Relaxed) {
            self.unproven.store(false, Ordering::Relaxed);
            self.relapses.store(0, Ordering::Relaxed);
        }
    }

    /// Somebody had none. Whether that opened it, which takes but one failure if there is `trouble` elsewhere.
    pub(super) fn failed(&self, trouble: bool) -> bool {
        let failures = self
            .failures
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1);
        let enough = if trouble { 1 } else { FAILURES };
        let opened = failures >= enough && !self.open.swap(true, Ordering::AcqRel);
        if opened && self.unproven.swap(false, Ordering::Relaxed) {
            self.relapses.fetch_add(1, Ordering::Relaxed);
        }
        opened
    }

    /// It was found to be worth asking.
    pub(super) fn close(&self) {
        self.failures.store(0, Ordering::Relaxed);
        self.unproven.store(true, Ordering::Relaxed);
        self.open.store(false, Ordering::Release);
    }

    /// How many turns to wait before the next look: none, unless the last looks were misleading, and then twice as many each
    /// time.
    pub(super) fn wait(&self) -> u32 {
        match self.relapses.load(Ordering::Relaxed) {
            0 => 0,
            relapses => 1 << relapses.min(MOST_RELAPSES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens it, and returns the wait.
    fn open(breaker: &Breaker) -> u32 {
        while !breaker.failed(false) {}
        breaker.wait()
    }

    #[test]
    fn failures_in_a_row_open_it_and_only_closing_closes_it() {
        let breaker = Breaker::default();
        assert_eq!([(); 2].map(|()| breaker.failed(false)), [false; 2]);
        breaker.succeeded();
        assert_eq!(
            [(); 4].map(|()| breaker.failed(false)),
            [false, false, true, false]
        );
        breaker.succeeded();
        assert!(breaker.is_open());
        breaker.close();
        assert!(!breaker.is_open());
        assert!(!breaker.failed(false));
    }

    #[test]
    fn it_is_looked_at_once_unless_closing_it_was_no_good_again_and_again() {
        let breaker = Breaker::default();
        let mut waits = Vec::new();
        for _ in 0..10 {
            waits.push(open(&breaker));
            breaker.close();
        }
        assert_eq!(waits, [0, 2, 4, 8, 16, 32, 64, 128, 128, 128]);
        breaker.succeeded();
        assert_eq!(open(&breaker), 0);
        // Late news from before is no proof.
        breaker.succeeded();
        breaker.close();
        assert_eq!(open(&breaker), 2);
    }
}
