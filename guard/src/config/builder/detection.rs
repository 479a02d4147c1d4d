//! Setters of the table `[detection]`.
//!
//! Must not know: the rules of its keys.

use crate::detect::{Action, Category};

use super::{DETECTION, Raw, SecurityConfigBuilder};

/// What the built-in detectors do: the keys of `[detection]`.
impl SecurityConfigBuilder {
    /// What is done about findings of a category; default [`Action::Strike`]. In TOML `sqli = "log"`, for example.
    pub fn detection(self, category: Category, action: Action) -> Self {
        self.detect(category.name(), Raw::text(action.word()))
    }

    /// What is done at most about requests that another site made a browser send (`Sec-Fetch-Site: cross-site`), for a visitor of that
    /// site is not the attacker; default [`Action::Refuse`]. In TOML `cross_site`.
    pub fn detection_cross_site(self, action: Action) -> Self {
        self.detect("cross_site", Raw::text(action.word()))
    }

    /// Headers that are looked at; default `user-agent` and `referer`. In TOML `headers`.
    pub fn detection_headers(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.detect("headers", Raw::texts(names))
    }

    /// Paths for which nothing is looked at, for any method: route patterns, as for [`exempt_paths`](Self::exempt_paths); default
    /// none. In TOML `exempt_paths`.
    pub fn detection_exempt_paths(
        self,
        patterns: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.detect("exempt_paths", Raw::texts(patterns))
    }

    /// Rules that find nothing, by the names that the log has; default none. In TOML `silenced_rules`.
    pub fn silenced_rules(self, rules: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.detect("silenced_rules", Raw::texts(rules))
    }

    /// Bytes of urlencoded, JSON and text bodies that are looked at: up to 1,048,576; default 0: bodies are left alone. In TOML
    /// `body_bytes`.
    pub fn detection_body_bytes(self, bytes: i64) -> Self {
        self.detect("body_bytes", Raw::Integer(bytes.into()))
    }

    /// What is done at most about what is found in a body, where people write about anything; default [`Action::Refuse`]. In TOML
    /// `body`.
    pub fn detection_body(self, action: Action) -> Self {
        self.detect("body", Raw::text(action.word()))
    }

    fn detect(self, key: &str, raw: Raw) -> Self {
        self.give(DETECTION, Raw::Table(vec![(key.to_owned(), raw)]))
    }
}
