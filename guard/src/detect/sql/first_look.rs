//! A first look, which dismisses most of what applications exchange: numbers, identifiers, tokens, paths, dates.
//!
//! Must not know: rules, beyond what every rule needs.

use crate::detect::bytes::ByteSet;

/// Whether a value holds a byte that every injection needs: something to leave a string with, to compare or to call, or
/// white space between words.
pub(super) fn may_hold_sql(value: &[u8]) -> bool {
    value.iter().any(|byte| needs(*byte))
}

/// Whether it is such a byte.
pub(in crate::detect) const fn needs(byte: u8) -> bool {
    NEEDED.has(byte)
}

/// All but letters and digits of any script, and signs that need words beside them: `- _ . ~ / : , + % $ ? =`.
const NEEDED: ByteSet = ByteSet::of(b";<>@`\x7f")
    .with(0, b'#')
    .with(b'&', b'*')
    .with(b'[', b'^')
    .with(b'{', b'}');
