//! Lines of access logs, in the formats that servers and proxies write.
//!
//! Must not know: files, what is done with a request.

mod combined;
mod fields;
mod json;
mod quoted;
mod time;

#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    fmt,
    net::{IpAddr, SocketAddr},
    str,
    time::SystemTime,
};

/// One request, as a log tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) at: SystemTime,
    pub(crate) client: IpAddr,
    pub(crate) method: Cow<'a, str>,
    /// Path and query.
    pub(crate) target: Cow<'a, str>,
    pub(crate) status: Option<u16>,
    pub(crate) user_agent: Option<Cow<'a, [u8]>>,
    pub(crate) referer: Option<Cow<'a, [u8]>>,
}

impl Entry<'_> {
    /// One that doesn't need its line any more.
    fn into_owned(self) -> Entry<'static> {
        let kept = |bytes: Option<Cow<'_, [u8]>>| bytes.map(|bytes| bytes.into_owned().into());
        Entry {
            at: self.at,
            client: self.client,
            method: self.method.into_owned().into(),
            target: self.target.into_owned().into(),
            status: self.status,
            user_agent: kept(self.user_agent),
            referer: kept(self.referer),
        }
    }
}

/// Why a line is no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadLine {
    /// What is missing.
    Missing(&'static str),
    /// What cannot be read, and its text.
    Unreadable(&'static str, String),
}

/// Longer texts are cut in messages.
const SHOWN: usize = 60;

impl BadLine {
    fn unreadable(what: &'static str, text: impl AsRef<[u8]>) -> Self {
        let text = String::from_utf8_lossy(text.as_ref());
        Self::Unreadable(what, text.chars().take(SHOWN).collect())
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(what) => write!(f, "{what}: missing"),
            Self::Unreadable(what, text) => write!(f, "{what}: cannot read {text:?}"),
        }
    }
}

/// Reads a line in whichever format it is.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(line: &[u8]) -> Result<Entry<'_>, BadLine> {
    match line.trim_ascii_start().first() {
        Some(b'{') => json::parse(line),
        _ => combined::parse(line),
    }
}

/// Reads an address; it may have brackets, a port or a zone.
fn address(text: &str) -> Result<IpAddr, BadLine> {
    let bad = || BadLine::unreadable("client", text);
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(address);
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(address.ip());
    }
    let bare = text.strip_prefix('[').unwrap_or(text);
    let bare = bare.split([']', '%']).next().unwrap_or(bare);
    bare.parse().map_err(|_| bad())
}

/// Takes a request line apart: `GET /path HTTP/1.1`. Whatever else may come over a socket reaches no application.
fn request_line(line: &str) -> Result<(&str, &str), BadLine> {
    let bad = || BadLine::unreadable("request", line);
    let (method, rest) = line.split_once(' ').ok_or_else(bad)?;
    let (target, version) = rest.rsplit_once(' ').ok_or_else(bad)?;
    if !is_method(method) || target.is_empty() || !version.starts_with("HTTP/") {
        return Err(bad());
    }
    Ok((method, target))
}

fn is_method(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Takes apart a request line that may have been made of pieces.
fn split_request<'a>(line: Cow<'a, str>) -> Result<(Cow<'a, str>, Cow<'a, str>), BadLine> {
    match line {
        Cow::Borrowed(line) => {
            let (method, target) = request_line(line)?;
            Ok((method.into(), target.into()))
        }
        Cow::Owned(line) => {
            let (method, target) = request_line(&line)?;
            Ok((method.to_owned().into(), target.to_owned().into()))
        }
    }
}

/// A header that was sent; logs have `-` for one that was not.
fn header(value: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    (!value.is_empty() && *value != *b"-").then_some(value)
}

/// Text of bytes, with a mark for whatever is none.
fn lossy(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
            .into(),
    }
}
