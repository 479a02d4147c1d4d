//! The `Guard` middleware: facts → policy → decide → respond, and nothing else.
//!
//! Must not know: how any of these comes to its result.

mod after;
mod body;
mod facts;
mod future;
mod passage;
mod service;
mod signals;

#[cfg(feature = "benchmark")]
pub(crate) use facts::{Asked, client_of};

use std::{
    future::{Ready, ready},
    sync::Arc,
};

use actix_web::{
    Error,
    body::{EitherBody, MessageBody},
    dev::{Service, ServiceRequest, ServiceResponse, Transform},
};

use crate::{config::SecurityConfig, engine::Engine, handle::GuardHandle};

pub use service::GuardService;

/// The middleware that guards an application (or a scope).
///
/// `Guard::new(config)` has the configuration and a [handle](Guard::handle); `Guard::default()` finds
/// `web::Data<SecurityConfig>` in the application's data at the first request. Either way one `SecurityConfig`, with all its
/// clones, is one guard: build it outside the `HttpServer::new` closure, so that all workers share its counters.
///
/// Wrap it inside of `Cors`, `Logger` and `NormalizePath`, which means **before** them in the code, for the last `wrap` runs
/// first: then refusals have CORS headers and are logged, and paths are in their normal form.
///
/// ```
/// use actix_web::{App, web};
/// use actix_web_guard::{Guard, SecurityConfig};
///
/// # fn main() -> Result<(), actix_web_guard::ConfigError> {
/// let guard = Guard::new(SecurityConfig::builder().rate_limit(50).build()?);
/// let handle = guard.handle();
/// let factory = move || App::new().wrap(guard.clone());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// `None`: look into the application's data.
    engine: Option<Arc<Engine>>,
}

impl Guard {
    /// A guard with this configuration. Clones of the configuration make the same guard.
    #[must_use]
    pub fn new(config: SecurityConfig) -> Self {
        Self {
            engine: Some(Engine::of(&config)),
        }
    }

    /// The handle for bans, reports and reloads.
    ///
    /// A `Guard::default()` learns its configuration only from the application: for its handle use the extractor in handlers, or
    /// [`GuardHandle::of`] the configuration. What this gives for such a guard is the handle of another one, with the default
    /// configuration; it is said in the log.
    #[must_use]
    pub fn handle(&self) -> GuardHandle {
        let engine = self.engine.clone().unwrap_or_else(|| {
            tracing::warn!(
                "Guard::default() has no handle of its own: use GuardHandle::of(&config)"
            );
            Engine::of(&SecurityConfig::default())
        });
        GuardHandle::new(engine)
    }
}

impl<S, B> Transform<S, ServiceRequest> for Guard
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Transform = GuardService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, Self::InitError>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(GuardService::new(service, self.engine.clone())))
    }
}
