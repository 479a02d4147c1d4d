//! Null bytes.
//!
//! Must not know: where the value is from.

/// Whether a null byte cuts a name short: printable text with a dot or slash before it, and behind it nothing or the ending that a
/// program wants to see. Bytes of a picture or UTF-16 are not like that.
pub(super) fn ends_a_name(value: &[u8]) -> bool {
    let mut parts = value.splitn(2, |byte| *byte == 0);
    let (Some(name), Some(rest)) = (parts.next(), parts.next()) else {
        return false;
    };
    let is_name = name.iter().all(u8::is_ascii_graphic)
        && name.iter().any(|byte| matches!(byte, b'.' | b'/' | b'\\'));
    let is_ending = match rest.split_first() {
        None => true,
        Some((b'.', ending)) => ending.len() <= 8 && ending.iter().all(u8::is_ascii_alphanumeric),
        Some(_) => false,
    };
    is_name && is_ending
}
