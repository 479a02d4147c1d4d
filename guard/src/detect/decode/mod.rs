//! What a raw value may stand for once it is decoded, so that detectors see what an application would see.
//!
//! Browsers and servers disagree on how often a value is decoded and on which spellings of a character count. Detectors
//! get each form that some application acts on: [`layers`]. What only a browser undoes, and only in places, is
//! [`html_entities`].
//!
//! Must not know: what an attack looks like, or where in a request a value stood.
mod ascii;
mod entities;
mod percent;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(super) use self::entities::html_entities;
pub(super) use self::percent::percent;

/// How much of a raw value is looked at. Attacks are short, and work must not grow with what clients send.
pub(super) const LIMIT: usize = 8 * 1024;

/// The forms of a raw value that detectors are to see.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layers<'a> {
    once: Cow<'a, [u8]>,
    twice: Option<Vec<u8>>,
}

impl Layers<'_> {
    /// Decoded once, and decoded twice if that is something else.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.once.as_ref()).chain(self.twice.as_deref())
    }
}

/// Decodes the first [`LIMIT`] bytes of a raw value. Borrows if there is nothing to decode.
///
/// Two layers, since proxies and frameworks that both decode are common; a third is not known to be acted on anywhere.
pub(super) fn layers(raw: &[u8], plus_is_space: bool) -> Layers<'_> {
    let decoded = percent(raw.get(..LIMIT).unwrap_or(raw), plus_is_space);
    let twice = match &decoded {
        // There was nothing to decode.
        Cow::Borrowed(_) => None,
        Cow::Owned(once) => decoded_again(once, plus_is_space),
    };
    Layers {
        once: ascii::plain(decoded),
        twice,
    }
}

/// Only an escape that came out of an escape makes a second layer: the pluses of `C%2B%2B` do not.
fn decoded_again(once: &[u8], plus_is_space: bool) -> Option<Vec<u8>> {
    if !percent::has_escape(once) {
        return None;
    }
    let twice = percent(once, plus_is_space);
    Some(ascii::plain(twice).into_owned())
}
