//! Detection without a server: for reports over logs and samples.
//!
//! Must not know: actix-web's requests.

use actix_web::http::header::HeaderName;

use crate::{
    config::SecurityConfig,
    detect::{
        Action, Application, Detection, Finding, HeaderLookup, ProbeMatch, RequestFacts, Threat,
    },
};

/// Looks at requests with the built-in detectors of a configuration, outside of any server.
///
/// Nothing is counted or refused. Routes are not known here, so a path counts as one that the application does not have, and
/// `exempt_paths` of `[detection]` is not looked at.
///
/// ```
/// use actix_web_guard::{Inspector, SecurityConfig};
///
/// let inspector = Inspector::new(&SecurityConfig::default());
/// let threat = inspector.inspect("GET", "/search?q=%3Cscript%3Ealert(1)%3C/script%3E", &[]);
/// assert_eq!(threat.unwrap().category(), "xss");
/// assert_eq!(inspector.inspect("GET", "/search?q=O'Brien", &[]), None);
/// ```
#[derive(Clone, Debug)]
pub struct Inspector {
    config: SecurityConfig,
}

impl Inspector {
    /// With the detectors of this configuration, also if `enable_detection` is off there.
    #[must_use]
    pub fn new(config: &SecurityConfig) -> Self {
        Self {
            config: config.clone(),
        }
    }

    /// What is found first in a request, whatever would be done about it, unless its category is `off`; `target` is the path and query as
    /// sent, names of headers are in lower case.
    #[must_use]
    pub fn inspect(&self, method: &str, target: &str, headers: &[(&str, &[u8])]) -> Option<Threat> {
        let mut threat = None;
        let detection = &self.config.settings().detection.detection;
        inspect(
            detection,
            &Nothing,
            (method, target),
            headers,
            &mut |finding, action| {
                threat = Some(Threat::of(finding, action == Action::Strike));
                true
            },
        );
        threat
    }
}

/// Gives what is found in a request, of which method and target are given, until it is said that that is all.
pub(crate) fn inspect(
    detection: &Detection,
    application: &dyn Application,
    (method, target): (&str, &str),
    headers: &[(&str, &[u8])],
    hear: &mut dyn FnMut(Finding, Action) -> bool,
) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = Headers(headers);
    let request = RequestFacts::new(method, path, query, &headers);
    detection.inspect(&request, application, hear);
}

struct Headers<'a>(&'a [(&'a str, &'a [u8])]);

impl HeaderLookup for Headers<'_> {
    fn first(&self, name: &str) -> Option<&[u8]> {
        let mut named = self.0.iter().filter(|(other, _)| *other == name);
        named.next().map(|(_, value)| *value)
    }

    fn each(&self, name: &str, visit: &mut dyn FnMut(&[u8])) {
        for (_, value) in self.0.iter().filter(|(other, _)| *other == name) {
            visit(value);
        }
    }

    fn each_named<'a>(&'a self, name: &HeaderName, visit: &mut dyn FnMut(&'a [u8])) {
        for (_, value) in self.0.iter().filter(|(other, _)| *name == *other) {
            visit(value);
        }
    }
}

/// An application without routes.
struct Nothing;

impl Application for Nothing {
    fn routes_literally(&self, _: &ProbeMatch) -> bool {
        false
    }
}
