//! Waiting for what other processes do.
//!
//! Must not know: what that is.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Far more than anything takes, for machines under load.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

const PAUSE: Duration = Duration::from_millis(10);

/// Tries until there is a value; None if there is none in time.
pub(crate) fn until<T>(limit: Duration, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = attempt() {
            return Some(value);
        }
        if Instant::now() > end {
            return None;
        }
        thread::sleep(PAUSE);
    }
}

/// Tries until there is a value. An attempt that fails says what it waits for, and the last one is in the message of the panic.
pub(crate) fn until_ok<T>(mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let mut missing = String::new();
    until(PATIENCE, || attempt().map_err(|what| missing = what).ok())
        .unwrap_or_else(|| panic!("waited {PATIENCE:?} in vain: {missing}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_go_on_until_there_is_a_value() {
        let mut attempts = 0;
        let value = until(PATIENCE, || {
            attempts += 1;
            (attempts == 3).then_some("value")
        });
        assert_eq!((value, attempts), (Some("value"), 3));
    }

    #[test]
    fn nothing_in_time_is_none() {
        assert_eq!(until(Duration::ZERO, || None::<()>), None);
    }
}
