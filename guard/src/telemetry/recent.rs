//! With the feature `admin`: the last hour of this process, for people. How many requests came to what in each minute, and whose
//! were refused most.
//!
//! Must not know: how anything is decided, or how it is shown.

mod hour;
mod offenders;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use crate::{
    client::ClientKey,
    clock::{Clock, millis},
    telemetry::{RequestOutcome, Trace},
};

use hour::Hour;
use offenders::Offenders;

pub(crate) use hour::{Counted, Counts};
pub(crate) use offenders::Offender;

/// See the module's documentation. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Recent(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Arc<dyn Clock>,
    started: SystemTime,
    /// From the clock's milliseconds to those of Unix, so that minutes begin when people's do.
    to_unix_millis: u64,
    hour: Hour,
    offenders: Offenders,
}

/// One minute of the last hour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Minute {
    pub(crate) start: SystemTime,
    pub(crate) counts: Counts,
}

impl Recent {
    pub(crate) fn new(clock: &Arc<dyn Clock>) -> Self {
        let (now, started) = (clock.now_millis(), clock.wall());
        let unix = started.duration_since(SystemTime::UNIX_EPOCH);
        let unix_millis = millis(unix.unwrap_or_default());
        Self(Arc::new(Inner {
            hour: Hour::beginning(unix_millis),
            offenders: Offenders::default(),
            to_unix_millis: unix_millis.wrapping_sub(now),
            started,
            clock: Arc::clone(clock),
        }))
    }

    #[inline]
    pub(crate) fn refresh(&self, now_millis: impl FnOnce() -> u64) {
        self.0.hour.turn_to(self.unix_millis(now_millis()));
    }

    #[inline]
    pub(crate) fn count(&self, outcome: RequestOutcome) {
        self.0.hour.count(Counted::Request(outcome));
    }

    pub(crate) fn struck(&self) {
        self.0.hour.count(Counted::Strike);
    }

    pub(crate) fn banned(&self) {
        self.count_now(Counted::BanCreated);
    }

    pub(crate) fn ban_lifted(&self) {
        self.count_now(Counted::BanLifted);
    }

    pub(crate) fn refused(
        &self,
        client: ClientKey,
        outcome: RequestOutcome,
        trace: impl FnOnce() -> Option<Trace>,
    ) {
        let now = self.0.clock.now_millis();
        self.0.offenders.refused(client, outcome, now, trace);
    }

    /// When the guard began to count.
    pub(crate) fn started(&self) -> SystemTime {
        self.0.started
    }

    /// The last sixty minutes, the oldest first; the last one is still running.
    pub(crate) fn minutes(&self) -> Vec<Minute> {
        let clock = &self.0.clock;
        let (now, wall) = (clock.now_millis(), clock.wall());
        let now = self.unix_millis(now);
        let minutes = self.0.hour.minutes(now).into_iter();
        minutes
            .map(|(start_millis, counts)| Minute {
                start: on_wall(start_millis, now, wall),
                counts,
            })
            .collect()
    }

    /// Those whose requests were refused most in the last hour, at most so many.
    pub(crate) fn offenders(&self, most: usize) -> Vec<(Offender, SystemTime)> {
        let clock = &self.0.clock;
        let (now, wall) = (clock.now_millis(), clock.wall());
        let offenders = self.0.offenders.most_refused(most, now).into_iter();
        offenders
            .map(|offender| {
                let last = on_wall(offender.last_millis, now, wall);
                (offender, last)
            })
            .collect()
    }

    /// A time of the clock as if the wall clock had never been set since the guard began.
    fn unix_millis(&self, now_millis: u64) -> u64 {
        now_millis.wrapping_add(self.0.to_unix_millis)
    }

    /// What no request brings about may come after minutes without any.
    fn count_now(&self, counted: Counted) {
        self.refresh(|| self.0.clock.now_millis());
        self.0.hour.count(counted);
    }
}

/// A time of the guard's clock on the wall clock.
fn on_wall(millis: u64, now_millis: u64, wall: SystemTime) -> SystemTime {
    let ago = Duration::from_millis(now_millis.saturating_sub(millis));
    wall.checked_sub(ago).unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
