//! Numbers for each minute of the last hour.
//!
//! Workers count at the same time, each in a lane of its own as far as there are enough: they don't wait for each other, nor for
//! one cache line. Must not know: what time it is.

use std::{
    array,
    cell::Cell,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
};

use crate::telemetry::RequestOutcome;

const MINUTE_MILLIS: u64 = 60_000;
const MINUTES: usize = 60;
const LANES: usize = 8;
/// Outcomes of requests, then strikes, bans and lifted bans.
const KINDS: usize = RequestOutcome::COUNT + 3;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Request(RequestOutcome),
    Strike,
    BanCreated,
    BanLifted,
}

impl Counted {
    fn index(self) -> usize {
        match self {
            Self::Request(outcome) => outcome as usize,
            Self::Strike => RequestOutcome::COUNT,
            Self::BanCreated => RequestOutcome::COUNT + 1,
            Self::BanLifted => RequestOutcome::COUNT + 2,
        }
    }
}

/// The numbers of some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts([u64; KINDS]);

impl Counts {
    pub(crate) fn of(&self, counted: Counted) -> u64 {
        self.0.get(counted.index()).copied().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Hour {
    lanes: [Lane; LANES],
    /// The minute that is running, since 1970.
    minute: AtomicU64,
    turning: Mutex<()>,
}

/// The numbers of some threads: those of a minute are in the place of its number modulo 60.
#[derive(Debug)]
#[repr(align(64))]
struct Lane([[AtomicU32; KINDS]; MINUTES]);

impl Hour {
    pub(super) fn beginning(now_millis: u64) -> Self {
        let zeros = |_| Lane(array::from_fn(|_| array::from_fn(|_| AtomicU32::new(0))));
        Self {
            lanes: array::from_fn(zeros),
            minute: AtomicU64::new(now_millis / MINUTE_MILLIS),
            turning: Mutex::new(()),
        }
    }

    /// Goes on to the minute of a time. Times of minutes that are over belong to the running one: the clock may step back.
    #[inline]
    pub(super) fn turn_to(&self, now_millis: u64) {
        let minute = now_millis / MINUTE_MILLIS;
        if minute > self.minute.load(Ordering::Acquire) {
            self.turn(minute);
        }
    }

    #[cold]
    fn turn(&self, minute: u64) {
        let _turning = self.turning.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.minute.load(Ordering::Acquire);
        let begun = minute.saturating_sub(before).min(MINUTES as u64);
        for begun in minute - begun..minute {
            for counter in self.lanes.iter().flat_map(|lane| lane.minute(begun + 1)) {
                counter.store(0, Ordering::Relaxed);
            }
        }
        self.minute.fetch_max(minute, Ordering::Release);
    }

    #[inline]
    pub(super) fn count(&self, counted: Counted) {
        let minute = self.minute.load(Ordering::Acquire);
        let lane = self.lanes.get(lane_of_thread());
        let counter = lane.and_then(|lane| lane.minute(minute).get(counted.index()));
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The sixty minutes before a time, each with its beginning in milliseconds; the last one is that of the time itself.
    pub(super) fn minutes(&self, now_millis: u64) -> Vec<(u64, Counts)> {
        self.turn_to(now_millis);
        let last = self.minute.load(Ordering::Acquire);
        (0..MINUTES as u64)
            .rev()
            .map(|ago| last.saturating_sub(ago))
            .map(|minute| (minute * MINUTE_MILLIS, self.counts(minute)))
            .collect()
    }

    fn counts(&self, minute: u64) -> Counts {
        let mut sum = Counts::default();
        for lane in &self.lanes {
            let counters = lane.minute(minute).iter();
            for (sum, counter) in sum.0.iter_mut().zip(counters) {
                *sum += u64::from(counter.load(Ordering::Relaxed));
            }
        }
        sum
    }
}

impl Lane {
    /// The counters of a minute; none only if there were no minutes.
    #[inline]
    fn minute(&self, minute: u64) -> &[AtomicU32] {
        let place = usize::try_from(minute % MINUTES as u64).unwrap_or(0);
        self.0
            .get(place)
            .map_or(&[], <[AtomicU32; KINDS]>::as_slice)
    }
}

/// Threads take lanes in turn.
fn lane_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static LANE: Cell<usize> = Cell::new(NEXT.fetch_add(1, Ordering::Relaxed) % LANES);
    }
    // The thread may be ending.
    LANE.try_with(Cell::get).unwrap_or(0)
}
