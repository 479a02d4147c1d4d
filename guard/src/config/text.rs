//! Text in errors and in printed configurations: quoted, on one line, without secrets; and the nearest known name.
//!
//! Must not know: fields, or what a text means.

use std::fmt::Write;

/// Longer values and names are cut in errors.
const SHOWN_CHARS: usize = 80;

/// A value for an error: in quotes, cut, without secrets.
pub(super) fn quoted(text: &str) -> String {
    basic_string(&cut(&redacted(text)))
}

/// A name for an error: cut, without secrets, on one line.
pub(super) fn name(text: &str) -> String {
    one_line(&cut(&redacted(text)))
}

/// The text with line breaks and other control characters escaped.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        push_escaped(&mut line, char);
    }
    line
}

/// The text as a basic string of TOML, always on one line.
pub(super) fn basic_string(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    for char in text.chars() {
        if matches!(char, '"' | '\\') {
            string.push('\\');
        }
        push_escaped(&mut string, char);
    }
    string.push('"');
    string
}

fn push_escaped(line: &mut String, char: char) {
    if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}') {
        // Writing to a String cannot fail.
        let _ = write!(line, "\\u{:04X}", u32::from(char));
    } else {
        line.push(char);
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The text with user and password of a URL in it, and the URL's query, replaced by `***`.
///
/// The text may be malformed, a piece of a URL or several URLs in one, so this rather hides too much: everything up to the
/// last `@`, and what stands for a port but is none.
pub(super) fn redacted(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return match text.rsplit_once('@') {
            Some((credentials, host)) if credentials.contains(':') || !text.starts_with('/') => {
                format!("***@{host}")
            }
            _ => text.to_owned(),
        };
    };
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}://***@{}", redacted_place(place)),
        None => format!("{scheme}://{}", redacted_place(rest)),
    }
}

/// Host, port and path of a URL, without what may follow. If the port is not a number, it may be the password of a URL whose
/// host was forgotten, and so may all after it.
fn redacted_place(place: &str) -> String {
    let hidden = hidden_port(place).or_else(|| place.find(['?', '#']));
    match hidden.and_then(|last| place.get(..=last)) {
        Some(shown) => format!("{shown}***"),
        None => place.to_owned(),
    }
}

/// Where the colon is before a port that is none.
fn hidden_port(place: &str) -> Option<usize> {
    let authority = place.split('/').next()?;
    let after_host = match authority.find(']') {
        Some(bracket) if authority.starts_with('[') => bracket,
        _ => 0,
    };
    let colon = after_host + authority.get(after_host..)?.find(':')?;
    let port = authority.get(colon + 1..)?;
    let is_port = colon > 0 && port.bytes().all(|byte| byte.is_ascii_digit());
    (!is_port).then_some(colon)
}

/// The candidate that the name is most likely a misspelling of.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.chars().count() > SHOWN_CHARS {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| distance * 3 <= candidate.chars().count() + 1)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance: insertions, deletions and replacements.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (line, left) in left.chars().enumerate() {
        let mut diagonal = line;
        let mut before = line + 1;
        let mut cells = row.iter_mut();
        if let Some(first) = cells.next() {
            *first = before;
        }
        for (cell, right) in cells.zip(right.chars()) {
            let replaced = diagonal + usize::from(left != right);
            diagonal = *cell;
            *cell = replaced.min(diagonal + 1).min(before + 1);
            before = *cell;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn passwords_are_never_shown() {
        let cases = [
            ("memory", "memory"),
            ("redis://host:6379/0", "redis://host:6379/0"),
            ("redis://[::1]:6379/0", "redis://[::1]:6379/0"),
            ("redis://:secret@host:6379/0", "redis://***@host:6379/0"),
            ("redis://:secret@[::1]:6379", "redis://***@[::1]:6379"),
            ("rediss://secret:secret@host", "rediss://***@host"),
            ("redis://secret@host", "redis://***@host"),
            ("redis://:sec@ret@host", "redis://***@host"),
            ("redis://:sec/ret?@host", "redis://***@host"),
            ("redis://:secret@h1,redis://u:secret@h2", "redis://***@h2"),
            ("redis://secret@h1,redis://u:secret@h2", "redis://***@h2"),
            (
                "redis+unix:///run/redis?pass=secret",
                "redis+unix:///run/redis?***",
            ),
            ("redis://host?password=secret", "redis://host?***"),
            ("redis://host/0#secret", "redis://host/0#***"),
            ("redis://:secret", "redis://:***"),
            ("redis://:1234/secret", "redis://:***"),
            ("redis://user:secret/0", "redis://user:***"),
            ("redis://u:s@h:secret", "redis://***@h:***"),
            ("redis://[::1]:secret", "redis://[::1]:***"),
            ("redis://[::secret", "redis://[:***"),
            ("redis://[:secret/]", "redis://[:***"),
            ("redis:/:secret@host", "***@host"),
            (":secret@host", "***@host"),
            ("secret@host", "***@host"),
            ("/secret:x@host", "***@host"),
            ("/users/@me", "/users/@me"),
        ];
        for (text, expected) in cases {
            assert_eq!(redacted(text), expected, "{text}");
            assert!(!quoted(text).contains("secret"), "{text}");
            assert!(!name(text).contains("secret"), "{text}");
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(quoted(&"ä".repeat(80)), format!("\"{}\"", "ä".repeat(80)));
        assert_eq!(quoted(&"ä".repeat(81)), format!("\"{}…\"", "ä".repeat(80)));
    }

    #[test]
    fn a_password_is_hidden_before_the_text_is_cut() {
        let long = format!("redis://:secret{}@host", "x".repeat(200));
        assert_eq!(quoted(&long), "\"redis://***@host\"");
    }

    #[test]
    fn the_nearest_name_is_close_or_none() {
        let names = ["rate_limit", "rate_limit_window", "store", "window"];
        let cases = [
            ("rate_limt", Some("rate_limit")),
            ("ratelimit", Some("rate_limit")),
            ("rate_limti", Some("rate_limit")),
            ("RATE_LIMIT", None),
            ("rate_limit_windows", Some("rate_limit_window")),
            ("windw", Some("window")),
            ("stroe", Some("store")),
            ("stor", Some("store")),
            ("bananas", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(10_000), names), None);
    }

    #[test]
    fn distances() {
        let cases = [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
        ];
        for (left, right, expected) in cases {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
    }

    proptest! {
        #[test]
        fn a_basic_string_reads_back(text in any::<String>()) {
            let string = basic_string(&text);
            prop_assert_eq!(string.lines().count(), 1);
            let table: toml::Table = format!("a = {string}").parse().unwrap();
            prop_assert_eq!(table["a"].as_str(), Some(text.as_str()));
        }

        #[test]
        fn names_and_quotes_are_one_line(text in any::<String>()) {
            prop_assert!(quoted(&text).lines().count() == 1);
            prop_assert!(name(&text).lines().count() <= 1);
        }
    }
}
