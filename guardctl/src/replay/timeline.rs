//! What became of requests over time, in a bounded number of steps: they grow with the time that they have to cover.
//!
//! Must not know: requests, plots.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// As many as a plot can show.
const MOST_BUCKETS: usize = 240;
const FIRST_WIDTH_SECONDS: u64 = 1;

/// Requests of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Bucket {
    pub(crate) requests: u64,
    /// 429.
    pub(crate) limited: u64,
    /// 403.
    pub(crate) forbidden: u64,
}

impl Bucket {
    pub(super) fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.limited += other.limited;
        self.forbidden += other.forbidden;
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// Seconds since 1970, a multiple of the width.
    start: u64,
    width: u64,
    buckets: Vec<Bucket>,
}

impl Timeline {
    pub(super) fn new() -> Self {
        Self {
            start: 0,
            width: FIRST_WIDTH_SECONDS,
            buckets: Vec::new(),
        }
    }

    /// What lies before the first request counts as that.
    pub(super) fn add(&mut self, at: SystemTime, bucket: Bucket) {
        let seconds = at.duration_since(UNIX_EPOCH).map_or(0, |at| at.as_secs());
        if self.buckets.is_empty() {
            self.start = seconds;
        }
        while self.index(seconds) >= MOST_BUCKETS {
            self.widen();
        }
        let index = self.index(seconds);
        if index >= self.buckets.len() {
            self.buckets.resize(index + 1, Bucket::default());
        }
        if let Some(place) = self.buckets.get_mut(index) {
            place.add(bucket);
        }
    }

    fn index(&self, seconds: u64) -> usize {
        let index = seconds.saturating_sub(self.start) / self.width;
        usize::try_from(index).unwrap_or(usize::MAX)
    }

    fn widen(&mut self) {
        self.width *= 2;
        let pairs = self.buckets.chunks(2);
        self.buckets = pairs
            .map(|pair| {
                let mut sum = Bucket::default();
                pair.iter().for_each(|bucket| sum.add(*bucket));
                sum
            })
            .collect();
    }

    pub(crate) fn width_seconds(&self) -> u64 {
        self.width
    }

    /// With the time at which each begins.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (SystemTime, Bucket)> + '_ {
        let starts = (0..).map(|index: u64| self.start + index * self.width);
        let starts = starts.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
        starts.zip(self.buckets.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_and_lose_nothing() {
        let mut timeline = Timeline::new();
        let one = Bucket {
            requests: 1,
            limited: 1,
            forbidden: 0,
        };
        for second in 0..100_000 {
            timeline.add(UNIX_EPOCH + Duration::from_secs(1000 + second), one);
        }
        timeline.add(UNIX_EPOCH, one);
        assert_eq!(timeline.width_seconds(), 512);
        let buckets: Vec<_> = timeline.buckets().collect();
        assert_eq!(buckets.len(), 100_000_usize.div_ceil(512));
        assert_eq!(buckets[0].1.requests, 513);
        assert_eq!(buckets[1].0, UNIX_EPOCH + Duration::from_secs(1512));
        let sum: u64 = buckets.iter().map(|(_, bucket)| bucket.limited).sum();
        assert_eq!(sum, 100_001);
    }

    #[test]
    fn a_time_far_away_takes_no_room() {
        let mut timeline = Timeline::new();
        for seconds in [0, u64::from(u32::MAX)] {
            timeline.add(UNIX_EPOCH + Duration::from_secs(seconds), Bucket::default());
        }
        assert!(timeline.buckets().count() <= MOST_BUCKETS);
    }
}
