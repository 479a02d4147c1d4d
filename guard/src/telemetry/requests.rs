//! Requests: each is counted once, by what became of it and by route.
//!
//! Must not know: when it is known what becomes of a request.

use std::{cell::RefCell, rc::Rc};

use super::{Recent, RequestOutcome, RouteCounters};

/// Counts the requests of one route in one worker.
#[derive(Clone, Debug)]
pub(crate) struct RouteMeter(Rc<Route>);

#[derive(Debug)]
struct Route {
    exported: RouteCounters,
    recent: Recent,
}

impl RouteMeter {
    pub(super) fn new(route: &str, recent: Recent) -> Self {
        Self(Rc::new(Route {
            exported: RouteCounters::new(route),
            recent,
        }))
    }

    pub(crate) fn count(&self, outcome: RequestOutcome) {
        self.0.exported.count(outcome);
        self.0.recent.count(outcome);
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
