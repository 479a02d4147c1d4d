//! From bytes to tokens of SQL, in the dialects of MySQL, PostgreSQL, SQL Server, Oracle and SQLite at once.
//!
//! Where dialects differ, the reading that attackers need is taken: `#` and `--` start a comment, a backslash in a
//! string escapes, double quotes enclose strings, and what stands in `/*! … */` counts.
//!
//! Must not know: rules.

use super::dictionary::classify;
use super::token::Token;
use super::words::WordClass;
use memchr::{memchr, memmem};

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

    /// The comment, or mark of a conditional comment, that comes next.
    fn comment(&mut self) -> Option<Comment<'a>> {
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
            b'*' if self.block_comment_met => tail.strip_prefix(b"/").map(skip_mark),
            _ => None,
        }
    }

    fn token(&mut self, first: u8, tail: &'a [u8]) -> Token<'a> {
        match first {
            b'0'..=b'9' => self.number(),
            b'.' if tail.first().is_some_and(u8::is_ascii_digit) => self.number(),
            b'\'' | b'"' => self.string(first, tail),
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

/// What is skipped between two tokens.
struct Comment<'a> {
    text: &'a [u8],
    after: &'a [u8],
    /// Whether the application's statement would be cut off if nothing followed.
    cuts_off: bool,
}

fn line_comment(text: &[u8]) -> Comment<'_> {
    let length = memchr(b'\n', text).unwrap_or(text.len());
    let (text, after) = text.split_at_checked(length).unwrap_or((text, &[]));
    Comment {
        text,
        after,
        cuts_off: true,
    }
}

fn block_comment(text: &[u8]) -> Comment<'_> {
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
fn without_version(conditional: &[u8]) -> &[u8] {
    match run_length(conditional, |byte| byte.is_ascii_digit()) {
        digits @ 5..=6 => conditional.get(digits..).unwrap_or_default(),
        _ => conditional,
    }
}

fn skip_mark(after: &[u8]) -> Comment<'_> {
    Comment {
        text: &[],
        after,
        cuts_off: false,
    }
}

/// The content of a string whose opening quote has been read, and what follows its closing quote, if it has one.
pub(super) fn string_content(quote: u8, text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut bytes = text.iter().enumerate();
    while let Some((at, &byte)) = bytes.next() {
        if byte == b'\\' {
            bytes.next();
        } else if byte == quote {
            let after = text.get(at + 1..).unwrap_or_default();
            // A doubled quote stands for one in the content.
            if after.first() == Some(&quote) {
                bytes.next();
                continue;
            }
            return (text.get(..at).unwrap_or_default(), Some(after));
        }
    }
    (text, None)
}

/// MySQL reads `SELECT.5` as two tokens.
fn keyword_before_fraction(word: &[u8]) -> Option<&[u8]> {
    let (first, rest) = word.split_at_checked(memchr(b'.', word)?)?;
    let fraction = rest.get(1).is_some_and(u8::is_ascii_digit);
    (fraction && is_operator(classify(first))).then_some(first)
}

/// The length of `e10`, which also counts without digits in front of a name.
fn exponent_length(suffix: &[u8]) -> usize {
    match suffix.split_first() {
        Some((b'e' | b'E', digits)) => match run_length(digits, |byte| byte.is_ascii_digit()) {
            0 => 0,
            length => length + 1,
        },
        _ => 0,
    }
}

/// Whether `[` starts a name of SQL Server, and not a list or a link.
fn bracketed_name(tail: &[u8]) -> bool {
    let length = run_length(tail, is_word_byte);
    length > 0 && tail.get(length) == Some(&b']')
}

/// Whether a number may stand directly beside a word of this class.
fn is_operator(class: WordClass) -> bool {
    matches!(
        class,
        WordClass::Logical | WordClass::Union | WordClass::Select | WordClass::Operator
    )
}

fn is_numeric_suffix(text: &[u8], suffix: &[u8]) -> bool {
    if suffix.is_empty() {
        return true;
    }
    if let Some((b'x' | b'X', hexadecimal)) = suffix.split_first() {
        return text.first() == Some(&b'0') && hexadecimal.iter().all(u8::is_ascii_hexdigit);
    }
    if let Some((b'b' | b'B', binary)) = suffix.split_first() {
        return text.first() == Some(&b'0')
            && binary.iter().all(|digit| matches!(digit, b'0' | b'1'));
    }
    matches!(suffix.split_first(), Some((b'e' | b'E', exponent)) if exponent.iter().all(u8::is_ascii_digit))
}

/// Letters, digits, `_`, `$`, dots between names, and all bytes of other scripts.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | 0x80..)
}

fn trim_start(text: &[u8]) -> &[u8] {
    // Databases take control characters for white space, too, which attackers use.
    let length = run_length(text, |byte| byte <= b' ');
    text.get(length..).unwrap_or_default()
}

fn run_length(text: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    text.iter()
        .position(|byte| !belongs(*byte))
        .unwrap_or(text.len())
}
