//! Declarations and processing instructions: what starts with `<!` or `<?`.
//!
//! Must not know: tags.

use super::rules::{LEGACY_BINDING, XML};
use super::text::{after, contains};

/// How much of a declaration is looked at.
const LIMIT: usize = 256;

/// What a declaration starts with, after its `<`; what makes it harmful, if it has one of these; and the rule it breaks.
const HARMFUL: &[(&str, &[&str], &str)] = &[
    (
        "!entity",
        &["system", "public", "&#60", "&#060", "&#x3c", "#60;", "<"],
        XML,
    ),
    (
        "!attlist",
        &["onload", "onerror", "onclick", "onmouseover", "href", "src"],
        XML,
    ),
    ("?xml-stylesheet", &["href"], XML),
    ("?import", &["namespace", "implementation"], LEGACY_BINDING),
];

/// The rule that a declaration breaks whose `<` has been read.
pub(super) fn inspect(rest: &[u8]) -> Option<&'static str> {
    if !matches!(rest.first(), Some(b'!' | b'?')) {
        return None;
    }
    let mut harmful = HARMFUL.iter();
    harmful
        .find(|(name, parts, _)| body(name, rest).is_some_and(|body| has_any(body, parts)))
        .map(|(_, _, rule)| *rule)
}

/// What comes after the name of the declaration, if nothing else belongs to the name.
fn body<'a>(name: &str, rest: &'a [u8]) -> Option<&'a [u8]> {
    after(name, rest).filter(|body| body.first().is_some_and(u8::is_ascii_whitespace))
}

/// Up to the end of the declaration; those in another one have their own.
fn has_any(body: &[u8], parts: &[&str]) -> bool {
    let body = body.get(..LIMIT).unwrap_or(body);
    let body = body.split(|byte| *byte == b'>').next().unwrap_or_default();
    let body = body.to_ascii_lowercase();
    parts.iter().any(|part| contains(&body, part.as_bytes()))
}
