//! Percent-encoding, as in RFC 3986 and in forms, and the `%u0027` of old IIS.
//!
//! Must not know: how often a value is decoded.

use std::borrow::Cow;

/// The value with its escapes undone. Escapes that are none stay as they are.
pub(crate) fn percent(raw: &[u8], plus_is_space: bool) -> Cow<'_, [u8]> {
    let plus = if plus_is_space { b'+' } else { b'%' };
    let first = match plus_is_space {
        true => memchr::memchr2(b'%', b'+', raw),
        false => memchr::memchr(b'%', raw),
    };
    let Some(first) = first else {
        return Cow::Borrowed(raw);
    };
    let (untouched, mut rest) = raw.split_at_checked(first).unwrap_or((&[], raw));
    let mut decoded = Vec::with_capacity(raw.len());
    decoded.extend_from_slice(untouched);
    while let Some((byte, after)) = rest.split_first() {
        rest = match byte {
            b'%' => unescape(after, &mut decoded),
            b'+' if plus_is_space => literal(b' ', after, &mut decoded),
            _ => {
                let end = rest.iter().position(|byte| *byte == b'%' || *byte == plus);
                let (untouched, rest) = rest
                    .split_at_checked(end.unwrap_or(rest.len()))
                    .unwrap_or((rest, &[]));
                decoded.extend_from_slice(untouched);
                rest
            }
        };
    }
    Cow::Owned(decoded)
}

/// Whether decoding would change anything but pluses.
pub(super) fn has_escape(raw: &[u8]) -> bool {
    memchr::memchr_iter(b'%', raw).any(|at| {
        let after = raw.get(at + 1..).unwrap_or_default();
        byte_escape(after).is_some() || unicode_escape(after).is_some()
    })
}

fn literal<'a>(byte: u8, after: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    decoded.push(byte);
    after
}

/// Undoes the escape whose `%` has been read, and says what comes after it.
fn unescape<'a>(after: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    if let Some((byte, rest)) = byte_escape(after) {
        return literal(byte, rest, decoded);
    }
    if let Some((char, rest)) = unicode_escape(after) {
        decoded.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        return rest;
    }
    literal(b'%', after, decoded)
}

/// `27` of `%27`.
fn byte_escape(after: &[u8]) -> Option<(u8, &[u8])> {
    let ([high, low], rest) = after.split_first_chunk()?;
    Some((hex(*high)? << 4 | hex(*low)?, rest))
}

/// `u0027` of `%u0027`. Halves of surrogate pairs are no characters, and stay escaped.
fn unicode_escape(after: &[u8]) -> Option<(char, &[u8])> {
    let ([b'u' | b'U', digits @ ..], rest) = after.split_first_chunk::<5>()? else {
        return None;
    };
    let code = digits
        .iter()
        .try_fold(0, |code, digit| Some(code << 4 | u32::from(hex(*digit)?)))?;
    Some((char::from_u32(code)?, rest))
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
