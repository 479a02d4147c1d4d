//! The facts of a request, as the policy wants them.
//!
//! Must not know: what they lead to.

use std::sync::Arc;

use actix_web::{
    dev::ServiceRequest,
    http::{
        Method,
        header::{self, HeaderMap},
    },
};

use crate::{
    bans::{BanRecord, BanSource},
    client::{Client, identify},
    detect::{HeaderLookup, RequestFacts, Threat},
    policy::Facts,
    view::View,
};

/// Who is asking.
#[inline]
pub(crate) fn client_of(request: &ServiceRequest, view: &View) -> Client {
    let peer = request.peer_addr().map(|address| address.ip());
    let settings = &view.settings;
    identify(
        peer,
        request.headers(),
        &settings.proxy_trust,
        settings.ipv6_prefix,
        view.engine.id(),
    )
}

/// A request, with what the guard knows of its client.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a ServiceRequest,
    pub(crate) client: &'a Client,
    pub(crate) view: &'a View,
}

impl Facts for Asked<'_> {
    fn user_agent(&self) -> Option<&[u8]> {
        let value = self.request.headers().get(header::USER_AGENT)?;
        Some(value.as_bytes())
    }

    /// As the router sees it: percent-encodings that stand for ordinary characters are decoded.
    fn path(&self) -> &str {
        self.request.match_info().as_str()
    }

    /// A CORS preflight, as the Fetch standard has it.
    fn is_preflight(&self) -> bool {
        let headers = self.request.headers();
        *self.request.method() == Method::OPTIONS
            && headers.contains_key(header::ORIGIN)
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
    }

    fn is_proven_crawler(&self) -> bool {
        let Some((user_agent, address)) = self.user_agent().zip(self.client.address()) else {
            return false;
        };
        let operator = self.view.settings.exempt_crawlers.claimed(user_agent);
        operator.is_some_and(|operator| self.view.engine.is_proven_crawler(operator, address))
    }

    /// A proxy that nobody declared is refused only if somebody banned it by hand: a ban that its address earned without it would hit
    /// everybody behind it.
    fn hot_ban(&self) -> Option<Arc<BanRecord>> {
        let ban = self.view.store().hot_ban(self.client.key())?;
        (self.client.can_be_struck() || ban.by == BanSource::Manual).then_some(ban)
    }

    fn threat(&self) -> Option<Threat> {
        let detectors = &self.view.settings.detectors;
        if detectors.is_empty() {
            return None;
        }
        let headers = Headers(self.request.headers());
        let facts = RequestFacts::new(
            self.request.method().as_str(),
            self.request.path(),
            self.request.query_string(),
            &headers,
        );
        detectors
            .iter()
            .find_map(|detector| detector.inspect(&facts))
    }
}

/// actix-web's headers for detectors.
struct Headers<'a>(&'a HeaderMap);

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

#[cfg(test)]
mod tests;
