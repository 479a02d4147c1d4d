//! From bytes to tokens of SQL, in the dialects of MySQL, PostgreSQL, SQL Server, Oracle and SQLite at once.
//!
//! Where dialects differ, the reading that attackers need is taken: `#` and `--` start a comment, a backslash in a
//! string escapes, double quotes enclose strings, and what stands in `/*! … */` counts.
//!
//! Must not know: rules.

mod comment;
mod lexeme;

pub(super) use lexeme::string_content;

use super::dictionary::classify;
use super::token::Token;
use super::words::WordClass;
use lexeme::{
    bracketed_name, exponent_length, is_numeric_suffix, is_operator, is_word_byte,
    keyword_before_fraction, run_length, trim_start,
};
use memchr::memchr;

/// What is left to be read. A copy is a look ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokenizer<'a> {
    rest: &'a [u8],
    skipped_comment: bool,
    /// A closing mark is left over from a conditional comment, or from one inside of another.
    block_comment_met: bool,
    brace_met: bool,
    conditional_comment_met: bool,
}

impl<'a> Tokenizer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            rest: text,
            skipped_comment: false,
            block_comment_met: false,
            brace_met: false,
            conditional_comment_met: false,
        }
    }

    /// Whether this byte follows the last token directly.
    pub(super) fn is_at(&self, byte: u8) -> bool {
        self.rest.first() == Some(&byte)
    }

    /// Whether a comment stood in front of the last token.
    pub(super) fn skipped_comment(&self) -> bool {
        self.skipped_comment
    }

    /// Whether a comment has been read that only MySQL runs.
    pub(super) fn met_conditional_comment(&self) -> bool {
        self.conditional_comment_met
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token<'a> {
        self.skipped_comment = false;
        loop {
            self.rest = trim_start(self.rest);
            let Some((&first, tail)) = self.rest.split_first() else {
                return Token::End;
            };
            let Some(comment) = self.comment() else {
                return self.token(first, tail);
            };
            self.rest = comment.after;
            self.skipped_comment = true;
            if trim_start(self.rest).is_empty() && comment.cuts_off {
                return Token::ClosingComment { text: comment.text };
            }
        }
    }

    fn token(&mut self, first: u8, tail: &'a [u8]) -> Token<'a> {
        match first {
            b'0'..=b'9' => self.number(),
            b'.' if tail.first().is_some_and(u8::is_ascii_digit) => self.number(),
            b'\'' | b'"' => self.string(first, tail),
            // An array or JSON that holds another, in PostgreSQL.
            b'@' if tail.first() == Some(&b'>') => self.take(2, Token::Comparison),
            b'@' => self.variable(),
            b'\\' if matches!(tail.first(), Some(b'N')) => self.take(2, Token::Number),
            b'`' => self.quoted_name(b'`', tail),
            b'[' if bracketed_name(tail) => self.quoted_name(b']', tail),
            _ if is_word_byte(first) => self.word(),
            _ => self.sign(first, tail),
        }
    }

    fn take(&mut self, length: usize, token: Token<'a>) -> Token<'a> {
        self.rest = self.rest.get(length..).unwrap_or_default();
        token
    }

    fn number(&mut self) -> Token<'a> {
        let run = run_length(self.rest, is_word_byte);
        let text = self.rest.get(..run).unwrap_or_default();
        let digits = run_length(text, |byte| byte.is_ascii_digit() || byte == b'.');
        let suffix = text.get(digits..).unwrap_or_default();
        if is_numeric_suffix(text, suffix) {
            return self.take(run, Token::Number);
        }
        // MySQL reads `1or 1` as three tokens.
        let exponent = exponent_length(suffix);
        let letters = suffix.get(exponent..).unwrap_or_default();
        let letters = letters
            .split(|byte| *byte == b'.')
            .next()
            .unwrap_or_default();
        if is_operator(classify(letters)) {
            return self.take(digits + exponent, Token::Number);
        }
        if text.first() == Some(&b'.') {
            return self.take(digits, Token::Number);
        }
        self.take(
            run,
            Token::Word {
                text,
                class: WordClass::Plain,
            },
        )
    }

    fn word(&mut self) -> Token<'a> {
        let run = run_length(self.rest, is_word_byte);
        let text = self.rest.get(..run).unwrap_or_default();
        let after = self.rest.get(run..).unwrap_or_default();
        if let (b"u" | b"U", Some(content)) = (text, after.strip_prefix(b"&'")) {
            return self.string(b'\'', content);
        }
        if let (b"x" | b"X" | b"n" | b"N" | b"b" | b"B", Some((b'\'', content))) =
            (text, after.split_first())
        {
            // A string of a special kind: x'41', N'…'.
            return self.string(b'\'', content);
        }
        if let Some(keyword) = keyword_before_fraction(text) {
            let class = classify(keyword);
            return self.take(
                keyword.len(),
                Token::Word {
                    text: keyword,
                    class,
                },
            );
        }
        let class = classify(text);
        self.take(run, Token::Word { text, class })
    }

    fn quoted_name(&mut self, end: u8, tail: &'a [u8]) -> Token<'a> {
        let Some(length) = memchr(end, tail) else {
            return self.take(1, Token::Other);
        };
        let text = tail.get(..length).unwrap_or_default();
        self.take(
            length + 2,
            Token::Word {
                text,
                class: WordClass::Plain,
            },
        )
    }

    fn variable(&mut self) -> Token<'a> {
        let signs = run_length(self.rest, |byte| byte == b'@');
        let name = self.rest.get(signs..).unwrap_or_default();
        if let Some((quote @ (b'"' | b'\''), content)) = name.split_first() {
            self.string(*quote, content);
            return Token::Variable { system: false };
        }
        let run = run_length(name, is_word_byte);
        if signs > 2 || signs == 2 && run == 0 {
            return self.take(signs, Token::Other);
        }
        self.take(signs + run, Token::Variable { system: signs == 2 })
    }

    fn string(&mut self, quote: u8, tail: &'a [u8]) -> Token<'a> {
        let (content, after) = string_content(quote, tail);
        self.rest = after.unwrap_or_default();
        Token::String {
            content,
            closed: after.is_some(),
        }
    }

    fn sign(&mut self, first: u8, tail: &'a [u8]) -> Token<'a> {
        let second = tail.first().copied().unwrap_or_default();
        let third = tail.get(1).copied().unwrap_or_default();
        match (first, second, third) {
            (b'<', b'=', b'>') => self.take(3, Token::Comparison),
            (b'<', b'@', _) => self.take(2, Token::Comparison),
            // A part of JSON.
            (b'-', b'>', b'>') => self.take(3, Token::Arithmetic),
            (b'-', b'>', _) => self.take(2, Token::Arithmetic),
            // Of programming languages, not of SQL.
            (b'=', b'=', _) => self.take(2, Token::Other),
            (b'=', b'>', _) | (b'<', b'/', _) => self.take(2, Token::Other),
            (b'<' | b'>', b'=', _) | (b'<', b'>', _) | (b'!' | b'^', b'=', _) => {
                self.take(2, Token::Comparison)
            }
            (b'<', b'<', _) | (b'>', b'>', _) => self.take(2, Token::Arithmetic),
            (b'&', b'&', _) | (b'|', b'|', _) => self.take(2, Token::LogicalSign),
            (b':', b':', _) => self.take(2, Token::Arithmetic),
            (b'=' | b'<' | b'>', _, _) => self.take(1, Token::Comparison),
            (b'+' | b'-', _, _) => self.take(1, Token::Sign),
            (b'!' | b'~', _, _) => self.take(1, Token::Negation),
            (b'*', _, _) => self.take(1, Token::Star),
            (b'/' | b'%' | b'&' | b'|' | b'^', _, _) => self.take(1, Token::Arithmetic),
            (b'(', _, _) => self.take(1, Token::OpeningParenthesis),
            (b')', _, _) => self.take(1, Token::ClosingParenthesis),
            (b',', _, _) => self.take(1, Token::Comma),
            (b';', _, _) => self.take(1, Token::Semicolon),
            _ => self.take(1, Token::Other),
        }
    }
}
