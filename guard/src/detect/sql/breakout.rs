//! Where a value would leave the string that an application has put it into.
//!
//! Must not know: what follows.

use super::tokenizer::string_content;
use memchr::memchr;

/// A value, split at the quote that ends the application's string.
#[derive(Clone, Copy, Debug)]
pub(super) struct BreakOut<'a> {
    /// What stands in the application's string.
    pub(super) quote: u8,
    pub(super) head: &'a [u8],
    /// What the database would read as SQL.
    pub(super) tail: &'a [u8],
}

/// The value as it leaves a string in this kind of quotes, if the database takes a backslash in front of a quote for an
/// escape, and the application does not undo it.
pub(super) fn break_out_after_escapes(quote: u8, value: &[u8]) -> Option<BreakOut<'_>> {
    memchr(b'\\', value)?;
    let (head, tail) = string_content(quote, value);
    Some(BreakOut {
        quote,
        head,
        tail: tail?,
    })
}

/// The value as it leaves a string in this kind of quotes. A backslash in front of the quote does not matter here: an
/// application that escapes quotes but not backslashes undoes it.
pub(super) fn break_out(quote: u8, value: &[u8]) -> Option<BreakOut<'_>> {
    let mut from = 0;
    loop {
        let at = from + memchr(quote, value.get(from..)?)?;
        let tail = value.get(at + 1..)?;
        // A doubled quote stands for one in the string: Anne-Marie O''Neil.
        if tail.first() != Some(&quote) {
            let head = value.get(..at)?;
            return Some(BreakOut { quote, head, tail });
        }
        from = at + 2;
    }
}

impl BreakOut<'_> {
    /// Whether the head is what attackers put there: nothing, or a single value, and not half a sentence.
    pub(super) fn has_plain_head(&self) -> bool {
        let head = self.head.trim_ascii_start();
        head.len() <= 40
            && head.iter().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'%' | b'\\')
            })
    }

    /// Whether the quote opens a quotation rather than leaving a string: no number is right before it, another one closes it,
    /// and nothing but punctuation follows.
    pub(super) fn is_quotation(&self) -> bool {
        if self.is_measure() {
            return false;
        }
        let (_, after) = string_content(self.quote, self.tail);
        after.is_some_and(|after| {
            after.iter().all(|byte| {
                byte.is_ascii_whitespace()
                    || matches!(byte, b',' | b')' | b';' | b']' | b'}' | b':' | b'.' | b'\\')
            })
        })
    }

    /// Whether nothing is in front of the quote, or what marks a string in programming languages: `b'…'`.
    pub(super) fn may_open_quotation(&self) -> bool {
        matches!(self.head, b"" | b"b" | b"f" | b"r" | b"u")
    }

    /// Whether the head is a placeholder, as in `A '>' B`.
    pub(super) fn has_placeholder_head(&self) -> bool {
        let head = self.head.trim_ascii();
        !head.is_empty() && head.len() <= 2 && head.iter().all(u8::is_ascii_alphanumeric)
    }

    /// Whether the quote may stand for feet or inches: `5' or`, `24" and`.
    pub(super) fn is_measure(&self) -> bool {
        self.head.last().is_some_and(u8::is_ascii_digit)
    }
}
