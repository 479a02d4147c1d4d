//! Threat detection: facts of a request in, a threat or nothing out.
//!
//! Must not know: what a threat leads to. No I/O.

use actix_web::http::header::HeaderName;

mod body;
mod bytes;
mod category;
mod command;
mod custom;
mod decode;
mod finding;
mod first_look;
mod harmless;
mod inspection;
mod markup;
mod probe;
mod scanner;
mod sql;
mod traversal;

pub use category::{Action, Category};

#[cfg(fuzzing)]
pub(crate) use decode::properties as decoder_properties;

pub(crate) use body::BodyKind;
pub(crate) use custom::{CustomRule, Place};
pub(crate) use finding::Finding;
pub(crate) use inspection::{Application, Detection, rule_ids};
pub(crate) use probe::Match as ProbeMatch;

/// What a detector may look at.
#[derive(Clone, Copy)]
pub struct RequestFacts<'a> {
    /// The method, as sent.
    pub method: &'a str,
    /// The path as sent: percent-encoded, without the query.
    pub path: &'a str,
    /// The query as sent, without the `?`; empty if there is none.
    pub query: &'a str,
    headers: &'a dyn HeaderLookup,
}

impl std::fmt::Debug for RequestFacts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestFacts")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("query", &self.query)
            .finish_non_exhaustive()
    }
}

impl<'a> RequestFacts<'a> {
    /// Facts with the headers behind a look-up.
    pub(crate) fn new(
        method: &'a str,
        path: &'a str,
        query: &'a str,
        headers: &'a dyn HeaderLookup,
    ) -> Self {
        Self {
            method,
            path,
            query,
            headers,
        }
    }

    /// As [`each_header`](Self::each_header), for names that need not be read.
    pub(crate) fn each_named(&self, name: &HeaderName, visit: &mut dyn FnMut(&'a [u8])) {
        self.headers.each_named(name, visit);
    }

    /// The first value of a header, as sent. Header values may hold any bytes.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers.first(name)
    }

    /// Calls `visit` with every value of a header, in the order in which they were sent.
    pub fn each_header(&self, name: &str, visit: &mut dyn FnMut(&[u8])) {
        self.headers.each(name, visit);
    }
}

/// How detectors reach headers without knowing the web framework.
pub(crate) trait HeaderLookup {
    fn first(&self, name: &str) -> Option<&[u8]>;
    fn each(&self, name: &str, visit: &mut dyn FnMut(&[u8]));

    fn each_named<'a>(&'a self, name: &HeaderName, visit: &mut dyn FnMut(&'a [u8]));
}

/// What a detector found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threat {
    /// Elsewhere: every request is carried along with room for a threat, and hardly any is one.
    facts: Box<ThreatFacts>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ThreatFacts {
    category: String,
    rule: String,
    found: Option<Found>,
    struck: bool,
}

/// Where a built-in detector found it, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    surface: String,
    excerpt: String,
}

impl Threat {
    /// A threat of a category (`probe`, `sqli`, …), found by a rule.
    #[must_use]
    pub fn new(category: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::from(ThreatFacts {
            category: category.into(),
            rule: rule.into(),
            found: None,
            struck: true,
        })
    }

    /// What a built-in detector found, and whether it is a strike.
    pub(crate) fn of(finding: Finding, struck: bool) -> Self {
        Self::from(ThreatFacts {
            category: finding.category.name().to_owned(),
            rule: finding.rule.into_owned(),
            found: Some(Found {
                surface: finding.surface,
                excerpt: finding.excerpt,
            }),
            struck,
        })
    }

    /// Whether the client is struck for it.
    pub(crate) fn is_struck(&self) -> bool {
        self.facts.struck
    }

    /// The same, for which nobody is struck.
    pub(crate) fn without_strike(mut self) -> Self {
        self.facts.struck = false;
        self
    }

    /// Where it was found, such as `query q`; `None` for what your own detectors find.
    #[must_use]
    pub fn surface(&self) -> Option<&str> {
        self.facts
            .found
            .as_ref()
            .map(|found| found.surface.as_str())
    }

    /// The beginning of what was found, with everything escaped that is not printable ASCII; `***` for headers with secrets.
    #[must_use]
    pub fn excerpt(&self) -> Option<&str> {
        self.facts
            .found
            .as_ref()
            .map(|found| found.excerpt.as_str())
    }

    /// The kind of threat.
    #[must_use]
    pub fn category(&self) -> &str {
        &self.facts.category
    }

    /// The rule that matched.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.facts.rule
    }
}

impl From<ThreatFacts> for Threat {
    fn from(facts: ThreatFacts) -> Self {
        Self {
            facts: Box::new(facts),
        }
    }
}

/// Looks at a request and says whether it is a threat. A flagged request is refused with 403 and is a strike.
///
/// ```
/// use actix_web_guard::{SecurityConfig, detect::{Detector, RequestFacts, Threat}};
///
/// #[derive(Debug)]
/// struct EnvFiles;
///
/// impl Detector for EnvFiles {
///     fn inspect(&self, request: &RequestFacts<'_>) -> Option<Threat> {
///         request.path.ends_with("/.env").then(|| Threat::new("probe", "dotenv"))
///     }
/// }
///
/// let config = SecurityConfig::builder().detector(EnvFiles).build()?;
/// # Ok::<(), actix_web_guard::ConfigError>(())
/// ```
pub trait Detector: std::fmt::Debug + Send + Sync {
    /// The threat, if the request is one. Runs for every request before it is counted, so it must be quick and must not
    /// block.
    fn inspect(&self, request: &RequestFacts<'_>) -> Option<Threat>;
}
