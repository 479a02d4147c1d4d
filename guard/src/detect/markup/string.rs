//! The value is shown in a string of a script, which it ends: `';alert(1)//`.
//!
//! Must not know: markup.

use super::code::starts_with_sink;
use super::rules::STRING_BREAK_OUT;

/// The rule that a value breaks in a string with either quote.
pub(super) fn inspect(value: &[u8]) -> Option<&'static str> {
    let breaks_out = [b'\'', b'"'].iter().any(|quote| {
        memchr::memchr(*quote, value)
            .and_then(|at| value.get(at + 1..))
            .is_some_and(|rest| goes_on_as_code(rest, *quote))
    });
    breaks_out.then_some(STRING_BREAK_OUT)
}

/// An operator or the end of a statement, a call, and something that makes the rest of the script parse.
fn goes_on_as_code(rest: &[u8], quote: u8) -> bool {
    let operators = rest
        .iter()
        .take_while(|byte| b" \t\r\n)]};+-*/,&|^%?:<>=!~".contains(byte));
    let Some((operators, code)) = rest.split_at_checked(operators.count()) else {
        return false;
    };
    let ends_string = operators.iter().any(|byte| !byte.is_ascii_whitespace());
    ends_string && starts_with_sink(code) && takes_care_of_rest(code, quote)
}

fn takes_care_of_rest(code: &[u8], quote: u8) -> bool {
    memchr::memchr(quote, code).is_some()
        || [&b"//"[..], b"/*", b"<!--"]
            .iter()
            .any(|comment| memchr::memmem::find(code, comment).is_some())
}
