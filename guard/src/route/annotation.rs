//! What `#[rate_limit]` and [`RouteLimit`](super::RouteLimit) say about a route: plain data, fixed at compile time.
//!
//! Must not know: the engine, the store, or how a request is routed.

use std::borrow::Cow;

use actix_web::dev::ServiceRequest;

/// Chooses what a limit counts by: `Some` text (an API key, a user id), or `None` for the client's address.
pub type KeyFunction = fn(&ServiceRequest) -> Option<Cow<'_, str>>;

/// The limits of one handler, as written in its `#[rate_limit]` attributes.
#[doc(hidden)]
#[derive(Debug)]
pub struct Annotation {
    /// Path of the handler (`my_app::handlers::index`) and the place of the attribute. Together they tell
    /// handlers of one name apart.
    pub handler: &'static str,
    /// File, line and column of the attribute.
    pub location: (&'static str, u32, u32),
    /// The methods of the route attributes that share this pattern, upper case, in source order. Empty: any.
    pub methods: &'static [&'static str],
    /// The pattern as the route attribute has it, without the prefixes of the scopes around it.
    pub pattern: &'static str,
    /// The route attribute has a `guard = "…"`.
    pub guarded: bool,
    /// `#[rate_limit(exempt)]`: the route has no window.
    pub exempt: bool,
    /// `detection = "off"`: detectors leave the route alone.
    pub detection_off: bool,
    /// One for each stacked `#[rate_limit]`, in source order.
    pub limits: &'static [AnnotatedLimit],
}

/// One `#[rate_limit(requests = …, window = …)]`.
#[doc(hidden)]
#[derive(Debug)]
pub struct AnnotatedLimit {
    /// Requests per window, at least 1.
    pub requests: u32,
    /// Length of the window in seconds, at least 1.
    pub window_seconds: u64,
    /// Name in the `RateLimit` headers; `None`: the route's pattern.
    pub name: Option<&'static str>,
    /// What to count by; `None`: the client's address.
    pub key: Option<AnnotatedKey>,
}

/// `key = path::to::fn`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct AnnotatedKey {
    /// The path as written, so that two limits by the same function share a log.
    pub name: &'static str,
    /// The function itself.
    pub function: KeyFunction,
}
