//! Bans.
//!
//! Must not know: where they are kept.

use serde::Serialize;

use crate::{bans::Ban, clock::millis};

use super::{seconds, time};

/// A ban in force.
#[derive(Debug, Serialize)]
pub(in crate::admin) struct BanAnswer {
    client: String,
    reason: String,
    by: &'static str,
    since: String,
    until: String,
    /// Seconds.
    remaining: f64,
}

impl From<&Ban> for BanAnswer {
    fn from(ban: &Ban) -> Self {
        Self {
            client: ban.client.clone(),
            reason: ban.reason.clone(),
            by: ban.by.as_str(),
            since: time(ban.since),
            until: time(ban.until),
            remaining: seconds(millis(ban.remaining)),
        }
    }
}

/// A page of bans.
#[derive(Debug, Serialize)]
pub(in crate::admin) struct BansAnswer {
    pub(in crate::admin) bans: Vec<BanAnswer>,
    /// On all pages.
    pub(in crate::admin) total: usize,
    pub(in crate::admin) page: usize,
    pub(in crate::admin) per_page: usize,
    pub(in crate::admin) pages: usize,
}

/// Whether there was a ban to lift.
#[derive(Debug, Serialize)]
pub(in crate::admin) struct LiftedAnswer {
    pub(in crate::admin) client: String,
    pub(in crate::admin) lifted: bool,
}
