//! The builder: one setter for each field, and for what only code can give.
//!
//! Must not know: the rules of the fields. Values are kept as given, and checked by `build`.

#[cfg(feature = "verify-crawlers")]
use std::net::SocketAddr;
use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

use actix_web::HttpResponse;

use crate::{
    clock::Clock,
    detect::Detector,
    response::{Refusal, RefusalHook},
    route::KeyFunction,
};

use super::{
    SecurityConfig,
    error::{ConfigError, Problem},
    field::Field,
    fields::fields,
    raw::Raw,
    routes::from_route,
    settings::{Draft, HeaderStyle, RouteOverride, StrikeReset},
    validation,
    values::from_strike_reset,
};

/// Builds a [`SecurityConfig`].
///
/// Setters, TOML and environment can be mixed; what is called later overrides what was called earlier. Values are
/// checked when they are loaded, those of setters by [`build`](Self::build).
///
/// ```
/// use actix_web_guard::SecurityConfig;
///
/// let config = SecurityConfig::builder()
///     .toml("rate_limit = 100")?
///     .env()?
///     .auto_ban_duration(3600)
///     .build()?;
/// # Ok::<(), actix_web_guard::ConfigError>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "a builder does nothing until it is built"]
pub struct SecurityConfigBuilder {
    given: BTreeMap<&'static str, Given>,
    detectors: Vec<Arc<dyn Detector>>,
    on_refusal: Option<RefusalHook>,
    clock: Option<Arc<dyn Clock>>,
    key_by: Option<KeyFunction>,
    #[cfg(feature = "verify-crawlers")]
    crawler_name_servers: Vec<SocketAddr>,
}

/// The table of the detectors.
const DETECTION: &str = "detection";

#[derive(Clone)]
struct Given {
    raw: Raw,
    from_environment: bool,
}

/// Setters of fields. None of them fails: [`build`](Self::build) checks the values.
impl SecurityConfigBuilder {
    /// Requests per client in a window, on routes without a limit of their own: 1 to 1,000,000,000; default 50.
    pub fn rate_limit(self, requests: i64) -> Self {
        self.integer("rate_limit", requests)
    }

    /// Length of the window in seconds: 1 to 31,622,400 (366 days); default 60.
    pub fn rate_limit_window(self, seconds: i64) -> Self {
        self.integer("rate_limit_window", seconds)
    }

    /// A client whose strikes exceed this is banned: 0 (at the first strike) to 1,000,000; default 5.
    pub fn auto_ban_threshold(self, strikes: i64) -> Self {
        self.integer("auto_ban_threshold", strikes)
    }

    /// Length of an automatic ban in seconds: 1 to 315,360,000 (10 years); default 300.
    pub fn auto_ban_duration(self, seconds: i64) -> Self {
        self.integer("auto_ban_duration", seconds)
    }

    /// Whether requests are counted in windows; default true.
    pub fn enable_rate_limiting(self, enabled: bool) -> Self {
        self.switch("enable_rate_limiting", enabled)
    }

    /// Whether there are strikes and bans; default true.
    pub fn enable_ip_banning(self, enabled: bool) -> Self {
        self.switch("enable_ip_banning", enabled)
    }

    /// Whether detectors look at requests; default true.
    pub fn enable_detection(self, enabled: bool) -> Self {
        self.switch("enable_detection", enabled)
    }

    /// Decide, log and count, but refuse nothing; default false.
    pub fn passive(self, passive: bool) -> Self {
        self.switch("passive", passive)
    }

    /// Whether rejected requests count in their window, so that a client that hammers stays out; default true.
    pub fn count_rejected(self, counted: bool) -> Self {
        self.switch("count_rejected", counted)
    }

    /// What puts strikes back to zero; default [`StrikeReset::CleanRequest`].
    pub fn strike_reset(self, reset: StrikeReset) -> Self {
        self.give("strike_reset", from_strike_reset(reset))
    }

    /// Seconds for which strikes are kept after the last one: 1 to 315,360,000 (10 years). Default: the time of
    /// [`StrikeReset::After`] if that is set, else `auto_ban_duration`.
    pub fn strike_ttl(self, seconds: i64) -> Self {
        self.integer("strike_ttl", seconds)
    }

    /// Statuses of answers that are strikes, 400 to 599, such as 401 for failed logins; not 404. Default none.
    pub fn strike_on_status(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        let statuses = statuses.into_iter();
        let statuses = statuses.map(|status| Raw::Integer(status.into()));
        self.give("strike_on_status", Raw::List(statuses.collect()))
    }

    /// Answers with 404 that a client may get in a `rate_limit_window`, each above which is a strike: 1 to 1,000,000,000; default
    /// none: no 404 is.
    pub fn not_found_limit(self, answers: i64) -> Self {
        self.integer("not_found_limit", answers)
    }

    /// Seconds in which several strikes count as one, for pages that load many assets: 0 (each counts) to 86,400, and
    /// shorter than `strike_ttl`; default 0.
    pub fn strike_interval(self, seconds: i64) -> Self {
        self.integer("strike_interval", seconds)
    }

    /// Adds a limit for a route, one entry of `[[routes]]`; default none.
    pub fn route(mut self, route: RouteOverride) -> Self {
        let mut routes = match self.given.remove("routes") {
            Some(Given {
                raw: Raw::List(routes),
                ..
            }) => routes,
            _ => Vec::new(),
        };
        routes.push(from_route(&route));
        self.give("routes", Raw::List(routes))
    }

    /// Windows that the memory store keeps at most: 1 to 100,000,000; default 1,000,000.
    pub fn max_clients(self, windows: i64) -> Self {
        self.integer("max_clients", windows)
    }

    /// Bans that the memory store keeps at most: 1 to 10,000,000; default 100,000.
    pub fn max_bans(self, bans: i64) -> Self {
        self.integer("max_bans", bans)
    }

    /// File in which the memory store keeps bans over restarts, a path in Unicode; default none. It is not touched
    /// before the guard starts. Not for a Redis store, which keeps bans itself.
    pub fn ban_file(self, path: impl Into<PathBuf>) -> Self {
        let raw = match path.into().into_os_string().into_string() {
            Ok(path) => Raw::Text(path),
            Err(path) => Raw::Other(path.to_string_lossy().into_owned()),
        };
        self.give("ban_file", raw)
    }

    /// Which rate limit headers are sent; default [`HeaderStyle::Draft`].
    pub fn rate_limit_headers(self, style: HeaderStyle) -> Self {
        self.give("rate_limit_headers", Raw::text(style.word()))
    }

    fn integer(self, name: &'static str, value: i64) -> Self {
        self.give(name, Raw::Integer(value.into()))
    }

    fn switch(self, name: &'static str, value: bool) -> Self {
        self.give(name, Raw::Switch(value))
    }

    fn give(mut self, name: &'static str, raw: Raw) -> Self {
        self.keep(name, raw, false);
        self
    }

    /// Sets a field, whatever it was before; of a table only the keys that are there.
    pub(super) fn keep(&mut self, name: &'static str, raw: Raw, from_environment: bool) {
        let raw = match (raw, self.given.remove(name)) {
            (
                Raw::Table(new),
                Some(Given {
                    raw: Raw::Table(old),
                    ..
                }),
            ) if name == DETECTION => Raw::Table(merged(old, new)),
            (raw, _) => raw,
        };
        let given = Given {
            raw,
            from_environment,
        };
        self.given.insert(name, given);
    }
}

/// What only code can give.
impl SecurityConfigBuilder {
    /// Adds a detector of threats; default none. Detectors are asked in the order in which they were added.
    pub fn detector(mut self, detector: impl Detector + 'static) -> Self {
        self.detectors.push(Arc::new(detector));
        self
    }

    /// What the global window counts by: `Some` text (an API key, a user id), or `None` for the client's address; default the
    /// address. Strikes and bans stay with the address.
    ///
    /// Whoever can write the text can write another for each request, and is then not limited at all: give only what was checked (a
    /// known key, the user of a verified session), and `None` for the rest.
    ///
    /// ```
    /// use std::borrow::Cow;
    ///
    /// use actix_web_guard::SecurityConfig;
    ///
    /// let config = SecurityConfig::builder()
    ///     .key_by(|request| {
    ///         let key = request.headers().get("x-api-key")?.to_str().ok()?;
    ///         ["5ac1", "77fe"].contains(&key).then_some(Cow::Borrowed(key))
    ///     })
    ///     .build()?;
    /// # Ok::<(), actix_web_guard::ConfigError>(())
    /// ```
    pub fn key_by(mut self, function: KeyFunction) -> Self {
        self.key_by = Some(function);
        self
    }

    /// The name servers by which crawlers are verified; default those that the operating system is set up with.
    #[cfg(feature = "verify-crawlers")]
    pub fn crawler_name_servers(mut self, servers: impl IntoIterator<Item = SocketAddr>) -> Self {
        self.crawler_name_servers = servers.into_iter().collect();
        self
    }

    /// Makes the response to every refused request; default: a problem document of the guard's own.
    pub fn on_refusal(
        mut self,
        hook: impl Fn(&Refusal) -> HttpResponse + Send + Sync + 'static,
    ) -> Self {
        self.on_refusal = Some(Arc::new(hook));
        self
    }

    /// The clock by which everything is measured; default [`SystemClock`](crate::clock::SystemClock). A Redis store measures
    /// by the clock of Redis, and uses this one only for what it decides in memory.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }
}

/// From what was given to a configuration.
impl SecurityConfigBuilder {
    /// Checks everything that was given, and fills in the defaults.
    ///
    /// # Errors
    /// The first field whose value is not acceptable, by itself or beside the others.
    pub fn build(self) -> Result<SecurityConfig, ConfigError> {
        let mut draft = Draft::default();
        for (field, given) in self.given_fields() {
            field
                .apply(&mut draft, &given.raw)
                .map_err(|problem| blame(field, given, problem))?;
        }
        let mut settings = draft.resolve();
        validation::check(&settings).map_err(|(name, problem)| self.blame(name, problem))?;
        let env_overrides = self.environment_fields();
        settings.detectors = self.detectors;
        settings.on_refusal = self.on_refusal;
        settings.key_by = self.key_by;
        #[cfg(feature = "verify-crawlers")]
        {
            settings.crawler_name_servers = self.crawler_name_servers;
        }
        if let Some(clock) = self.clock {
            settings.clock = clock;
        }
        Ok(SecurityConfig::new(settings, env_overrides))
    }

    fn given_fields(&self) -> impl Iterator<Item = (&'static Field, &Given)> {
        fields().filter_map(|field| Some((field, self.given.get(field.name)?)))
    }

    fn environment_fields(&self) -> Vec<String> {
        self.given_fields()
            .filter(|(_, given)| given.from_environment)
            .map(|(field, _)| field.name.to_owned())
            .collect()
    }

    fn blame(&self, name: &str, problem: Problem) -> ConfigError {
        match self.given_fields().find(|(field, _)| field.name == name) {
            Some((field, given)) => blame(field, given, problem),
            None => problem.in_field(name),
        }
    }
}

/// The entries of both tables, those of the second in place of the first's.
fn merged(mut old: Vec<(String, Raw)>, new: Vec<(String, Raw)>) -> Vec<(String, Raw)> {
    old.retain(|(key, _)| !new.iter().any(|(other, _)| other == key));
    old.extend(new);
    old
}

fn blame(field: &Field, given: &Given, problem: Problem) -> ConfigError {
    if given.from_environment {
        problem.in_variable(field.name, &field.variable())
    } else {
        problem.in_field(field.name)
    }
}

/// Names only: values that were not checked yet may hold secrets.
impl fmt::Debug for SecurityConfigBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecurityConfigBuilder")
            .field("given", &self.given.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

mod clients;
mod detection;
mod redis;

#[cfg(test)]
mod tests;
