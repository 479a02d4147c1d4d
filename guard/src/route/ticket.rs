//! The ticket of a request: what the guard has decided of it, and what its route adds.
//!
//! A guard puts it into the request's extensions before routing; a limited route that the request reaches finds it there.
//! Must not know: responses.

use std::{cell::RefCell, rc::Rc};

use actix_web::{dev::ServiceRequest, http::Method};

use crate::{
    client::Client,
    decision::{Answer, Cause, Decision},
    telemetry::{RequestOutcome, Tally},
    view::{GlobalValue, View, Windows},
};

use super::{
    prediction::{Claims, Expectation},
    registration::Registration,
};

/// The tickets of a request: one of each guard with a configuration of its own.
#[derive(Debug)]
pub(crate) struct Tickets {
    first: Rc<Ticket>,
    others: Vec<Rc<Ticket>>,
}

impl Tickets {
    pub(crate) fn new(first: Rc<Ticket>) -> Self {
        Self {
            first,
            others: Vec::new(),
        }
    }

    pub(crate) fn append(&mut self, inner: Self) {
        self.others.push(inner.first);
        self.others.extend(inner.others);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rc<Ticket>> {
        [&self.first].into_iter().chain(&self.others)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        1 + self.others.len()
    }

    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&Rc<Ticket>> {
        match number.checked_sub(1) {
            None => Some(&self.first),
            Some(number) => self.others.get(number),
        }
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) view: Rc<View>,
    pub(crate) client: Client,
    tally: Tally,
    /// Of a request that its route decides about.
    pub(crate) routed: Option<Routed>,
    state: RefCell<State>,
}

/// What is known before routing of a request that its route decides about.
#[derive(Debug)]
pub(crate) struct Routed {
    /// The last of the claims of last time decides for all.
    pub(crate) expectation: Expectation,
    pub(crate) method: Method,
    pub(crate) global_value: Option<GlobalValue>,
}

#[derive(Debug, Default)]
struct State {
    /// The request may pass every route: nothing is to be counted.
    passes: bool,
    arrived: Claims,
    /// Windows of claims that left the decision to a later one.
    pending: Windows,
    /// The guard's own window is counted, or a window by address has taken its place.
    counted_by_address: bool,
    /// The store has been asked, and so whether the client is banned.
    asked: bool,
    /// The decision that admitted the request, with its windows.
    settled: Option<(Decision, Windows)>,
    refused: bool,
    /// The request has had its strike: it was reported as a threat, or was a violation that passive mode lets pass.
    struck: bool,
    /// The call of the inner service has returned: claims from now on are late.
    called: bool,
    late: bool,
}

/// What a claim comes to.
pub(crate) enum Claim {
    /// Nothing to decide here.
    Through,
    /// The store is asked about these windows.
    Asked(Windows, Answer<Decision>),
}

impl Ticket {
    /// A ticket for a request that may pass every route, because its windows are not counted.
    pub(crate) fn pass(view: Rc<View>, client: Client) -> Rc<Self> {
        let state = State {
            passes: true,
            counted_by_address: true,
            ..State::default()
        };
        Self::with(view, client, Tally::none(), None, state)
    }

    /// A ticket for a request that the global window has admitted, with what has been noted of it. A limited route that it reaches against expectation decides about it
    /// all the same.
    pub(crate) fn counted(view: Rc<View>, client: Client, tally: Tally) -> Rc<Self> {
        let state = State {
            counted_by_address: true,
            asked: true,
            ..State::default()
        };
        Self::with(view, client, tally, None, state)
    }

    /// A ticket for a request that its route decides about.
    #[inline]
    pub(crate) fn undecided(view: Rc<View>, client: Client, routed: Routed) -> Rc<Self> {
        let state = State::default();
        Self::with(view, client, Tally::none(), Some(routed), state)
    }

    #[inline(always)]
    fn with(
        view: Rc<View>,
        client: Client,
        tally: Tally,
        routed: Option<Routed>,
        state: State,
    ) -> Rc<Self> {
        let state = RefCell::new(state);
        Rc::new(Self {
            view,
            client,
            tally,
            routed,
            state,
        })
    }

    /// Who claimed such a request last time.
    fn expected(&self) -> &[Rc<Registration>] {
        self.routed
            .as_ref()
            .map_or(&[], |routed| routed.expectation.claims.as_slice())
    }

    /// A limited route has been reached.
    pub(crate) fn claim(&self, registration: &Rc<Registration>, request: &ServiceRequest) -> Claim {
        let mut state = self.state.borrow_mut();
        if state.passes {
            return Claim::Through;
        }
        state.late |= state.called;
        state.arrived.push(Rc::clone(registration));
        let expected = self.expected();
        let mut others = expected.iter();
        let is_expected = others.any(|other| Rc::ptr_eq(other, registration));
        let Some(windows) = registration.windows(&self.view, request, is_expected) else {
            // An exempt route: out of the global window, and into none. Bans are in force there, too.
            state.counted_by_address = true;
            self.tally
                .note(RequestOutcome::Exempt, self.view.default_meter());
            return self.ask_about_ban(&mut state);
        };
        state.pending.push(windows);
        if state.leaves_it_to_a_later_claim(expected) {
            return Claim::Through;
        }
        let mut windows = std::mem::take(&mut state.pending);
        if windows.iter().any(|windows| windows.is_enough()) {
            state.counted_by_address = true;
        } else if !state.counted_by_address {
            // A limit by key only adds to the global window: keys are the sender's to rotate.
            state.counted_by_address = true;
            windows.extend(self.view.unclaimed(request.method(), None));
        }
        state.asked = true;
        let answer = self
            .view
            .ask(&self.client, Cause::Request, &windows, true, request);
        Claim::Asked(windows, answer)
    }

    /// Once, and not if windows are to be decided: that tells of a ban as well.
    fn ask_about_ban(&self, state: &mut State) -> Claim {
        let decided =
            !state.pending.is_empty() || state.leaves_it_to_a_later_claim(self.expected());
        if state.asked || decided {
            return Claim::Through;
        }
        state.asked = true;
        match self.view.ask_about_ban(&self.client) {
            Some(answer) => Claim::Asked(Windows::new(), answer),
            None => Claim::Through,
        }
    }

    /// Notes what was decided, for the numbers. That the client of a request in no window is not banned is no admission.
    pub(crate) fn note(&self, decision: &Decision, windows: &Windows) {
        let outcome = RequestOutcome::of(decision);
        if !windows.is_empty() || outcome != RequestOutcome::Admitted {
            self.tally.note(outcome, self.view.meter(windows));
        }
    }

    /// Notes a decision that let the request pass.
    #[inline]
    pub(crate) fn settle(&self, windows: Windows, decision: Decision) {
        let mut state = self.state.borrow_mut();
        state.counted_by_address = true;
        state.struck |= decision.outcome.is_violation();
        match &mut state.settled {
            Some((before, among)) => {
                before.strikes = decision.strikes;
                before.quotas.extend(decision.quotas);
                among.extend(windows);
            }
            None => state.settled = Some((decision, windows)),
        }
    }

    /// Notes that the route refused the request.
    pub(crate) fn refuse(&self) {
        self.state.borrow_mut().refused = true;
    }

    /// Notes that the request has had its strike; whether it had.
    pub(crate) fn strike(&self) -> bool {
        std::mem::replace(&mut self.state.borrow_mut().struck, true)
    }

    /// Whether the request has had its strike. Known here also if the answer is an error, which has no request.
    #[inline]
    pub(crate) fn is_struck(&self) -> bool {
        self.state.borrow().struck
    }

    #[inline]
    pub(crate) fn is_refused(&self) -> bool {
        self.state.borrow().refused
    }

    /// The call of the inner service has returned; its future has not been polled yet.
    #[inline]
    pub(crate) fn called(&self) -> Called {
        let mut state = self.state.borrow_mut();
        state.called = true;
        match (state.pending.is_empty(), state.arrived.is_empty()) {
            (false, _) => Called::Waiting,
            (true, false) => Called::Claimed,
            (true, true) => Called::Nobody,
        }
    }

    /// Whether the claim of a route with this pattern is among those that have come, or the request has been refused.
    pub(crate) fn is_claimed_at(&self, pattern: Option<&str>) -> bool {
        let state = self.state.borrow();
        state.refused
            || state
                .arrived
                .iter()
                .any(|registration| registration.is_at(pattern))
    }

    /// The windows that wait for a decision, if any.
    pub(crate) fn take_pending(&self) -> Windows {
        std::mem::take(&mut self.state.borrow_mut().pending)
    }

    /// Whether the request has been counted by its address, or need not be.
    pub(crate) fn is_counted(&self) -> bool {
        let state = self.state.borrow();
        state.counted_by_address || state.refused
    }

    /// Whether a limited route has claimed the request.
    pub(crate) fn is_claimed(&self) -> bool {
        !self.state.borrow().arrived.is_empty()
    }

    /// The decision of the routes that admitted the request, with its windows.
    #[inline]
    pub(crate) fn take_settled(&self) -> Option<(Decision, Windows)> {
        self.state.borrow_mut().settled.take()
    }

    /// Lets `read` see who claimed the request, and whether late.
    pub(crate) fn with_claims(&self, read: impl FnOnce(&Claims, bool)) {
        let state = self.state.borrow();
        read(&state.arrived, state.late);
    }
}

/// Where a request stands after the call of the inner service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Called {
    /// Claimed, and decided.
    Claimed,
    /// Claimed, but the last claim that was expected has not come.
    Waiting,
    /// Nobody claimed it.
    Nobody,
}

impl State {
    /// Whether the claims so far are the beginning of those of last time, and more are to come.
    fn leaves_it_to_a_later_claim(&self, expected: &[Rc<Registration>]) -> bool {
        self.arrived.len() < expected.len()
            && self
                .arrived
                .iter()
                .zip(expected)
                .all(|(one, two)| Rc::ptr_eq(one, two))
    }
}
