//! Programs of the system, and what given to them shows an attack.
//!
//! Must not know: how a program came to be in a value.

use smallvec::SmallVec;

use super::cursor::{begins, skip_spaces};

/// Longer words are no program that is known.
const LONGEST: usize = 24;

/// How sure it is that a command is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    /// A word that people and tables have as well: `id`, `ls`, `date`.
    Word,
    /// A word that only systems have: `whoami`. Also what developers write in instructions: `uname -a`.
    Name,
    /// Something to do: `cat /etc/passwd`, `wget http://…`.
    Deed,
}

/// What has to be given to a program.
#[derive(Clone, Copy)]
enum Needs {
    Nothing,
    /// Nothing or options; a word otherwise.
    NothingRare,
    Path,
    Address,
    Seconds,
    Options(&'static [&'static [u8]]),
}

/// In alphabetical order.
const PROGRAMS: &[(&str, &[Needs])] = &[
    ("bash", SHELL),
    ("bitsadmin", &[Needs::Options(&[b"/transfer"])]),
    (
        "busybox",
        &[
            Needs::NothingRare,
            Needs::Options(&[b"wget", b"tftp", b"nc "]),
        ],
    ),
    ("cat", &[Needs::Path]),
    ("certutil", &[Needs::Options(&[b"-urlcache", b"-decode"])]),
    (
        "chmod",
        &[Needs::Options(&[b"777 ", b"+x /", b"755 /", b"0777 "])],
    ),
    ("cmd", CMD),
    ("cmd.exe", CMD),
    ("curl", &[Needs::Address]),
    ("dash", SHELL),
    ("date", &[Needs::Nothing]),
    ("dig", &[Needs::Address]),
    ("dir", &[Needs::Nothing, Needs::Path]),
    ("env", &[Needs::Nothing]),
    ("head", &[Needs::Path]),
    ("hostname", &[Needs::Nothing]),
    ("id", &[Needs::Nothing]),
    ("ifconfig", &[Needs::NothingRare]),
    (
        "ipconfig",
        &[Needs::NothingRare, Needs::Options(&[b"/all"])],
    ),
    ("less", &[Needs::Path]),
    ("ls", &[Needs::Nothing, Needs::Path]),
    ("lynx", &[Needs::Options(&[b"http"])]),
    ("more", &[Needs::Path]),
    ("nc", NETCAT),
    ("nc.traditional", NETCAT),
    ("ncat", NETCAT),
    ("net", &[Needs::Options(&[b"user", b"localgroup", b"view"])]),
    ("netcat", NETCAT),
    ("netstat", &[Needs::NothingRare]),
    ("nl", &[Needs::Path]),
    ("node", &[Needs::Options(&[b"-e "])]),
    ("nslookup", &[Needs::Address]),
    ("perl", SCRIPT),
    ("php", &[Needs::Options(&[b"-r "])]),
    (
        "ping",
        &[
            Needs::Address,
            Needs::Options(&[b"-c ", b"-n ", b"-i ", b"-c1", b"-n1"]),
        ],
    ),
    ("powershell", POWERSHELL),
    ("powershell.exe", POWERSHELL),
    ("printenv", &[Needs::NothingRare]),
    ("ps", &[Needs::Nothing]),
    ("pwd", &[Needs::Nothing]),
    ("pwsh", POWERSHELL),
    ("python", SCRIPT),
    ("python2", SCRIPT),
    ("python3", SCRIPT),
    ("reboot", &[Needs::Nothing]),
    (
        "rm",
        &[
            Needs::Path,
            // All there is.
            Needs::Options(&[b"-rf /", b"-fr /"]),
        ],
    ),
    ("ruby", SCRIPT),
    ("set", &[Needs::Nothing]),
    ("sh", SHELL),
    (
        "shutdown",
        &[Needs::Options(&[b"-h now", b"-r now", b"/s", b"/r"])],
    ),
    ("sleep", &[Needs::Seconds]),
    ("strings", &[Needs::Path]),
    ("systeminfo", &[Needs::NothingRare]),
    ("tac", &[Needs::Path]),
    ("tail", &[Needs::Path]),
    ("tasklist", &[Needs::NothingRare]),
    ("telnet", &[Needs::Address]),
    ("tftp", &[Needs::Address, Needs::Options(&[b"-g ", b"-i "])]),
    ("timeout", &[Needs::Seconds]),
    ("touch", &[Needs::Path]),
    ("type", &[Needs::Path]),
    ("uname", &[Needs::NothingRare]),
    ("ver", &[Needs::Nothing]),
    ("wget", &[Needs::Address]),
    ("whoami", &[Needs::NothingRare]),
    (
        "wmic",
        &[Needs::Options(&[b"process", b"os get", b"useraccount"])],
    ),
    ("xxd", &[Needs::Path]),
    ("zsh", SHELL),
];

const SHELL: &[Needs] = &[Needs::Options(&[b"-c ", b"-i ", b"-c'", b"-c\"", b"-i>"])];
const SCRIPT: &[Needs] = &[Needs::Options(&[
    b"-c ", b"-e ", b"-c'", b"-e'", b"-c\"", b"-e\"",
])];
const NETCAT: &[Needs] = &[
    Needs::Address,
    Needs::Options(&[b"-e ", b"-l", b"-nv", b"-c "]),
];
const CMD: &[Needs] = &[Needs::Options(&[b"/c ", b"/k "])];
const POWERSHELL: &[Needs] = &[Needs::Options(&[
    b"-e", b"-nop", b"-w ", b"-c", b"-noni", b"iex", b"/c", b"-ep",
])];

/// What a command that begins here is evidence of, and what follows its name.
pub(super) fn evidence(text: &[u8]) -> Option<Evidence> {
    if text.starts_with(b"/") && is_hidden_program(text) {
        return Some(Evidence::Deed);
    }
    let (name, rest) = read_name(text)?;
    let name = name.rsplit(|byte| *byte == b'/').next()?;
    let place = PROGRAMS.binary_search_by(|(program, _)| program.as_bytes().cmp(name));
    let (_, needs) = PROGRAMS.get(place.ok()?)?;
    let found = needs.iter().filter_map(|needs| needs.met_by(rest)).max()?;
    let written = text.get(..text.len() - rest.len())?;
    // Shells mind the case, and in passwords and what is encoded in base85 such a word comes by chance.
    let is_plain = found != Evidence::Word || !written.iter().any(u8::is_ascii_uppercase);
    is_plain.then_some(found)
}

/// `/bin/c?t /etc/passwd`, `/???/??t /???/p??s??`: the shell finds the program.
fn is_hidden_program(text: &[u8]) -> bool {
    let word = text.iter().take(LONGEST);
    let length = word
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"/?*[]".contains(byte))
        .count();
    let (word, rest) = text.split_at_checked(length).unwrap_or((text, &[]));
    word.contains(&b'?') && word.iter().filter(|byte| **byte == b'/').count() > 1 && has_path(rest)
}

/// The name of a program in lower case, without what shells don't see: `c''at`, `c\at`, `c^md`.
fn read_name(text: &[u8]) -> Option<(SmallVec<[u8; LONGEST]>, &[u8])> {
    let mut name = SmallVec::new();
    let mut rest = text;
    while let Some((byte, behind)) = rest.split_first() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'/' if name.len() < LONGEST => {
                name.push(byte.to_ascii_lowercase());
            }
            b'\'' | b'"' | b'\\' | b'^'
                if name.len() < LONGEST
                    && text.len() - rest.len() < 2 * LONGEST
                    && goes_on(behind) => {}
            _ => break,
        }
        rest = behind;
    }
    (!name.is_empty() && name.len() < LONGEST).then_some((name, rest))
}

/// Whether a quote in a name is in it, and not behind it.
fn goes_on(behind: &[u8]) -> bool {
    matches!(
        behind,
        [b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9', ..]
            | [b'\'' | b'"', b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9', ..]
    )
}

impl Needs {
    fn met_by(self, rest: &[u8]) -> Option<Evidence> {
        let argument = skip_spaces(rest);
        let has_space = argument.len() < rest.len();
        match self {
            Self::Nothing if ends_alone(argument) => Some(Evidence::Word),
            Self::Nothing if has_space && has_option(argument) => Some(Evidence::Word),
            Self::NothingRare if ends_alone(argument) => Some(Evidence::Name),
            Self::NothingRare if has_space && has_option(argument) => Some(Evidence::Name),
            Self::Path => (has_path(rest)).then_some(Evidence::Deed),
            Self::Address => (has_space && has_address(argument)).then_some(Evidence::Deed),
            Self::Seconds => (has_space && has_seconds(argument)).then_some(Evidence::Deed),
            Self::Options(options) => (has_space
                && options.iter().any(|option| begins(argument, option)))
            .then_some(Evidence::Deed),
            Self::Nothing | Self::NothingRare => None,
        }
    }
}

/// Whether the command ends here.
fn ends(text: &[u8]) -> bool {
    matches!(
        text,
        [] | [
            b';' | b'|'
                | b'&'
                | b')'
                | b'`'
                | b'#'
                | b'\n'
                | b'\r'
                | b'\''
                | b'"'
                | b'<'
                | b'>'
                | 0,
            ..
        ]
    )
}

/// Whether it ends here and is no cell of a table: `| id | name |`.
fn ends_alone(text: &[u8]) -> bool {
    ends(text) && !text.starts_with(b"|")
}

fn has_option(text: &[u8]) -> bool {
    matches!(text, [b'-', b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// A path from the root, a drive or home, or from a way up, after options.
fn has_path(text: &[u8]) -> bool {
    const FEW: usize = 3;
    let mut rest = text;
    for _ in 0..=FEW {
        // A file as input is one without a space as well: `cat</etc/passwd`.
        let argument = skip_spaces(rest);
        let is_apart = argument.len() < rest.len() || matches!(argument, [b'<' | b'$', ..]);
        let argument = argument.strip_prefix(b"<").map_or(argument, skip_spaces);
        if !is_apart {
            return false;
        }
        if !has_option(argument) {
            return is_path(argument);
        }
        let option = argument.iter().take(LONGEST);
        let length = option
            .take_while(|byte| !byte.is_ascii_whitespace())
            .count();
        rest = argument.get(length..).unwrap_or_default();
    }
    false
}

fn is_path(text: &[u8]) -> bool {
    match text {
        [b'/', next, ..] => next.is_ascii_lowercase() || matches!(next, b'?' | b'*'),
        [b'.', b'.', b'/' | b'\\', ..] | [b'~', b'/', ..] => true,
        [b'a'..=b'z' | b'A'..=b'Z', b':', b'\\' | b'/', ..] => true,
        [b'%', b'a'..=b'z' | b'A'..=b'Z', ..] => {
            begins(text, b"%systemroot%") || begins(text, b"%windir%")
        }
        [b'$', ..] => begins(text, b"$ifs") || begins(text, b"${ifs") || begins(text, b"$home"),
        _ => false,
    }
}

/// A URL, or a host with a dot or colon in it, after options.
fn has_address(text: &[u8]) -> bool {
    const LONGEST_HOST: usize = 64;
    let mut rest = text;
    for _ in 0..4 {
        if begins(rest, b"http") || begins(rest, b"ftp:") || rest.starts_with(b"$") {
            return true;
        }
        let word = rest.iter().take(LONGEST_HOST);
        let length = word.take_while(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(byte));
        let (word, behind) = rest.split_at_checked(length.count()).unwrap_or((rest, b""));
        if has_option(word) {
            rest = skip_spaces(behind);
            continue;
        }
        // A full stop ends a sentence: it has nothing behind it.
        let mut labels = word.splitn(2, |byte| *byte == b'.');
        let (host, domain) = (labels.next(), labels.next());
        return domain.is_some_and(|domain| !domain.is_empty())
            && host.is_some_and(|host| !host.is_empty());
    }
    false
}

fn has_seconds(text: &[u8]) -> bool {
    const FEW: usize = 6;
    let digits = text
        .iter()
        .take(FEW)
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.');
    let digits = digits.count();
    let rest = text.get(digits..).unwrap_or_default();
    let rest = rest.strip_prefix(b"s").unwrap_or(rest);
    digits > 0 && ends(skip_spaces(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_in_order_and_can_be_found() {
        for (name, _) in PROGRAMS {
            let found = PROGRAMS.binary_search_by(|(program, _)| program.cmp(name));
            assert!(found.is_ok(), "{name}");
            assert!(name.len() < LONGEST, "{name}");
        }
        assert!(PROGRAMS.is_sorted_by(|(one, _), (other, _)| one < other));
    }

    #[test]
    fn names_are_read_as_shells_read_them() {
        for (text, expected) in [
            ("cat /etc/passwd", Some(Evidence::Deed)),
            ("c''at /etc/passwd", Some(Evidence::Deed)),
            ("c\\a\\t /etc/passwd", Some(Evidence::Deed)),
            ("/bin/cat /etc/passwd", Some(Evidence::Deed)),
            ("cat</etc/passwd", Some(Evidence::Deed)),
            ("cat -n -A /etc/passwd", Some(Evidence::Deed)),
            ("cat$IFS/etc/passwd", Some(Evidence::Deed)),
            ("cat food", None),
            ("cat /", None),
            ("id", Some(Evidence::Word)),
            ("id'", Some(Evidence::Word)),
            ("iD", None),
            ("LS -l", None),
            ("CAT /etc/passwd", Some(Evidence::Deed)),
            ("idea", None),
            ("identity", None),
            ("whoami;", Some(Evidence::Name)),
            ("uname -a", Some(Evidence::Name)),
            ("curl http://x/", Some(Evidence::Deed)),
            ("curl -s evil.test", Some(Evidence::Deed)),
            ("curl is nice.", None),
            ("ping pong", None),
            ("sleep 5", Some(Evidence::Deed)),
            ("sleep 8 hours", None),
            ("", None),
        ] {
            assert_eq!(evidence(text.as_bytes()), expected, "{text}");
        }
    }
}
