//! Limits of routes: what annotations say, where they turn out to sit, and who decides about a request.
//!
//! The route is the authority: every limited route carries a [`RouteLimit`], which runs after routing and before extractors and
//! the handler. The guard predicts: where no limited route can be meant, the global window decides before routing.

pub(crate) mod annotation;
mod claiming;
mod entry_paths;
mod in_force;
mod index;
#[cfg(feature = "admin")]
mod known_logs;
mod laziness;
mod limit;
#[cfg(feature = "admin")]
mod listing;
#[cfg(feature = "admin")]
mod met;
mod paths;
mod pattern;
mod prediction;
mod registration;
mod registry;
#[cfg(all(test, feature = "admin"))]
pub(crate) mod sample;
mod ticket;
mod windows;

pub(crate) use annotation::AnnotatedKey;
pub use annotation::KeyFunction;
pub(crate) use entry_paths::EntryPaths;
#[cfg(feature = "admin")]
pub(crate) use known_logs::{KnownLog, known_logs};
pub(crate) use laziness::may_be_lazy;
pub use limit::RouteLimit;
#[cfg(feature = "admin")]
pub(crate) use listing::{LimitOrigin, ListedLimit, ListedRoute, listed_routes};
#[cfg(feature = "admin")]
pub(crate) use met::MetRoutes;
pub(crate) use paths::Entries;
pub(crate) use prediction::{Expectation, Forecast, Prediction};
pub(crate) use registration::{CountedMethods, RouteIdentity};
pub(crate) use registry::{any_registered, detection_is_off};
pub(crate) use ticket::{Called, Routed, Ticket, Tickets};
pub(crate) use windows::{NamedQuota, Route, RouteWindows};
