//! The configuration in force.
//!
//! Must not know: requests.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::config::Settings;

#[derive(Debug, Serialize)]
pub(in crate::admin) struct ConfigurationAnswer {
    /// As `guardctl check` prints it: without secrets.
    toml: String,
    /// The same, by name; fields that are not set are left out.
    fields: Map<String, Value>,
}

impl ConfigurationAnswer {
    pub(in crate::admin) fn of(settings: &Settings) -> Self {
        let toml = format!("{settings:?}");
        let fields = toml::from_str(&toml).unwrap_or_default();
        Self { toml, fields }
    }
}
