//! A first look at a value: which detectors could find anything in it, by its bytes alone. Most values are nobody's business.
//!
//! One pass for all detectors. Must not know: rules, beyond which bytes a detector needs.

use super::{category::Category, command, markup, sql, traversal};

/// A detector of values.
pub(super) type ValueDetector = fn(&[u8]) -> Option<&'static str>;

/// Detectors of values, with the category of what they find.
pub(super) const VALUE_DETECTORS: [(Category, ValueDetector); 4] = [
    (Category::Traversal, traversal::inspect),
    (Category::Sqli, sql::inspect),
    (Category::Xss, markup::inspect),
    (Category::Command, command::inspect),
];

/// What a value comes to at first sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstLook(u8);

/// The byte may stand for another one.
const ENCODED: u8 = 1 << 7;

static BYTES: [u8; 256] = bytes();

impl FirstLook {
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "there are no more than 256 different bytes"
    )]
    pub(super) fn at(value: &[u8]) -> Self {
        let seen = value
            .iter()
            .fold(0, |seen, byte| seen | BYTES[usize::from(*byte)]);
        Self(seen)
    }

    /// No detector finds anything in the value, or in what it is decoded to.
    #[inline]
    pub(super) fn is_ordinary(self) -> bool {
        self.0 == 0
    }

    /// Whether the nth of the [`VALUE_DETECTORS`] could find anything in the value as it stands.
    #[inline]
    pub(super) fn concerns(self, nth: usize) -> bool {
        self.0 >> nth & 1 == 1
    }
}

/// For each byte the detectors that need it, as bits in their order.
#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "the index is that of a byte"
)]
const fn bytes() -> [u8; 256] {
    let mut bytes = [0; 256];
    let mut index = 0;
    while index < bytes.len() {
        let byte = index as u8;
        let is_encoded = matches!(byte, b'%' | b'+' | 0x80..);
        bytes[index] = traversal::needs(byte) as u8
            | (sql::needs(byte) as u8) << 1
            | (markup::needs(byte) as u8) << 2
            | (command::needs(byte) as u8) << 3
            | if is_encoded { ENCODED } else { 0 };
        index += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of attacks, so that some values are found.
    fn values() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            &b"'"[..],
            b"\"",
            b" or 1=1",
            b"--",
            b" union select ",
            b"../",
            b"..\\",
            b"/etc/passwd",
            b"\0",
            b"\xc0\xae",
            b"php://input",
            b"<script>",
            b"javascript:",
            b"alert(1)",
            b" onload=",
            b"](",
            b"`id`",
            b";",
            b"cat ",
            b"$(",
            b"{{7*7}}",
            b".",
            b":",
            b"a",
            b"1",
            b"file",
            b"c:",
            b"\\",
            b"data:text/html,",
            b"&#58;",
            b"$IFS",
        ]);
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_detector_that_a_value_does_not_concern_finds_nothing_in_it(value in values(), missing in any::<u8>()) {
            let value: Vec<u8> = value.into_iter().filter(|byte| byte % 8 != missing % 8).collect();
            let look = FirstLook::at(&value);
            for (nth, (category, inspect)) in VALUE_DETECTORS.iter().enumerate() {
                let found = inspect(&value);
                prop_assert!(
                    found.is_none() || look.concerns(nth),
                    "{category:?}: {found:?} in {}",
                    value.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn ordinary_values_concern_nobody_and_encoded_ones_are_not_ordinary() {
        for value in [
            "",
            "garden-chairs",
            "5f2b8c0e9d7a",
            "1734_567",
            "ABC~",
            "a,b",
            "yes?",
        ] {
            assert!(FirstLook::at(value.as_bytes()).is_ordinary(), "{value}");
        }
        for value in [
            "a+b", "%27", "\u{ff07}", "a b", "../x", "f(x)", "x=1", "a;b",
        ] {
            assert!(!FirstLook::at(value.as_bytes()).is_ordinary(), "{value}");
        }
    }
}
