//! How far numbers, words and strings reach.
//!
//! Must not know: tokens.

use crate::detect::bytes::ByteSet;
use crate::detect::sql::dictionary::classify;
use crate::detect::sql::words::WordClass;
use memchr::memchr;

/// MySQL reads `SELECT.5` as two tokens.
pub(super) fn keyword_before_fraction(word: &[u8]) -> Option<&[u8]> {
    let (first, rest) = word.split_at_checked(memchr(b'.', word)?)?;
    let fraction = rest.get(1).is_some_and(u8::is_ascii_digit);
    (fraction && is_operator(classify(first))).then_some(first)
}

/// The length of `e10`, which also counts without digits in front of a name.
pub(super) fn exponent_length(suffix: &[u8]) -> usize {
    match suffix.split_first() {
        Some((b'e' | b'E', digits)) => match run_length(digits, |byte| byte.is_ascii_digit()) {
            0 => 0,
            length => length + 1,
        },
        _ => 0,
    }
}

/// Whether `[` starts a name of SQL Server, and not a list or a link.
pub(super) fn bracketed_name(tail: &[u8]) -> bool {
    let length = run_length(tail, is_word_byte);
    length > 0 && tail.get(length) == Some(&b']')
}

/// Whether a number may stand directly beside a word of this class.
pub(super) fn is_operator(class: WordClass) -> bool {
    matches!(
        class,
        WordClass::Logical | WordClass::Union | WordClass::Select | WordClass::Operator
    )
}

pub(super) fn is_numeric_suffix(text: &[u8], suffix: &[u8]) -> bool {
    if suffix.is_empty() {
        return true;
    }
    if let Some((b'x' | b'X', hexadecimal)) = suffix.split_first() {
        return text.first() == Some(&b'0') && hexadecimal.iter().all(u8::is_ascii_hexdigit);
    }
    if let Some((b'b' | b'B', binary)) = suffix.split_first() {
        return text.first() == Some(&b'0')
            && binary.iter().all(|digit| matches!(digit, b'0' | b'1'));
    }
    matches!(suffix.split_first(), Some((b'e' | b'E', exponent)) if exponent.iter().all(u8::is_ascii_digit))
}

/// The content of a string whose opening quote has been read, and what follows its closing quote, if it has one.
pub(in super::super) fn string_content(quote: u8, text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut bytes = text.iter().enumerate();
    while let Some((at, &byte)) = bytes.next() {
        if byte == b'\\' {
            bytes.next();
        } else if byte == quote {
            let after = text.get(at + 1..).unwrap_or_default();
            // A doubled quote stands for one in the content.
            if after.first() == Some(&quote) {
                bytes.next();
                continue;
            }
            return (text.get(..at).unwrap_or_default(), Some(after));
        }
    }
    (text, None)
}

/// Letters, digits, `_`, `$`, dots between names, and all bytes of other scripts.
pub(super) fn is_word_byte(byte: u8) -> bool {
    WORD.has(byte)
}

const WORD: ByteSet = ByteSet::of(b"_$.")
    .with(b'0', b'9')
    .with(b'A', b'Z')
    .with(b'a', b'z')
    .with(0x80, 0xff);

pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    // Databases take control characters for white space, too, which attackers use.
    let length = run_length(text, |byte| byte <= b' ');
    text.get(length..).unwrap_or_default()
}

pub(super) fn run_length(text: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    text.iter()
        .position(|byte| !belongs(*byte))
        .unwrap_or(text.len())
}
