//! The service of a limited route: claims the request for its windows before extractors and handler run.
//!
//! Must not know: the guard's middleware.

use std::{
    future::Future,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use actix_web::{
    Error, HttpMessage as _, HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{Service, ServiceRequest, ServiceResponse, forward_ready},
};
use pin_project_lite::pin_project;

use crate::{
    client::Client,
    decision::{Answer, Decision},
    judge::{count_refusal, judge},
    response::refuse,
    telemetry::RequestOutcome,
    view::Windows,
};

use super::{
    registration::Registration,
    ticket::{Claim, Ticket, Tickets},
};

/// The service of [`RouteLimit`].
#[derive(Debug)]
pub struct RouteLimitService<S> {
    pub(super) service: Rc<S>,
    pub(super) registration: Rc<Registration>,
}

impl<S, B> Service<ServiceRequest> for RouteLimitService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<BoxBody>;
    type Error = Error;
    type Future = RouteLimitFuture<S>;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let Some((first, tickets)) = ticket(&request, 0) else {
            warn_unguarded(&request);
            return RouteLimitFuture::Serving {
                inner: self.service.call(request),
            };
        };
        let passage = Passage {
            service: &self.service,
            registration: &self.registration,
            tickets,
            next: 1,
        };
        passage.go_on(first, request)
    }
}

/// A request on its way past the tickets of all guards.
struct Passage<'a, S> {
    service: &'a Rc<S>,
    registration: &'a Rc<Registration>,
    /// How many there are; they are in the request's extensions.
    tickets: usize,
    next: usize,
}

/// One of the tickets of a request, and how many there are; `None` without a guard.
#[inline]
fn ticket(request: &ServiceRequest, number: usize) -> Option<(Rc<Ticket>, usize)> {
    let extensions = request.extensions();
    let tickets = extensions.get::<Tickets>()?;
    Some((Rc::clone(tickets.get(number)?), tickets.len()))
}

impl<S, B> Passage<'_, S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    /// On to a ticket, and past it to those that come after.
    #[inline]
    fn go_on(mut self, mut ticket: Rc<Ticket>, request: ServiceRequest) -> RouteLimitFuture<S> {
        loop {
            match ticket.claim(self.registration, &request) {
                Claim::Through => {}
                Claim::Asked(windows, Answer::Ready(decision)) => {
                    if let Some(response) = settle(&ticket, windows, decision, &request) {
                        return refused(request, response);
                    }
                }
                Claim::Asked(windows, Answer::Later(answer)) => {
                    let asking = Asking {
                        answer,
                        ticket,
                        windows,
                        request,
                        service: Rc::clone(self.service),
                        registration: Rc::clone(self.registration),
                        tickets: self.tickets,
                        next: self.next,
                    };
                    return RouteLimitFuture::Asking {
                        asking: Some(Box::new(asking)),
                    };
                }
            }
            match self.next_ticket(&request) {
                Some(next) => ticket = next,
                None => return self.pass(request),
            }
        }
    }

    fn next_ticket(&mut self, request: &ServiceRequest) -> Option<Rc<Ticket>> {
        if self.next >= self.tickets {
            return None;
        }
        self.next += 1;
        ticket(request, self.next - 1).map(|(ticket, _)| ticket)
    }

    fn pass(&self, request: ServiceRequest) -> RouteLimitFuture<S> {
        RouteLimitFuture::Serving {
            inner: self.service.call(request),
        }
    }
}

/// A claim that waits for the store.
pub struct Asking<S> {
    answer: Pin<Box<dyn Future<Output = Decision> + Send>>,
    ticket: Rc<Ticket>,
    windows: Windows,
    request: ServiceRequest,
    service: Rc<S>,
    registration: Rc<Registration>,
    tickets: usize,
    next: usize,
}

impl<S, B> Asking<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    fn answered(self, decision: Decision) -> RouteLimitFuture<S> {
        if let Some(response) = settle(&self.ticket, self.windows, decision, &self.request) {
            return refused(self.request, response);
        }
        let mut passage = Passage {
            service: &self.service,
            registration: &self.registration,
            tickets: self.tickets,
            next: self.next,
        };
        match passage.next_ticket(&self.request) {
            Some(next) => passage.go_on(next, self.request),
            None => passage.pass(self.request),
        }
    }
}

/// Notes the decision in the ticket; the response, if it is a refusal.
#[inline]
fn settle(
    ticket: &Ticket,
    mut windows: Windows,
    mut decision: Decision,
    request: &ServiceRequest,
) -> Option<HttpResponse> {
    ticket.note(&decision, &windows);
    let outcome = RequestOutcome::of(&decision);
    count_refusal(&ticket.view, &ticket.client, outcome, Some(request));
    let refusal = judge(&ticket.view, &ticket.client, &mut decision, &mut windows);
    let Some(refusal) = refusal else {
        ticket.settle(windows, decision);
        return None;
    };
    ticket.refuse();
    let settings = &ticket.view.settings;
    Some(refuse(
        &refusal,
        settings.rate_limit_headers,
        settings.on_refusal.as_ref(),
        request.method(),
    ))
}

fn refused<S: Service<ServiceRequest>>(
    request: ServiceRequest,
    response: HttpResponse,
) -> RouteLimitFuture<S> {
    RouteLimitFuture::Refused {
        response: Some(Box::new(request.into_response(response))),
    }
}

fn warn_unguarded(request: &ServiceRequest) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    let guarded_elsewhere = request.extensions().contains::<Client>();
    ONCE.call_once(|| {
        tracing::warn!(
            path = request.path(),
            guarded_elsewhere,
            "a limited route is not guarded: its #[rate_limit] or RouteLimit does nothing. Wrap the App (or the scope) with Guard"
        );
    });
}

pin_project! {
    /// The future of [`RouteLimitService`].
    #[project = RouteLimitProjection]
    #[allow(missing_docs)]
    pub enum RouteLimitFuture<S>
    where
        S: Service<ServiceRequest>,
    {
        Serving { #[pin] inner: S::Future },
        Asking { asking: Option<Box<Asking<S>>> },
        Refused { response: Option<Box<ServiceResponse<BoxBody>>> },
    }
}

impl<S, B> Future for RouteLimitFuture<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody + 'static,
{
    type Output = Result<ServiceResponse<BoxBody>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            let next = match self.as_mut().project() {
                RouteLimitProjection::Serving { inner } => {
                    return Poll::Ready(match ready!(inner.poll(context)) {
                        Ok(response) => Ok(response.map_into_boxed_body()),
                        Err(error) => Err(error),
                    });
                }
                RouteLimitProjection::Refused { response } => match response.take() {
                    Some(response) => return Poll::Ready(Ok(*response)),
                    None => return Poll::Pending,
                },
                RouteLimitProjection::Asking { asking } => {
                    let Some(waiting) = asking else {
                        return Poll::Pending;
                    };
                    let decision = ready!(waiting.answer.as_mut().poll(context));
                    match asking.take() {
                        Some(waiting) => waiting.answered(decision),
                        None => return Poll::Pending,
                    }
                }
            };
            self.set(next);
        }
    }
}
