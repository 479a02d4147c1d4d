//! The facts of a request, as the policy wants them.
//!
//! Must not know: what they lead to.

use actix_web::{
    dev::ServiceRequest,
    http::{
        Method,
        header::{self, HeaderMap, HeaderName},
    },
};

use crate::{
    client::{Sender, is_local},
    detect::{HeaderLookup, RequestFacts},
};

const X_REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");

/// What the request says of its sender.
pub(super) fn sender(request: &ServiceRequest) -> Sender {
    let peer = request.peer_addr().map(|address| address.ip());
    let is_local = peer.is_some_and(|peer| is_local(peer.to_canonical()));
    Sender {
        peer,
        forwarded: is_local && is_forwarded(request.headers()),
    }
}

/// Whether a proxy names the client.
fn is_forwarded(headers: &HeaderMap) -> bool {
    [header::X_FORWARDED_FOR, header::FORWARDED, X_REAL_IP]
        .iter()
        .any(|name| headers.contains_key(name))
}

/// A CORS preflight, as the Fetch standard has it.
pub(super) fn is_preflight(request: &ServiceRequest) -> bool {
    *request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ORIGIN)
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// What detectors look at.
pub(super) fn request_facts<'a>(
    request: &'a ServiceRequest,
    headers: &'a Headers<'a>,
) -> RequestFacts<'a> {
    RequestFacts::new(
        request.method().as_str(),
        request.path(),
        request.query_string(),
        headers,
    )
}

/// actix-web's headers for detectors.
pub(super) struct Headers<'a>(pub(super) &'a HeaderMap);

impl HeaderLookup for Headers<'_> {
    fn first(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(|value| value.as_bytes())
    }

    fn each(&self, name: &str, visit: &mut dyn FnMut(&[u8])) {
        for value in self.0.get_all(name) {
            visit(value.as_bytes());
        }
    }
}
