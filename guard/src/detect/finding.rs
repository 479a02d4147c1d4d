//! What a detector has found, and how it is told.
//!
//! Must not know: what is done about it.

use std::{borrow::Cow, fmt};

use super::category::Category;

/// Longer pieces of a request are cut in the log.
const EXCERPT_BYTES: usize = 80;

/// Headers whose values are nobody's business, not even the log's.
const SECRET_HEADERS: [&str; 6] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
    "x-csrf-token",
];

/// Where in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface<'a> {
    Path,
    /// A parameter of the query, by its name as sent.
    Query(&'a [u8]),
    Header(&'a str),
    Body,
}

impl Surface<'_> {
    /// What may be told of what stands there.
    fn is_secret(self) -> bool {
        match self {
            Self::Header(name) => SECRET_HEADERS.contains(&name),
            _ => false,
        }
    }
}

impl fmt::Display for Surface<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path => f.write_str("path"),
            Self::Query(name) => write!(f, "query {}", excerpt(name)),
            Self::Header(name) => write!(f, "header {name}"),
            Self::Body => f.write_str("body"),
        }
    }
}

/// Something found in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) category: Category,
    /// Stable: it is silenced by this name.
    pub(crate) rule: Cow<'static, str>,
    pub(crate) surface: String,
    /// Bounded and on one line; control characters are escaped.
    pub(crate) excerpt: String,
}

impl Finding {
    pub(crate) fn new(
        category: Category,
        rule: impl Into<Cow<'static, str>>,
        surface: Surface<'_>,
        value: &[u8],
    ) -> Self {
        let excerpt = if surface.is_secret() {
            "***".to_owned()
        } else {
            excerpt(value)
        };
        Self {
            category,
            rule: rule.into(),
            surface: surface.to_string(),
            excerpt,
        }
    }
}

/// The beginning of some bytes, with everything escaped that is not printable ASCII: nobody can end a line of the log or colour it.
fn excerpt(value: &[u8]) -> String {
    let shown = value.get(..EXCERPT_BYTES).unwrap_or(value);
    let rest = if shown.len() < value.len() { "…" } else { "" };
    format!("{}{rest}", shown.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(surface: Surface<'_>, value: &[u8]) -> (String, String) {
        let finding = Finding::new(Category::Sqli, "sqli.test", surface, value);
        (finding.surface, finding.excerpt)
    }

    #[test]
    fn what_is_told_is_short_and_on_one_line() {
        for (value, expected) in [
            (&b"' OR 1=1--"[..], "\\' OR 1=1--"),
            (b"a\r\nBANNED 203.0.113.50", "a\\r\\nBANNED 203.0.113.50"),
            (b"\x1b[31m\xff\xe2\x80\xa8", "\\x1b[31m\\xff\\xe2\\x80\\xa8"),
        ] {
            assert_eq!(told(Surface::Path, value).1, expected);
        }
        let (_, long) = told(Surface::Body, &[b'a'; 10_000]);
        assert_eq!(long.chars().count(), EXCERPT_BYTES + 1);
    }

    #[test]
    fn it_is_told_where() {
        for (surface, expected) in [
            (Surface::Path, "path"),
            (Surface::Query(b"q"), "query q"),
            (Surface::Query(b"a\nb"), "query a\\nb"),
            (Surface::Header("referer"), "header referer"),
            (Surface::Body, "body"),
        ] {
            assert_eq!(told(surface, b"").0, expected);
        }
    }

    #[test]
    fn secrets_are_not_told() {
        for name in SECRET_HEADERS {
            assert_eq!(told(Surface::Header(name), b"secret").1, "***", "{name}");
        }
        assert_eq!(told(Surface::Header("user-agent"), b"x").1, "x");
    }
}
