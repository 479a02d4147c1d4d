//! The strikes of one client.
//!
//! Must not know: what a strike is for.

use crate::decision::StrikeRules;

/// A streak of strikes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strikes {
    count: u32,
    last_millis: u64,
    expires_millis: u64,
}

impl Strikes {
    /// The strikes that still count.
    pub(super) fn count(&self, now_millis: u64) -> u32 {
        if self.is_over(now_millis) {
            0
        } else {
            self.count
        }
    }

    /// Time until they are forgotten.
    #[cfg(feature = "admin")]
    pub(super) fn left_millis(&self, now_millis: u64) -> u64 {
        self.expires_millis.saturating_sub(now_millis)
    }

    /// Adds a strike, unless the last one is too near; whether the threshold is exceeded by it.
    pub(super) fn add(&mut self, now_millis: u64, rules: &StrikeRules) -> bool {
        self.count = self.count(now_millis);
        let since_last = now_millis.saturating_sub(self.last_millis);
        if self.count > 0 && since_last < rules.interval_millis {
            return false;
        }
        self.count = self.count.saturating_add(1);
        self.last_millis = now_millis;
        self.expires_millis = now_millis.saturating_add(rules.ttl_millis);
        self.count > rules.threshold
    }

    /// The streak is forgotten. A streak from the future, after a clock step, is kept: it ends no later than it would have.
    pub(super) fn is_over(&self, now_millis: u64) -> bool {
        self.ends_millis() <= now_millis
    }

    /// From then on it is forgotten.
    pub(super) fn ends_millis(&self) -> u64 {
        if self.count == 0 {
            0
        } else {
            self.expires_millis
        }
    }

    /// After a clock step back, the last strike was now.
    pub(super) fn catch_up(&mut self, now_millis: u64) {
        let ahead = self.last_millis.saturating_sub(now_millis);
        self.last_millis -= ahead;
        self.expires_millis -= ahead;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: StrikeRules = StrikeRules {
        threshold: 2,
        ttl_millis: 1000,
        interval_millis: 0,
        ban_millis: 1,
    };

    #[test]
    fn the_strike_after_the_threshold_exceeds_it() {
        let mut strikes = Strikes::default();
        assert_eq!(
            [0, 1, 2].map(|now| strikes.add(now, &RULES)),
            [false, false, true]
        );
        assert!(Strikes::default().add(
            0,
            &StrikeRules {
                threshold: 0,
                ..RULES
            }
        ));
    }

    #[test]
    fn each_strike_restarts_the_life_of_the_streak() {
        let mut strikes = Strikes::default();
        strikes.add(0, &RULES);
        strikes.add(900, &RULES);
        assert_eq!(strikes.count(1899), 2);
        assert_eq!(strikes.count(1900), 0);
        assert!(!strikes.add(1900, &RULES));
        assert_eq!(strikes.count(1900), 1);
    }

    #[test]
    fn strikes_within_the_interval_count_as_one() {
        let rules = StrikeRules {
            interval_millis: 100,
            ..RULES
        };
        let mut strikes = Strikes::default();
        for now in [5000, 5001, 5099, 5100, 5150] {
            strikes.add(now, &rules);
        }
        assert_eq!(strikes.count(5150), 2);
    }

    #[test]
    fn after_a_clock_step_back_a_streak_is_no_longer_than_its_life() {
        let mut strikes = Strikes::default();
        strikes.add(9000, &RULES);
        strikes.catch_up(5000);
        assert_eq!(strikes.count(5999), 1);
        assert_eq!(strikes.count(6000), 0);
    }
}
