//! Cross-site scripting in one decoded value: markup that runs scripts in the browser of whoever is shown it.
//!
//! Where an application shows a value is unknown, so it is read in each place that attacks are written for: as text, as an
//! attribute with either quote or none, as a URL, and in a string of a script. Markup is tokenised as browsers do it; a
//! keyword alone convicts nobody.
//!
//! Must not know: where in a request the value stood, or how it was encoded there.
mod attribute;
mod break_out;
mod code;
mod declaration;
mod element;
mod escapes;
mod event;
mod first_look;
mod rules;
mod string;
mod style;
mod tags;
mod text;
mod token;
mod url;

#[cfg(test)]
mod tests;

use first_look::Signs;
pub(super) use first_look::needs;

/// The ids of all rules; what each is about stands at its name in `rules`.
pub(super) const RULES: &[&str] = rules::ALL;

/// The rule that a value breaks.
pub(super) fn inspect(value: &[u8]) -> Option<&'static str> {
    let signs = Signs::of(value);
    in_tags(value, signs)
        .or_else(|| in_escaped_tags(value, signs))
        .or_else(|| in_links(value, signs))
        .or_else(|| in_code(value, signs))
}

fn in_tags(value: &[u8], signs: Signs) -> Option<&'static str> {
    if !signs.have(Signs::TAG) {
        return None;
    }
    tags::inspect(value).or_else(|| tags_without_nul(value))
}

fn in_escaped_tags(value: &[u8], signs: Signs) -> Option<&'static str> {
    if !signs.have(Signs::ESCAPE) {
        return None;
    }
    tags::inspect(&escapes::undone(value)?)
}

fn in_links(value: &[u8], signs: Signs) -> Option<&'static str> {
    if !signs.have(Signs::SCHEME) {
        return None;
    }
    url::inspect_link(value).or_else(|| {
        let links = signs.have(Signs::LINK);
        links.then(|| url::inspect_markdown(value)).flatten()
    })
}

fn in_code(value: &[u8], signs: Signs) -> Option<&'static str> {
    if !signs.have(Signs::ASSIGNMENT | Signs::CALL) {
        return None;
    }
    // Every attribute that does harm has a value.
    let assigns = signs.have(Signs::ASSIGNMENT);
    let breaks_out = assigns.then(|| break_out::inspect(value)).flatten();
    let quotes = signs.have(Signs::QUOTE);
    let calls = quotes || signs.have(Signs::CALL);
    breaks_out.or_else(|| calls.then(|| string::inspect(value, quotes)).flatten())
}

/// Old browsers, and applications that clean up, drop NUL bytes: `<scr\0ipt>`.
fn tags_without_nul(value: &[u8]) -> Option<&'static str> {
    memchr::memchr(b'\0', value)?;
    let cleaned: Vec<u8> = value.iter().filter(|byte| **byte != 0).copied().collect();
    tags::inspect(&cleaned)
}
