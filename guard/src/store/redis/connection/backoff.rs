//! How long to wait before the next attempt.
//!
//! Must not know: what is attempted.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// The wait after so many failures in a row: twice as long each time, between 50 ms and 1 s, and random so that not all come
/// back at the same moment.
pub(in super::super) fn after(failures: u32) -> Duration {
    let longest = SHORTEST.saturating_mul(1 << failures.min(10)).min(LONGEST);
    let shortest = (longest / 2).max(SHORTEST);
    shortest + (longest - shortest).mul_f64(fraction())
}

/// A number in 0..1 that is different in each process.
fn fraction() -> f64 {
    let random = RandomState::new().hash_one(0_u8) >> 32;
    random as f64 / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_second_and_differ() {
        for (failures, from, to) in [(0, 50, 50), (1, 50, 100), (2, 100, 200), (4, 400, 800)] {
            for _ in 0..100 {
                let wait = after(failures).as_millis();
                assert!((from..=to).contains(&wait), "{failures}: {wait}");
            }
        }
        for failures in [5, 6, 31, 32, u32::MAX] {
            let waits: Vec<Duration> = (0..100).map(|_| after(failures)).collect();
            assert!(waits.iter().all(|wait| *wait >= LONGEST / 2));
            assert!(waits.iter().all(|wait| *wait <= LONGEST));
            assert!(waits.iter().any(|wait| *wait != waits[0]));
        }
    }
}
