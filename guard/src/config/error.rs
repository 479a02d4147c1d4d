//! What is wrong with a configuration: one line that begins with the field.
//!
//! Must not know: which fields there are, or how values are read.

use std::{error::Error, fmt};

use super::text;

/// What is wrong with a configuration, in one line that begins with the field and shows the value, but never a secret.
///
/// ```
/// use actix_web_guard::SecurityConfig;
///
/// let error = SecurityConfig::builder().rate_limit(0).build().unwrap_err();
/// assert_eq!(error.to_string(), "rate_limit: must be at least 1, not 0");
/// assert_eq!(error.field(), "rate_limit");
///
/// // What a `main` shows that returns it.
/// assert_eq!(format!("{error:?}"), "rate_limit: must be at least 1, not 0");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigError {
    field: String,
    message: String,
}

impl ConfigError {
    /// An error about a field. Whatever the parts hold, the error stays one line.
    pub(super) fn new(field: &str, message: &str) -> Self {
        Self {
            field: text::name(field),
            message: text::one_line(message),
        }
    }

    /// The field (`rate_limit`, `routes[0].window`), the unknown name, or `toml` when the text is not TOML or a file
    /// cannot be read.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// As [`Display`](fmt::Display), for this is what `main` and `unwrap` show of it.
impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ConfigError {}

/// What is wrong with a value, before it is known where the value came from.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Problem {
    /// Where inside the field: `[0].window`; empty for the field itself.
    path: String,
    complaint: Complaint,
}

#[cfg_attr(test, derive(Debug))]
enum Complaint {
    /// Completes a sentence whose subject may be left out: "must be at least 1, not 0".
    Must(String),
    /// Stands for itself: "not available in this release".
    Statement(String),
}

impl Problem {
    /// "must" and what follows.
    pub(super) fn must(rest: impl fmt::Display) -> Self {
        Self {
            path: String::new(),
            complaint: Complaint::Must(format!("must {rest}")),
        }
    }

    /// A sentence of its own.
    pub(super) fn statement(sentence: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            complaint: Complaint::Statement(sentence.into()),
        }
    }

    /// The same problem, seen from one level further out.
    pub(super) fn at(mut self, outer: impl fmt::Display) -> Self {
        self.path = format!("{outer}{}", self.path);
        self
    }

    /// The error, for a value that was set in code or in TOML.
    pub(super) fn in_field(self, field: &str) -> ConfigError {
        let (Complaint::Must(message) | Complaint::Statement(message)) = self.complaint;
        ConfigError::new(&format!("{field}{}", self.path), &message)
    }

    /// The error, for a value that was set by an environment variable.
    pub(super) fn in_variable(self, field: &str, variable: &str) -> ConfigError {
        let message = match self.complaint {
            Complaint::Must(rest) => format!("{variable} {rest}"),
            Complaint::Statement(sentence) => format!("{variable}: {sentence}"),
        };
        ConfigError::new(&format!("{field}{}", self.path), &message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_comes_first_and_the_variable_is_named() {
        let must = || Problem::must("be at least 1, not 0");
        let statement = || Problem::statement("not available in this release");
        let cases = [
            (
                must().in_field("rate_limit"),
                "rate_limit: must be at least 1, not 0",
            ),
            (
                must().in_variable("rate_limit", "GUARD_RATE_LIMIT"),
                "rate_limit: GUARD_RATE_LIMIT must be at least 1, not 0",
            ),
            (
                must().at(".window").at("[0]").in_field("routes"),
                "routes[0].window: must be at least 1, not 0",
            ),
            (
                statement().in_field("trusted_proxies"),
                "trusted_proxies: not available in this release",
            ),
            (
                statement().in_variable("trusted_proxies", "GUARD_TRUSTED_PROXIES"),
                "trusted_proxies: GUARD_TRUSTED_PROXIES: not available in this release",
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(error.to_string(), expected);
            assert!(expected.starts_with(&format!("{}: ", error.field())));
        }
    }

    #[test]
    fn an_error_is_one_line_whatever_it_is_about() {
        let error = ConfigError::new("a\nb", "c\r\nd\u{2028}e");
        assert_eq!(error.to_string().lines().count(), 1);
        assert!(!error.to_string().contains(['\r', '\u{2028}']));
    }
}
