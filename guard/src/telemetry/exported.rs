//! With the feature `metrics`: handles of counters, each looked up by its name once and kept.
//!
//! Must not know: how anything is decided, or who collects the numbers.

mod meters;
mod requests;
#[cfg(feature = "redis")]
mod store;

pub(crate) use meters::Exported;
pub(crate) use requests::RouteCounters;
#[cfg(feature = "redis")]
pub(crate) use store::StoreMeter;
