//! Threat detection: facts of a request in, a threat or nothing out.
//!
//! Must not know: what a threat leads to. No I/O.

mod command;
mod decode;
mod markup;
mod probe;
mod scanner;
mod sql;
mod traversal;

#[cfg(fuzzing)]
pub(crate) use self::decode::properties as decoder_properties;

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
}

/// What a detector found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threat {
    category: String,
    rule: String,
}

impl Threat {
    /// A threat of a category (`probe`, `sqli`, …), found by a rule.
    #[must_use]
    pub fn new(category: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            category: category.into(),
            rule: rule.into(),
        }
    }

    /// The kind of threat.
    #[must_use]
    pub fn category(&self) -> &str {
        &self.category
    }

    /// The rule that matched.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
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
