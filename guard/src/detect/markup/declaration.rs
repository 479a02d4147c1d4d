//! Declarations and processing instructions: what starts with `<!` or `<?`.
//!
//! Must not know: tags.

use super::rules::{LEGACY_BINDING, XML};

/// What a declaration starts with, after its `<`, and the rule it breaks.
const HARMFUL: &[(&str, &str)] = &[
    ("!entity", XML),
    ("!attlist", XML),
    ("?xml-stylesheet", XML),
    ("?import", LEGACY_BINDING),
];

/// The rule that a declaration breaks whose `<` has been read.
pub(super) fn inspect(rest: &[u8]) -> Option<&'static str> {
    if !matches!(rest.first(), Some(b'!' | b'?')) {
        return None;
    }
    let starts = |name: &str| {
        rest.split_at_checked(name.len())
            .is_some_and(|(start, after)| {
                start.eq_ignore_ascii_case(name.as_bytes())
                    && after.first().is_none_or(u8::is_ascii_whitespace)
            })
    };
    let mut harmful = HARMFUL.iter();
    harmful
        .find(|(name, _)| starts(name))
        .map(|(_, rule)| *rule)
}
