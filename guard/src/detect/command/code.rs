//! Code of other languages, and addresses that only servers can reach.
//!
//! Must not know: template engines.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{
    CLASS_LOADER, EXPRESSION, FUNCTION, METADATA, SHELLSHOCK,
    cursor::{Cursor, begins},
    shell,
};

/// Calls in PHP that run something or keep a file.
const PHP_CALLS: &[&str] = &[
    "system(",
    "exec(",
    "passthru(",
    "popen(",
    "proc_open(",
    "eval(",
    "assert(",
    "phpinfo(",
    "base64_decode(",
    "file_put_contents(",
    "move_uploaded_file(",
    "create_function(",
    "`$_",
];

/// Nothing if the texts cannot be searched for, which a test rules out.
static PHP: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(PHP_CALLS)
        .ok()
});

/// Whether there is a call in PHP that runs something.
pub(super) fn runs_php(text: &[u8]) -> bool {
    PHP.as_ref().is_some_and(|searcher| searcher.is_match(text))
}

/// Whether a server-side include is here.
pub(super) fn is_include(cursor: &Cursor<'_>) -> bool {
    cursor.continues(b"<!--#exec") || cursor.continues(b"<!--#include")
}

/// `class.module.classLoader`, and the address of metadata services.
pub(super) fn at_dot(cursor: &Cursor<'_>) -> Option<&'static str> {
    let is_class = cursor.continues(b".module.classloader") || cursor.continues(b".classloader.");
    if is_class && ends_so(cursor.before(), b"class") {
        return Some(CLASS_LOADER);
    }
    let before = cursor.before();
    if cursor.continues(b".254.169.254") {
        let host = before.strip_suffix(b"169")?;
        return (host.is_empty() && is_path(cursor) || is_in_url(host)).then_some(METADATA);
    }
    if cursor.continues(b".google.internal") {
        return is_in_url(before.strip_suffix(b"metadata")?).then_some(METADATA);
    }
    None
}

fn ends_so(text: &[u8], ending: &[u8]) -> bool {
    let start = text.len().checked_sub(ending.len());
    start
        .and_then(|start| text.get(start..))
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// Whether a host stands here in a URL.
fn is_in_url(before: &[u8]) -> bool {
    before.ends_with(b"//") || before.ends_with(b"@")
}

/// Whether the address is followed by a path: alone it is what somebody asks about.
fn is_path(cursor: &Cursor<'_>) -> bool {
    cursor.continues(b".254.169.254/")
}

/// ThinkPHP, CVE-2018-20062: `\think\app/invokefunction`.
pub(super) fn at_backslash(cursor: &Cursor<'_>) -> Option<&'static str> {
    let is_call = cursor.continues(b"\\think\\app") || cursor.continues(b"\\think\\container");
    let is_call =
        is_call || cursor.continues(b"\\think\\request") || cursor.continues(b"\\think\\view");
    (is_call && cursor.is_in_first_word()).then_some(FUNCTION)
}

/// What is called here, by the name before the parenthesis.
pub(super) fn at_parenthesis(cursor: &Cursor<'_>) -> Option<&'static str> {
    if is_shellshock(cursor.rest()) {
        return Some(SHELLSHOCK);
    }
    let arguments = cursor.rest().split_first().map(|(_, rest)| rest)?;
    match name_before(cursor.before()) {
        b"phpinfo" => arguments.starts_with(b")").then_some(FUNCTION),
        b"call_user_func" | b"call_user_func_array" => Some(FUNCTION),
        b"system" | b"passthru" | b"shell_exec" | b"popen" | b"exec" => {
            shell::in_quotes(arguments).then_some(FUNCTION)
        }
        b"eval" | b"assert" => {
            (cursor.is_in_first_word() && is_php_source(arguments)).then_some(FUNCTION)
        }
        b"__import__" => matches!(arguments, [b'\'' | b'"', b'o', b's', ..]).then_some(FUNCTION),
        b"require" => is_child_process(arguments).then_some(FUNCTION),
        b"T" => arguments.starts_with(b"java.").then_some(EXPRESSION),
        _ => None,
    }
}

/// `() { :; };` in any spelling that was used.
fn is_shellshock(text: &[u8]) -> bool {
    let Some(body) = text.strip_prefix(b"()") else {
        return false;
    };
    let body = body.trim_ascii_start().strip_prefix(b"{");
    let body = body.map(<[u8]>::trim_ascii_start);
    body.is_some_and(|body| {
        body.starts_with(b":;") || body.starts_with(b"_;") || body.starts_with(b"_}")
    })
}

/// Code that comes with the request: `eval(base64_decode(…`, `assert($_POST[…`.
fn is_php_source(arguments: &[u8]) -> bool {
    let arguments = arguments.strip_prefix(b"@").unwrap_or(arguments);
    [
        &b"base64_decode("[..],
        b"gzinflate(",
        b"str_rot13(",
        b"$_get",
        b"$_post",
        b"$_request",
        b"$_cookie",
    ]
    .iter()
    .any(|source| begins(arguments, source))
}

/// `require('child_process').exec…`
fn is_child_process(arguments: &[u8]) -> bool {
    match arguments.split_first() {
        Some((b'\'' | b'"', rest)) => {
            rest.starts_with(b"child_process').exec") || rest.starts_with(b"child_process\").exec")
        }
        _ => false,
    }
}

/// The name that ends here.
fn name_before(text: &[u8]) -> &[u8] {
    const LONGEST: usize = 24;
    let letters = text.iter().rev().take(LONGEST);
    let letters = letters.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    let start = text.len() - letters.count();
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_in_php_is_found() {
        for call in PHP_CALLS {
            assert!(runs_php(call.to_uppercase().as_bytes()), "{call}");
        }
        assert!(!runs_php(b"echo $name;"));
    }
}
