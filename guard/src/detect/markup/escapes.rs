//! Brackets in the escapes of JavaScript and JSON: `\u003csvg onload=alert(1)\u003e`. A script that puts such a string into the
//! page writes markup.
//!
//! Must not know: markup.

/// The value with such escapes undone, if a bracket is among them.
pub(super) fn undone(value: &[u8]) -> Option<Vec<u8>> {
    let opens = |at: &usize| {
        let rest = value.get(*at..).unwrap_or_default();
        escape(rest).is_some_and(|(byte, _)| byte == b'<')
    };
    memchr::memchr_iter(b'\\', value).find(opens)?;
    let mut plain = Vec::with_capacity(value.len());
    let mut rest = value;
    let mut has_bracket = false;
    while let Some((byte, after)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(br"\\") {
            plain.extend_from_slice(br"\\");
            rest = after;
            continue;
        }
        let escape = escape(rest);
        has_bracket |= escape.is_some_and(|(byte, _)| byte == b'<');
        let (byte, after) = escape.unwrap_or((*byte, after));
        plain.push(byte);
        rest = after;
    }
    has_bracket.then_some(plain)
}

/// The text with the escapes in its first name undone, if it has any: `\u0061lert(1)`.
pub(super) fn of_name(text: &[u8]) -> Option<Vec<u8>> {
    /// Names that matter are short.
    const LONGEST: usize = 96;
    let start = text.get(..LONGEST).unwrap_or(text);
    let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"_$.".contains(byte);
    let end = start.iter().position(ends)?;
    escape(start.get(end..)?)?;
    Some(plain(start))
}

/// The text with all escapes undone.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let (byte, after) = escape(rest).unwrap_or((*byte, after));
        plain.push(byte);
        rest = after;
    }
    plain
}

/// The character of ASCII that an escape stands for, and what comes after it.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, after) = match text {
        [b'\\', b'u' | b'U', b'0', b'0', digits @ ..] | [b'\\', b'x' | b'X', digits @ ..] => {
            digits.split_first_chunk::<2>()?
        }
        _ => return None,
    };
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let digits = std::str::from_utf8(digits).ok()?;
    let byte = u8::from_str_radix(digits, 16).ok()?;
    byte.is_ascii().then_some((byte, after))
}
