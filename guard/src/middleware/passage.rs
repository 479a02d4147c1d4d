//! A request's passage: who decides about it, and when the inner service is called.
//!
//! Must not know: how decisions are made, how answers look.

use std::rc::Rc;

use actix_web::{
    Error, HttpMessage as _, HttpResponse,
    body::MessageBody,
    dev::{Service, ServiceRequest, ServiceResponse},
    http::Method,
};

use crate::{
    client::Client,
    decision::{Answer, Cause, Decision},
    detect::Threat,
    judge::{count_refusal, judge, reason, say_threat},
    policy::Question,
    response::{Refusal, RefusalKind, refuse},
    route::{Called, Expectation, Forecast, Routed, Ticket, Tickets, any_registered},
    telemetry::{RequestOutcome, Tally},
    view::{GlobalValue, View, Windows},
};
#[cfg(feature = "admin")]
use crate::{operator::may_still_prove, response::challenge};

use super::{
    after::{After, Ticketed},
    future::GuardFuture,
    service::Worker,
    signals::Signals,
};

/// A request on its way, with what has been found out about it.
pub(super) struct Passage<'a, S> {
    pub(super) service: &'a Rc<S>,
    pub(super) worker: &'a Rc<Worker>,
    pub(super) view: &'a Rc<View>,
    pub(super) client: &'a Client,
    pub(super) ticket: TicketKind,
    /// Of the answer.
    pub(super) signals: Option<Rc<Signals>>,
}

/// What limited routes are to find of a request that is decided before routing.
#[derive(Clone, Copy, Debug)]
pub(super) enum TicketKind {
    /// The worker has no limited routes.
    None,
    /// The request passes.
    Pass,
    /// The global window has admitted it.
    Counted,
}

/// What the store was asked before routing.
struct Asked {
    answer: Answer<Decision>,
    windows: Windows,
    ticket: TicketKind,
}

impl<'a, S, B> Passage<'a, S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    #[inline]
    pub(super) fn new(
        service: &'a Rc<S>,
        worker: &'a Rc<Worker>,
        view: &'a Rc<View>,
        client: &'a Client,
        signals: Option<Rc<Signals>>,
    ) -> Self {
        let ticket = if any_registered() {
            TicketKind::Pass
        } else {
            TicketKind::None
        };
        Self {
            service,
            worker,
            view,
            client,
            ticket,
            signals,
        }
    }

    #[inline]
    pub(super) fn decide(&self, question: Question, request: ServiceRequest) -> GuardFuture<S, B> {
        let Asked {
            mut answer,
            windows,
            ticket,
        } = match question {
            Question::Counted => match self.forecast(&request) {
                Forecast::Global { pattern } => self.ask_unclaimed(pattern.as_deref(), &request),
                Forecast::Route(expectation) => return self.route(expectation, request),
            },
            Question::Threat(threat) => self.ask_about(&threat, &request),
            Question::Uncounted => self.ask_without_windows(Cause::Request),
            Question::Preflight => self.ask_apart(self.view.preflight(), &request),
            Question::Infrastructure => self.ask_apart(self.view.infrastructure(), &request),
        };
        match answer {
            Answer::Ready(ref mut decision) => self.answered(decision, windows, ticket, request),
            Answer::Later(answer) => {
                GuardFuture::before_call(answer, windows, ticket, request, self)
            }
        }
    }

    fn ask_about(&self, threat: &Threat, request: &ServiceRequest) -> Asked {
        say_threat(self.view, self.client, threat, request.path());
        self.ask_without_windows(Cause::Threat(&reason(threat)))
    }

    fn ask_without_windows(&self, cause: Cause<'_>) -> Asked {
        Asked {
            answer: self.view.ask_without_windows(self.client, cause),
            windows: Windows::new(),
            ticket: self.ticket,
        }
    }

    /// Counts the request in a window that is not for what other requests do, and is nobody's strike.
    fn ask_apart(&self, windows: Windows, request: &ServiceRequest) -> Asked {
        let view = self.view;
        Asked {
            answer: view.ask(self.client, Cause::Request, &windows, false, request),
            windows,
            ticket: self.ticket,
        }
    }

    /// Where the request is counted: in the global window before routing, or in the windows of its route.
    #[inline]
    fn forecast(&self, request: &ServiceRequest) -> Forecast {
        let entries = self.view.entries();
        if matches!(self.ticket, TicketKind::None) && entries.is_none() {
            return Forecast::Global { pattern: None };
        }
        #[cfg(feature = "admin")]
        if may_still_prove(request) {
            // Decided about where the request is at hand, for a refusal to become a question for the password.
            return Forecast::Global { pattern: None };
        }
        self.worker.prediction.forecast(request, entries)
    }

    #[inline]
    fn ask_unclaimed(&self, pattern: Option<&str>, request: &ServiceRequest) -> Asked {
        let view = self.view;
        let windows = view.unclaimed(request.method(), pattern);
        Asked {
            answer: view.ask(self.client, Cause::Request, &windows, true, request),
            windows,
            ticket: match self.ticket {
                TicketKind::Pass => TicketKind::Counted,
                other => other,
            },
        }
    }

    /// The decision is there before the inner service is called.
    #[inline(always)]
    pub(super) fn answered(
        &self,
        decision: &mut Decision,
        mut windows: Windows,
        ticket: TicketKind,
        request: ServiceRequest,
    ) -> GuardFuture<S, B> {
        let outcome = RequestOutcome::of(decision);
        let tally = Tally::of(outcome, self.view.meter(&windows));
        count_refusal(self.view, self.client, outcome, Some(&request));
        if let Some(refusal) = judge(self.view, self.client, decision, &mut windows) {
            return self.refuse(request, &refusal);
        }
        // In passive mode.
        let is_violation = decision.outcome.is_violation();
        let is_told = is_violation || self.signals.is_some() || self.view.resets(decision);
        let ticket = self.hand_over_ticket(ticket, tally, is_told, &request);
        if is_violation && let Some(ticket) = &ticket {
            ticket.strike();
        }
        let inner = self.service.call(request);
        let ticketed = ticket.map(|ticket| Ticketed {
            worker: Rc::clone(self.worker),
            ticket,
        });
        let signals = self.signals.clone();
        let after = After::decided(self.view, self.client, decision, windows, ticketed, signals);
        GuardFuture::serving(inner, after)
    }

    /// Calls the inner service without polling its future: limited routes claim the request in this call.
    fn route(&self, expectation: Expectation, request: ServiceRequest) -> GuardFuture<S, B> {
        let routed = Routed {
            expectation,
            method: request.method().clone(),
            global_value: self.view.global_value(&request),
        };
        let ticket = Ticket::undecided(Rc::clone(self.view), self.client.clone(), routed);
        hand_over(&request, Rc::clone(&ticket));
        let inner = self.service.call(request);
        let undecided = self.undecided(&ticket);
        let asked = undecided.map(|(windows, global_value)| {
            let view = self.view;
            let answer = view.ask_detached(self.client, &windows, global_value);
            (answer, windows)
        });
        let ticketed = Ticketed {
            worker: Rc::clone(self.worker),
            ticket,
        };
        let view = Rc::clone(self.view);
        let after = After::routed(view, self.client, ticketed, self.signals.clone());
        match asked {
            None => GuardFuture::serving(inner, Some(after)),
            Some((answer, windows)) => GuardFuture::before_poll(inner, after, answer, windows),
        }
    }

    /// The windows that are to be decided about after the call of the inner service, with what `key_by` gave; `None` for a request that
    /// has been decided, or waits for late claims.
    fn undecided<'t>(&self, ticket: &'t Ticket) -> Option<(Windows, Option<&'t GlobalValue>)> {
        let routed = ticket.routed.as_ref()?;
        let (expectation, method) = (&routed.expectation, &routed.method);
        let windows = match ticket.called() {
            Called::Claimed => self.overlooked(ticket, expectation, method),
            Called::Waiting | Called::Nobody if expectation.late => return None,
            Called::Waiting => ticket.take_pending(),
            Called::Nobody => self.view.unclaimed(method, expectation.pattern()),
        };
        (!windows.is_empty()).then_some((windows, routed.global_value.as_ref()))
    }

    /// Windows that the configuration has for a route that only the scopes around it have claimed.
    fn overlooked(&self, ticket: &Ticket, expectation: &Expectation, method: &Method) -> Windows {
        let pattern = expectation.pattern();
        pattern
            .and_then(|pattern| self.view.configured_for(method, pattern))
            .filter(|_| !ticket.is_claimed_at(pattern))
            .unwrap_or_default()
    }

    pub(super) fn serve_uncounted(&self, request: ServiceRequest) -> GuardFuture<S, B> {
        self.hand_over_ticket(self.ticket, Tally::none(), false, &request);
        GuardFuture::Forward {
            inner: self.service.call(request),
        }
    }

    /// Gives limited routes what they are to find, with what has been noted of the request, which they may yet change; the ticket, if they may decide about the request.
    /// `is_told`: also if it matters whether the request has had its strike, for the ticket will tell.
    #[inline]
    fn hand_over_ticket(
        &self,
        ticket: TicketKind,
        tally: Tally,
        is_told: bool,
        request: &ServiceRequest,
    ) -> Option<Rc<Ticket>> {
        let (view, client) = (|| Rc::clone(self.view), || self.client.clone());
        match ticket {
            TicketKind::None if !is_told => None,
            TicketKind::None | TicketKind::Pass => {
                let ticket = Ticket::pass(view(), client());
                hand_over(request, Rc::clone(&ticket));
                is_told.then_some(ticket)
            }
            TicketKind::Counted => {
                let ticket = Ticket::counted(view(), client(), tally);
                hand_over(request, Rc::clone(&ticket));
                Some(ticket)
            }
        }
    }

    pub(super) fn refuse(&self, request: ServiceRequest, refusal: &Refusal) -> GuardFuture<S, B> {
        let settings = &self.view.settings;
        let response = challenge_instead(&request, refusal.kind).unwrap_or_else(|| {
            refuse(
                refusal,
                settings.rate_limit_headers,
                settings.on_refusal.as_ref(),
                request.method(),
            )
        });
        GuardFuture::Refused {
            response: Some(request.into_response(response)),
        }
    }
}

fn hand_over(request: &ServiceRequest, ticket: Rc<Ticket>) {
    let mut extensions = request.extensions_mut();
    // Guards around this one have put theirs there before.
    if let Some(mut tickets) = extensions.insert(Tickets::new(ticket))
        && let Some(own) = extensions.remove::<Tickets>()
    {
        tickets.append(own);
        extensions.insert(tickets);
    }
}

/// Whoever is banned or over a limit is asked for his password at an admin scope: without the question no browser sends one.
fn challenge_instead(request: &ServiceRequest, kind: RefusalKind) -> Option<HttpResponse> {
    #[cfg(feature = "admin")]
    if matches!(kind, RefusalKind::Banned | RefusalKind::RateLimited) && may_still_prove(request) {
        return Some(challenge(request.method(), request.headers()));
    }
    let _ = (request, kind);
    None
}
