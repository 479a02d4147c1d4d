//! Dots and slashes in two bytes of UTF-8, which no encoder makes and old decoders take.
//!
//! Must not know: percent-encoding.

/// The first byte of each of them.
pub(super) const LEAD: u8 = 0xc0;

/// Whether there is an overlong dot, slash or backslash.
pub(super) fn is_in(value: &[u8]) -> bool {
    let mut before = 0_u8;
    value.iter().any(|byte| {
        let found = before == LEAD && matches!(byte, 0xae | 0xaf | 0x2e | 0x2f | 0x5c);
        before = *byte;
        found
    })
}
