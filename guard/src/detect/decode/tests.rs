use std::borrow::Cow;

use proptest::prelude::*;

use super::properties::assert_decoders_only_shorten;
use super::{LIMIT, html_entities, layers, percent};

fn forms(raw: &[u8]) -> Vec<Vec<u8>> {
    layers(raw, true).iter().map(<[u8]>::to_vec).collect()
}

#[test]
fn escapes_are_undone_and_bad_ones_stay() {
    for (raw, decoded) in [
        ("O%27Brien", "O'Brien"),
        ("a%2fb%2Fc", "a/b/c"),
        ("100%", "100%"),
        ("50% off", "50% off"),
        ("%4", "%4"),
        ("%zz%41", "%zzA"),
        ("%%41", "%A"),
        ("%u0027%U003c", "'<"),
        ("%u00e9", "é"),
        ("%ud83d", "%ud83d"),
        ("%u00", "%u00"),
        ("%u002", "%u002"),
        ("1+1", "1+1"),
    ] {
        assert_eq!(percent(raw.as_bytes(), false), decoded.as_bytes(), "{raw}");
    }
}

#[test]
fn a_plus_is_a_space_only_in_forms() {
    assert_eq!(percent(b"a+b%2Bc", true), b"a b+c".as_slice());
    assert_eq!(percent(b"a+b%2Bc", false), b"a+b+c".as_slice());
}

#[test]
fn a_second_layer_is_there_only_if_an_escape_came_out_of_an_escape() {
    for (raw, expected) in [
        ("plain", &["plain"][..]),
        ("%27", &["'"]),
        ("C%2B%2B", &["C++"]),
        ("100%25", &["100%"]),
        ("%2527", &["%27", "'"]),
        ("%252527", &["%2527", "%27"]),
        ("%25u0027", &["%u0027", "'"]),
    ] {
        let forms = forms(raw.as_bytes());
        assert!(
            forms.iter().eq(expected.iter().map(|form| form.as_bytes())),
            "{raw}: {forms:?}"
        );
    }
}

#[test]
fn other_spellings_of_ascii_become_ascii() {
    for (raw, decoded) in [
        ("%C0%AE%c0%af", "./"),
        ("%C1%81", "A"),
        ("%E0%80%AE", "."),
        ("%E0%81%81", "A"),
        ("%F0%80%80%AE", "."),
        ("＜ｓｃｒｉｐｔ＞", "<script>"),
        ("！＿｀～", "!_`~"),
        ("｟ｱ", "｟ｱ"),
        ("नमस्ते", "नमस्ते"),
        ("à 漢字 😀", "à 漢字 😀"),
        ("a%A0%a0b", "a  b"),
        ("%A0%C3%A0%A0", " à\u{fffd}"),
        ("a\u{a0}b\u{3000}c", "a b c"),
    ] {
        let forms = forms(raw.as_bytes());
        let shown = forms.iter().map(|form| String::from_utf8_lossy(form));
        assert!(shown.eq([decoded]), "{raw}: {forms:?}");
    }
    assert_eq!(forms(b"%C0"), [b"\xC0"]);
    assert_eq!(forms(b"%C0."), [b"\xC0."]);
}

#[test]
fn what_has_nothing_to_decode_is_borrowed() {
    for raw in ["", "O'Brien", "Симонов", "नमस्ते", "a&b"] {
        let layers = layers(raw.as_bytes(), true);
        assert!(matches!(layers.once, Cow::Borrowed(_)), "{raw}");
        assert!(layers.twice.is_none(), "{raw}");
    }
    assert!(matches!(html_entities(b"a + b"), Cow::Borrowed(_)));
}

#[test]
fn only_the_beginning_of_a_long_value_is_looked_at() {
    let long = "%41".repeat(LIMIT);
    let total: usize = forms(long.as_bytes()).iter().map(Vec::len).sum();
    assert!((LIMIT / 3..LIMIT / 2).contains(&total), "{total}");
}

#[test]
fn references_are_undone_as_in_attribute_values() {
    for (value, decoded) in [
        ("&lt;b&gt;", "<b>"),
        ("&quot;&apos;&amp;", "\"'&"),
        (
            "java&Tab;script&colon;alert&lpar;1&rpar;",
            "java\tscript:alert(1)",
        ),
        ("&sol;&NewLine;&bsol;", "/\n\\"),
        ("&#106;&#x61;&#X76;", "jav"),
        ("&#106&#97&#x000076", "jav"),
        (
            "&#0;&#xD800;&#x110000;&#99999999999999;",
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
        ),
        ("&lt b &gt", "< b >"),
        ("&amp;lt;", "&lt;"),
        ("?a=1&lt=2&gte=3&copy=4", "?a=1&lt=2&gte=3&copy=4"),
        ("&colon &tab;", "&colon &tab;"),
        ("&#; &#x; &#xg; & &", "&#; &#x; &#xg; & &"),
    ] {
        assert_eq!(
            html_entities(value.as_bytes()),
            decoded.as_bytes(),
            "{value}"
        );
    }
}

proptest! {
    #[test]
    fn decoders_only_shorten(value in proptest::collection::vec(any::<u8>(), 0..300)) {
        assert_decoders_only_shorten(&value);
    }

    #[test]
    fn decoders_only_shorten_what_is_made_of_escapes(
        value in "(%|%25|%u|[0-9a-fA-F]{2}|&|&#|x|;|lt|colon|\u{ff1c}|\\+|é){0,80}",
    ) {
        assert_decoders_only_shorten(value.as_bytes());
    }

    #[test]
    fn what_was_encoded_comes_back(value in proptest::collection::vec(any::<u8>(), 0..100)) {
        let encoded: String = value.iter().map(|byte| format!("%{byte:02x}")).collect();
        prop_assert_eq!(percent(encoded.as_bytes(), true), value);
    }
}
