//! What a store tells whoever looks on.
//!
//! Must not know: how a store keeps its data.

use super::Quota;

/// How a quota of a log stands, for whoever looks on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuotaStanding {
    /// Requests in the window that count against the quota: never more than it has.
    pub(crate) used: u32,
    /// Requests that would still be admitted now.
    pub(crate) remaining: u32,
    /// Time until one more than now would be admitted; the window, if it is empty.
    pub(crate) reset_millis: u64,
}

impl QuotaStanding {
    pub(crate) fn new(quota: &Quota, remaining: u32, reset_millis: u64) -> Self {
        Self {
            used: quota.requests.saturating_sub(remaining),
            remaining,
            reset_millis,
        }
    }
}

/// How a client stands, for whoever looks on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Strikes that still count.
    pub(crate) strikes: u32,
    /// Time until they are forgotten; `None` without strikes.
    pub(crate) strikes_left_millis: Option<u64>,
    /// The quotas of the logs, in their order.
    pub(crate) quotas: Vec<QuotaStanding>,
}
