//! A first look, which dismisses most of what applications exchange: numbers, identifiers, tokens, paths, dates.
//!
//! Must not know: rules, beyond what every rule needs.

/// Whether a value holds a byte that every injection needs: something to leave a string with, to compare or to call, or
/// white space between words.
pub(super) fn may_hold_sql(value: &[u8]) -> bool {
    value
        .iter()
        .any(|byte| NEEDED.get(usize::from(*byte)).is_some_and(|needed| *needed))
}

/// By byte: all but letters and digits of any script, and signs that need words beside them.
const NEEDED: [bool; 256] = {
    let mut needed = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        needed[byte] =
            !(byte as u8).is_ascii_alphanumeric() && byte < 0x80 && !is_harmless(byte as u8);
        byte += 1;
    }
    needed
};

const fn is_harmless(byte: u8) -> bool {
    matches!(
        byte,
        b'-' | b'_' | b'.' | b'~' | b'/' | b':' | b',' | b'+' | b'%' | b'$' | b'?' | b'='
    )
}
