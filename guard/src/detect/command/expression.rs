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

/// The opening of an expression, if one is here, and what follows it.
pub(super) fn opening<'a>(cursor: &Cursor<'a>) -> Option<(&'static [u8], &'a [u8])> {
    let mut openings = OPENINGS.iter();
    openings.find_map(|opening| Some((*opening, cursor.rest().strip_prefix(*opening)?)))
}

/// What of a value has been read of expressions, so that nothing is read twice.
#[derive(Default)]
pub(super) struct Seen {
    /// Up to here expressions have been read, with those in them.
    to: usize,
    /// The tags of these kinds that begin from now on have no end.
    open_percent: bool,
    open_angle: bool,
}

impl Seen {
    /// The expression up to its end, if it has not been read with another. One without an end is none; only braces may be
    /// unbalanced, by a string in them.
    pub(super) fn unseen<'a>(
        &mut self,
        opening: &[u8],
        content: &'a [u8],
        at: usize,
    ) -> Option<&'a [u8]> {
        if at < self.to {
            return None;
        }
        let length = match opening {
            b"{%" => end_of_tag(b"%}", content, &mut self.open_percent)?,
            b"<%" | b"<%=" => end_of_tag(b"%>", content, &mut self.open_angle)?,
            _ if opening.ends_with(b"{") => balanced(opening, content).unwrap_or(content.len()),
            _ => content.len(),
        };
        self.to = at.saturating_add(opening.len()).saturating_add(length);
        content.get(..length)
    }
}

fn end_of_tag(end: &[u8], content: &[u8], is_open: &mut bool) -> Option<usize> {
    if *is_open {
        return None;
    }
    let length = memchr::memmem::find(content, end);
    *is_open = length.is_none();
    length
}

/// Up to the brace that closes what has been opened.
fn balanced(opening: &[u8], content: &[u8]) -> Option<usize> {
    let mut depth = opening.iter().filter(|byte| **byte == b'{').count();
    memchr::memchr2_iter(b'{', b'}', content).find(|at| {
        match content.get(*at) {
            Some(b'{') => depth = depth.saturating_add(1),
            _ => depth = depth.saturating_sub(1),
        }
        depth == 0
    })
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

/// Whether there is something in the expression that reaches for the system, or, in templates that browsers run, from any
/// object to the function that makes functions.
pub(super) fn reaches_out(opening: &[u8], text: &[u8]) -> bool {
    let makes_function =
        || opening == b"{{" && memchr::memmem::find(text, b".constructor(").is_some();
    let reaches = SEARCHER
        .as_ref()
        .is_some_and(|searcher| searcher.is_match(text));
    reaches || makes_function()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_expression_is_read_twice() {
        for unit in [
            "{{", "${", "{{}", "<%", "{%", "{% %}", "${ }", "${{'}'}}", "@(",
        ] {
            let value = unit.repeat(500);
            let mut cursor = Cursor::new(value.as_bytes());
            let (mut seen, mut read) = (Seen::default(), 0);
            while cursor.advance_to(|_| true).is_some() {
                if let Some((opening, content)) = opening(&cursor)
                    && let Some(expression) = seen.unseen(opening, content, cursor.at())
                {
                    read += expression.len();
                }
                cursor.skip(1);
            }
            assert!(read <= value.len(), "{unit}: {read}");
        }
    }

    #[test]
    fn each_text_that_reaches_out_is_found() {
        for text in REACHING {
            let text = format!("{{{{ x{} }}}}", text.to_uppercase());
            assert!(reaches_out(b"{{", text.as_bytes()), "{text}");
        }
        assert!(!reaches_out(b"{{", b" user.name "));
    }
}
