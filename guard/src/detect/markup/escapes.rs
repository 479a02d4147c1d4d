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

/// The character of ASCII that an escape stands for, and what comes after it.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, after) = match text {
        [b'\\', b'u' | b'U', b'0', b'0', digits @ ..] | [b'\\', b'x' | b'X', digits @ ..] => {
            digits.split_first_chunk::<2>()?
        }
        _ => return None,
    };
    let digits = std::str::from_utf8(digits).ok()?;
    let byte = u8::from_str_radix(digits, 16).ok()?;
    byte.is_ascii().then_some((byte, after))
}
