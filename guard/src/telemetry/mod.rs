//! What the guard tells of itself in numbers: with the feature `metrics` counters, gauges and a histogram by the facade of that
//! name, with the feature `admin` a memory of the last hour.
//!
//! Other modules call the same functions with the features and without them; without them they compile to nothing. Names and labels
//! are public: the README has the table, and `names` has them for the code. Must not know: how anything is decided, or who collects
//! the numbers.

#[cfg(feature = "metrics")]
mod exported;
mod meters;
#[cfg(feature = "metrics")]
mod names;
#[cfg(feature = "admin")]
mod recent;
#[cfg(any(feature = "admin", feature = "metrics"))]
mod requests;
#[cfg(not(all(feature = "admin", feature = "metrics")))]
mod silent;

use crate::decision::{Decision, Outcome};

#[cfg(all(feature = "metrics", feature = "redis"))]
pub(crate) use exported::StoreMeter;
pub(crate) use meters::Meters;
#[cfg(feature = "admin")]
pub(crate) use recent::{Counted, Counts, Minute, Offender};
#[cfg(any(feature = "admin", feature = "metrics"))]
pub(crate) use requests::{RouteMeter, Tally};
#[cfg(all(not(feature = "metrics"), feature = "redis"))]
pub(crate) use silent::StoreMeter;
#[cfg(not(any(feature = "admin", feature = "metrics")))]
pub(crate) use silent::{RouteMeter, Tally};

#[cfg(feature = "metrics")]
use exported::{Exported, RouteCounters};
#[cfg(feature = "admin")]
use recent::Recent;
#[cfg(not(feature = "metrics"))]
use silent::Exported;
#[cfg(not(feature = "admin"))]
use silent::Recent;
#[cfg(all(feature = "admin", not(feature = "metrics")))]
use silent::RouteCounters;

/// The label of all requests that no limited route decides about.
pub(crate) const DEFAULT_ROUTE: &str = "default";

/// What became of a request. The order is that in which a later one takes the place of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RequestOutcome {
    Exempt,
    Admitted,
    Limited,
    Threat,
    Banned,
    Denied,
    Unavailable,
}

impl RequestOutcome {
    /// How many there are.
    #[cfg(any(feature = "admin", feature = "metrics"))]
    pub(crate) const COUNT: usize = Self::Unavailable as usize + 1;

    pub(crate) fn of(decision: &Decision) -> Self {
        match decision.outcome {
            Outcome::Admitted => Self::Admitted,
            Outcome::Limited => Self::Limited,
            Outcome::Threat => Self::Threat,
            Outcome::Banned(_) => Self::Banned,
            Outcome::Unavailable => Self::Unavailable,
        }
    }
}

/// What a strike is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrikeCause {
    /// A request over a limit.
    Limit,
    /// A request that a detector flags.
    Threat,
    /// A report by a handler.
    Report,
    /// The status of an answer, by `strike_on_status`.
    Status,
    /// An answer with 404 over `not_found_limit`.
    NotFound,
}

/// What is done about a threat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreatAction {
    Strike,
    Refuse,
    Log,
}

/// What a refused request looked like. All of it is the sender's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) method: Box<str>,
    pub(crate) path: Box<str>,
    pub(crate) user_agent: Option<Box<str>>,
}
