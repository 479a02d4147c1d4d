//! What is left to do when the answer is known: strikes, header fields, and what is learned for next time.
//!
//! Must not know: how decisions are made.

use std::rc::Rc;

use actix_web::{Error, dev::ServiceResponse, http::Method};

use crate::{
    client::{Client, ClientKey},
    config::HeaderStyle,
    decision::{Answer, Decision, QuotaStates},
    judge::{count_refusal, judge, say},
    response::{Refusal, RefusalError, tell_quotas},
    route::{Prediction, Routed, Ticket},
    telemetry::{RequestOutcome, StrikeCause},
    view::{View, Windows},
};

use super::{
    service::Worker,
    signals::{Sign, Signals},
};

/// What is to be done when the answer is known.
pub struct After {
    view: Rc<View>,
    client: ClientKey,
    counted: Option<Counted>,
    ticketed: Option<Ticketed>,
    signals: Option<Rc<Signals>>,
}

/// What a request was counted in.
struct Counted {
    /// A clean answer puts the strikes back to zero.
    resets: bool,
    quotas: QuotaStates,
    windows: Windows,
}

/// Of a request that its route decides about; that the global window admitted where no limited route was expected; or of which it matters
/// whether it has had its strike.
pub(super) struct Ticketed {
    pub(super) worker: Rc<Worker>,
    pub(super) ticket: Rc<Ticket>,
}

impl After {
    /// For a request that was decided before routing; `None` if its answer is to be left alone.
    #[inline]
    pub(super) fn decided(
        view: &Rc<View>,
        client: &Client,
        decision: &mut Decision,
        windows: Windows,
        ticketed: Option<Ticketed>,
        signals: Option<Rc<Signals>>,
    ) -> Option<Self> {
        let resets = view.resets(decision);
        if !resets && ticketed.is_none() && signals.is_none() && !tells_quotas(view) {
            return None;
        }
        Some(Self {
            view: Rc::clone(view),
            client: client.key(),
            counted: Some(Counted {
                resets,
                quotas: std::mem::take(&mut decision.quotas),
                windows,
            }),
            ticketed,
            signals,
        })
    }

    /// For a request that its route decides about.
    pub(super) fn routed(
        view: Rc<View>,
        client: &Client,
        ticketed: Ticketed,
        signals: Option<Rc<Signals>>,
    ) -> Self {
        Self {
            view,
            client: client.key(),
            counted: None,
            ticketed: Some(ticketed),
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
        let ticket = self.ticketed.as_ref().map(|ticketed| &*ticketed.ticket);
        let Some((ticket, routed)) = ticket.and_then(|it| Some((it, it.routed.as_ref()?))) else {
            return Ok(());
        };
        ticket.note(&decision, &windows);
        count_refusal(
            &self.view,
            &ticket.client,
            RequestOutcome::of(&decision),
            None,
        );
        match judge(&self.view, &ticket.client, &mut decision, &mut windows) {
            Some(refusal) => Err(refusal_error(&self.view, refusal, routed.method.clone())),
            None => {
                ticket.settle(windows, decision);
                Ok(())
            }
        }
    }

    /// The answer is known.
    pub(super) fn answered<B>(&mut self, response: &mut Result<ServiceResponse<B>, Error>) {
        let mut is_struck = false;
        if let Some(Ticketed { worker, ticket }) = self.ticketed.take() {
            match &ticket.routed {
                Some(routed) => self.conclude(&worker.prediction, &ticket, routed),
                None if ticket.is_claimed() => {
                    worker.prediction.surprise();
                    self.take_settled(&ticket);
                }
                None => {}
            }
            if ticket.is_refused() {
                return;
            }
            is_struck = ticket.is_struck();
        }
        let signals = self.signals.take();
        let sign = signals.map_or(Sign::Clean, |signals| {
            signals.heed(&self.view, response, is_struck)
        });
        let Some(counted) = self.counted.take().filter(|_| sign != Sign::Refused) else {
            return;
        };
        if counted.resets && sign == Sign::Clean && !is_struck {
            in_background(self.view.store().clear_strikes(self.client));
        }
        if tells_quotas(&self.view) {
            let style = self.view.settings.rate_limit_headers;
            let Counted {
                windows, quotas, ..
            } = counted;
            match response {
                Ok(response) => tell_quotas(response.headers_mut(), style, &windows, &quotas),
                // Its response is made further out.
                Err(error) => error.add_response_mapper(move |mut response| {
                    tell_quotas(response.headers_mut(), style, &windows, &quotas);
                    response
                }),
            }
        }
    }

    /// What limited routes decided goes before the global window.
    fn take_settled(&mut self, ticket: &Ticket) {
        if let Some((decision, windows)) = ticket.take_settled() {
            self.counted = Some(Counted::new(&self.view, decision, windows));
        }
    }

    /// Learns who claimed the request, and makes up for what has not been counted.
    fn conclude(&mut self, prediction: &Prediction, ticket: &Rc<Ticket>, routed: &Routed) {
        ticket.with_claims(|claims, late| prediction.learn(&routed.expectation, claims, late));
        self.take_settled(ticket);
        let mut windows = ticket.take_pending();
        if !ticket.is_counted() && windows.is_empty() {
            windows = self
                .view
                .unclaimed(&routed.method, routed.expectation.pattern());
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
