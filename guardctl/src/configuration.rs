//! Configurations, read as a server reads them, and what commands have to know of them.
//!
//! Must not know: commands.

use std::path::Path;

use actix_web_guard::{SecurityConfig, SecurityConfigBuilder};
use serde::Deserialize;

use crate::failure::{Failure, Kind};

/// What a file, if there is one, and the environment say.
///
/// # Errors
/// The one line in which the guard says what is wrong.
pub(crate) fn read(file: Option<&Path>) -> Result<SecurityConfigBuilder, Failure> {
    let builder = SecurityConfig::builder();
    let builder = match file {
        Some(file) => builder.file(file).map_err(Failure::arguments)?,
        None => builder,
    };
    builder.env().map_err(Failure::arguments)
}

/// # Errors
/// As for [`read`].
pub(crate) fn build(builder: SecurityConfigBuilder) -> Result<SecurityConfig, Failure> {
    builder.build().map_err(Failure::arguments)
}

/// Fields of the effective configuration, as it is printed.
#[derive(Debug, Deserialize)]
pub(crate) struct Effective {
    pub(crate) rate_limit: u64,
    pub(crate) rate_limit_window: Seconds,
    pub(crate) max_clients: usize,
    pub(crate) enable_detection: bool,
    pub(crate) passive: bool,
    pub(crate) store: Urls,
    pub(crate) redis_prefix: String,
    pub(crate) redis_cluster: bool,
    pub(crate) redis_sentinel_master: Option<String>,
}

/// Whole seconds, or a text with a unit.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Seconds(pub(crate) u64);

/// One URL, or several; without users and passwords.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Urls {
    One(String),
    Several(Vec<String>),
}

impl Urls {
    pub(crate) fn first(&self) -> &str {
        match self {
            Self::One(url) => url,
            Self::Several(urls) => urls.first().map_or("", String::as_str),
        }
    }
}

impl Effective {
    /// # Errors
    /// A printed form that is not the one that is expected here.
    pub(crate) fn of(config: &SecurityConfig) -> Result<Self, Failure> {
        toml::from_str(&config.to_string()).map_err(|error| {
            let line = error
                .message()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            Failure::new(Kind::NotDone, format!("the printed configuration: {line}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_form_has_all_that_is_needed() {
        let config = SecurityConfig::builder()
            .rate_limit(7)
            .rate_limit_window(90)
            .store("redis://user:secret@127.0.0.1:1/2")
            .redis_prefix("x:")
            .build()
            .unwrap();
        let effective = Effective::of(&config).unwrap();
        assert_eq!(
            (effective.rate_limit, effective.rate_limit_window.0),
            (7, 90)
        );
        assert_eq!(effective.max_clients, 1_000_000);
        assert_eq!(effective.redis_prefix, "x:");
        assert_eq!(effective.redis_sentinel_master, None);
        assert!(effective.enable_detection && !effective.redis_cluster && !effective.passive);
        assert!(
            !effective.store.first().contains("secret"),
            "{:?}",
            effective.store
        );
    }
}
