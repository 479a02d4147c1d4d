//! URLs that run code.
//!
//! Schemes are read as the URL standard says (4.4): leading control characters and spaces are dropped, and so are tabs and
//! line breaks anywhere. So are other control characters and the backticks that old browsers took for quotes.
//!
//! Must not know: which attribute the URL stands in.

use smallvec::SmallVec;

use super::code::is_code;
use super::rules::{DATA_URL, SCRIPT_URL};
use super::text::after;
use crate::detect::decode::{html_entities, percent};

/// A URL is told by its beginning; of what comes after, this much is looked at.
const LIMIT: usize = 2048;

const SCRIPT_SCHEMES: &[&str] = &[
    "javascript:",
    "vbscript:",
    "livescript:",
    "jscript:",
    "vbs:",
];

/// Of each link of Markdown.
const MARKDOWN_LIMIT: usize = 64;

/// How many links of Markdown are looked at that may be active: harmless ones don't count.
const MARKDOWN_LINKS: usize = 64;

/// Types of documents in which scripts run.
const ACTIVE_TYPES: &[&str] = &[
    "text/html",
    "application/xhtml+xml",
    "text/xml",
    "application/xml",
    "text/javascript",
    "application/javascript",
];

/// What is left of a URL when a browser has dropped what it ignores.
pub(super) struct Url {
    text: SmallVec<[u8; 128]>,
    /// How much of the text stands before the first character that was dropped.
    unbroken: usize,
}

impl Url {
    /// Of a value whose character references are undone.
    pub(super) fn of(value: &[u8]) -> Self {
        let value = value.get(..LIMIT).unwrap_or(value);
        let start = value.iter().position(|byte| *byte > b' ' && *byte != b'`');
        let rest = value
            .get(start.unwrap_or(value.len())..)
            .unwrap_or_default();
        let unbroken = rest.iter().position(u8::is_ascii_control);
        Self {
            text: rest
                .iter()
                .filter(|byte| !byte.is_ascii_control())
                .copied()
                .collect(),
            unbroken: unbroken.unwrap_or(rest.len()),
        }
    }

    fn after(&self, prefix: &str) -> Option<&[u8]> {
        after(prefix, &self.text)
    }

    /// Whether a scheme or a type is broken by line breaks and the like, which nobody does but to hide it.
    fn is_broken_before(&self, end: u8) -> bool {
        let end = memchr::memchr(end, &self.text);
        end.is_some_and(|end| self.unbroken < end)
    }

    pub(super) fn is_contact(&self) -> bool {
        ["mailto:", "tel:"]
            .iter()
            .any(|scheme| self.after(scheme).is_some())
    }

    /// Whether it is an archive of documents, which Internet Explorer ran in the page's origin.
    pub(super) fn is_archive(&self) -> bool {
        self.after("mhtml:").is_some()
    }

    /// What `javascript:` is followed by, or another scheme of scripts.
    pub(super) fn script(&self) -> Option<&[u8]> {
        SCRIPT_SCHEMES.iter().find_map(|scheme| self.after(scheme))
    }

    /// Whether code would run. Pages write `javascript:void(0)` for links that do nothing.
    pub(super) fn runs_script(&self) -> bool {
        self.script().is_some_and(|script| {
            let script = percent(script, false);
            let is_escaped = memchr::memchr(b'\\', &script).is_some();
            self.is_broken_before(b':')
                || (!does_nothing(&script) && (is_escaped || is_code(&script)))
        })
    }

    /// Whether it is a document in which scripts run.
    pub(super) fn is_active_data(&self) -> bool {
        self.after("data:").is_some_and(|data| {
            let data = data.trim_ascii_start();
            let mut types = ACTIVE_TYPES.iter();
            self.is_broken_before(b',') && starts_with_type(data)
                || types.any(|name| after(name, data).is_some())
        })
    }

    /// Whether another site may answer.
    pub(super) fn is_elsewhere(&self) -> bool {
        ["http:", "https:", "//"]
            .iter()
            .any(|prefix| self.after(prefix).is_some())
    }

    /// Also images of SVG are documents in which scripts run, if something other than an image loads them.
    pub(super) fn is_data(&self) -> bool {
        self.after("data:").is_some()
    }
}

/// Whether there is a type of media before the comma, and no text of several lines.
fn starts_with_type(data: &[u8]) -> bool {
    let end = memchr::memchr(b',', data).unwrap_or(data.len());
    let name = data.get(..end).unwrap_or_default();
    memchr::memchr2(b'/', b';', name).is_some()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/;=+-.".contains(byte))
}

fn does_nothing(script: &[u8]) -> bool {
    let script: Vec<u8> = script
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace() && **byte != b';')
        .copied()
        .collect();
    matches!(
        script.as_slice(),
        b"" | b"//"
            | b"void(0)"
            | b"void0"
            | b"void()"
            | b"returnfalse"
            | b"history.back()"
            | b"history.go(-1)"
            | b"window.print()"
            | b"window.close()"
    )
}

/// The links of Markdown in a value.
pub(super) fn inspect_markdown(value: &[u8]) -> Option<&'static str> {
    memchr::memchr_iter(b']', value)
        .filter_map(|at| value.get(at + 1..)?.strip_prefix(b"("))
        .filter(|link| may_be_active(link))
        .take(MARKDOWN_LINKS)
        .find_map(inspect_markdown_link)
}

/// Up to the end of the line, so that prose after it counts for nothing.
fn inspect_markdown_link(rest: &[u8]) -> Option<&'static str> {
    let rest = rest.get(..MARKDOWN_LIMIT).unwrap_or(rest);
    let line = rest.split(|byte| *byte == b'\n').next()?;
    inspect_link(line)
}

/// The value as the whole of a link.
pub(super) fn inspect_link(value: &[u8]) -> Option<&'static str> {
    if !may_be_active(value) {
        return None;
    }
    let value = value.get(..LIMIT).unwrap_or(value);
    inspect(&Url::of(&html_entities(value)))
}

/// A rule that a URL breaks wherever it stands.
pub(super) fn inspect(url: &Url) -> Option<&'static str> {
    if url.runs_script() {
        return Some(SCRIPT_URL);
    }
    url.is_active_data().then_some(DATA_URL)
}

/// A cheap first look: whether the value starts with a letter of the schemes, or with a character reference.
pub(super) fn may_be_active(value: &[u8]) -> bool {
    let first = value.iter().find(|byte| **byte > b' ');
    first.is_some_and(|byte| b"jJvVlLdDmM&`".contains(byte))
        && memchr::memchr2(b':', b'&', value.get(..LIMIT).unwrap_or(value)).is_some()
}
