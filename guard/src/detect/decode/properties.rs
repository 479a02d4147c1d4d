//! What holds of the decoders whatever a value holds, as assertions: property tests and fuzzing share them.
//!
//! Must not know: how the values came about.

use std::borrow::Cow;

use super::{LIMIT, ascii, html_entities, layers, percent};

/// Whatever is decoded gets no longer, and what has nothing to decode is not copied.
pub(crate) fn assert_decoders_only_shorten(value: &[u8]) {
    for plus_is_space in [false, true] {
        assert_shortens(value, percent(value, plus_is_space), b"%+");
        assert_layers(value, plus_is_space);
    }
    assert_shortens(value, html_entities(value), b"&");
    let plain = ascii::plain(Cow::Borrowed(value));
    assert!(plain.len() <= value.len());
    assert!(!value.is_ascii() || matches!(plain, Cow::Borrowed(_)));
}

fn assert_shortens(value: &[u8], decoded: Cow<'_, [u8]>, special: &[u8]) {
    assert!(decoded.len() <= value.len());
    let is_plain = !value.iter().any(|byte| special.contains(byte));
    assert!(!is_plain || matches!(decoded, Cow::Borrowed(same) if same == value));
}

fn assert_layers(value: &[u8], plus_is_space: bool) {
    let layers = layers(value, plus_is_space);
    let forms: Vec<_> = layers.iter().collect();
    assert!((1..=2).contains(&forms.len()));
    assert!(forms.is_sorted_by(|once, twice| once.len() > twice.len()));
    assert!(forms.iter().all(|form| form.len() <= LIMIT));
}
