//! Attributes of a tag, as the HTML standard tokenises them (13.2.5.32 to 13.2.5.40).
//!
//! Wider than the standard in what old browsers did: all control characters count as white space, and backticks quote.
//!
//! Must not know: which attributes do harm.

/// An attribute as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// From the value on, if it is quoted: it may hold anything, also other tags.
    pub(super) quoted: Option<&'a [u8]>,
}

impl Attribute<'_> {
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// The name of the tag, and what comes after it.
pub(super) fn tag_name(rest: &[u8]) -> (&[u8], &[u8]) {
    split_where(rest, ends_name)
}

/// Goes to where the next attribute starts; `None` if the tag ends.
pub(super) fn attribute_start(rest: &[u8]) -> Option<&[u8]> {
    let (_, rest) = split_where(rest, |byte| !is_space(byte) && byte != b'/');
    (!matches!(rest.first(), None | Some(b'>'))).then_some(rest)
}

/// The attribute that starts here, and what comes after it.
pub(super) fn attribute(start: &[u8]) -> (Attribute<'_>, &[u8]) {
    let (name, rest) = attribute_name(start);
    let after_space = skip_space(rest);
    let Some(rest) = after_space.strip_prefix(b"=") else {
        let bare = Attribute {
            name,
            value: &[],
            quoted: None,
        };
        return (bare, after_space);
    };
    let (value, quoted, rest) = attribute_value(skip_space(rest));
    let attribute = Attribute {
        name,
        value,
        quoted,
    };
    (attribute, rest)
}

/// The first character belongs to the name whatever it is.
fn attribute_name(start: &[u8]) -> (&[u8], &[u8]) {
    let after_first = start.get(1..).unwrap_or_default();
    let (tail, rest) = split_where(after_first, |byte| ends_name(byte) || byte == b'=');
    let length = start.len() - after_first.len() + tail.len();
    (start.get(..length).unwrap_or(start), rest)
}

fn attribute_value(start: &[u8]) -> (&[u8], Option<&[u8]>, &[u8]) {
    if let Some((quote @ (b'"' | b'\''), quoted)) = start.split_first() {
        let (value, rest) = split_where(quoted, |byte| byte == *quote);
        return (value, Some(quoted), rest.get(1..).unwrap_or_default());
    }
    let (value, rest) = split_where(start, |byte| is_space(byte) || byte == b'>');
    if let Some((value, rest)) = in_backticks(start, value) {
        return (value, None, rest);
    }
    (value, None, rest)
}

/// Internet Explorer took backticks for quotes.
fn in_backticks<'a>(start: &'a [u8], value: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let end = memchr::memchr(b'`', value.strip_prefix(b"`")?)?;
    let (value, rest) = start.get(1..)?.split_at_checked(end)?;
    Some((value, rest.get(1..)?))
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/' || byte == b'>'
}

fn is_space(byte: u8) -> bool {
    byte <= b' '
}

fn skip_space(rest: &[u8]) -> &[u8] {
    split_where(rest, |byte| !is_space(byte)).1
}

fn split_where(rest: &[u8], ends: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let at = rest.iter().position(|byte| ends(*byte));
    rest.split_at_checked(at.unwrap_or(rest.len()))
        .unwrap_or((rest, &[]))
}
