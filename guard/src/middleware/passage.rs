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
    judge::{count_refusal, judge, reason, say_threat},
    policy::Question,
    response::{Refusal, RefusalKind, refuse},
    route::{Called, Expectation, Forecast, Ticket, Tickets, any_registered},
    telemetry::{RequestOutcome, Tally},
    view::{View, Windows},
};
#[cfg(feature = "admin")]
use crate::{operator::may_still_prove, response::challenge};

use super::{
    after::{After, Routed, Watched},
    future::GuardFuture,
    service::Worker,
    signals::Signals,
};

/// A request on its way, with what has been found out about it.
pub(super) struct Passage<'a, S> {
    pub(super) service: &'a Rc<S>,
    pub(super) worker: &'a Rc<Worker>,
    pub(super) view: Rc<View>,
    pub(super) client: Client,
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

impl<'a, S, B> Passage<'a, S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    pub(super) fn new(
        service: &'a Rc<S>,
        worker: &'a Rc<Worker>,
        view: Rc<View>,
        client: Client,
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

    pub(super) fn decide(&self, question: Question, request: ServiceRequest) -> GuardFuture<S, B> {
        match question {
            Question::Counted => self.count(request),
            Question::Threat(threat) => {
                say_threat(&self.view, &self.client, &threat, request.path());
                let answer = self
                    .view
                    .ask_without_windows(&self.client, Cause::Threat(&reason(&threat)));
                self.answered_or_wait(answer, Windows::new(), self.ticket, request)
            }
            Question::Uncounted => {
                let answer = self.view.ask_without_windows(&self.client, Cause::Request);
                self.answered_or_wait(answer, Windows::new(), self.ticket, request)
            }
            Question::Preflight => self.count_apart(self.view.preflight(), request),
            Question::Infrastructure => self.count_apart(self.view.infrastructure(), request),
        }
    }

    /// Counts the request in a window that is not for what other requests do, and is nobody's strike.
    fn count_apart(&self, windows: Windows, request: ServiceRequest) -> GuardFuture<S, B> {
        let answer = self
            .view
            .ask(&self.client, Cause::Request, &windows, false, &request);
        self.answered_or_wait(answer, windows, self.ticket, request)
    }

    /// Counts the request where it belongs: in the global window before routing, or in the windows of its route.
    #[inline]
    fn count(&self, request: ServiceRequest) -> GuardFuture<S, B> {
        let configured = !self.view.settings.routes.is_empty();
        if matches!(self.ticket, TicketKind::None) && !configured {
            return self.count_unclaimed(None, request);
        }
        #[cfg(feature = "admin")]
        if may_still_prove(&request) {
            // Decided about where the request is at hand, for a refusal to become a question for the password.
            return self.count_unclaimed(None, request);
        }
        match self.worker.prediction.forecast(&request, configured) {
            Forecast::Global { pattern } => self.count_unclaimed(pattern.as_deref(), request),
            Forecast::Route(expectation) => self.route(expectation, request),
        }
    }

    #[inline]
    fn count_unclaimed(&self, pattern: Option<&str>, request: ServiceRequest) -> GuardFuture<S, B> {
        let windows = self.view.unclaimed(request.method(), pattern);
        let answer = self
            .view
            .ask(&self.client, Cause::Request, &windows, true, &request);
        let ticket = match self.ticket {
            TicketKind::Pass => TicketKind::Counted,
            other => other,
        };
        self.answered_or_wait(answer, windows, ticket, request)
    }

    #[inline]
    fn answered_or_wait(
        &self,
        answer: Answer<Decision>,
        windows: Windows,
        ticket: TicketKind,
        request: ServiceRequest,
    ) -> GuardFuture<S, B> {
        match answer {
            Answer::Ready(decision) => self.answered(decision, windows, ticket, request),
            Answer::Later(answer) => {
                GuardFuture::before_call(answer, windows, ticket, request, self)
            }
        }
    }

    /// The decision is there before the inner service is called.
    #[inline]
    pub(super) fn answered(
        &self,
        mut decision: Decision,
        mut windows: Windows,
        ticket: TicketKind,
        request: ServiceRequest,
    ) -> GuardFuture<S, B> {
        let outcome = RequestOutcome::of(&decision);
        let tally = Tally::of(outcome, self.view.meter(&windows));
        count_refusal(&self.view, &self.client, outcome, Some(&request));
        if let Some(refusal) = judge(&self.view, &self.client, &mut decision, &mut windows) {
            return self.refuse(request, &refusal);
        }
        let ticket = self.hand_over_ticket(ticket, tally, &request);
        let inner = self.service.call(request);
        let watched = ticket.map(|ticket| Watched {
            worker: Rc::clone(self.worker),
            ticket,
        });
        let signals = self.signals.clone();
        let after = After::decided(
            &self.view,
            &self.client,
            decision,
            windows,
            watched,
            signals,
        );
        GuardFuture::serving(inner, after)
    }

    /// Calls the inner service without polling its future: limited routes claim the request in this call.
    fn route(&self, expectation: Expectation, request: ServiceRequest) -> GuardFuture<S, B> {
        let ticket = Ticket::undecided(
            Rc::clone(&self.view),
            self.client.clone(),
            Rc::clone(&expectation.claims),
        );
        hand_over(&request, Rc::clone(&ticket));
        let method = request.method().clone();
        let global_value = self.view.global_value(&request);
        let inner = self.service.call(request);
        let undecided = match ticket.called() {
            Called::Claimed => self.overlooked(&ticket, &expectation, &method),
            Called::Waiting | Called::Nobody if expectation.late => Windows::new(),
            Called::Waiting => ticket.take_pending(),
            Called::Nobody => self.view.unclaimed(&method, expectation.pattern.as_deref()),
        };
        let asked = (!undecided.is_empty()).then(|| {
            self.view
                .ask_detached(&self.client, &undecided, global_value.as_ref())
        });
        let routed = Routed {
            worker: Rc::clone(self.worker),
            ticket,
            expectation,
            method,
            global_value,
        };
        let view = Rc::clone(&self.view);
        let after = After::routed(view, &self.client, routed, self.signals.clone());
        match asked {
            None => GuardFuture::serving(inner, Some(after)),
            Some(answer) => GuardFuture::before_poll(inner, after, answer, undecided),
        }
    }

    /// Windows that the configuration has for a route that only the scopes around it have claimed.
    fn overlooked(&self, ticket: &Ticket, expectation: &Expectation, method: &Method) -> Windows {
        let pattern = expectation.pattern.as_deref();
        let configured = self.view.configured_for(method, pattern);
        configured
            .filter(|_| !ticket.is_claimed_at(pattern))
            .unwrap_or_default()
    }

    pub(super) fn serve_uncounted(&self, request: ServiceRequest) -> GuardFuture<S, B> {
        self.hand_over_ticket(self.ticket, Tally::none(), &request);
        GuardFuture::Forward {
            inner: self.service.call(request),
        }
    }

    /// Gives limited routes what they are to find, with what has been noted of the request, which they may yet change; the ticket, if they may decide about the request.
    #[inline]
    fn hand_over_ticket(
        &self,
        ticket: TicketKind,
        tally: Tally,
        request: &ServiceRequest,
    ) -> Option<Rc<Ticket>> {
        let (view, client) = (|| Rc::clone(&self.view), || self.client.clone());
        match ticket {
            TicketKind::None => None,
            TicketKind::Pass => {
                hand_over(request, Ticket::pass(view(), client()));
                None
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
    match extensions.get_mut::<Tickets>() {
        Some(tickets) => tickets.push(ticket),
        None => {
            extensions.insert(Tickets::from_iter([ticket]));
        }
    }
}

/// Whoever is banned or over a limit is asked for his password at an admin scope: without the question no browser sends one.
fn challenge_instead(request: &ServiceRequest, kind: RefusalKind) -> Option<HttpResponse> {
    #[cfg(feature = "admin")]
    if matches!(kind, RefusalKind::Banned | RefusalKind::RateLimited) && may_still_prove(request) {
        return Some(challenge(request.method()));
    }
    let _ = (request, kind);
    None
}
