//! A first look, which dismisses most of what applications exchange: numbers, identifiers, tokens, paths, dates.
//!
//! Must not know: rules, beyond what every rule needs.

/// Whether a value holds a byte that every injection needs: something to leave a string with, to compare or to call, or
/// white space between words.
pub(super) fn may_hold_sql(value: &[u8]) -> bool {
    value.iter().any(|byte| is_needed(*byte))
}

/// All but letters and digits of any script, and signs that need words beside them: `- _ . ~ / : , + % $ ? =`.
const fn is_needed(byte: u8) -> bool {
    matches!(
        byte,
        0..=b' ' | b'!'..=b'#' | b'&'..=b'*' | b';' | b'<' | b'>' | b'@' | b'['..=b'^' | b'`' | b'{'..=b'}' | 0x7f
    )
}
