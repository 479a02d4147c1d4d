//! Text for people on the terminal.
//!
//! Must not know: what is said.

use std::io::{self, Write as _};

use crate::failure::{Failure, Kind};

/// Writes to standard output. Whoever reads may have seen enough.
///
/// # Errors
/// If nobody can read.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Kind::NotDone,
            format!("standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// A text of somebody else, for a terminal: on one line, without anything that a terminal would obey, and not longer than `most`.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == most {
            shown.push('…');
            break;
        }
        match character {
            // They change the order in which the rest is shown.
            '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_unicode());
            }
            character if character.is_control() => shown.extend(character.escape_default()),
            character => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_would_obey_is_shown() {
        for (text, expected) in [
            ("plain é", "plain é"),
            ("a\u{1b}[31m\nb", "a\\u{1b}[31m\\nb"),
            ("a\u{202E}b\u{9b}", "a\\u{202e}b\\u{9b}"),
            ("0123456789", "01234567…"),
        ] {
            assert_eq!(
                shown(text, if text.starts_with('0') { 8 } else { 99 }),
                expected
            );
        }
    }
}
