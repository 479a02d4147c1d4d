//! What the endpoints answer, as it stands in the JSON. The names are public: `openapi.json` describes them.
//!
//! Must not know: requests.

mod ban;
mod client;
mod configuration;
mod overview;
mod routes;

use std::time::{Duration, SystemTime};

pub(super) use ban::{BanAnswer, BansAnswer, LiftedAnswer};
pub(super) use client::ClientAnswer;
pub(super) use configuration::ConfigurationAnswer;
pub(super) use overview::{OverviewAnswer, overview};
pub(super) use routes::RoutesAnswer;

/// A time as people and scripts read it (RFC 3339), with milliseconds.
fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

fn seconds(millis: u64) -> f64 {
    Duration::from_millis(millis).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn times_are_utc_with_milliseconds() {
        let at = UNIX_EPOCH + Duration::from_millis(1_767_225_600_123);
        assert_eq!(time(at), "2026-01-01T00:00:00.123Z");
    }
}
