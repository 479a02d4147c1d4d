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
    Tags::of(value)
        .find_map(|tag| judge(&tag))
        .or_else(|| inspect_declarations(value))
}

fn inspect_declarations(value: &[u8]) -> Option<&'static str> {
    memchr::memchr_iter(b'<', value)
        .filter_map(|at| value.get(at + 1..))
        .find_map(declaration::inspect)
}

fn judge(tag: &Tag<'_>) -> Option<&'static str> {
    element::inspect(tag).or_else(|| tag.attributes.iter().find_map(attribute_rules::inspect))
}

/// The tags of a value, also those in quotes and comments.
pub(super) struct Tags<'a> {
    value: &'a [u8],
    rest: &'a [u8],
    read: ReadAttributes,
    /// How much is left of the value after style that has been looked at.
    left_after_style: Option<usize>,
}

impl<'a> Tags<'a> {
    pub(super) fn of(value: &'a [u8]) -> Self {
        Self {
            value,
            rest: value,
            read: ReadAttributes::of(value),
            left_after_style: None,
        }
    }

    /// What stands before the `<` that has been read.
    fn before(&self) -> Option<u8> {
        let at = self.value.len().checked_sub(self.rest.len() + 2)?;
        self.value.get(at).copied()
    }

    fn is_in_style(&self) -> bool {
        self.left_after_style
            .is_some_and(|left| self.rest.len() > left)
    }

    fn go_on_after(&mut self, tag: &Tag<'a>) {
        if !tag.is_in_style && element::is_style(tag) {
            self.left_after_style = Some(tag.after.len() - element::style_content(tag).len());
        }
        self.rest = nested(tag).unwrap_or(tag.after);
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        while let Some(at) = memchr::memchr(b'<', self.rest) {
            self.rest = self.rest.get(at + 1..)?;
            if let Some(tag) = tag(self.rest, &mut self.read) {
                let tag = Tag {
                    before: self.before(),
                    is_in_style: self.is_in_style(),
                    ..tag
                };
                self.go_on_after(&tag);
                return Some(tag);
            }
        }
        None
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Tags;

    proptest! {
        /// What tags contain overlaps only where a quote may belong to either of two tags.
        #[test]
        fn the_work_grows_with_the_length_only(
            unit in "(<a|<b |<style>|=|\"|'|`| |/|>|c|=\"<d e='|x=<f ){1,12}",
            times in 1..400_usize,
        ) {
            let value = unit.repeat(times);
            let work: usize = Tags::of(value.as_bytes())
                .flat_map(|tag| tag.attributes)
                .map(|attribute| attribute.name.len() + attribute.value.len())
                .sum();
            prop_assert!(work <= 4 * value.len(), "{work} of {}", value.len());
        }
    }
}
