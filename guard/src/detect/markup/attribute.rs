//! What an attribute does whatever element it stands on.
//!
//! Must not know: other attributes of the tag.

use super::code::{is_code, starts_with_sink};
use super::rules::{ATTRIBUTE_BREAK_OUT, EVENT_HANDLER, HIDDEN_SCHEME, LEGACY_BINDING, STYLE};
use super::text::contains;
use super::token::Attribute;
use super::{break_out, event, style, url};
use crate::detect::decode::html_entities;

/// How much of a value is looked at for code.
const LIMIT: usize = 512;

/// The rule that an attribute of a tag breaks.
pub(super) fn inspect(attribute: &Attribute<'_>) -> Option<&'static str> {
    if attribute.value.is_empty() {
        return None;
    }
    if handles_event(attribute) {
        return Some(EVENT_HANDLER);
    }
    if binds_data(attribute) {
        return Some(LEGACY_BINDING);
    }
    if attribute.quoted.is_some() && break_out::starts_new_attribute(attribute.value) {
        return Some(ATTRIBUTE_BREAK_OUT);
    }
    inspect_value(attribute)
}

/// The rule that the style or the URL in an attribute breaks.
pub(super) fn inspect_value(attribute: &Attribute<'_>) -> Option<&'static str> {
    if attribute.is("style") || attribute.is("filter") {
        let decoded = html_entities(attribute.value);
        return style::is_active_attribute(&decoded).then_some(STYLE);
    }
    if hides_scheme(attribute) {
        return Some(HIDDEN_SCHEME);
    }
    if !url::may_be_active(attribute.value) {
        return None;
    }
    url::inspect(&url::Url::of(&decoded(attribute)))
}

/// Whether a known event has any handler, or what may be an event has one that is code.
fn handles_event(attribute: &Attribute<'_>) -> bool {
    let is_known = event::is_handler(attribute.name) && !attribute.value.trim_ascii().is_empty();
    is_known
        || (event::may_be_handler(attribute.name) && is_code(&decoded(attribute)))
        || (event::may_be_expression(attribute.name) && is_expression_of_attack(attribute))
}

/// Pages have handlers of frameworks all over: only what attacks call counts.
fn is_expression_of_attack(attribute: &Attribute<'_>) -> bool {
    let code = decoded(attribute);
    starts_with_sink(&code)
        || contains(&code, b"constructor(")
        || contains(&code, b"constructor.constructor")
}

/// Whether it is a handler, and its value is code.
pub(super) fn runs_code(attribute: &Attribute<'_>) -> bool {
    event::is_handler(attribute.name) && is_code(&decoded(attribute))
}

/// The beginning of its value, with character references undone.
pub(super) fn decoded<'a>(attribute: &Attribute<'a>) -> std::borrow::Cow<'a, [u8]> {
    html_entities(attribute.value.get(..LIMIT).unwrap_or(attribute.value))
}

/// Data binding of Internet Explorer: the markup comes out of other elements.
fn binds_data(attribute: &Attribute<'_>) -> bool {
    ["datasrc", "dataformatas", "ev:event", "ev:handler"]
        .iter()
        .any(|name| attribute.is(name))
}

/// Attributes that hold URLs.
const URLS: &[&str] = &[
    "href",
    "src",
    "xlink:href",
    "action",
    "formaction",
    "data",
    "poster",
    "background",
];

/// Whether a letter at the beginning of a URL is written as a number. Letters need that nowhere; only those who hide mail
/// addresses from harvesters do it for another reason.
fn hides_scheme(attribute: &Attribute<'_>) -> bool {
    let start = attribute.value.get(..24).unwrap_or(attribute.value);
    let Some(at) = memchr::memchr(b'&', start) else {
        return false;
    };
    let reference = start.get(at..).unwrap_or_default();
    let hidden = html_entities(reference);
    reference.starts_with(b"&#")
        && hidden.first().is_some_and(u8::is_ascii_alphabetic)
        && URLS.iter().any(|name| attribute.is(name))
        && !url::Url::of(&decoded(attribute)).is_contact()
}
