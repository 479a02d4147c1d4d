//! Values that a shell, a template engine, a logger or an interpreter would run.
//!
//! One pass over the bytes: what could begin something is looked at, by rules that only read on a bounded number of bytes, or read
//! the whole value once.
//! A sign alone convicts nobody: prose has `;`, `|` and `&`, markdown has backticks and tables of `| id |`, developers write
//! `{{ user.name }}` and `$(id -u)`. A program of the system has to follow with what only an attack gives it.
//! Sources: CWE-77, CWE-94, CWE-917, PayloadsAllTheThings (command injection, server-side template injection), rules 932 to 934 and
//! 944 of the OWASP CRS, the documentation of Log4j 2 on lookups.
//! Must not know: where a value is from, or how it was decoded.

mod code;
mod cursor;
mod expression;
mod lookup;
mod program;
mod shell;
#[cfg(test)]
mod tests;

use super::bytes::ByteSet;

use cursor::Cursor;

/// See the constants.
pub(super) const RULES: &[&str] = &[
    SHELL,
    SUBSTITUTION,
    INTERPRETER,
    FIELD_SEPARATOR,
    TEMPLATE,
    EXPRESSION,
    JNDI,
    PHP,
    FUNCTION,
    INCLUDE,
    SHELLSHOCK,
    CLASS_LOADER,
    METADATA,
];

/// A program after `;`, `|`, `&` or a new line.
const SHELL: &str = "command.shell";
/// A program in `$(…)` or backticks.
const SUBSTITUTION: &str = "command.substitution";
/// `/bin/sh -c`, `/dev/tcp/…`.
const INTERPRETER: &str = "command.interpreter";
/// `cat$IFS/etc/passwd`: a space for filters that look for one.
const FIELD_SEPARATOR: &str = "command.field-separator";
/// `{{7*7}}`: a calculation, whose result shows that a template engine runs it.
const TEMPLATE: &str = "command.template";
/// An expression in a template that reaches for classes or the system.
const EXPRESSION: &str = "command.expression";
/// A look-up by JNDI, in disguise as well: `${jndi:…}`, `${${lower:j}ndi:…}`.
const JNDI: &str = "command.jndi";
/// PHP that runs something.
const PHP: &str = "command.php";
/// A call that only injected code makes: `phpinfo()`, `__import__('os')`.
const FUNCTION: &str = "command.function";
/// A server-side include: `<!--#exec …`.
const INCLUDE: &str = "command.include";
/// A function in an environment variable, CVE-2014-6271: `() { :; };`.
const SHELLSHOCK: &str = "command.shellshock";
/// Spring4Shell, CVE-2022-22965: `class.module.classLoader`.
const CLASS_LOADER: &str = "command.class-loader";
/// The address where clouds give away credentials, as a URL.
const METADATA: &str = "command.metadata-address";

/// The rule that a value breaks.
pub(super) fn inspect(value: &[u8]) -> Option<&'static str> {
    let mut cursor = Cursor::new(value);
    let mut seen = Seen::default();
    while let Some(byte) = cursor.advance_to(needs) {
        let next = cursor.rest().get(1).copied().unwrap_or_default();
        if could_begin(byte, next) {
            let found = look(byte, &cursor, &mut seen);
            if found.is_some() {
                return found;
            }
        }
        cursor.skip(seen.read_to.saturating_sub(cursor.at()).max(1));
    }
    None
}

/// What has been read to the end once already, and is not read again.
#[derive(Default)]
struct Seen {
    expressions: expression::Seen,
    php: bool,
    /// Up to here nothing begins anew.
    read_to: usize,
}

/// Bytes with which something could begin. Letters are none, so that an ordinary value is through at once.
pub(super) const fn needs(byte: u8) -> bool {
    SIGNS.has(byte)
}

const SIGNS: ByteSet = ByteSet::of(b"$`;|&\n{<%#*@(./\\");

/// Whether the byte behind a sign is one that goes on so: dots and slashes in URLs are through here.
fn could_begin(byte: u8, next: u8) -> bool {
    match byte {
        b'.' => matches!(next, b'm' | b'M' | b'c' | b'C' | b'g' | b'G' | b'2'),
        b'/' => matches!(next, b'b' | b'd'),
        b'\\' => matches!(next, b't' | b'T'),
        b'$' => matches!(next, b'{' | b'(' | b'I'),
        b'{' => matches!(next, b'{' | b'%'),
        b'<' => matches!(next, b'%' | b'#' | b'?' | b'!'),
        b'#' => matches!(next, b'{' | b's'),
        b'@' => matches!(next, b'{' | b'('),
        b'%' | b'*' => next == b'{',
        _ => true,
    }
}

fn look(byte: u8, cursor: &Cursor<'_>, seen: &mut Seen) -> Option<&'static str> {
    match byte {
        b';' | b'|' | b'&' | b'\n' => shell::after_separator(byte, cursor).then_some(SHELL),
        b'`' => shell::in_backticks(cursor).then_some(SUBSTITUTION),
        b'.' => code::at_dot(cursor),
        b'/' => shell::at_slash(cursor).then_some(INTERPRETER),
        b'\\' => code::at_backslash(cursor),
        b'(' => code::at_parenthesis(cursor),
        b'$' => at_dollar(cursor, seen).or_else(|| at_opening(cursor, seen)),
        b'<' => at_angle(cursor, seen).or_else(|| at_opening(cursor, seen)),
        _ => at_opening(cursor, seen),
    }
}

fn at_dollar(cursor: &Cursor<'_>, seen: &mut Seen) -> Option<&'static str> {
    if shell::is_field_separator(cursor) {
        return Some(FIELD_SEPARATOR);
    }
    if shell::in_parentheses(cursor) {
        return Some(SUBSTITUTION);
    }
    let (is_jndi, length) = lookup::jndi(cursor.rest());
    // What a look-up in disguise has read need not be read again from each `${` in it.
    seen.read_to = cursor.at() + length;
    is_jndi.then_some(JNDI)
}

fn at_angle(cursor: &Cursor<'_>, seen: &mut Seen) -> Option<&'static str> {
    if code::is_include(cursor) {
        return Some(INCLUDE);
    }
    if seen.php || !cursor.continues(b"<?") {
        return None;
    }
    seen.php = true;
    code::runs_php(cursor.rest()).then_some(PHP)
}

fn at_opening(cursor: &Cursor<'_>, seen: &mut Seen) -> Option<&'static str> {
    let (opening, content) = expression::opening(cursor)?;
    if expression::is_calculation(content) {
        return Some(TEMPLATE);
    }
    let expression = seen.expressions.unseen(opening, content, cursor.at())?;
    expression::reaches_out(opening, expression).then_some(EXPRESSION)
}
