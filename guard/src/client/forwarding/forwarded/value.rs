//! Tokens and quoted strings, as [RFC 9110, section 5.6](https://www.rfc-editor.org/rfc/rfc9110#section-5.6) defines them.
//!
//! Must not know: which parameter a value is of.

use std::borrow::Cow;

/// The value of a parameter.
pub(super) enum Value<'a> {
    /// As it stands.
    Plain(&'a [u8]),
    /// The inside of a quoted string in which there are quoted-pairs.
    Escaped(&'a [u8]),
}

impl<'a> Value<'a> {
    /// What the value stands for. Allocates only for quoted-pairs.
    pub(super) fn content(&self) -> Cow<'a, [u8]> {
        match self {
            Self::Plain(content) => Cow::Borrowed(content),
            Self::Escaped(inside) => Cow::Owned(unescape(inside)),
        }
    }
}

/// Of each quoted-pair, what follows the backslash.
fn unescape(inside: &[u8]) -> Vec<u8> {
    let mut bytes = inside.iter().copied();
    let mut content = Vec::with_capacity(inside.len());
    while let Some(byte) = bytes.next() {
        content.extend(if byte == b'\\' {
            bytes.next()
        } else {
            Some(byte)
        });
    }
    content
}

/// The token with which the text begins, and what follows it.
pub(super) fn take_token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    take_while(text, is_token)
}

/// The value with which the text begins, and what follows it.
pub(super) fn take(text: &[u8]) -> Option<(Value<'_>, &[u8])> {
    match text {
        [b'"', inside @ ..] => take_quoted(inside),
        _ => {
            let (value, after) = take_while(text, is_bare)?;
            Some((Value::Plain(value), after))
        }
    }
}

/// The rest of a quoted string whose opening quote has been taken, and what follows the closing one.
fn take_quoted(text: &[u8]) -> Option<(Value<'_>, &[u8])> {
    let mut bytes = text.iter().copied().enumerate();
    let mut escaped = false;
    while let Some((position, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let (inside, after) = text.split_at_checked(position)?;
                let value = if escaped {
                    Value::Escaped(inside)
                } else {
                    Value::Plain(inside)
                };
                return Some((value, after.strip_prefix(b"\"")?));
            }
            b'\\' => {
                escaped = true;
                bytes.next().filter(|(_, byte)| is_text(*byte))?;
            }
            _ if is_text(byte) => {}
            _ => return None,
        }
    }
    None
}

/// At least one byte.
fn take_while(text: &[u8], belongs: fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !belongs(*byte));
    text.split_at_checked(end.unwrap_or(text.len()))
        .filter(|(taken, _)| !taken.is_empty())
}

/// `tchar`.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// `tchar`, and what senders leave without the quotes that it needs.
fn is_bare(byte: u8) -> bool {
    is_token(byte) || b":[]".contains(&byte)
}

/// What may stand in a quoted string, and after the backslash of a quoted-pair.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7F)
}
