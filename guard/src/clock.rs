//! Time, injected: one clock for windows, strikes and bans, so that tests move it instead of sleeping.
//!
//! Must not know: what the time is used for.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Where the guard reads the time.
///
/// [`SystemClock`] is the default. A [`ManualClock`] makes tests of an application's limits exact and instant.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Milliseconds since a fixed origin of the clock's own. Windows, strikes and bans are measured by it, so it should
    /// not jump when the wall clock is set; if it does step back, stamps that lie in its future are treated as now.
    fn now_millis(&self) -> u64;

    /// The wall clock: only for what people read and for what outlives the process.
    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A [`SystemClock`] starts here, so that a window may reach back beyond the start of the process.
const ORIGIN_MILLIS: u64 = 1 << 40;

/// The machine's monotonic clock: setting the wall clock neither frees nor blocks anybody.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// The clock that all guards of the process use by default.
    #[must_use]
    pub fn shared() -> Arc<dyn Clock> {
        static SHARED: OnceLock<Arc<SystemClock>> = OnceLock::new();
        let clock: Arc<SystemClock> = Arc::clone(SHARED.get_or_init(|| {
            Arc::new(SystemClock {
                started: Instant::now(),
            })
        }));
        clock
    }
}

impl Clock for SystemClock {
    fn now_millis(&self) -> u64 {
        let elapsed = self.started.elapsed();
        ORIGIN_MILLIS + elapsed.as_secs() * 1000 + u64::from(elapsed.subsec_millis())
    }
}

/// A clock that stands still until it is moved.
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use actix_web_guard::{SecurityConfig, clock::ManualClock};
///
/// let clock = Arc::new(ManualClock::new());
/// let config = SecurityConfig::builder().clock(clock.clone()).build()?;
/// clock.advance(Duration::from_secs(60)); // a minute later for every guard made from `config`
/// # Ok::<(), actix_web_guard::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct ManualClock {
    millis: AtomicU64,
}

impl ManualClock {
    /// A clock at the beginning of 2026, wall clock included.
    #[must_use]
    pub fn new() -> Self {
        Self {
            millis: AtomicU64::new(1_767_225_600_000),
        }
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.millis.fetch_add(millis(by), Ordering::SeqCst);
    }

    /// Moves the clock back, as a wall clock that is set does; never below zero.
    pub fn step_back(&self, by: Duration) {
        let by = millis(by);
        self.millis
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
                Some(now.saturating_sub(by))
            })
            .ok();
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn now_millis(&self) -> u64 {
        self.millis.load(Ordering::SeqCst)
    }

    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.now_millis())
    }
}

/// Whole milliseconds, saturating.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Whole seconds, rounded up, at least 1: never tells a client to come back too early.
pub(crate) fn whole_seconds(millis: u64) -> u64 {
    millis.div_ceil(1000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_rounded_up_and_never_zero() {
        for (millis, seconds) in [(0, 1), (1, 1), (999, 1), (1000, 1), (1001, 2), (60_000, 60)] {
            assert_eq!(whole_seconds(millis), seconds, "{millis} ms");
        }
    }

    #[test]
    fn the_manual_clock_moves_both_ways_and_takes_the_wall_clock_along() {
        let clock = ManualClock::new();
        let (start, wall) = (clock.now_millis(), clock.wall());
        clock.advance(Duration::from_millis(1500));
        assert_eq!(clock.now_millis(), start + 1500);
        assert_eq!(clock.wall(), wall + Duration::from_millis(1500));
        clock.step_back(Duration::from_secs(1));
        assert_eq!(clock.now_millis(), start + 500);
    }

    #[test]
    fn the_system_clock_starts_late_enough_for_the_longest_window() {
        let year = 366 * 24 * 3600 * 1000;
        assert!(SystemClock::shared().now_millis() > year);
    }
}
