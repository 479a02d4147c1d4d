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
    client::Client,
    decision::{Answer, Decision, Outcome},
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
        Serving { #[pin] inner: S::Future, asked: Option<Asked>, after: Option<After> },
        /// Refused where the request is at hand.
        Refused { response: Option<ServiceResponse<BoxBody>> },
        /// Refused where it is not.
        Error { error: Option<Error>, body: PhantomData<B> },
    }
}

/// A request that waits for the store.
pub struct Waiting<S> {
    pub(super) answer: Later,
    pub(super) windows: Windows,
    pub(super) request: ServiceRequest,
    pub(super) passage: Passage<S>,
}

/// A question to the store about a request that is in the inner future already, which has not been polled.
pub struct Asked {
    answer: Later,
    windows: Windows,
}

/// What a request was counted in.
pub(super) struct Counted {
    pub(super) decision: Decision,
    pub(super) windows: Windows,
}

/// What is to be done when the answer is known.
pub struct After {
    view: Rc<View>,
    client: Client,
    counted: Option<Counted>,
    routed: Option<Routed>,
}

/// Of a request that its route decides about.
struct Routed {
    worker: Rc<Worker>,
    ticket: Rc<Ticket>,
    expectation: Expectation,
    method: Method,
}

impl<S, B> GuardFuture<S, B>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    pub(super) fn before_call(waiting: Waiting<S>) -> Self {
        Self::BeforeCall {
            waiting: Some(Box::new(waiting)),
        }
    }

    pub(super) fn serving(inner: S::Future, after: After) -> Self {
        Self::Serving {
            inner,
            asked: None,
            after: Some(after),
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
                Ok(()) => Self::serving(inner, after),
                Err(error) => Self::Error {
                    error: Some(error),
                    body: PhantomData,
                },
            },
            Answer::Later(answer) => Self::Serving {
                inner,
                asked: Some(Asked { answer, windows }),
                after: Some(after),
            },
        }
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
                        Some(asked) => {
                            asked
                                .passage
                                .answered(decision, asked.windows, asked.request)
                        }
                        None => return Poll::Pending,
                    }
                }
            };
            self.set(next);
        }
    }
}

impl After {
    /// For a request that was decided before routing.
    pub(super) fn decided(view: Rc<View>, client: Client, counted: Counted) -> Self {
        Self {
            view,
            client,
            counted: Some(counted),
            routed: None,
        }
    }

    /// For a request that its route decides about.
    pub(super) fn routed(
        view: Rc<View>,
        client: Client,
        worker: Rc<Worker>,
        ticket: Rc<Ticket>,
        expectation: Expectation,
        method: Method,
    ) -> Self {
        let routed = Routed {
            worker,
            ticket,
            expectation,
            method,
        };
        Self {
            view,
            client,
            counted: None,
            routed: Some(routed),
        }
    }

    /// Notes a decision that came when the request was in the inner future already.
    ///
    /// # Errors
    ///
    /// The refusal, if it is one.
    fn counted(&mut self, decision: Decision, windows: Windows) -> Result<(), Error> {
        if let Some(refusal) = judge(&self.view, &self.client, &decision, &windows) {
            let method = self
                .routed
                .as_ref()
                .map_or(Method::GET, |routed| routed.method.clone());
            return Err(refusal_error(&self.view, refusal, method));
        }
        match &self.routed {
            Some(routed) => routed.ticket.settle(windows, decision),
            None => self.counted = Some(Counted { decision, windows }),
        }
        Ok(())
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
        let is_clean =
            counted.decision.outcome == Outcome::Admitted && !counted.decision.quotas.is_empty();
        if counted.decision.strikes > 0
            && is_clean
            && self.view.clean_requests_reset()
            && !response.request().extensions().contains::<Reported>()
        {
            in_background(self.view.store().clear_strikes(self.client.key()));
        }
        if !self.view.settings.passive {
            let style = self.view.settings.rate_limit_headers;
            tell_quotas(
                response.headers_mut(),
                style,
                &counted.windows,
                &counted.decision.quotas,
            );
        }
    }

    /// Learns who claimed the request, and makes up for what has not been counted.
    fn conclude(&mut self, routed: &Routed) {
        let (claims, late) = routed.ticket.claims();
        routed
            .worker
            .prediction
            .learn(&routed.expectation, &claims, late);
        if let Some(settled) = routed.ticket.take_settled() {
            self.counted = Some(Counted {
                decision: settled.decision,
                windows: settled.windows,
            });
        }
        let mut windows = routed.ticket.take_pending();
        if !routed.ticket.is_counted() && windows.is_empty() {
            windows.push(
                self.view
                    .unclaimed(&routed.method, routed.expectation.pattern.as_deref()),
            );
        }
        if windows.is_empty() {
            return;
        }
        // The response stands: what is over the limit now is refused from the next request on.
        match self.view.ask_detached(&self.client, &windows) {
            Answer::Ready(decision) => self.counted = Some(Counted { decision, windows }),
            Answer::Later(answer) => in_background(Answer::Later(answer)),
        }
    }
}

/// Waits for the store without keeping the client waiting.
fn in_background<T: 'static>(answer: Answer<T>) {
    if let Answer::Later(answer) = answer {
        actix_web::rt::spawn(answer);
    }
}
