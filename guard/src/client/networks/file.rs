//! Networks in a file: one address or network a line.
//!
//! Must not know: the other entries of the list.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use ipnet::IpNet;

use super::{
    entry::{Entry, parse_network},
    error::NetworkError,
};

/// A million networks fit. More is a mistake in the path, and would fill the memory.
const MAX_BYTES: u64 = 32 << 20;

/// Windows editors put it before the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a file of networks. Blank lines are skipped, and so is what follows a `#`.
///
/// # Errors
/// A file that cannot be read, a line that is no address or network, and a file without any.
pub(super) fn read(path: &str) -> Result<Vec<IpNet>, NetworkError> {
    let entry = || Entry::File(path.to_owned()).to_string();
    let bytes = read_bytes(Path::new(path), MAX_BYTES)
        .map_err(|error| NetworkError::unreadable(entry(), &error))?;
    // Comments may be in any encoding; an entry that is not ASCII is refused anyway.
    let networks = parse(&String::from_utf8_lossy(&bytes))
        .map_err(|(line, text)| NetworkError::bad_line(entry(), line, text))?;
    if networks.is_empty() {
        return Err(NetworkError::NoEntries { entry: entry() });
    }
    Ok(networks)
}

fn read_bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read <= limit) {
        Ok(bytes)
    } else {
        Err(io::Error::other(format!("more than {} MiB", limit >> 20)))
    }
}

/// The networks of a text, or the first line that is none, with its number.
fn parse(text: &str) -> Result<Vec<IpNet>, (usize, &str)> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    (1..)
        .zip(text.lines().map(without_comment))
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| parse_network(line).ok_or((number, line)))
        .collect()
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(entry, _)| entry).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_networks_and_the_rest_is_skipped() {
        let text = "\u{feff}# list\r\n10.1.2.3/8\r\n\r\n  ::1  # here\n\t\n#192.0.2.1\n192.0.2.7#x\r\n::ffff:192.0.2.0/120";
        let printed: Vec<_> = parse(text)
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            printed,
            ["10.0.0.0/8", "::1/128", "192.0.2.7/32", "192.0.2.0/24"]
        );
    }

    #[test]
    fn the_first_bad_line_is_named_by_its_number() {
        for (text, expected) in [
            ("foo", (1, "foo")),
            ("\n# a\r\n::1\n bar # b\nfoo", (4, "bar")),
            ("::1\n10.0.0.0/33", (2, "10.0.0.0/33")),
            ("::1 ::2", (1, "::1 ::2")),
            ("cloudflare", (1, "cloudflare")),
            ("file:/etc/hosts", (1, "file:/etc/hosts")),
            ("::1\n\u{feff}::1", (2, "\u{feff}::1")),
        ] {
            assert_eq!(parse(text), Err(expected), "{text:?}");
        }
    }

    #[test]
    fn a_text_without_entries_has_none() {
        for text in ["", "\u{feff}", "\r\n \n", "# 192.0.2.1\n#"] {
            assert_eq!(parse(text), Ok(vec![]), "{text:?}");
        }
    }

    #[test]
    fn a_file_may_be_as_large_as_the_limit_and_no_larger() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let length = std::fs::metadata(&path).unwrap().len();
        assert_eq!(read_bytes(&path, length).unwrap().len() as u64, length);
        let error = read_bytes(&path, length - 1).unwrap_err();
        assert_eq!(error.to_string(), "more than 0 MiB");
        assert!(read_bytes(Path::new(env!("CARGO_MANIFEST_DIR")), length).is_err());
    }
}
