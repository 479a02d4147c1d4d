//! Expressions of template engines: Jinja, Twig, Freemarker, Velocity, ERB, Thymeleaf, OGNL, and Angular's.
//!
//! Must not know: shells.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::cursor::Cursor;

const OPENINGS: &[&[u8]] = &[
    b"${{", b"{{", b"{%", b"${", b"#{", b"%{", b"*{", b"@{", b"@(", b"<%=", b"<%", b"<#", b"#set",
];

/// What a page never needs: the way from any object to its class and from there to the system.
const REACHING: &[&str] = &[
    "__class__",
    "__mro__",
    "__base__",
    "__bases__",
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "__import__",
    "__init__",
    "lipsum.",
    "cycler.",
    "joiner.",
    "config.items(",
    "self._templatereference",
    "|attr(",
    "java.lang.",
    "java.io.",
    "java.util.scanner",
    "java.net.url",
    "javax.script",
    ".getclass(",
    ".class.forname",
    "getruntime(",
    "processbuilder",
    "classloader",
    "#_memberaccess",
    "ognlcontext",
    "#context[",
    "#request[",
    "@org.apache",
    "constructor.constructor",
    "registerundefinedfiltercallback",
    "_self.env",
    "freemarker.template.utility",
    "os.popen",
    "subprocess.",
    "io.popen",
    "process.mainmodule",
    "child_process",
    "system(",
    "shell_exec(",
    "passthru(",
    "filter('system",
    "filter(\"system",
    "|filter('",
    "map('system",
    "file.open(",
    "file.read(",
    "dir.entries(",
    "t(java.",
    "new java.",
    "scriptenginemanager",
];

/// Nothing if the texts cannot be searched for, which a test rules out.
static SEARCHER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(REACHING)
        .ok()
});

/// What follows the opening of an expression, if one is here.
pub(super) fn content<'a>(cursor: &Cursor<'a>) -> Option<&'a [u8]> {
    let mut openings = OPENINGS.iter();
    openings.find_map(|opening| cursor.rest().strip_prefix(*opening))
}

/// Whether it begins with a product or sum of two numbers, `7*7` or `7*'7'`.
pub(super) fn is_calculation(content: &[u8]) -> bool {
    let Some(rest) = skip_number(content) else {
        return false;
    };
    match skip_spaces(rest).split_first() {
        Some((b'*' | b'+', rest)) => skip_number(rest).is_some(),
        _ => false,
    }
}

/// What follows a number of a few digits, which may be in quotes.
fn skip_number(text: &[u8]) -> Option<&[u8]> {
    const FEW: usize = 12;
    let text = skip_quote(skip_spaces(text));
    let digits = text
        .iter()
        .take(FEW)
        .take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    (digits > 0).then(|| skip_quote(text.get(digits..).unwrap_or_default()))
}

fn skip_quote(text: &[u8]) -> &[u8] {
    match text.split_first() {
        Some((b'\'' | b'"', rest)) => rest,
        _ => text,
    }
}

fn skip_spaces(text: &[u8]) -> &[u8] {
    match text {
        [b' ', b' ', rest @ ..] | [b' ', rest @ ..] => rest,
        _ => text,
    }
}

/// Whether there is something in the text that reaches for the system.
pub(super) fn reaches_out(text: &[u8]) -> bool {
    SEARCHER
        .as_ref()
        .is_some_and(|searcher| searcher.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_that_reaches_out_is_found() {
        for text in REACHING {
            let text = format!("{{{{ x{} }}}}", text.to_uppercase());
            assert!(reaches_out(text.as_bytes()), "{text}");
        }
        assert!(!reaches_out(b"{{ user.name }}"));
    }
}
