//! Requests: each is counted once, by what became of it and by route.
//!
//! Must not know: when it is known what becomes of a request.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

use metrics::{Counter, counter};

use crate::telemetry::{RequestOutcome, names};

const OUTCOMES: usize = 7;

/// The counters of one route in one worker.
#[derive(Clone, Debug)]
pub(crate) struct RouteMeter(Rc<Counters>);

#[derive(Debug)]
struct Counters {
    route: Box<str>,
    /// In the order of [`RequestOutcome`]. What never happens is never registered.
    by_outcome: [OnceCell<Counter>; OUTCOMES],
}

impl RouteMeter {
    /// `route` becomes the label: a pattern, never what somebody asked for.
    pub(crate) fn new(route: &str) -> Self {
        Self(Rc::new(Counters {
            route: route.into(),
            by_outcome: Default::default(),
        }))
    }

    pub(crate) fn count(&self, outcome: RequestOutcome) {
        let Some(counter) = self.0.by_outcome.get(outcome as usize) else {
            return;
        };
        let register = || {
            let route = String::from(&*self.0.route);
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

/// One request, which may be decided about more than once: in the global window, in a scope, in its route. It is counted when this goes,
/// also if the request was given up meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Tally(RefCell<Option<(RequestOutcome, RouteMeter)>>);

impl Tally {
    /// Of a request that is counted elsewhere, or not yet decided about.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    pub(crate) fn of(outcome: RequestOutcome, meter: &RouteMeter) -> Self {
        Self(RefCell::new(Some((outcome, meter.clone()))))
    }

    /// A refusal stands, and whoever decides later knows the route better.
    pub(crate) fn note(&self, outcome: RequestOutcome, meter: &RouteMeter) {
        let mut noted = self.0.borrow_mut();
        let before = noted.as_ref().map(|(outcome, _)| *outcome);
        let is_refused = before.is_some_and(|before| before > RequestOutcome::Admitted);
        if !is_refused && before.is_none_or(|before| outcome >= before) {
            *noted = Some((outcome, meter.clone()));
        }
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        if let Some((outcome, meter)) = self.0.get_mut() {
            meter.count(*outcome);
        }
    }
}
