//! Handle and client as extractors.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpMessage as _, HttpRequest, dev::Payload, web::Data};

use crate::{client::Client, config::SecurityConfig, engine::Engine};

use super::{GuardError, GuardHandle};

impl FromRequest for GuardHandle {
    type Error = GuardError;
    type Future = Ready<Result<Self, GuardError>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let guard = request.extensions().get::<Client>().map(Client::guard);
        let engine = guard.and_then(Engine::with_id).or_else(|| {
            let config = request.app_data::<Data<SecurityConfig>>()?;
            Some(Engine::of(config))
        });
        ready(engine.map(Self::new).ok_or(GuardError::NoGuard))
    }
}

impl FromRequest for Client {
    type Error = GuardError;
    type Future = Ready<Result<Self, GuardError>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        ready(
            request
                .extensions()
                .get::<Self>()
                .cloned()
                .ok_or(GuardError::NoGuard),
        )
    }
}
