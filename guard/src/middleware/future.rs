//! The future of the guard: from the inner service's response to the client's.
//!
//! Written out as a state machine, so that the inner future is neither boxed again nor called later than it has to be.
//! Must not know: how decisions are made.

use std::{
    future::Future,
    marker::PhantomData,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use actix_web::{
    Error, HttpMessage as _,
    body::{BoxBody, EitherBody, MessageBody},
    dev::{Service, ServiceRequest, ServiceResponse},
    http::Method,
};
use pin_project_lite::pin_project;

use crate::{
    client::{Client, ClientKey},
    config::HeaderStyle,
    decision::{Answer, Decision, Outcome, QuotaStates},
    handle::Reported,
    judge::judge,
    response::tell_quotas,
    route::{Expectation, Ticket},
    view::{View, Windows},
};

use super::service::{Passage, Worker, refusal_error};

type Later = Pin<Box<dyn Future<Output = Decision> + Send>>;

pin_project! {
    /// The future of [`GuardService`](super::GuardService).
    #[project = GuardProjection]
    #[allow(missing_docs)]
    pub enum GuardFuture<S, B>
    where
        S: Service<ServiceRequest>,
    {
        /// Nothing is left to do.
        Forward { #[pin] inner: S::Future },
        /// The store's answer comes before the inner service is called.
        BeforeCall { waiting: Option<Box<Waiting<S>>> },
        /// The inner service is at work; not before the store has answered, if it was asked.
        Serving { #[pin] inner: S::Future, asked: Option<Box<Asked>>, after: Option<After> },
        /// Refused where the request is at hand.
        Refused { response: Option<ServiceResponse<BoxBody>> },
        /// Refused where it is not.
        Error { error: Option<Error>, body: PhantomData<B> },
    }
}

/// A request that waits for the store.
pub struct Waiting<S> {
    answer: Later,
    windows: Windows,
    request: ServiceRequest,
    service: Rc<S>,
    worker: Rc<Worker>,
    view: Rc<View>,
    client: Client,
    routes: bool,
}

/// A question to the store about a request that is in the inner future already, which has not been polled.
pub struct Asked {
    answer: Later,
    windows: Windows,
}

/// What is to be done when the answer is known.
pub struct After {
    view: Rc<View>,
    client: ClientKey,
    counted: Option<Counted>,
    routed: Option<Box<Routed>>,
}

/// What a request was counted in.
struct Counted {
    /// A clean answer puts the strikes back to zero.
    resets: bool,
    quotas: QuotaStates,
    windows: Windows,
}

/// Of a request that its route decides about.
pub(super) struct Routed {
    pub(super) worker: Rc<Worker>,
    pub(super) ticket: Rc<Ticket>,
    pub(super) expectation: Expectation,
    pub(super) method: Method,
}

impl<S, B> GuardFuture<S, B>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    pub(super) fn before_call(
        answer: Later,
        windows: Windows,
        request: ServiceRequest,
        passage: Passage<'_, S>,
    ) -> Self {
        let (service, worker) = (Rc::clone(passage.service), Rc::clone(passage.worker));
        let (view, client, routes) = (passage.view, passage.client, passage.routes);
        let waiting = Waiting {
            answer,
            windows,
            request,
            service,
            worker,
            view,
            client,
            routes,
        };
        Self::BeforeCall {
            waiting: Some(Box::new(waiting)),
        }
    }

    pub(super) fn serving(inner: S::Future, after: Option<After>) -> Self {
        match after {
            None => Self::Forward { inner },
            after => Self::Serving {
                inner,
                asked: None,
                after,
            },
        }
    }

    /// The request is in the inner future, which has not been polled, and counts in `windows`.
    pub(super) fn before_poll(
        inner: S::Future,
        mut after: After,
        answer: Answer<Decision>,
        windows: Windows,
    ) -> Self {
        match answer {
            Answer::Ready(decision) => match after.counted(decision, windows) {
                Ok(()) => Self::serving(inner, Some(after)),
                Err(error) => Self::Error {
                    error: Some(error),
                    body: PhantomData,
                },
            },
            Answer::Later(answer) => Self::Serving {
                inner,
                asked: Some(Box::new(Asked { answer, windows })),
                after: Some(after),
            },
        }
    }
}

impl<S, B> Waiting<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    fn answered(self, decision: Decision) -> GuardFuture<S, B> {
        let passage = Passage {
            service: &self.service,
            worker: &self.worker,
            view: self.view,
            client: self.client,
            routes: self.routes,
        };
        passage.answered(decision, self.windows, self.request)
    }
}

impl<S, B> Future for GuardFuture<S, B>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Output = Result<ServiceResponse<EitherBody<B>>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            let next = match self.as_mut().project() {
                GuardProjection::Forward { inner } => {
                    let response = ready!(inner.poll(context));
                    return Poll::Ready(response.map(ServiceResponse::map_into_left_body));
                }
                GuardProjection::Serving {
                    inner,
                    asked,
                    after,
                } => {
                    if let Some(question) = asked {
                        let decision = ready!(question.answer.as_mut().poll(context));
                        let windows = std::mem::take(&mut question.windows);
                        *asked = None;
                        if let Some(Err(error)) =
                            after.as_mut().map(|after| after.counted(decision, windows))
                        {
                            return Poll::Ready(Err(error));
                        }
                    }
                    let mut response = ready!(inner.poll(context));
                    if let Some(after) = after.take() {
                        after.answered(&mut response);
                    }
                    return Poll::Ready(response.map(ServiceResponse::map_into_left_body));
                }
                GuardProjection::Refused { response } => match response.take() {
                    Some(response) => return Poll::Ready(Ok(response.map_into_right_body())),
                    None => return Poll::Pending,
                },
                GuardProjection::Error { error, .. } => match error.take() {
                    Some(error) => return Poll::Ready(Err(error)),
                    None => return Poll::Pending,
                },
                GuardProjection::BeforeCall { waiting } => {
                    let Some(asked) = waiting else {
                        return Poll::Pending;
                    };
                    let decision = ready!(asked.answer.as_mut().poll(context));
                    match waiting.take() {
                        Some(asked) => asked.answered(decision),
                        None => return Poll::Pending,
                    }
                }
            };
            self.set(next);
        }
    }
}

impl After {
    /// For a request that was decided before routing; `None` if its answer is to be left alone.
    pub(super) fn decided(
        view: Rc<View>,
        client: &Client,
        decision: Decision,
        windows: Windows,
    ) -> Option<Self> {
        let counted = Counted::new(&view, decision, windows);
        (counted.resets || tells_quotas(&view)).then(|| Self {
            view,
            client: client.key(),
            counted: Some(counted),
            routed: None,
        })
    }

    /// For a request that its route decides about.
    pub(super) fn routed(view: Rc<View>, client: &Client, routed: Routed) -> Self {
        Self {
            view,
            client: client.key(),
            counted: None,
            routed: Some(Box::new(routed)),
        }
    }

    /// Notes a decision that came when the request was in the inner future already.
    ///
    /// # Errors
    ///
    /// The refusal, if it is one.
    fn counted(&mut self, decision: Decision, windows: Windows) -> Result<(), Error> {
        let Some(routed) = &self.routed else {
            return Ok(());
        };
        match judge(&self.view, &routed.ticket.client, &decision, &windows) {
            Some(refusal) => Err(refusal_error(&self.view, refusal, routed.method.clone())),
            None => {
                routed.ticket.settle(windows, decision);
                Ok(())
            }
        }
    }

    /// The answer is known.
    fn answered<B>(mut self, response: &mut Result<ServiceResponse<B>, Error>) {
        if let Some(routed) = self.routed.take() {
            self.conclude(&routed);
            if routed.ticket.is_refused() {
                return;
            }
        }
        let (Some(counted), Ok(response)) = (&self.counted, response) else {
            return;
        };
        if counted.resets && !response.request().extensions().contains::<Reported>() {
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

    /// Learns who claimed the request, and makes up for what has not been counted.
    fn conclude(&mut self, routed: &Routed) {
        let ticket = &routed.ticket;
        let (claims, late) = ticket.claims();
        routed
            .worker
            .prediction
            .learn(&routed.expectation, &claims, late);
        if let Some((decision, windows)) = ticket.take_settled() {
            self.counted = Some(Counted::new(&self.view, decision, windows));
        }
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
        match self.view.ask_detached(&ticket.client, &windows) {
            Answer::Ready(decision) => {
                judge(&self.view, &ticket.client, &decision, &windows);
                self.counted = Some(Counted::new(&self.view, decision, windows));
            }
            later => in_background(later),
        }
    }
}

impl Counted {
    fn new(view: &View, decision: Decision, windows: Windows) -> Self {
        let clean = decision.outcome == Outcome::Admitted && !decision.quotas.is_empty();
        let resets = clean && decision.strikes > 0 && view.clean_requests_reset();
        Self {
            resets,
            quotas: decision.quotas,
            windows,
        }
    }
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
