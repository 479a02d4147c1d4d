//! The time of the request that is being looked at.
//!
//! Must not know: what the time is used for.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::clock::{Clock, millis};

/// Moved by the requests, and never back.
#[derive(Debug, Default)]
pub(super) struct PastClock(AtomicU64);

impl PastClock {
    pub(super) fn move_to(&self, at: SystemTime) {
        let at = at.duration_since(UNIX_EPOCH).map_or(0, millis);
        self.0.fetch_max(at, Ordering::Relaxed);
    }
}

impl Clock for PastClock {
    fn now_millis(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.now_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_with_the_requests_and_never_back() {
        let clock = PastClock::default();
        for (at, expected) in [(5, 5000), (7, 7000), (6, 7000)] {
            clock.move_to(UNIX_EPOCH + Duration::from_secs(at));
            assert_eq!(clock.now_millis(), expected);
            assert_eq!(clock.wall(), UNIX_EPOCH + Duration::from_millis(expected));
        }
    }
}
