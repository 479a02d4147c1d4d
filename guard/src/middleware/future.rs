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
    Error,
    body::{BoxBody, EitherBody, MessageBody},
    dev::{Service, ServiceRequest, ServiceResponse},
};
use pin_project_lite::pin_project;

use crate::{
    client::Client,
    decision::{Answer, Decision},
    view::{View, Windows},
};

use super::{
    after::After,
    passage::{Passage, TicketKind},
    service::Worker,
    signals::Signals,
};

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
    ticket: TicketKind,
    signals: Option<Rc<Signals>>,
}

/// A question to the store about a request that is in the inner future already, which has not been polled.
pub struct Asked {
    answer: Later,
    windows: Windows,
}

impl<S, B> GuardFuture<S, B>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    pub(super) fn before_call(
        answer: Later,
        windows: Windows,
        ticket: TicketKind,
        request: ServiceRequest,
        passage: &Passage<'_, S>,
    ) -> Self {
        let waiting = Waiting {
            answer,
            windows,
            request,
            service: Rc::clone(passage.service),
            worker: Rc::clone(passage.worker),
            view: Rc::clone(passage.view),
            client: passage.client.clone(),
            ticket,
            signals: passage.signals.clone(),
        };
        Self::BeforeCall {
            waiting: Some(Box::new(waiting)),
        }
    }

    #[inline]
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
    #[cold]
    fn answered(self, mut decision: Decision) -> GuardFuture<S, B> {
        let passage = Passage {
            service: &self.service,
            worker: &self.worker,
            view: &self.view,
            client: &self.client,
            ticket: self.ticket,
            signals: self.signals,
        };
        passage.answered(&mut decision, self.windows, self.ticket, self.request)
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
                    return Poll::Ready(match ready!(inner.poll(context)) {
                        Ok(response) => Ok(response.map_into_left_body()),
                        Err(error) => Err(error),
                    });
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
                    if let Some(after) = after {
                        after.answered(&mut response);
                    }
                    return Poll::Ready(match response {
                        Ok(response) => Ok(response.map_into_left_body()),
                        Err(error) => Err(error),
                    });
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
