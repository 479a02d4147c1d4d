//! Look-ups of Log4j, CVE-2021-44228: <https://logging.apache.org/log4j/2.x/manual/lookups.html>.
//!
//! Look-ups stand in look-ups to hide the word: `${lower:j}`, `${::-j}` and `${env:X:-j}` are all `j`.
//! Must not know: other templates.

use super::cursor::begins;

const WORD: &[u8] = b"jndi:";
/// Longer names of look-ups and variables are not read.
const LONGEST_NAME: usize = 32;

/// Whether a look-up by JNDI begins here, and how many bytes were read to know.
pub(super) fn jndi(text: &[u8]) -> (bool, usize) {
    let (mut rest, mut missing) = (text, WORD);
    loop {
        let before = rest.len();
        if let Some(inner) = rest.strip_prefix(b"${") {
            rest = skip_disguise(inner);
        } else if before == text.len() {
            return (false, 0);
        } else if let Some(outer) = rest.strip_prefix(b"}") {
            rest = outer;
        } else {
            let letter = rest.split_first().zip(missing.split_first());
            let Some(((byte, behind), (expected, more))) = letter else {
                return (false, text.len() - before);
            };
            if !byte.eq_ignore_ascii_case(expected) {
                return (false, text.len() - before);
            }
            (rest, missing) = (behind, more);
            if missing.is_empty() {
                return (true, text.len() - rest.len());
            }
        }
    }
}

/// What follows `lower:`, `upper:`, or a look-up with a default: `env:X:-`, `::-`.
fn skip_disguise(text: &[u8]) -> &[u8] {
    for name in [&b"lower:"[..], b"upper:"] {
        if begins(text, name) {
            return text.get(name.len()..).unwrap_or_default();
        }
    }
    let name = text.iter().take(LONGEST_NAME).take_while(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'.' | b'-')
    });
    let name = text.get(..name.count()).unwrap_or_default();
    let default = name.windows(2).rposition(|pair| pair == b":-");
    default.and_then(|at| text.get(at + 2..)).unwrap_or(text)
}
