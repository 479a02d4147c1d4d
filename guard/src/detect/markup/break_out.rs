//! The value is shown in an attribute, which it ends: `" onfocus=alert(1) x="`.
//!
//! Must not know: tags.

use super::attribute;
use super::code::starts_with_sink;
use super::event;
use super::rules::ATTRIBUTE_BREAK_OUT;
use super::token::{Attribute, attribute as next_attribute, attribute_start};

/// How many attributes are looked at after the one that is ended.
const LIMIT: usize = 16;

/// The rule that a value breaks in an attribute with either quote, or with none.
pub(super) fn inspect(value: &[u8]) -> Option<&'static str> {
    let mut quotes = [b'"', b'\'', b'`'].iter();
    let breaks_out = quotes.any(|quote| after_quote(value, *quote).is_some_and(adds_attribute))
        || starts_new_attribute(value);
    breaks_out.then_some(ATTRIBUTE_BREAK_OUT)
}

fn after_quote(value: &[u8], quote: u8) -> Option<&[u8]> {
    value.get(memchr::memchr(quote, value)? + 1..)
}

/// In `React's onclick=…` the quote ends nothing: a letter comes after it, and starts no handler.
fn adds_attribute(rest: &[u8]) -> bool {
    let is_word = rest.first().is_some_and(u8::is_ascii_alphanumeric);
    let attributes = || Attributes { rest, words: 0 }.take(LIMIT);
    if is_word {
        return attributes()
            .next()
            .is_some_and(|first| attribute::runs_code(&first));
    }
    attributes().any(|it| attribute::runs_code(&it) || attribute::inspect_value(&it).is_some())
}

/// Without quotes a space ends the value: `x onfocus=alert(1)`. People write so too, of handlers that they ask about; so
/// only functions that attacks call count. Also of a quoted value in a tag: which quotes the page adds is unknown.
pub(super) fn starts_new_attribute(value: &[u8]) -> bool {
    let attributes = Attributes {
        rest: value,
        words: 0,
    };
    attributes.take(LIMIT).any(|it| {
        let code = attribute::decoded(&it);
        event::is_handler(it.name)
            && starts_with_sink(code.strip_prefix(b"javascript:").unwrap_or(&code))
    })
}

/// Attributes, until two words have no value: that is prose.
struct Attributes<'a> {
    rest: &'a [u8],
    words: usize,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Attribute<'a>;

    fn next(&mut self) -> Option<Attribute<'a>> {
        let (attribute, rest) = next_attribute(attribute_start(self.rest)?);
        self.rest = rest;
        let is_word = attribute.value.is_empty() && !attribute.is("autofocus");
        self.words += usize::from(is_word);
        (self.words < 2).then_some(attribute)
    }
}
