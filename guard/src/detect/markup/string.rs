//! The value is shown in a script: in a string or a template, which it ends, `';alert(1)//`, or in bare code or a comment,
//! `*/alert(1)//`.
//!
//! Must not know: markup.

use super::code::{starts_with_call, starts_with_sink};
use super::rules::STRING_BREAK_OUT;

/// The rule that a value breaks in a string with either quote, in a template, or in code. `quotes`: it has any.
pub(super) fn inspect(value: &[u8], quotes: bool) -> Option<&'static str> {
    let goes_on =
        |quote| after_quote(value, quote).is_some_and(|rest| goes_on_as_code(rest, quote));
    let breaks_out = quotes && [b'\'', b'"'].into_iter().any(goes_on);
    let ends_template = after_quote(value, b'`').is_some_and(ends_template);
    (breaks_out || ends_template || is_substitution(value) || goes_on_as_statement(value))
        .then_some(STRING_BREAK_OUT)
}

fn after_quote(value: &[u8], quote: u8) -> Option<&[u8]> {
    value.get(memchr::memchr(quote, value)? + 1..)
}

/// As out of a string, but on the same line, and only to show that a script runs: scripts are full of templates.
fn ends_template(rest: &[u8]) -> bool {
    let (operators, code) = split_operators(rest);
    !operators.contains(&b'\n') && starts_with_call(code) && goes_on_as_code(rest, b'`')
}

/// An operator or the end of a statement, a call, and something that makes the rest of the script parse.
fn goes_on_as_code(rest: &[u8], quote: u8) -> bool {
    let (operators, code) = split_operators(rest);
    !operators.trim_ascii().is_empty() && starts_with_sink(code) && takes_care_of_rest(code, quote)
}

fn takes_care_of_rest(code: &[u8], quote: u8) -> bool {
    memchr::memchr(quote, code).is_some()
        || COMMENTS
            .iter()
            .any(|comment| memchr::memmem::find(code, comment).is_some())
}

const COMMENTS: [&[u8]; 3] = [b"//", b"/*", b"<!--"];

/// `${alert(1)}`: a template runs it where it stands.
fn is_substitution(value: &[u8]) -> bool {
    let content = value.trim_ascii().strip_prefix(b"${");
    content.is_some_and(|code| starts_with_call(code) && code.ends_with(b"}"))
}

/// `1);alert(1)//`: the end of what was begun, a call, and a comment that hides the rest of the line, or the beginning of what
/// ends there: `);alert(1);(`. People write something into their comments.
fn goes_on_as_statement(value: &[u8]) -> bool {
    /// Of what the application wrote before the value, as far as the value repeats it.
    const LONGEST: usize = 16;
    let value = value.trim_ascii();
    let hides_rest = COMMENTS.iter().any(|comment| value.ends_with(comment));
    let goes_on = value.last().is_some_and(|byte| b"([{+-*|&^".contains(byte));
    let is_whole = value.ends_with(b")");
    // Nearly all values end otherwise.
    if !(hides_rest || goes_on || is_whole) {
        return false;
    }
    let head = value.iter().take(LONGEST);
    let head = head.take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (head, rest) = value.split_at_checked(head).unwrap_or((&[], value));
    let (operators, code) = split_operators(rest);
    if operators.trim_ascii().is_empty() {
        return false;
    }
    let is_number = !head.is_empty() && head.iter().all(u8::is_ascii_digit);
    hides_rest && starts_with_sink(code)
        || (goes_on || is_whole && is_number && operators.len() == 1) && starts_with_call(code)
}

fn split_operators(text: &[u8]) -> (&[u8], &[u8]) {
    let operators = text
        .iter()
        .take_while(|byte| b" \t\r\n)]};+-*/,&|^%?:<>=!~".contains(byte));
    text.split_at_checked(operators.count())
        .unwrap_or((text, &[]))
}
