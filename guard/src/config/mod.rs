//! The configuration: what a user of the crate sets, by builder, TOML and environment.
//!
//! Must not know: requests, decisions, or what is done with a setting.

mod builder;
mod clients;
mod deserialize;
mod detection;
mod display;
mod error;
mod field;
mod fields;
mod loading;
mod paths;
mod pattern;
mod raw;
mod redis_url;
mod routes;
mod settings;
mod store;
mod text;
mod validation;
mod values;

use std::{
    fmt,
    path::Path,
    sync::{Arc, OnceLock},
};

use crate::{clock::Clock, engine::Engine};

pub use builder::SecurityConfigBuilder;
pub use error::ConfigError;
#[cfg(feature = "redis")]
pub(crate) use redis_url::RedisUrl;
pub(crate) use settings::Settings;
pub use settings::{HeaderStyle, RouteOverride, StrikeReset};
pub(crate) use store::StoreChoice;
pub use store::{RedisWindows, StoreFailurePolicy};

/// What a guard enforces.
///
/// A configuration is made once, and cloned: **one configuration and its clones are one guard**, with one set of
/// counters, however many workers use it. Two that were built separately are two guards, even if they are equal.
///
/// ```
/// use actix_web_guard::SecurityConfig;
///
/// let config = SecurityConfig::builder()
///     .rate_limit(50)
///     .rate_limit_window(60)
///     .auto_ban_threshold(5)
///     .auto_ban_duration(300)
///     .build()?;
/// # Ok::<(), actix_web_guard::ConfigError>(())
/// ```
///
/// The same in TOML, whose fields have the names of the builder's setters. Durations are whole seconds, or a text such
/// as `"90s"`, `"5m"`, `"1h"`, `"1d"`.
///
/// ```
/// use actix_web_guard::SecurityConfig;
///
/// let config = SecurityConfig::from_toml(
///     r#"
///     rate_limit = 50
///     rate_limit_window = "1m"
///     exempt_ips = ["192.0.2.0/24"]
///
///     [[routes]]
///     pattern = "/login"
///     method = "POST"
///     requests = 5
///     window = "1m"
///     "#,
/// )?;
/// # Ok::<(), actix_web_guard::ConfigError>(())
/// ```
///
/// In the environment, `GUARD_` stands before the field in upper case: `GUARD_RATE_LIMIT=50`; see
/// [`SecurityConfigBuilder::env`].
///
/// Its [`Display`](fmt::Display) is the effective configuration as TOML, with every field, and without secrets. It can be
/// loaded again, unless a URL of `store` has a password: `redis://***@host` is refused.
#[derive(Clone)]
pub struct SecurityConfig {
    inner: Arc<Inner>,
}

/// What clones share.
struct Inner {
    settings: Arc<Settings>,
    engine: OnceLock<Arc<Engine>>,
    env_overrides: Vec<String>,
}

impl SecurityConfig {
    /// A builder in which nothing is set yet.
    pub fn builder() -> SecurityConfigBuilder {
        SecurityConfigBuilder::default()
    }

    /// The configuration of a TOML text.
    ///
    /// # Errors
    /// Text that is not TOML, an unknown field, or a field whose value is not acceptable.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        Self::builder().toml(text)?.build()
    }

    /// The configuration of a TOML file.
    ///
    /// # Errors
    /// A file that cannot be read, and as for [`from_toml`](Self::from_toml).
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Self::builder().file(path)?.build()
    }

    /// The defaults, with the `GUARD_*` variables of the environment over them.
    ///
    /// # Errors
    /// An unknown `GUARD_*` name, or a variable whose value is not acceptable.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::builder().env()?.build()
    }

    /// The configuration of a TOML file, with the `GUARD_*` variables of the environment over it.
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file) and [`from_env`](Self::from_env).
    pub fn from_file_and_env(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Self::builder().file(path)?.env()?.build()
    }

    /// The configuration of the TOML file that `GUARD_CONFIG` names, or the defaults if that is not set, with the
    /// `GUARD_*` variables of the environment over it.
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file) and [`from_env`](Self::from_env).
    pub fn from_environment() -> Result<Self, ConfigError> {
        Self::builder()
            .environment(std::env::vars_os().collect())?
            .build()
    }

    fn new(settings: Settings, env_overrides: Vec<String>) -> Self {
        let inner = Inner {
            settings: Arc::new(settings),
            engine: OnceLock::new(),
            env_overrides,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// What to enforce.
    pub(crate) fn settings(&self) -> &Arc<Settings> {
        &self.inner.settings
    }

    /// What to enforce, with the files that its lists name read again.
    ///
    /// # Errors
    /// As when the configuration was built.
    pub(crate) fn reread_settings(&self) -> Result<Arc<Settings>, ConfigError> {
        clients::reread(self.settings()).map(Arc::new)
    }

    /// The same on another clock, in memory, and without a file or anybody who waits for what is refused.
    pub(crate) fn for_replay(&self, clock: Arc<dyn Clock>) -> Self {
        let settings = Settings {
            clock,
            store: StoreChoice::Memory,
            ban_file: None,
            passive: false,
            detectors: Vec::new(),
            on_refusal: None,
            key_by: None,
            ..Settings::clone(self.settings())
        };
        Self::new(settings, Vec::new())
    }

    /// Where the engine of this configuration and its clones is kept, once there is one.
    pub(crate) fn inner_engine(&self) -> &OnceLock<Arc<Engine>> {
        &self.inner.engine
    }

    /// Names of the fields that the environment set.
    pub(crate) fn environment_overrides(&self) -> &[String] {
        &self.inner.env_overrides
    }
}

/// All defaults.
impl Default for SecurityConfig {
    fn default() -> Self {
        Self::new(Settings::default(), Vec::new())
    }
}

impl fmt::Display for SecurityConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::write(self.settings(), f)
    }
}

/// As [`Display`](fmt::Display).
impl fmt::Debug for SecurityConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
