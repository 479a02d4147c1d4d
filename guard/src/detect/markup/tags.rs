//! Goes through the tags of a value.
//!
//! The value may be shown inside of a comment or of an attribute, which its beginning closes. So what stands in comments and
//! quotes is read as well, as if it stood in text. Each attribute is read once, however many tags seem to contain it: the
//! work grows with the length only.
//!
//! Must not know: the rules; `element`, `attribute` and `declaration` do.

use smallvec::SmallVec;

use super::token::{Attribute, attribute, attribute_start, tag_name};
use super::{attribute as attribute_rules, declaration, element};

/// A tag with its attributes, and what comes after it.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    pub(super) attributes: SmallVec<[Attribute<'a>; 4]>,
    /// What stands before its `<`.
    pub(super) before: Option<u8>,
    /// Whether it stands in style that has been looked at.
    pub(super) is_in_style: bool,
    /// Starts with the `>` of the tag, if it has one.
    pub(super) after: &'a [u8],
}

impl Tag<'_> {
    /// The value of an attribute, if the tag has it.
    pub(super) fn attribute(&self, name: &str) -> Option<&[u8]> {
        let mut attributes = self.attributes.iter();
        attributes
            .find(|attribute| attribute.is(name))
            .map(|attribute| attribute.value)
    }
}

/// The first rule that a tag or a declaration breaks.
pub(super) fn inspect(value: &[u8]) -> Option<&'static str> {
    let mut read = ReadAttributes::of(value);
    let mut left_after_style = usize::MAX;
    let mut rest = value;
    while let Some(after) = after_angle(rest) {
        rest = after;
        if let Some(rule) = declaration::inspect(rest) {
            return Some(rule);
        }
        let Some(mut tag) = tag(rest, &mut read) else {
            continue;
        };
        tag.before = before(value, rest);
        tag.is_in_style = left_after_style != usize::MAX && rest.len() > left_after_style;
        if let Some(rule) = judge(&tag) {
            return Some(rule);
        }
        if !tag.is_in_style && element::is_style(&tag) {
            left_after_style = tag.after.len() - element::style_content(&tag).len();
        }
        rest = nested(&tag).unwrap_or(tag.after);
    }
    None
}

fn judge(tag: &Tag<'_>) -> Option<&'static str> {
    element::inspect(tag).or_else(|| tag.attributes.iter().find_map(attribute_rules::inspect))
}

/// What stands before the `<` that precedes `rest`.
fn before(value: &[u8], rest: &[u8]) -> Option<u8> {
    let at = value.len().checked_sub(rest.len() + 2)?;
    value.get(at).copied()
}

fn after_angle(rest: &[u8]) -> Option<&[u8]> {
    rest.get(memchr::memchr(b'<', rest)? + 1..)
}

/// The tag whose `<` has been read. Of an end tag the attributes count too: old browsers honoured them.
fn tag<'a>(rest: &'a [u8], read: &mut ReadAttributes) -> Option<Tag<'a>> {
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    rest.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let (name, mut after) = tag_name(rest);
    if is_link(name) {
        return None;
    }
    let mut attributes = SmallVec::new();
    while let Some(start) = attribute_start(after)
        && read.is_new(start)
    {
        let (next, rest) = attribute(start);
        attributes.push(next);
        after = rest;
    }
    Some(Tag {
        name,
        attributes,
        before: None,
        is_in_style: false,
        after,
    })
}

/// `<https://example.com/>`: how Markdown and mails write links.
fn is_link(name: &[u8]) -> bool {
    name.ends_with(b":")
}

/// From the first quoted value of the tag on that holds a `<`.
fn nested<'a>(tag: &Tag<'a>) -> Option<&'a [u8]> {
    let holds_angle = |attribute: &&Attribute<'_>| memchr::memchr(b'<', attribute.value).is_some();
    let mut quoted = tag.attributes.iter().filter(|it| it.quoted.is_some());
    quoted.find(holds_angle)?.quoted
}

/// Which attributes have been read, by what is left of the value where they start: a bit for each.
struct ReadAttributes(Vec<u64>);

impl ReadAttributes {
    fn of(value: &[u8]) -> Self {
        Self(vec![0; value.len() / 64 + 1])
    }

    /// Whether an attribute that starts here is new. From now on it is not.
    fn is_new(&mut self, start: &[u8]) -> bool {
        let Some(word) = self.0.get_mut(start.len() / 64) else {
            return false;
        };
        let bit = 1 << (start.len() % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
