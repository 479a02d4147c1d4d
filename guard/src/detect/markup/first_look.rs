//! What a value can be at all, by two vectorised passes over its bytes: nearly all values can be nothing.
//!
//! Must not know: the rules.

use super::url;

/// Whether a value has anything that attacks need: a tag, a URL that runs, or something that is called or assigned.
pub(super) fn is_ordinary(value: &[u8]) -> bool {
    memchr::memchr3(b'<', b']', b'=', value).is_none()
        && !calls(value)
        && !url::may_be_active(value)
}

pub(super) fn has_tags(value: &[u8]) -> bool {
    memchr::memchr(b'<', value).is_some()
}

/// Whether anything is called or assigned.
pub(super) fn has_code(value: &[u8]) -> bool {
    calls(value) || memchr::memchr(b'=', value).is_some()
}

fn calls(value: &[u8]) -> bool {
    memchr::memchr2(b'(', b'`', value).is_some()
}
