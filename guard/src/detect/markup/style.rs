//! Style that runs scripts. Only old browsers do, except for imports; but nobody writes such style for anything else.
//!
//! Must not know: whether the style stood in an attribute or an element.

use super::text::contains;

/// How much of a style is looked at.
pub(super) const LIMIT: usize = 1024;

const ACTIVE: &[&[u8]] = &[
    b"expression(",
    b"javascript:",
    b"vbscript:",
    b"binding:url(",
    b"behavior:url(",
    b"behaviour:url(",
    b"-o-link:",
    b"url(data:text/html",
    b"@import\"data:",
    b"@import'data:",
    b"@importurl(data:",
];

/// Whether something in the style of an attribute runs, or ends the block or the attribute that it stands in.
pub(super) fn is_active_attribute(style: &[u8]) -> bool {
    is_active(style) || ends_block(style) || hides_tags(style)
}

/// `}` before any `{`.
fn ends_block(style: &[u8]) -> bool {
    let style = style.get(..LIMIT).unwrap_or(style);
    memchr::memchr2(b'{', b'}', style).and_then(|at| style.get(at)) == Some(&b'}')
}

/// A tag made of escapes, which comes to life when a browser writes the style anew for `innerHTML`.
fn hides_tags(style: &[u8]) -> bool {
    let style = style.get(..LIMIT).unwrap_or(style);
    let has_angle = |style: &[u8]| memchr::memchr(b'<', style).is_some();
    !has_angle(style) && memchr::memchr(b'\\', style).is_some() && has_angle(&plain(style))
}

/// Whether something in the style runs.
pub(super) fn is_active(style: &[u8]) -> bool {
    let style = plain(style.get(..LIMIT).unwrap_or(style));
    ACTIVE.iter().any(|active| contains(&style, active))
}

/// In lower case, without white space, comments, and escapes. A comment that is not closed hides nothing.
fn plain(style: &[u8]) -> Vec<u8> {
    let last_end = memchr::memmem::rfind(style, b"*/");
    let left_at_last_end = last_end.map_or(usize::MAX, |at| style.len() - at);
    let mut plain = Vec::with_capacity(style.len());
    let mut string = None;
    let mut rest = style;
    while let Some((byte, after)) = rest.split_first() {
        let is_comment =
            string.is_none() && rest.starts_with(b"/*") && after.len() > left_at_last_end;
        rest = match byte {
            b'\\' => unescape(after, &mut plain),
            _ if is_comment => after_comment(after),
            0..=b' ' => after,
            _ => {
                string = string_after(*byte, string);
                plain.push(byte.to_ascii_lowercase());
                after
            }
        };
    }
    plain
}

/// The quote of the string that goes on after a character: no comments start in strings.
fn string_after(byte: u8, string: Option<u8>) -> Option<u8> {
    match string {
        Some(quote) if quote == byte => None,
        None if matches!(byte, b'"' | b'\'') => Some(byte),
        _ => string,
    }
}

/// Undoes the escape whose backslash has been read: up to six digits and one space, or any other character.
fn unescape<'a>(after: &'a [u8], plain: &mut Vec<u8>) -> &'a [u8] {
    let digits = after
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_hexdigit());
    let (digits, rest) = after
        .split_at_checked(digits.count())
        .unwrap_or((&[], after));
    if digits.is_empty() {
        return rest;
    }
    let code = digits.iter().fold(0, |code, digit| {
        code << 4 | char::from(*digit).to_digit(16).unwrap_or_default()
    });
    if let Some(byte) = u8::try_from(code).ok().filter(|byte| *byte > b' ') {
        plain.push(byte.to_ascii_lowercase());
    }
    rest.strip_prefix(b" ").unwrap_or(rest)
}

/// What comes after the comment whose `/` has been read.
fn after_comment(after: &[u8]) -> &[u8] {
    let body = after.get(1..).unwrap_or_default();
    let end = memchr::memmem::find(body, b"*/");
    end.and_then(|at| body.get(at + 2..)).unwrap_or(body)
}
