//! The middleware of a limited route: claims the request for its windows.
//!
//! Must not know: the guard's middleware.

use std::{
    future::{Future, Ready, ready},
    panic::Location,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, ready},
};

use actix_web::{
    Error, HttpMessage as _, HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready},
};
use pin_project_lite::pin_project;

use crate::{
    client::Client,
    decision::{Answer, Decision},
    judge::judge,
    response::refuse,
    view::Windows,
};

use super::{
    annotation::{AnnotatedKey, Annotation, KeyFunction},
    registration::{LimitSpec, Registration, Source, WrappedLimit},
    ticket::{Claim, Ticket, Tickets},
};

/// A limit for a resource or a whole scope that is registered by hand.
///
/// Like `#[rate_limit]` it does nothing without the [`Guard`](crate::Guard) around the application. On a resource it replaces the
/// global limit for that resource, with one window for all its methods. On a scope it replaces the global limit for all routes
/// of the scope, which share its window; a limit of a route inside counts besides.
///
/// ```
/// use actix_web::{App, HttpResponse, web};
/// use actix_web_guard::{Guard, RouteLimit, SecurityConfig};
///
/// # fn main() -> Result<(), actix_web_guard::ConfigError> {
/// let guard = Guard::new(SecurityConfig::builder().build()?);
/// let app = App::new()
///     .service(
///         web::resource("/search")
///             .wrap(RouteLimit::new(10, 60)) // 10 requests in 60 seconds
///             .route(web::get().to(HttpResponse::Ok)),
///     )
///     .service(web::scope("/api").wrap(RouteLimit::new(100, 60).and(5, 1).name("burst")))
///     .wrap(guard);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a limit does nothing until it is wrapped around a resource or scope"]
pub struct RouteLimit {
    source: Source,
}

/// Keeps the key functions of one limit apart: a log belongs to a function.
const KEY_NAMES: [&str; 8] = [
    "key 1", "key 2", "key 3", "key 4", "key 5", "key 6", "key 7", "key 8",
];

impl RouteLimit {
    /// At most `requests` requests of a client in any `window` seconds.
    ///
    /// # Panics
    ///
    /// If one of them is 0 or the window is longer than 366 days: when the application is built, not when it serves.
    #[track_caller]
    pub fn new(requests: u32, window: u64) -> Self {
        Self::wrapped(Location::caller(), vec![limit(requests, window)])
    }

    /// No window at all: what is wrapped does not count in the global limit either. Bans and detection still apply.
    #[track_caller]
    pub fn exempt() -> Self {
        Self::wrapped(Location::caller(), Vec::new())
    }

    /// A further limit: all must admit a request. Give it a [`name`](Self::name), to tell them apart in the `RateLimit` fields.
    ///
    /// # Panics
    ///
    /// Like [`new`](Self::new).
    #[track_caller]
    pub fn and(self, requests: u32, window: u64) -> Self {
        let more = limit(requests, window);
        self.with(|wrapped| wrapped.limits.push(more))
    }

    /// Names the limit that was added last in the `RateLimit` fields; without a name it goes by the route's pattern.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|wrapped| {
            if let Some(last) = wrapped.limits.last_mut() {
                last.name = Some(name.into());
            }
        })
    }

    /// Counts the limit that was added last by what `function` gives, such as an API key, instead of the client's address. `None`
    /// counts by the address. Such a limit adds to the global one, for keys are the sender's to rotate.
    pub fn key(self, function: KeyFunction) -> Self {
        self.with(|wrapped| {
            let known = wrapped.limits.iter().filter_map(|limit| limit.key);
            let same = known
                .clone()
                .find(|key| std::ptr::fn_addr_eq(key.function, function));
            let name = KEY_NAMES.get(known.count()).copied().unwrap_or_default();
            if let Some(last) = wrapped.limits.last_mut() {
                last.key = Some(same.unwrap_or(AnnotatedKey { name, function }));
            }
        })
    }

    /// For `#[rate_limit]`.
    #[doc(hidden)]
    pub fn annotated(annotation: &'static Annotation) -> Self {
        Self {
            source: Source::Annotation(annotation),
        }
    }

    fn wrapped(location: &'static Location<'static>, limits: Vec<LimitSpec>) -> Self {
        let location = (location.file(), location.line(), location.column());
        Self {
            source: Source::Wrapped(Arc::new(WrappedLimit { location, limits })),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut WrappedLimit)) -> Self {
        if let Source::Wrapped(wrapped) = &mut self.source {
            change(Arc::make_mut(wrapped));
        }
        self
    }
}

#[track_caller]
fn limit(requests: u32, window: u64) -> LimitSpec {
    assert!(
        requests > 0,
        "a rate limit of 0 requests would refuse everybody: use at least 1"
    );
    assert!(
        (1..=366 * 24 * 3600).contains(&window),
        "the window of a rate limit is 1 second to 366 days, not {window} s"
    );
    LimitSpec {
        requests,
        window_seconds: window,
        name: None,
        key: None,
    }
}

impl<S, B> Transform<S, ServiceRequest> for RouteLimit
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<BoxBody>;
    type Error = Error;
    type Transform = RouteLimitService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, Self::InitError>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(RouteLimitService {
            service: Rc::new(service),
            registration: Registration::announce(self.source.clone()),
        }))
    }
}

/// The service of [`RouteLimit`].
#[derive(Debug)]
pub struct RouteLimitService<S> {
    service: Rc<S>,
    registration: Rc<Registration>,
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
        let tickets = request.extensions().get::<Tickets>().cloned();
        let Some(tickets) = tickets else {
            warn_unguarded(&request);
            return RouteLimitFuture::Serving {
                inner: self.service.call(request),
            };
        };
        let passage = Passage {
            service: Rc::clone(&self.service),
            registration: Rc::clone(&self.registration),
            tickets,
            next: 0,
        };
        passage.go_on(request)
    }
}

/// A request on its way past the tickets of all guards.
struct Passage<S> {
    service: Rc<S>,
    registration: Rc<Registration>,
    tickets: Tickets,
    next: usize,
}

impl<S, B> Passage<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    fn go_on(mut self, request: ServiceRequest) -> RouteLimitFuture<S> {
        while let Some(ticket) = self.tickets.get(self.next).cloned() {
            self.next += 1;
            match ticket.claim(&self.registration, &request) {
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
                        passage: self,
                    };
                    return RouteLimitFuture::Asking {
                        asking: Some(Box::new(asking)),
                    };
                }
            }
        }
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
    passage: Passage<S>,
}

impl<S, B> Asking<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    fn answered(self, decision: Decision) -> RouteLimitFuture<S> {
        match settle(&self.ticket, self.windows, decision, &self.request) {
            None => self.passage.go_on(self.request),
            Some(response) => refused(self.request, response),
        }
    }
}

/// Notes the decision in the ticket; the response, if it is a refusal.
fn settle(
    ticket: &Ticket,
    windows: Windows,
    decision: Decision,
    request: &ServiceRequest,
) -> Option<HttpResponse> {
    let Some(refusal) = judge(&ticket.view, &ticket.client, &decision, &windows) else {
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
        response: Some(request.into_response(response)),
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
        Refused { response: Option<ServiceResponse<BoxBody>> },
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
                    let response = ready!(inner.poll(context));
                    return Poll::Ready(response.map(ServiceResponse::map_into_boxed_body));
                }
                RouteLimitProjection::Refused { response } => match response.take() {
                    Some(response) => return Poll::Ready(Ok(response)),
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
