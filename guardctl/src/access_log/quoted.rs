//! Fields in quotation marks, with the escapes of Apache and nginx.
//!
//! Must not know: what is in which field.

use std::borrow::Cow;

/// The field that begins at the first quotation mark of a text, and what stands behind it; `None` if there is none or it does not end.
pub(super) fn field(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let start = memchr::memchr(b'"', text)?;
    let inside = text.get(start + 1..)?;
    let mut end = 0;
    let mut has_escapes = false;
    loop {
        end += memchr::memchr2(b'"', b'\\', inside.get(end..)?)?;
        if inside.get(end) == Some(&b'"') {
            break;
        }
        has_escapes = true;
        end += 2;
    }
    let (value, rest) = (inside.get(..end)?, inside.get(end + 1..)?);
    let value = match has_escapes {
        false => Cow::Borrowed(value),
        true => Cow::Owned(unescaped(value)),
    };
    Some((value, rest))
}

fn unescaped(value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((&byte, after)) = rest.split_first() {
        let (plain, after) = match byte {
            b'\\' => escape(after),
            byte => (byte, after),
        };
        bytes.push(plain);
        rest = after;
    }
    bytes
}

/// What an escape stands for, behind its backslash.
fn escape(text: &[u8]) -> (u8, &[u8]) {
    match text {
        [b'x', high, low, rest @ ..] => match (hex_digit(*high), hex_digit(*low)) {
            (Some(high), Some(low)) => (high << 4 | low, rest),
            _ => (b'\\', text),
        },
        [b'n', rest @ ..] => (b'\n', rest),
        [b'r', rest @ ..] => (b'\r', rest),
        [b't', rest @ ..] => (b'\t', rest),
        [b'v', rest @ ..] => (0x0B, rest),
        [b'b', rest @ ..] => (0x08, rest),
        [byte @ (b'"' | b'\\'), rest @ ..] => (*byte, rest),
        _ => (b'\\', text),
    }
}

pub(super) fn hex_digit(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_apache_and_nginx() {
        for (text, expected, rest) in [
            (&br#" "plain" 200"#[..], &b"plain"[..], &b" 200"[..]),
            (br#""""#, b"", b""),
            (br#""a \"b\" \\ c" x"#, b"a \"b\" \\ c", b" x"),
            (br#""\x22\x5C\xe4\xB8""#, b"\"\\\xe4\xb8", b""),
            (br#""\x2g\q\x" y"#, b"\\x2g\\q\\x", b" y"),
            (br#""a\tb\nc\rd""#, b"a\tb\nc\rd", b""),
            (br#""ends with \\" z"#, b"ends with \\", b" z"),
        ] {
            let (value, after) = field(text).unwrap();
            assert_eq!(
                (&*value, after),
                (expected, rest),
                "{}",
                text.escape_ascii()
            );
        }
    }

    #[test]
    fn a_field_that_does_not_end_is_none() {
        for text in [&b"no field"[..], b"\"open", b"\"open\\\"", b"\"open\\", b""] {
            assert_eq!(field(text), None, "{}", text.escape_ascii());
        }
    }
}
