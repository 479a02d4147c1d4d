//! Files that are on every server of their kind, so that whoever can read files reads them first.
//!
//! Must not know: what else a way up can reach.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::climb::is_slash;

/// Below a way up, the next names of these: slashes go either way.
const BELOW_A_WAY_UP: &[&str] = &[
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    "/etc/hosts",
    "/etc/hostname",
    "/etc/issue",
    "/etc/fstab",
    "/etc/crontab",
    "/etc/resolv.conf",
    "/etc/ssh/",
    "/etc/nginx/",
    "/etc/apache2/",
    "/etc/httpd/",
    "/etc/mysql/",
    "/etc/php",
    "/etc/my.cnf",
    "/proc/self/",
    "/proc/version",
    "/proc/cmdline",
    "/proc/1/",
    "/var/log/",
    "/var/www/",
    "/var/run/secrets",
    "/root/.",
    "/.ssh/",
    "/.bash_history",
    "/.env",
    "/.git/",
    "/.aws/",
    "/.htpasswd",
    "/wp-config.php",
    "/web-inf/",
    "/meta-inf/",
    "/web.config",
    "/boot.ini",
    "/win.ini",
    "/system.ini",
    "/windows/",
    "/winnt/",
    "/system32/",
    "/inetpub/",
    "/autoexec.bat",
    "/bin/sh",
    "/bin/bash",
    "/cmd.exe",
];

/// Named in full and nothing else: nobody searches for them so but to read them.
const ALONE: &[&str] = &[
    "/etc/passwd",
    "/etc/shadow",
    "/etc/master.passwd",
    "/proc/self/environ",
    "/proc/self/cmdline",
    "/proc/self/fd",
    "/web-inf/web.xml",
    "c:/boot.ini",
    "c:/windows/win.ini",
    "c:/winnt/win.ini",
    "c:/windows/system32/",
    "c:/windows/system.ini",
    "file:/etc/passwd",
    "file:/etc/shadow",
    "file:/proc/",
    "file:/c:/windows/",
    "file:/c:/boot.ini",
    "file:/etc/hosts",
    "file:/localhost/etc/",
];

/// Nothing if the texts cannot be searched for, which a test rules out.
static SEARCHER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(BELOW_A_WAY_UP).ok());

/// Whether one of them is in a value that has a way up.
pub(super) fn follow_a_way_up(value: &[u8]) -> bool {
    let plain: Vec<u8> = plain(value).collect();
    SEARCHER.as_ref().is_some_and(|searcher| {
        searcher.find_iter(&plain).any(|found| {
            let before = plain.get(..found.start());
            before.is_some_and(|before| before.ends_with(b".."))
        })
    })
}

/// Whether the value is one of them.
pub(super) fn is_all_of(value: &[u8]) -> bool {
    let could_be = matches!(
        value,
        [b'/' | b'\\' | b'c' | b'C' | b'f' | b'F' | b'W' | b'w', ..]
    );
    could_be && ALONE.iter().any(|file| begins_with(value, file))
}

/// Whether the value is the file, or begins with it, where the file is a folder, without a space anywhere.
fn begins_with(value: &[u8], file: &str) -> bool {
    let mut rest = plain(value);
    if !file.bytes().all(|byte| rest.next() == Some(byte)) {
        return false;
    }
    let is_folder = file.ends_with('/');
    match rest.next() {
        None | Some(0 | b'?' | b'#') => true,
        Some(b'/') => !value.contains(&b' '),
        Some(_) => is_folder && !value.contains(&b' '),
    }
}

/// In lower case, with slashes of one kind, each once, and without `./`, which stays where it is.
fn plain(value: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut before = 0_u8;
    value.iter().enumerate().filter_map(move |(at, byte)| {
        let byte = if is_slash(*byte) {
            b'/'
        } else {
            byte.to_ascii_lowercase()
        };
        let stays = byte == b'.' && value.get(at + 1).is_some_and(|next| is_slash(*next));
        if before == b'/' && (byte == b'/' || stays) {
            return None;
        }
        before = byte;
        Some(byte)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_are_made_alike() {
        for (value, expected) in [
            ("A\\\\b//c", "a/b/c"),
            ("file:///etc//passwd", "file:/etc/passwd"),
            ("c:\\Windows\\\\x", "c:/windows/x"),
            ("//etc///passwd", "/etc/passwd"),
            ("/./etc/.\\./passwd", "/etc/passwd"),
            ("./../a./.b/..", "./../a./.b/.."),
        ] {
            let plain: Vec<u8> = plain(value.as_bytes()).collect();
            assert_eq!(plain.escape_ascii().to_string(), expected, "{value}");
        }
    }

    #[test]
    fn each_file_is_found() {
        for file in BELOW_A_WAY_UP {
            let value = format!("..{file}");
            assert!(follow_a_way_up(value.as_bytes()), "{value}");
        }
        for file in ALONE {
            assert!(is_all_of(file.to_uppercase().as_bytes()), "{file}");
        }
    }
}
