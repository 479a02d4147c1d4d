//! One line of a file: a sample with its kind, or a request of an access log.

use std::fmt::Write as _;

use actix_web_guard::{Inspector, detect::Threat};
use serde::Deserialize;

/// What a line holds.
pub(crate) struct Sample {
    pub(crate) kind: String,
    /// As it is told in the report.
    pub(crate) text: String,
    target: String,
    method: String,
    /// By name.
    headers: Vec<(&'static str, String)>,
}

#[derive(Deserialize)]
struct Line {
    kind: String,
    value: String,
}

impl Sample {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        if line.trim_start().starts_with('{') {
            let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
            Ok(Self::of_value(line))
        } else {
            Self::of_access(line).ok_or_else(|| "not in combined log format".to_owned())
        }
    }

    fn of_value(Line { kind, value }: Line) -> Self {
        let target = match kind.as_str() {
            "target" => value.clone(),
            _ => format!("/?q={}", encoded(&value)),
        };
        Self {
            kind,
            text: value,
            target,
            method: "GET".to_owned(),
            headers: Vec::new(),
        }
    }

    /// `address identity user [time] "request" status length "referer" "user agent"`
    fn of_access(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once("] \"")?;
        let (request, rest) = until_quote(rest)?;
        let (_, rest) = rest.split_once('"')?;
        let (referer, rest) = until_quote(rest)?;
        let (_, rest) = rest.split_once('"')?;
        let (user_agent, _) = until_quote(rest)?;
        let mut words = request.split(' ');
        let (method, target) = (words.next()?, words.next().unwrap_or_default());
        let headers = [("referer", referer), ("user-agent", user_agent)];
        let given = headers.into_iter().filter(|(_, value)| *value != "-");
        Some(Self {
            kind: "access".to_owned(),
            text: line.to_owned(),
            target: target.to_owned(),
            method: method.to_owned(),
            headers: given
                .map(|(name, value)| (name, value.to_owned()))
                .collect(),
        })
    }

    /// What the detectors find first.
    pub(crate) fn inspect(&self, inspector: &Inspector) -> Option<Threat> {
        let headers: Vec<(&str, &[u8])> = self
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_bytes()))
            .collect();
        inspector.inspect(&self.method, &self.target, &headers)
    }
}

/// Servers write a quote inside of a field with a backslash before it.
fn until_quote(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = text.find(|character| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    })?;
    let (field, rest) = text.split_at_checked(end)?;
    Some((field, rest.strip_prefix('"')?))
}

/// As a browser sends what somebody has written into a form.
fn encoded(value: &str) -> String {
    let mut text = String::with_capacity(value.len() * 3);
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() {
            text.push(char::from(byte));
        } else {
            // Writing to a text doesn't fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
