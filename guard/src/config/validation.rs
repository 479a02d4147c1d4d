//! Rules that concern several fields at once.
//!
//! Must not know: rules of a single field, or where a value came from.

use super::{
    error::Problem,
    settings::{Settings, StrikeReset},
};

/// Checks the fields beside each other; a problem comes with the field to blame.
pub(super) fn check(settings: &Settings) -> Result<(), (&'static str, Problem)> {
    check_strike_ttl(settings).map_err(|problem| ("strike_ttl", problem))?;
    check_strike_interval(settings).map_err(|problem| ("strike_interval", problem))
}

/// A shorter life would break what the reset promises: strikes are kept for that long.
fn check_strike_ttl(settings: &Settings) -> Result<(), Problem> {
    let ttl = settings.strike_ttl;
    match settings.strike_reset {
        StrikeReset::After(after) if ttl < after => Err(Problem::must(format_args!(
            "not be shorter than the time in strike_reset ({} seconds), but is {}",
            after.as_secs(),
            ttl.as_secs()
        ))),
        _ => Ok(()),
    }
}

/// With an interval as long as the life, strikes would never add up.
fn check_strike_interval(settings: &Settings) -> Result<(), Problem> {
    let (interval, ttl) = (settings.strike_interval, settings.strike_ttl);
    if interval >= ttl {
        return Err(Problem::must(format_args!(
            "be shorter than strike_ttl ({} seconds), not {}",
            ttl.as_secs(),
            interval.as_secs()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn checked(ttl: u64, interval: u64, after: Option<u64>) -> Result<(), String> {
        let settings = Settings {
            strike_ttl: Duration::from_secs(ttl),
            strike_interval: Duration::from_secs(interval),
            strike_reset: after.map_or(StrikeReset::CleanRequest, |after| {
                StrikeReset::After(Duration::from_secs(after))
            }),
            ..Settings::default()
        };
        check(&settings).map_err(|(name, problem)| problem.in_field(name).to_string())
    }

    #[test]
    fn strikes_have_to_add_up_before_they_are_forgotten() {
        assert_eq!(checked(60, 0, None), Ok(()));
        assert_eq!(checked(60, 59, None), Ok(()));
        assert_eq!(
            checked(60, 60, None).unwrap_err(),
            "strike_interval: must be shorter than strike_ttl (60 seconds), not 60"
        );
        assert!(checked(60, 61, None).is_err());
    }

    #[test]
    fn strikes_live_at_least_as_long_as_the_reset_promises() {
        assert_eq!(checked(60, 0, Some(60)), Ok(()));
        assert_eq!(checked(61, 0, Some(60)), Ok(()));
        assert_eq!(
            checked(59, 0, Some(60)).unwrap_err(),
            "strike_ttl: must not be shorter than the time in strike_reset (60 seconds), but is 59"
        );
    }
}
