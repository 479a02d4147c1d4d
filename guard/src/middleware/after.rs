//! What is left to do when the answer is known: strikes, header fields, and what is learned for next time.
//!
//! Must not know: how decisions are made.

use std::rc::Rc;

use actix_web::{Error, HttpMessage as _, dev::ServiceResponse, http::Method};

use crate::{
    client::{Client, ClientKey},
    config::HeaderStyle,
    decision::{Answer, Decision, QuotaStates},
    handle::Reported,
    judge::{count_refusal, judge, say},
    response::{Refusal, RefusalError, tell_quotas},
    route::{Expectation, Ticket},
    telemetry::{RequestOutcome, StrikeCause},
    view::{GlobalValue, View, Windows},
};

use super::{service::Worker, signals::Signals};

/// What is to be done when the answer is known.
pub struct After {
    view: Rc<View>,
    client: ClientKey,
    counted: Option<Counted>,
    watched: Option<Watched>,
    routed: Option<Box<Routed>>,
    signals: Option<Rc<Signals>>,
}

/// What a request was counted in.
struct Counted {
    /// A clean answer puts the strikes back to zero.
    resets: bool,
    quotas: QuotaStates,
    windows: Windows,
}

/// Of a request that the global window admitted where no limited route was expected.
pub(super) struct Watched {
    pub(super) worker: Rc<Worker>,
    pub(super) ticket: Rc<Ticket>,
}

/// Of a request that its route decides about.
pub(super) struct Routed {
    pub(super) worker: Rc<Worker>,
    pub(super) ticket: Rc<Ticket>,
    pub(super) expectation: Expectation,
    pub(super) method: Method,
    pub(super) global_value: Option<GlobalValue>,
}

impl After {
    /// For a request that was decided before routing; `None` if its answer is to be left alone.
    #[inline]
    pub(super) fn decided(
        view: &Rc<View>,
        client: &Client,
        decision: Decision,
        windows: Windows,
        watched: Option<Watched>,
        signals: Option<Rc<Signals>>,
    ) -> Option<Self> {
        let resets = view.resets(&decision);
        if !resets && watched.is_none() && signals.is_none() && !tells_quotas(view) {
            return None;
        }
        Some(Self {
            view: Rc::clone(view),
            client: client.key(),
            counted: Some(Counted {
                resets,
                quotas: decision.quotas,
                windows,
            }),
            watched,
            routed: None,
            signals,
        })
    }

    /// For a request that its route decides about.
    pub(super) fn routed(
        view: Rc<View>,
        client: &Client,
        routed: Routed,
        signals: Option<Rc<Signals>>,
    ) -> Self {
        Self {
            view,
            client: client.key(),
            counted: None,
            watched: None,
            routed: Some(Box::new(routed)),
            signals,
        }
    }

    /// Notes a decision that came when the request was in the inner future already.
    ///
    /// # Errors
    ///
    /// The refusal, if it is one.
    pub(super) fn counted(
        &mut self,
        mut decision: Decision,
        mut windows: Windows,
    ) -> Result<(), Error> {
        let Some(routed) = &self.routed else {
            return Ok(());
        };
        let client = &routed.ticket.client;
        routed.ticket.note(&decision, &windows);
        count_refusal(&self.view, client, RequestOutcome::of(&decision), None);
        match judge(&self.view, client, &mut decision, &mut windows) {
            Some(refusal) => Err(refusal_error(&self.view, refusal, routed.method.clone())),
            None => {
                routed.ticket.settle(windows, decision);
                Ok(())
            }
        }
    }

    /// The answer is known.
    pub(super) fn answered<B>(&mut self, response: &mut Result<ServiceResponse<B>, Error>) {
        if let Some(routed) = self.routed.take() {
            self.conclude(&routed);
            if routed.ticket.is_refused() {
                return;
            }
        }
        if let Some(watched) = self.watched.take()
            && watched.ticket.is_claimed()
        {
            watched.worker.prediction.surprise();
            if watched.ticket.is_refused() {
                return;
            }
            self.take_settled(&watched.ticket);
        }
        let signals = self.signals.take();
        let is_clean = signals.is_none_or(|signals| signals.heed(&self.view, response));
        let (Some(counted), Ok(response)) = (&self.counted, response) else {
            return;
        };
        if counted.resets && is_clean && !response.request().extensions().contains::<Reported>() {
            in_background(self.view.store().clear_strikes(self.client));
        }
        if tells_quotas(&self.view) {
            let style = self.view.settings.rate_limit_headers;
            tell_quotas(
                response.headers_mut(),
                style,
                &counted.windows,
                &counted.quotas,
            );
        }
    }

    /// What limited routes decided goes before the global window.
    fn take_settled(&mut self, ticket: &Ticket) {
        if let Some((decision, windows)) = ticket.take_settled() {
            self.counted = Some(Counted::new(&self.view, decision, windows));
        }
    }

    /// Learns who claimed the request, and makes up for what has not been counted.
    fn conclude(&mut self, routed: &Routed) {
        let ticket = &routed.ticket;
        let prediction = &routed.worker.prediction;
        ticket.with_claims(|claims, late| prediction.learn(&routed.expectation, claims, late));
        self.take_settled(ticket);
        let mut windows = ticket.take_pending();
        if !ticket.is_counted() && windows.is_empty() {
            windows = self
                .view
                .unclaimed(&routed.method, routed.expectation.pattern.as_deref());
        }
        if windows.is_empty() {
            return;
        }
        // The response stands: what is over the limit now is refused from the next request on.
        let global_value = routed.global_value.as_ref();
        let answer = self
            .view
            .ask_detached(&ticket.client, &windows, global_value);
        match answer {
            Answer::Ready(decision) => {
                ticket.note(&decision, &windows);
                say(
                    &self.view,
                    &ticket.client,
                    &decision,
                    Some(StrikeCause::Limit),
                );
                self.counted = Some(Counted::new(&self.view, decision, windows));
            }
            Answer::Later(answer) => {
                let (view, ticket) = (Rc::clone(&self.view), Rc::clone(ticket));
                actix_web::rt::spawn(async move {
                    let decision = answer.await;
                    ticket.note(&decision, &windows);
                    say(&view, &ticket.client, &decision, Some(StrikeCause::Limit));
                });
            }
        }
    }
}

impl Counted {
    fn new(view: &View, decision: Decision, windows: Windows) -> Self {
        Self {
            resets: view.resets(&decision),
            quotas: decision.quotas,
            windows,
        }
    }
}

/// The refusal at the one point where the request is out of reach.
pub(super) fn refusal_error(view: &View, refusal: Refusal, method: Method) -> Error {
    let settings = &view.settings;
    let hook = settings.on_refusal.clone();
    RefusalError::new(refusal, settings.rate_limit_headers, hook, method).into()
}

/// Limits that are not enforced are not told.
fn tells_quotas(view: &View) -> bool {
    view.settings.rate_limit_headers != HeaderStyle::Off && !view.settings.passive
}

/// Waits for the store without keeping the client waiting.
fn in_background<T: 'static>(answer: Answer<T>) {
    if let Answer::Later(answer) = answer {
        actix_web::rt::spawn(answer);
    }
}
