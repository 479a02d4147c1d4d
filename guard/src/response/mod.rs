//! Answers: statuses, headers and bodies of refusals, and the `RateLimit` fields of what is served.
//!
//! Must not know: stores, routing.

#[cfg(feature = "admin")]
mod challenge;
mod headers;
mod refusal;
mod state_values;

#[cfg(feature = "admin")]
pub(crate) use challenge::challenge;
pub(crate) use headers::{policy_value, quoted, tell_quotas};
pub use refusal::{Refusal, RefusalError, RefusalKind};
pub(crate) use refusal::{RefusalHook, quota_exceeded, refuse};
pub(crate) use state_values::StateValues;
