//! Comparing text as browsers compare names: without case.
//!
//! Must not know: what the text is.

/// What comes after a prefix, in whatever case.
pub(super) fn after<'a>(prefix: &str, text: &'a [u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start
        .eq_ignore_ascii_case(prefix.as_bytes())
        .then_some(rest)
}

pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}
