//! Limits that are put on resources and scopes by hand, and the middleware that `#[rate_limit]` adds.
//!
//! Must not know: the guard's middleware.

use std::{
    future::{Ready, ready},
    panic::Location,
    rc::Rc,
    sync::Arc,
};

use actix_web::{
    Error,
    body::{BoxBody, MessageBody},
    dev::{Service, ServiceRequest, ServiceResponse, Transform},
};

use super::{
    annotation::{AnnotatedKey, Annotation, KeyFunction},
    claiming::RouteLimitService,
    registration::{LimitSpec, Registration, Source, WrappedLimit},
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
