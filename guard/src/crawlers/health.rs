//! Whether DNS works, and when that is worth a warning.
//!
//! Must not know: what is asked, or how the warning reads.

use std::time::Duration;

use crate::clock::millis;

/// Failures may be had on purpose, by claims from addresses whose own name servers are broken: they must not fill the log.
const BETWEEN_WARNINGS: Duration = Duration::from_secs(600);

/// What there is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Fails,
    WorksAgain,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Whether a warning was the last thing that was said.
    is_warned_of: bool,
    warned_millis: Option<u64>,
}

impl Health {
    /// A question has ended, with an answer or without.
    pub(super) fn note(&mut self, is_answered: bool, now: u64) -> Option<Change> {
        if is_answered {
            let was_warned_of = std::mem::take(&mut self.is_warned_of);
            return was_warned_of.then_some(Change::WorksAgain);
        }
        if self.is_warned_of || self.has_warned_lately(now) {
            return None;
        }
        self.is_warned_of = true;
        self.warned_millis = Some(now);
        Some(Change::Fails)
    }

    fn has_warned_lately(&self, now: u64) -> bool {
        self.warned_millis
            .is_some_and(|warned| now.saturating_sub(warned) < millis(BETWEEN_WARNINGS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_said_once_and_seldom() {
        let mut health = Health::default();
        for (now, is_answered, expected) in [
            (0, true, None),
            (1, false, Some(Change::Fails)),
            (2, false, None),
            (3_000_000, false, None),
            (3_000_001, true, Some(Change::WorksAgain)),
            (3_000_002, true, None),
            (3_000_003, false, Some(Change::Fails)),
            (3_000_004, true, Some(Change::WorksAgain)),
            (3_000_005, false, None),
            (3_000_006, true, None),
            (3_600_002, false, None),
            (3_600_003, false, Some(Change::Fails)),
        ] {
            assert_eq!(health.note(is_answered, now), expected, "{now}");
        }
    }
}
