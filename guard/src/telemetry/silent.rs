//! Without a feature that counts: the same functions, and nothing happens.
#![allow(clippy::unused_self, reason = "the same functions as with the feature")]

#[cfg(not(feature = "metrics"))]
mod exported;
#[cfg(not(feature = "admin"))]
mod recent;
#[cfg(not(any(feature = "admin", feature = "metrics")))]
mod requests;

#[cfg(not(feature = "metrics"))]
pub(super) use exported::Exported;
#[cfg(all(feature = "admin", not(feature = "metrics")))]
pub(super) use exported::RouteCounters;
#[cfg(all(not(feature = "metrics"), feature = "redis"))]
pub(crate) use exported::StoreMeter;
#[cfg(not(feature = "admin"))]
pub(super) use recent::Recent;
#[cfg(not(any(feature = "admin", feature = "metrics")))]
pub(crate) use requests::{RouteMeter, Tally};
