//! Whether text is code: somebody calls, assigns, or indexes something.
//!
//! Must not know: where the text stands.

use super::escapes;
use super::text::after;

/// Whether something is called, assigned, or thrown. Prose has a space before its brackets.
pub(super) fn is_code(text: &[u8]) -> bool {
    calls(text) || calls_if_any(text) || assigns(text) || text.starts_with(b"throw ")
}

/// `name(`, `name\`` and the like of results of other expressions. The backtick that ends a template calls nothing.
fn calls(text: &[u8]) -> bool {
    let mut before = b' ';
    let mut in_template = false;
    text.iter().any(|byte| {
        let operand = std::mem::replace(&mut before, *byte);
        let closes = *byte == b'`' && in_template;
        in_template ^= *byte == b'`';
        matches!(byte, b'(' | b'`') && !closes && ends_operand(operand)
    })
}

/// `name?.(`
fn calls_if_any(text: &[u8]) -> bool {
    let at = memchr::memmem::find(text, b"?.(");
    at.and_then(|at| text.get(..at)?.last())
        .is_some_and(|byte| ends_operand(*byte))
}

/// `name = value`, but no comparison.
fn assigns(text: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'=', text) else {
        return false;
    };
    let target = text.get(..at).unwrap_or_default().trim_ascii_end();
    target
        .last()
        .is_some_and(|byte| ends_operand(*byte) || b"+-*/|&".contains(byte))
}

fn ends_operand(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b')' | b']' | b'/')
}

/// Whether a function is called, or a property touched, that attacks use to show or steal something.
pub(super) fn starts_with_sink(text: &[u8]) -> bool {
    starts_with_any(text, CALLS) || starts_with_any(text, SINKS)
}

/// As [`starts_with_sink`], of functions only: templates in scripts hold properties all the time.
pub(super) fn starts_with_call(text: &[u8]) -> bool {
    starts_with_any(text, CALLS)
}

fn starts_with_any(text: &[u8], sinks: &[&str]) -> bool {
    let text = skip_unary(text);
    let plain = escapes::of_name(text);
    let text = plain.as_deref().unwrap_or(text);
    sinks.iter().any(|sink| starts_with(sink, text))
}

/// Whether the text begins so, with or without a question whether there is such a function: `alert?.(1)`.
fn starts_with(sink: &str, text: &[u8]) -> bool {
    let Some(name) = sink.strip_suffix('(') else {
        return after(sink, text).is_some();
    };
    after(name, text).is_some_and(|rest| rest.starts_with(b"(") || rest.starts_with(b"?.("))
}

/// What shows that a script runs, or runs one.
const CALLS: &[&str] = &[
    "alert(", "alert`", "confirm(", "confirm`", "prompt(", "prompt`", "print()", "eval(",
];

const SINKS: &[&str] = &[
    "fetch(",
    "import(",
    "settimeout(",
    "setinterval(",
    "function(",
    "document.",
    "document[",
    "window.",
    "window[",
    "self[",
    "top[",
    "globalthis[",
    "location=",
    "location.href=",
    "new image",
    "string.fromcharcode(",
    "$.getscript(",
    "[].constructor",
    "throw onerror",
    "onerror=",
];

fn skip_unary(text: &[u8]) -> &[u8] {
    let is_unary = |byte: &u8| byte.is_ascii_whitespace() || b"!~+-({[".contains(byte);
    let at = text.iter().position(|byte| !is_unary(byte));
    let text = text.get(at.unwrap_or(text.len())..).unwrap_or_default();
    ["void ", "typeof ", "var ", "throw "]
        .iter()
        .find_map(|word| after(word, text))
        .unwrap_or(text)
}
