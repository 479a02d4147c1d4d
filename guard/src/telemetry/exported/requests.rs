//! Requests, by what became of them and by route.
//!
//! Must not know: when it is known what becomes of a request.

use std::cell::OnceCell;

use metrics::{Counter, counter};

use crate::telemetry::{RequestOutcome, names};

/// The counters of one route in one worker.
#[derive(Debug)]
pub(crate) struct RouteCounters {
    route: Box<str>,
    /// In the order of [`RequestOutcome`]. What never happens is never registered.
    by_outcome: [OnceCell<Counter>; RequestOutcome::COUNT],
}

impl RouteCounters {
    /// `route` becomes the label: a pattern, never what somebody asked for.
    pub(crate) fn new(route: &str) -> Self {
        Self {
            route: route.into(),
            by_outcome: Default::default(),
        }
    }

    pub(crate) fn count(&self, outcome: RequestOutcome) {
        let Some(counter) = self.by_outcome.get(outcome as usize) else {
            return;
        };
        let register = || {
            let route = String::from(&*self.route);
            counter!(names::REQUESTS, "outcome" => label(outcome), "route" => route)
        };
        counter.get_or_init(register).increment(1);
    }
}

fn label(outcome: RequestOutcome) -> &'static str {
    match outcome {
        RequestOutcome::Exempt => "exempt",
        RequestOutcome::Admitted => "admitted",
        RequestOutcome::Limited => "limited",
        RequestOutcome::Threat => "threat",
        RequestOutcome::Banned => "banned",
        RequestOutcome::Denied => "denied",
        RequestOutcome::Unavailable => "unavailable",
    }
}
