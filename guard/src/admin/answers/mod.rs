//! What the endpoints answer, as it stands in the JSON. The names are public: `openapi.json` describes them.
//!
//! Must not know: requests.

mod ban;
mod client;
mod configuration;
mod overview;
mod routes;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) use ban::{BanAnswer, BansAnswer, LiftedAnswer};
pub(super) use client::ClientAnswer;
pub(super) use configuration::ConfigurationAnswer;
pub(super) use overview::{OverviewAnswer, overview};
pub(super) use routes::RoutesAnswer;

/// Of the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;

/// A time as people and scripts read it (RFC 3339), with milliseconds. Years have four digits there, and a ban that somebody wrote into
/// Redis may end in any year.
fn time(time: SystemTime) -> String {
    let latest = UNIX_EPOCH + Duration::from_secs(LAST_SECOND);
    humantime::format_rfc3339_millis(time.clamp(UNIX_EPOCH, latest)).to_string()
}

fn seconds(millis: u64) -> f64 {
    Duration::from_millis(millis).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_with_milliseconds() {
        let at = UNIX_EPOCH + Duration::from_millis(1_767_225_600_123);
        assert_eq!(time(at), "2026-01-01T00:00:00.123Z");
        let ages = Duration::from_secs(1 << 40);
        assert_eq!(time(at + ages), "9999-12-31T23:59:59.000Z");
        assert_eq!(time(at - ages), "1970-01-01T00:00:00.000Z");
    }
}
