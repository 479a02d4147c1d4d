//! Whether one of many texts is in another, in any case of ASCII letters.
//!
//! Must not know: that the texts are of user agents.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, packed};
use smallvec::SmallVec;

/// As many texts the library compares at a time by vector instructions.
const PACKED_TEXTS: usize = 64;

/// Up to so many passes by vector instructions are faster than one pass by table.
const PACKED_PASSES: usize = 2;

/// Texts that are longer together would make a table of more than about 4 MiB.
const TABLE_BYTES: usize = 16 << 10;

/// Longer texts than this are searched in memory from the heap.
const INLINE_BYTES: usize = 256;

/// Texts to search for. The case is settled before the search: vector instructions only compare exactly.
#[derive(Debug)]
pub(super) enum Searcher {
    Packed(Vec<packed::Searcher>),
    Automaton(AhoCorasick),
}

impl Searcher {
    /// A searcher for texts that are not empty.
    ///
    /// # Errors
    /// More text than the automaton can number.
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, BuildError> {
        let mut texts: Vec<_> = texts.map(str::to_ascii_lowercase).collect();
        // Texts that begin alike share a pass, which is then the faster.
        texts.sort_unstable();
        texts.dedup();
        match packed_searchers(&texts) {
            Some(searchers) => Ok(Self::Packed(searchers)),
            None => automaton(&texts).map(Self::Automaton),
        }
    }

    /// Whether one of the texts is in this one.
    pub(super) fn finds_in(&self, bytes: &[u8]) -> bool {
        let mut lowercase = SmallVec::<[u8; INLINE_BYTES]>::from_slice(bytes);
        lowercase.make_ascii_lowercase();
        match self {
            Self::Packed(searchers) => searchers
                .iter()
                .any(|searcher| searcher.find(&lowercase).is_some()),
            Self::Automaton(automaton) => automaton.is_match(&*lowercase),
        }
    }
}

/// Nothing if there are too many texts, or the processor lacks the instructions.
fn packed_searchers(texts: &[String]) -> Option<Vec<packed::Searcher>> {
    let passes = texts.len().div_ceil(PACKED_TEXTS);
    if passes == 0 || passes > PACKED_PASSES {
        return None;
    }
    texts
        .chunks(texts.len().div_ceil(passes))
        .map(packed::Searcher::new)
        .collect()
}

fn automaton(texts: &[String]) -> Result<AhoCorasick, BuildError> {
    let bytes: usize = texts.iter().map(String::len).sum();
    let kind = (bytes <= TABLE_BYTES).then_some(AhoCorasickKind::DFA);
    AhoCorasick::builder().kind(kind).build(texts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts() -> impl Strategy<Value = Vec<String>> {
        let many = PACKED_TEXTS * PACKED_PASSES + 20;
        prop_oneof![
            prop::collection::vec("[abAB/é]{1,4}", 0..6),
            prop::collection::vec("[a-dA-D /]{3,9}", 0..many),
        ]
    }

    proptest! {
        #[test]
        fn both_ways_find_what_a_plain_search_finds(
            texts in texts(),
            haystack in "[a-dA-D /éÉ\u{0}]{0,300}",
        ) {
            let lowercase = haystack.to_ascii_lowercase();
            let expected = texts.iter().any(|text| lowercase.contains(&text.to_ascii_lowercase()));
            let searcher = Searcher::new(texts.iter().map(String::as_str)).unwrap();
            prop_assert_eq!(searcher.finds_in(haystack.as_bytes()), expected);
            let lowercase_texts: Vec<_> = texts.iter().map(|text| text.to_ascii_lowercase()).collect();
            let automaton = Searcher::Automaton(automaton(&lowercase_texts).unwrap());
            prop_assert_eq!(automaton.finds_in(haystack.as_bytes()), expected);
        }
    }

    #[test]
    fn each_of_many_texts_is_found() {
        for count in [1, 2, 63, 64, 65, 100, 128, 129, 500, 5000] {
            let texts: Vec<_> = (0..count)
                .map(|number| format!("Bot{number:04}/"))
                .collect();
            let searcher = Searcher::new(texts.iter().map(String::as_str)).unwrap();
            for text in &texts {
                assert!(searcher.finds_in(text.as_bytes()), "{count} {text}");
                let inside = format!("Mozilla/5.0 (x; {})", text.to_uppercase());
                assert!(searcher.finds_in(inside.as_bytes()), "{count} {inside}");
            }
            assert!(!searcher.finds_in(b"Mozilla/5.0 (x; bot9999/)"), "{count}");
        }
    }
}
