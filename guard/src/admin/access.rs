//! Who gets past: operators, and no requests that other sites make browsers send. All answers of the scope pass here.
//!
//! Must not know: what is behind it.

use std::{
    future::{Future, Ready, ready},
    pin::Pin,
    rc::Rc,
};

use actix_web::{
    Error, FromRequest as _, HttpMessage as _, HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{Payload, Service, ServiceRequest, ServiceResponse, Transform, forward_ready},
    http::{
        StatusCode,
        header::{self, HeaderMap, HeaderName, HeaderValue},
    },
};

use crate::{
    client::Client,
    clock::whole_seconds,
    handle::{GuardError, GuardHandle},
    operator::{Auth, Mount, Verdict, announce, examine_at},
    response::challenge,
};

use super::{cross_site::is_from_elsewhere, problem::problem};

/// What every answer says of itself. Nothing but the page's own files may run or be shown, and no other page may frame it.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// See the module's documentation.
pub(super) struct Access {
    path: String,
    auth: Auth,
}

impl Access {
    pub(super) fn new(path: String, auth: Auth) -> Self {
        Self { path, auth }
    }
}

impl<S, B> Transform<S, ServiceRequest> for Access
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<BoxBody>;
    type Error = Error;
    type Transform = AccessService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, Self::InitError>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(AccessService {
            service,
            mount: announce(self.path.clone(), self.auth.clone()),
        }))
    }
}

/// The service of [`Access`].
pub(super) struct AccessService<S> {
    service: S,
    mount: Rc<Mount>,
}

impl<S, B> Service<ServiceRequest> for AccessService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<BoxBody>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<ServiceResponse<BoxBody>, Error>>>>;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let refusal = match refusal(&self.mount, &request) {
            Ok(refusal) => refusal,
            Err(error) => return Box::pin(ready(Err(error.into()))),
        };
        if let Some(mut refusal) = refusal {
            protect(refusal.headers_mut());
            return Box::pin(ready(Ok(request.into_response(refusal))));
        }
        let answer = self.service.call(request);
        Box::pin(async move {
            let mut response = answer.await?.map_into_boxed_body();
            protect(response.headers_mut());
            Ok(response)
        })
    }
}

/// The response to somebody who does not get past.
///
/// # Errors
///
/// If no guard has seen the request.
fn refusal(
    mount: &Rc<Mount>,
    request: &ServiceRequest,
) -> Result<Option<HttpResponse>, GuardError> {
    let client = request.extensions().get::<Client>().cloned();
    let client = client.ok_or(GuardError::NoGuard)?;
    let handle = GuardHandle::from_request(request.request(), &mut Payload::None).into_inner()?;
    let verdict = examine_at(mount, request, &client, handle.engine());
    Ok(match verdict {
        Verdict::Operator if is_from_elsewhere(request) => Some(from_elsewhere()),
        Verdict::Operator => None,
        Verdict::Locked { wait_millis } => Some(locked(wait_millis)),
        Verdict::Stranger | Verdict::Wrong if mount.auth().asks_for_password() => {
            Some(challenge(request.method(), request.headers()))
        }
        Verdict::Stranger | Verdict::Wrong => {
            Some(problem(StatusCode::FORBIDDEN, "operators only"))
        }
    })
}

fn from_elsewhere() -> HttpResponse {
    problem(
        StatusCode::FORBIDDEN,
        "another site made the browser send this request; if a proxy stands between, it has to pass on the Host of the request",
    )
}

fn locked(wait_millis: u64) -> HttpResponse {
    let mut response = problem(
        StatusCode::TOO_MANY_REQUESTS,
        "too many wrong attempts of this client",
    );
    let seconds = HeaderValue::from(whole_seconds(wait_millis));
    response.headers_mut().insert(header::RETRY_AFTER, seconds);
    response
}

fn protect(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
