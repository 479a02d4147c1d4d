//! What a value can be at all, by one pass over its bytes: nearly all values can be nothing.
//!
//! Must not know: the rules.

/// What of a value could matter.
#[derive(Clone, Copy)]
pub(super) struct Signs(u8);

impl Signs {
    /// `<`
    pub(super) const TAG: u8 = 1;
    /// `]`, as behind the text of a link of Markdown.
    pub(super) const LINK: u8 = 1 << 1;
    /// `=`
    pub(super) const ASSIGNMENT: u8 = 1 << 2;
    /// An opening parenthesis or a backtick.
    pub(super) const CALL: u8 = 1 << 3;
    /// `:` or `&`, as in URLs with a scheme, and in such that hide it.
    pub(super) const SCHEME: u8 = 1 << 4;
    /// A quote that ends strings of scripts. Alone it is none of an attack.
    pub(super) const QUOTE: u8 = 1 << 5;
    /// A backslash.
    pub(super) const ESCAPE: u8 = 1 << 6;

    #[expect(
        clippy::indexing_slicing,
        reason = "there are no more than 256 different bytes"
    )]
    pub(super) fn of(value: &[u8]) -> Self {
        let seen = value
            .iter()
            .fold(0, |seen, byte| seen | SIGNS[usize::from(*byte)]);
        Self(seen)
    }

    /// Whether there is one of some signs.
    pub(super) fn have(self, signs: u8) -> bool {
        self.0 & signs != 0
    }
}

/// Whether a value may be more than ordinary for this byte. One without any such byte is ordinary.
pub(in crate::detect) const fn needs(byte: u8) -> bool {
    sign(byte) & !Signs::QUOTE != 0
}

static SIGNS: [u8; 256] = signs();

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "the index is that of a byte"
)]
const fn signs() -> [u8; 256] {
    let mut signs = [0; 256];
    let mut index = 0;
    while index < signs.len() {
        signs[index] = sign(index as u8);
        index += 1;
    }
    signs
}

const fn sign(byte: u8) -> u8 {
    match byte {
        b'<' => Signs::TAG,
        b']' => Signs::LINK,
        b'=' => Signs::ASSIGNMENT,
        b'(' | b'`' => Signs::CALL,
        b':' | b'&' => Signs::SCHEME,
        b'\'' | b'"' => Signs::QUOTE,
        b'\\' => Signs::ESCAPE,
        _ => 0,
    }
}
