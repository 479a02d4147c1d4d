//! A place in a value.
//!
//! Must not know: what is looked for.

/// See the module's documentation.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    value: &'a [u8],
    at: usize,
    rest: &'a [u8],
    first_space: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(value: &'a [u8]) -> Self {
        let value = value.trim_ascii();
        let space = value.iter().position(u8::is_ascii_whitespace);
        Self {
            value,
            at: 0,
            rest: value,
            first_space: space.unwrap_or(value.len()),
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What is here and behind.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// What is before.
    pub(super) fn before(&self) -> &'a [u8] {
        self.value.get(..self.at).unwrap_or_default()
    }

    /// Whether there is no space before this place: the value is one word so far, and no prose.
    pub(super) fn is_in_first_word(&self) -> bool {
        self.first_space >= self.at
    }

    /// Whether there is one word before this place, perhaps with spaces behind it.
    pub(super) fn follows_first_word(&self) -> bool {
        self.first_space >= self.before().trim_ascii_end().len()
    }

    /// The next byte that is such a one.
    pub(super) fn advance_to(&mut self, is_it: impl Fn(u8) -> bool) -> Option<u8> {
        let ahead = self.rest.iter().position(|byte| is_it(*byte))?;
        self.skip(ahead);
        self.rest.first().copied()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.value.len());
        self.rest = self.value.get(self.at..).unwrap_or_default();
    }

    /// Whether the text goes on so here, in any case of ASCII letters.
    pub(super) fn continues(&self, text: &[u8]) -> bool {
        begins(self.rest, text)
    }
}

/// Whether a text begins so, in any case of ASCII letters.
pub(super) fn begins(text: &[u8], beginning: &[u8]) -> bool {
    text.get(..beginning.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(beginning))
}

/// What follows spaces, of which there may be a few.
pub(super) fn skip_spaces(text: &[u8]) -> &[u8] {
    const FEW: usize = 8;
    let spaces = text.iter().take(FEW);
    let spaces = spaces.take_while(|byte| matches!(byte, b' ' | b'\t' | b'+'));
    text.get(spaces.count()..).unwrap_or_default()
}
