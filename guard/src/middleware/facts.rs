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

#[cfg(feature = "admin")]
use crate::operator::{Verdict, examine};
use crate::{
    bans::BanSource,
    client::{Client, identify},
    detect::{Application, HeaderLookup, ProbeMatch, RequestFacts, Threat},
    judge::threat_of,
    policy::Facts,
    route::detection_is_off,
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

    #[inline]
    fn is_preflight(&self) -> bool {
        is_preflight(self.request)
    }

    fn is_proven_crawler(&self) -> bool {
        let Some((user_agent, address)) = self.user_agent().zip(self.client.address()) else {
            return false;
        };
        let operator = self.view.settings.exempt_crawlers.claimed(user_agent);
        operator.is_some_and(|operator| self.view.engine.is_proven_crawler(operator, address))
    }

    fn is_operator(&self) -> bool {
        #[cfg(feature = "admin")]
        return examine(self.request, self.client, &self.view.engine) == Some(Verdict::Operator);
        #[cfg(not(feature = "admin"))]
        false
    }

    /// A proxy that nobody declared is refused only if somebody banned it by hand: a ban that its address earned without it would hit
    /// everybody behind it.
    #[inline]
    fn is_banned(&self) -> bool {
        let by = self.view.store().hot_ban(self.client.key());
        by.is_some_and(|by| self.client.can_be_struck() || by == BanSource::Manual)
    }

    fn threat(&self) -> Option<Threat> {
        let headers = Headers(self.request.headers());
        let facts = RequestFacts::new(
            self.request.method().as_str(),
            self.request.path(),
            self.request.query_string(),
            &headers,
        );
        let detectors = &self.view.settings.detectors;
        let by_own = detectors
            .iter()
            .find_map(|detector| detector.inspect(&facts));
        match by_own {
            Some(threat) => (!is_left_alone(self.request, self.view)).then_some(threat),
            None => self.threat_by_built_in(&facts),
        }
    }
}

impl Asked<'_> {
    fn threat_by_built_in(&self, facts: &RequestFacts<'_>) -> Option<Threat> {
        let mut threat = None;
        let detection = &self.view.settings.detection.detection;
        detection.inspect(facts, self, &mut |finding, action| {
            if is_left_alone(self.request, self.view) {
                return true;
            }
            threat = threat_of(self.view, self.client, finding, action, self.request.path());
            threat.is_some()
        });
        threat
    }
}

/// A CORS preflight, as the Fetch standard has it.
#[inline]
pub(super) fn is_preflight(request: &ServiceRequest) -> bool {
    let headers = request.headers();
    *request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Whether detection is off for the route that the request is for. Dear: asked when something was found, or a body is to be looked at.
pub(super) fn is_left_alone(request: &ServiceRequest, view: &View) -> bool {
    let path = request.match_info().as_str();
    view.settings.detection.exempt_paths.matches(path)
        || detection_is_off(request.method().as_str(), path)
}

impl Application for Asked<'_> {
    fn routes_literally(&self, found: &ProbeMatch) -> bool {
        let path = self.request.match_info().as_str();
        let pattern = self.request.resource_map().match_pattern(path);
        pattern.is_some_and(|pattern| found.is_named_by(&pattern))
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

    fn each_named<'a>(&'a self, name: &HeaderName, visit: &mut dyn FnMut(&'a [u8])) {
        for value in self.0.get_all(name) {
            visit(value.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
