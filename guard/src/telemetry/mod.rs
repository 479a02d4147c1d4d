//! What the guard tells of itself in numbers: counters, gauges and a histogram by the facade `metrics`, with the feature of that name.
//!
//! Other modules call the same functions with the feature and without it; without it they compile to nothing. Names and labels are
//! public: the README has the table, and `names` has them for the code. Must not know: how anything is decided, or who collects the
//! numbers.

#[cfg(feature = "metrics")]
mod names;
#[cfg(feature = "metrics")]
mod recorded;
#[cfg(not(feature = "metrics"))]
mod silent;

use crate::decision::{Decision, Outcome};

#[cfg(all(feature = "metrics", feature = "redis"))]
pub(crate) use recorded::StoreMeter;
#[cfg(feature = "metrics")]
pub(crate) use recorded::{Meters, RouteMeter, Tally};
#[cfg(all(not(feature = "metrics"), feature = "redis"))]
pub(crate) use silent::StoreMeter;
#[cfg(not(feature = "metrics"))]
pub(crate) use silent::{Meters, RouteMeter, Tally};

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
