//! Other spellings of ASCII: overlong UTF-8, which lax decoders accept (`C0 AE` for a dot), and the fullwidth forms U+FF01
//! to U+FF5E, which Unicode normalisation (NFKC) and "best fit" mappings of databases turn into ASCII; with them the spaces
//! U+00A0 and U+3000, and the byte A0, which is a space of Latin-1 and was one for MySQL.
//!
//! Must not know: why anybody would spell it so.

use std::borrow::Cow;

/// The value with each such spelling turned into the ASCII that it stands for.
pub(super) fn plain(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if value.is_ascii() {
        return value;
    }
    let Some(first) = first_spelling(&value) else {
        return value;
    };
    Cow::Owned(replaced(&value, first))
}

/// Most letters beyond ASCII start otherwise.
fn may_lead(byte: u8) -> bool {
    matches!(byte, 0xA0 | 0xC0 | 0xC1 | 0xC2 | 0xE0 | 0xE3 | 0xEF | 0xF0)
}

/// Where the first other spelling starts.
fn first_spelling(value: &[u8]) -> Option<usize> {
    let candidates = value
        .iter()
        .enumerate()
        .filter(|(_, byte)| may_lead(**byte));
    candidates.map(|(at, _)| at).find(|at| {
        let parts = value.split_at_checked(*at);
        parts.is_some_and(|(before, rest)| spelling(before, rest).is_some())
    })
}

fn replaced(value: &[u8], first: usize) -> Vec<u8> {
    let (untouched, mut rest) = value.split_at_checked(first).unwrap_or((&[], value));
    let mut plain = Vec::with_capacity(value.len());
    plain.extend_from_slice(untouched);
    while let Some((byte, after)) = rest.split_first() {
        let (byte, after) = spelling(&plain, rest).unwrap_or((*byte, after));
        plain.push(byte);
        rest = after;
    }
    plain
}

/// The ASCII that another spelling at the beginning of `rest` stands for, and what comes after it. What is before tells
/// whether A0 is one of several bytes of a letter.
fn spelling<'a>(before: &[u8], rest: &'a [u8]) -> Option<(u8, &'a [u8])> {
    match rest {
        [0xA0, after @ ..] if before.last().is_none_or(u8::is_ascii) => Some((b' ', after)),
        [0xC2, 0xA0, after @ ..] | [0xE3, 0x80, 0x80, after @ ..] => Some((b' ', after)),
        [lead @ (0xC0 | 0xC1), last @ 0x80..=0xBF, after @ ..] => {
            Some(((lead & 1) << 6 | last & 0x3F, after))
        }
        [0xE0, high @ (0x80 | 0x81), last @ 0x80..=0xBF, after @ ..]
        | [
            0xF0,
            0x80,
            high @ (0x80 | 0x81),
            last @ 0x80..=0xBF,
            after @ ..,
        ] => Some(((high & 1) << 6 | last & 0x3F, after)),
        [0xEF, 0xBC, last @ 0x81..=0xBF, after @ ..] => Some((last - 0x60, after)),
        [0xEF, 0xBD, last @ 0x80..=0x9E, after @ ..] => Some((last - 0x20, after)),
        _ => None,
    }
}
