//! One sliding log: the stamps of the newest requests of a key.
//!
//! Must not know: whose requests they are.

use crate::decision::{Quota, QuotaState, QuotaStates};

use super::stamps::Stamps;

/// Stamps in milliseconds, oldest first. Holds as many as were needed so far, never more than the largest quota plus one:
/// with one more than `requests`, the entries beyond decide nothing.
#[derive(Debug, Default)]
#[cfg_attr(feature = "admin", derive(Clone))]
pub(super) struct Log {
    stamps: Stamps,
    ends_millis: u64,
}

impl Log {
    /// Checks a request and records it, if it is admitted or `count_rejected`; whether it is admitted. Adds how the quotas stand.
    #[inline]
    pub(super) fn decide(
        &mut self,
        now_millis: u64,
        quotas: &[Quota],
        count_rejected: bool,
        states: &mut QuotaStates,
    ) -> bool {
        // Nearly every log has one quota.
        if let [quota] = quotas {
            return self.decide_by(now_millis, quota, count_rejected, states);
        }
        self.catch_up(now_millis, quotas);
        let admitted = self.admits(now_millis, quotas);
        self.settle(now_millis, quotas, admitted || count_rejected, states);
        admitted
    }

    #[inline]
    fn decide_by(
        &mut self,
        now_millis: u64,
        quota: &Quota,
        count_rejected: bool,
        states: &mut QuotaStates,
    ) -> bool {
        let (requests, window) = (quota.requests as usize, quota.window_millis);
        self.let_go(now_millis, window);
        let admitted = self.stamps.len() < requests;
        let recorded = admitted || count_rejected;
        if recorded {
            self.add(now_millis, quota.requests, window);
        }
        // What is left is in the window, all of it.
        states.push(self.state_of(now_millis, quota, self.stamps.len(), recorded));
        admitted
    }

    /// Records a request (or not) and adds how the quotas stand.
    pub(super) fn settle(
        &mut self,
        now_millis: u64,
        quotas: &[Quota],
        record: bool,
        states: &mut QuotaStates,
    ) {
        if record {
            self.record(now_millis, quotas);
        }
        for quota in quotas {
            states.push(self.state(now_millis, quota, record));
        }
    }

    /// Lets go of what no quota reads any more, and pulls stamps that a clock step left in the future back to now.
    pub(super) fn catch_up(&mut self, now_millis: u64, quotas: &[Quota]) {
        self.let_go(now_millis, longest_window(quotas));
    }

    #[inline]
    fn let_go(&mut self, now_millis: u64, window: u64) {
        self.stamps.pull_back_to(now_millis);
        while self
            .stamps
            .oldest()
            .is_some_and(|stamp| stamp.saturating_add(window) <= now_millis)
        {
            self.stamps.drop_oldest();
        }
    }

    /// Whether every quota has room for one more request.
    pub(super) fn admits(&self, now_millis: u64, quotas: &[Quota]) -> bool {
        quotas
            .iter()
            .all(|quota| self.count(now_millis, quota) < quota.requests as usize)
    }

    /// Records a request.
    pub(super) fn record(&mut self, now_millis: u64, quotas: &[Quota]) {
        let requests = quotas.iter().map(|quota| quota.requests).max();
        self.add(now_millis, requests.unwrap_or(0), longest_window(quotas));
    }

    #[inline]
    fn add(&mut self, now_millis: u64, requests: u32, window: u64) {
        self.stamps
            .push(now_millis, requests.saturating_add(1) as usize);
        self.ends_millis = now_millis.saturating_add(window);
    }

    /// How a quota stands after a request was decided, which was `recorded` or not.
    #[inline]
    pub(super) fn state(&self, now_millis: u64, quota: &Quota, recorded: bool) -> QuotaState {
        self.state_of(now_millis, quota, self.count(now_millis, quota), recorded)
    }

    /// The same, of a quota with so many entries in its window.
    #[inline]
    fn state_of(&self, now_millis: u64, quota: &Quota, count: usize, recorded: bool) -> QuotaState {
        let requests = quota.requests as usize;
        // One more is admitted when the entry that fills the quota leaves the window; below the quota, the oldest one.
        let next_to_leave = self.stamps.len() - count + count.saturating_sub(requests);
        let reset_millis = self
            .stamps
            .get(next_to_leave)
            .map_or(quota.window_millis, |stamp| {
                stamp
                    .saturating_add(quota.window_millis)
                    .saturating_sub(now_millis)
            });
        QuotaState {
            remaining: u32::try_from(requests.saturating_sub(count)).unwrap_or(u32::MAX),
            reset_millis,
            exceeded: count - usize::from(recorded) >= requests,
        }
    }

    /// Entries younger than the window of a quota.
    #[inline]
    pub(super) fn count(&self, now_millis: u64, quota: &Quota) -> usize {
        let oldest = self.stamps.oldest().unwrap_or(now_millis);
        if oldest.saturating_add(quota.window_millis) > now_millis {
            return self.stamps.len();
        }
        let out = self
            .stamps
            .count_oldest(|stamp| stamp.saturating_add(quota.window_millis) <= now_millis);
        self.stamps.len() - out
    }

    /// From then on, nothing in the log can decide anything any more.
    pub(super) fn ends_millis(&self) -> u64 {
        self.ends_millis
    }

    /// Forgets all requests.
    pub(super) fn clear(&mut self) {
        self.stamps.clear();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.stamps.len()
    }
}

pub(super) fn longest_window(quotas: &[Quota]) -> u64 {
    quotas
        .iter()
        .map(|quota| quota.window_millis)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTA: Quota = Quota {
        requests: 3,
        window_millis: 1000,
    };

    fn filled(stamps: &[u64], quotas: &[Quota]) -> Log {
        let mut log = Log::default();
        for stamp in stamps {
            log.catch_up(*stamp, quotas);
            log.record(*stamp, quotas);
        }
        log
    }

    #[test]
    fn an_entry_exactly_as_old_as_the_window_is_out() {
        let mut log = filled(&[5000, 5000, 5000], &[QUOTA]);
        log.catch_up(5999, &[QUOTA]);
        assert!(!log.admits(5999, &[QUOTA]));
        log.catch_up(6000, &[QUOTA]);
        assert!(log.admits(6000, &[QUOTA]));
        assert_eq!(log.len(), 0);
    }

    #[test]
    fn it_keeps_one_entry_more_than_the_quota_and_not_much_more_room() {
        let log = filled(&(0..100).map(|n| 5000 + n).collect::<Vec<_>>(), &[QUOTA]);
        assert_eq!(log.len(), 4);
        assert!(log.stamps.capacity() <= 4, "{}", log.stamps.capacity());
    }

    #[test]
    fn it_grows_only_as_far_as_it_is_used() {
        let generous = Quota {
            requests: 1_000_000,
            window_millis: 1000,
        };
        let log = filled(&[5000, 5001], &[generous]);
        assert!(log.stamps.capacity() <= 8);
    }

    #[test]
    fn the_wait_is_until_the_entry_that_fills_the_quota_leaves() {
        let log = filled(&[5000, 5100, 5200, 5300], &[QUOTA]);
        let state = log.state(5300, &QUOTA, true);
        assert_eq!(
            state,
            QuotaState {
                remaining: 0,
                reset_millis: 800,
                exceeded: true
            }
        );
        assert_eq!(state.wait_millis(), 800);
    }

    #[test]
    fn below_the_quota_the_reset_is_when_the_oldest_leaves_and_nothing_is_to_be_waited_for() {
        let log = filled(&[5000, 5100], &[QUOTA]);
        let state = log.state(5100, &QUOTA, false);
        assert_eq!(
            state,
            QuotaState {
                remaining: 1,
                reset_millis: 900,
                exceeded: false
            }
        );
        assert_eq!(state.wait_millis(), 0);
        assert_eq!(Log::default().state(5100, &QUOTA, false).reset_millis, 1000);
    }

    #[test]
    fn a_shorter_quota_reads_the_same_log() {
        let short = Quota {
            requests: 2,
            window_millis: 100,
        };
        let quotas = [QUOTA, short];
        let mut log = filled(&[5000, 5010], &quotas);
        assert!(!log.admits(5050, &quotas));
        log.catch_up(5110, &quotas);
        assert_eq!(log.count(5110, &short), 0);
        assert_eq!(log.count(5110, &QUOTA), 2);
        assert_eq!(log.state(5110, &short, false).reset_millis, 100);
    }

    #[test]
    fn stamps_in_the_future_are_treated_as_now() {
        let mut log = filled(&[9000, 9000, 9000], &[QUOTA]);
        log.catch_up(5000, &[QUOTA]);
        assert_eq!(log.state(5000, &QUOTA, false).reset_millis, 1000);
        log.catch_up(6000, &[QUOTA]);
        assert!(log.admits(6000, &[QUOTA]));
    }
}
