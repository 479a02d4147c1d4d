//! What databases skip between tokens: comments, and marks around what only some of them read.
//!
//! Must not know: tokens.

use super::Tokenizer;
use super::lexeme::{is_word_byte, run_length};
use memchr::{memchr, memmem};

/// What is skipped between two tokens.
pub(super) struct Comment<'a> {
    pub(super) text: &'a [u8],
    pub(super) after: &'a [u8],
    /// Whether the application's statement would be cut off if nothing followed.
    pub(super) cuts_off: bool,
}

impl<'a> Tokenizer<'a> {
    /// The comment, or mark of a conditional comment, that comes next.
    pub(super) fn comment(&mut self) -> Option<Comment<'a>> {
        let (first, tail) = self.rest.split_first()?;
        match first {
            b'#' => Some(line_comment(tail)),
            b'-' => tail.strip_prefix(b"-").map(line_comment),
            b'/' => {
                let text = tail.strip_prefix(b"*")?;
                self.block_comment_met = true;
                let Some(conditional) = text.strip_prefix(b"!") else {
                    return Some(block_comment(text));
                };
                self.conditional_comment_met = true;
                Some(skip_mark(without_version(conditional)))
            }
            // `{d 2}` of ODBC is 2.
            b'{' if tail.first().is_some_and(|byte| is_word_byte(*byte)) => {
                self.brace_met = true;
                let name = run_length(tail, is_word_byte);
                tail.get(name..).map(skip_mark)
            }
            b'}' if self.brace_met => Some(skip_mark(tail)),
            b'0'..=b'9' => after_empty_exponent(tail).map(skip_mark),
            b'*' if self.block_comment_met => tail.strip_prefix(b"/").map(skip_mark),
            _ => None,
        }
    }
}

/// MySQL drops a number that ends in an exponent without digits where an operator may follow: `sleep 1.e(5 1.e)`.
fn after_empty_exponent(tail: &[u8]) -> Option<&[u8]> {
    let digits = run_length(tail, |byte| byte.is_ascii_digit());
    let Some([b'.', b'e' | b'E', after @ ..]) = tail.get(digits..) else {
        return None;
    };
    after
        .first()
        .is_some_and(|byte| b"(),*|=".contains(byte))
        .then_some(after)
}

pub(super) fn line_comment(text: &[u8]) -> Comment<'_> {
    let length = memchr(b'\n', text).unwrap_or(text.len());
    let (text, after) = text.split_at_checked(length).unwrap_or((text, &[]));
    Comment {
        text,
        after,
        cuts_off: true,
    }
}

pub(super) fn block_comment(text: &[u8]) -> Comment<'_> {
    let Some(length) = memmem::find(text, b"*/") else {
        return Comment {
            text,
            after: &[],
            cuts_off: true,
        };
    };
    Comment {
        text: text.get(..length).unwrap_or_default(),
        after: text.get(length + 2..).unwrap_or_default(),
        cuts_off: false,
    }
}

/// MySQL takes five or six digits after `/*!` for a version.
pub(super) fn without_version(conditional: &[u8]) -> &[u8] {
    match run_length(conditional, |byte| byte.is_ascii_digit()) {
        digits @ 5..=6 => conditional.get(digits..).unwrap_or_default(),
        _ => conditional,
    }
}

pub(super) fn skip_mark(after: &[u8]) -> Comment<'_> {
    Comment {
        text: &[],
        after,
        cuts_off: false,
    }
}
