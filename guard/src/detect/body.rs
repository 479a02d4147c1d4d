//! Bodies as detectors see them: which are looked at, and what values they hold.
//!
//! Must not know: how bodies arrive, or what is looked for in them.

use super::decode;

/// A kind of body that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `application/json` and what ends in `+json`.
    Json,
    /// `text/…`.
    Text,
}

impl BodyKind {
    /// By the value of `Content-Type`; `None`: such bodies are left alone.
    pub(crate) fn of(content_type: &[u8]) -> Option<Self> {
        let essence = content_type.split(|byte| *byte == b';').next()?;
        let essence = essence.trim_ascii().to_ascii_lowercase();
        match essence.as_slice() {
            b"application/x-www-form-urlencoded" => Some(Self::Form),
            b"application/json" => Some(Self::Json),
            other if other.starts_with(b"application/") && other.ends_with(b"+json") => {
                Some(Self::Json)
            }
            other if other.starts_with(b"text/") => Some(Self::Text),
            _ => None,
        }
    }

    /// Gives the values in the beginning of a body, until it is said that that is all.
    pub(crate) fn each_value(self, beginning: &[u8], visit: &mut dyn FnMut(&[u8]) -> bool) {
        match self {
            Self::Form => {
                let parts = beginning.split(|byte| matches!(byte, b'&' | b'='));
                let _all = parts
                    .map(|part| decode::layers(part, true))
                    .any(|layers| layers.iter().any(&mut *visit));
            }
            Self::Json => {
                let _all = json_strings(beginning).any(|text| visit(&text));
            }
            Self::Text => {
                visit(beginning);
            }
        }
    }
}

/// The strings of a JSON text, names of members among them, as far as it goes: it may be cut anywhere.
fn json_strings(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|byte| *byte == b'"')?;
        let (_, after) = rest.split_at_checked(start + 1)?;
        let (string, behind) = json_string(after);
        rest = behind;
        Some(string)
    })
}

/// A string without its escapes, and what is behind its closing quote.
fn json_string(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut string = Vec::new();
    let mut rest = text;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'"' => break,
            b'\\' => rest = unescape(rest, &mut string),
            byte => string.push(*byte),
        }
    }
    (string, rest)
}

/// Adds what stands for the escape whose backslash has been read; what is behind it.
fn unescape<'a>(rest: &'a [u8], string: &mut Vec<u8>) -> &'a [u8] {
    let Some((kind, behind)) = rest.split_first() else {
        return rest;
    };
    let plain = match kind {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'u' => return unescape_unicode(behind, string),
        other => *other,
    };
    string.push(plain);
    behind
}

fn unescape_unicode<'a>(rest: &'a [u8], string: &mut Vec<u8>) -> &'a [u8] {
    let Some((digits, behind)) = rest.split_at_checked(4) else {
        return &[];
    };
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
    // Halves of pairs mean nothing to any detector.
    let character = number
        .and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER);
    string.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    behind
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn kinds_by_content_type() {
        for (content_type, expected) in [
            ("application/x-www-form-urlencoded", Some(BodyKind::Form)),
            ("Application/JSON; charset=utf-8", Some(BodyKind::Json)),
            ("application/problem+json", Some(BodyKind::Json)),
            ("text/plain", Some(BodyKind::Text)),
            (" text/markdown ;x=y", Some(BodyKind::Text)),
            ("multipart/form-data; boundary=x", None),
            ("application/octet-stream", None),
            ("image/png", None),
            ("", None),
        ] {
            let kind = BodyKind::of(content_type.as_bytes());
            assert_eq!(kind, expected, "{content_type}");
        }
    }

    fn values(kind: BodyKind, body: &str) -> Vec<String> {
        let mut values = Vec::new();
        kind.each_value(body.as_bytes(), &mut |value| {
            values.push(String::from_utf8_lossy(value).into_owned());
            false
        });
        values
    }

    #[test]
    fn json_is_its_strings_without_their_escapes() {
        for (body, expected) in [
            (
                r#"{"a": "b\"c", "d": [1, "e\\"]}"#,
                &["a", "b\"c", "d", "e\\"][..],
            ),
            (
                r#"["\u003cscript\u003e", "\n\t\/"]"#,
                &["<script>", "\n\t/"],
            ),
            (r#"{"cut": "in the mid"#, &["cut", "in the mid"]),
            (r#"["\ud83d", "\u00"#, &["\u{fffd}", ""]),
            ("12", &[]),
        ] {
            assert_eq!(values(BodyKind::Json, body), expected, "{body}");
        }
    }

    #[test]
    fn forms_are_their_names_and_values_and_texts_are_one() {
        assert_eq!(
            values(BodyKind::Form, "a=b&c=d=e"),
            ["a", "b", "c", "d", "e"]
        );
        assert_eq!(values(BodyKind::Text, "a=b&c"), ["a=b&c"]);
    }

    proptest! {
        #[test]
        fn any_bytes_give_no_more_than_they_are(body in prop::collection::vec(any::<u8>(), 0..200)) {
            for kind in [BodyKind::Form, BodyKind::Json, BodyKind::Text] {
                let mut length = 0;
                kind.each_value(&body, &mut |value| {
                    length += value.len();
                    false
                });
                prop_assert!(length <= 3 * body.len(), "{kind:?}");
            }
        }

        #[test]
        fn strings_of_real_json_come_out_as_they_went_in(texts in prop::collection::vec(any::<String>(), 0..5)) {
            let body = serde_json::to_string(&texts).unwrap();
            prop_assert_eq!(values(BodyKind::Json, &body), texts);
        }
    }
}
