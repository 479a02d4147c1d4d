//! Where a shell would begin a command inside of a value.
//!
//! Must not know: which programs there are.

use super::{
    cursor::{Cursor, begins, skip_spaces},
    program::{Evidence, evidence},
};

/// Whether a command follows `;`, `|`, `&` or a new line.
pub(super) fn after_separator(separator: u8, cursor: &Cursor<'_>) -> bool {
    let Some((_, behind)) = cursor.rest().split_first() else {
        return false;
    };
    match evidence(skip_spaces(behind)) {
        None => false,
        // Scripts and reports of errors have commands at the beginning of lines.
        Some(Evidence::Deed) => separator != b'\n' || cursor.follows_first_word(),
        Some(Evidence::Name) => cursor.follows_first_word(),
        // `name;id` is a list of columns. Addresses and numbers are what one is asked for by pages that call a program.
        Some(Evidence::Word) => {
            cursor.follows_first_word()
                && !ends_in_word(cursor.before())
                && !(separator == b'&' && takes_address(cursor.before(), behind))
        }
    }
}

/// Whether `&` may be the operator of programming languages: `(&argc, &env)`, `&"set"`.
fn takes_address(before: &[u8], behind: &[u8]) -> bool {
    matches!(before.trim_ascii_end().last(), Some(b'(' | b',' | b'='))
        || before.is_empty() && behind.starts_with(b"\"")
}

/// Whether a word is before, spaces and the first of two separators left out.
fn ends_in_word(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let single = text.strip_suffix(b"|").or_else(|| text.strip_suffix(b"&"));
    let last = single.unwrap_or(text).trim_ascii_end().last();
    last.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_' || *byte >= 0x80)
}

/// Whether `$(` is here with a command in it. Instructions of developers have commands in parentheses: in prose only deeds count.
pub(super) fn in_parentheses(cursor: &Cursor<'_>) -> bool {
    let Some(content) = cursor.rest().strip_prefix(b"$(") else {
        return false;
    };
    match evidence(skip_spaces(content)) {
        Some(Evidence::Deed) => true,
        Some(Evidence::Word | Evidence::Name) => cursor.is_in_first_word(),
        None => false,
    }
}

/// Whether a command is in backticks, which are the quotes of markdown as well: only at the end of the first word.
pub(super) fn in_backticks(cursor: &Cursor<'_>) -> bool {
    let Some((_, content)) = cursor.rest().split_first() else {
        return false;
    };
    cursor.is_in_first_word()
        && match evidence(content) {
            Some(Evidence::Deed) => true,
            Some(Evidence::Name) => is_closed_at_end(content),
            Some(Evidence::Word) => is_closed_at_end(content) && !cursor.before().is_empty(),
            None => false,
        }
}

/// Whether nothing but quotes and separators comes after the next backtick.
fn is_closed_at_end(content: &[u8]) -> bool {
    const LONGEST: usize = 64;
    let mut parts = content.splitn(2, |byte| *byte == b'`');
    let (Some(command), Some(behind)) = (parts.next(), parts.next()) else {
        return false;
    };
    command.len() <= LONGEST
        && behind.len() <= 4
        && behind.iter().all(|byte| b"'\";)#|&".contains(byte))
}

/// Whether `$IFS` is here, right after a command: nobody else writes it without a space.
pub(super) fn is_field_separator(cursor: &Cursor<'_>) -> bool {
    (cursor.rest().starts_with(b"$IFS") || cursor.rest().starts_with(b"${IFS"))
        && cursor.before().last().is_some_and(u8::is_ascii_lowercase)
}

/// Whether a shell with a command, or a connection of one, is here: `/bin/sh -c`, `/dev/tcp/`.
pub(super) fn at_slash(cursor: &Cursor<'_>) -> bool {
    if cursor.rest().starts_with(b"/dev/tcp/") {
        return true;
    }
    cursor.rest().starts_with(b"/bin/")
        && is_begun(cursor.before())
        && evidence(cursor.rest()) == Some(Evidence::Deed)
}

/// Whether a path begins here, or after `/usr`, and no interpreter's line of a script does.
fn is_begun(before: &[u8]) -> bool {
    let before = before.strip_suffix(b"/usr").unwrap_or(before);
    match before.last() {
        None => true,
        Some(byte) => !byte.is_ascii_alphanumeric() && !matches!(byte, b'/' | b'!'),
    }
}

/// Whether a call is given a command: `system('id')`.
pub(super) fn in_quotes(text: &[u8]) -> bool {
    match text.split_first() {
        Some((b'\'' | b'"', content)) => evidence(content).is_some(),
        _ => begins(text, b"$_get") || begins(text, b"$_post") || begins(text, b"$_request"),
    }
}
