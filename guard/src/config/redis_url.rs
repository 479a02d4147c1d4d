//! The URL of a Redis server: what it must look like, and how it is shown.
//!
//! Must not know: fields, which features there are, how a server is connected to.

use std::fmt;

use url::{Host, ParseError, Url};

use super::{error::Problem, text};

const PLAIN: &str = "redis";
const ENCRYPTED: &str = "rediss";

const NO_SPACES: &str =
    "be without spaces and control characters (those of a password percent-encoded)";
const HOST: &str = "have a host, as in redis://user:password@host:6379/0 (special characters of the \
                    password percent-encoded)";
const PORT: &str = "have a port from 1 to 65535 after its host, or none";
const PASSWORD: &str = "have a password beside its user (redis://:password@host has no user)";
const END: &str = "end after the database (? and # of a password percent-encoded)";
const DATABASE: &str = "have the number of a database after its last slash, or none";

/// A URL that names a server, and what it takes to be let in. It is shown without user and password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RedisUrl {
    text: String,
    encrypted: bool,
    database: u32,
}

impl RedisUrl {
    /// Whether a text is meant to be such a URL.
    pub(super) fn is_meant(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| {
            scheme.eq_ignore_ascii_case(PLAIN) || scheme.eq_ignore_ascii_case(ENCRYPTED)
        })
    }

    /// Reads a text that [is meant to be](Self::is_meant) such a URL.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        read(text).map_err(|rest| Problem::must(format_args!("{rest}, not {}", text::quoted(text))))
    }

    /// The URL with its password, for connections only.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it asks for TLS.
    pub(super) fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// The number of the database.
    pub(super) fn database(&self) -> u32 {
        self.database
    }
}

impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::redacted(self.as_str()))
    }
}

/// As [`Display`](fmt::Display).
impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The URL, or what it must be.
fn read(text: &str) -> Result<RedisUrl, &'static str> {
    // The parser would drop some of them.
    if text.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return Err(NO_SPACES);
    }
    let url = Url::parse(text).map_err(|error| match error {
        ParseError::InvalidPort => PORT,
        _ => HOST,
    })?;
    check_place(&url)?;
    if !url.username().is_empty() && url.password().is_none_or(str::is_empty) {
        return Err(PASSWORD);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(END);
    }
    Ok(RedisUrl {
        text: text.to_owned(),
        encrypted: url.scheme() == ENCRYPTED,
        database: database(url.path()).ok_or(DATABASE)?,
    })
}

fn check_place(url: &Url) -> Result<(), &'static str> {
    let has_host = match url.host() {
        Some(Host::Domain(name)) => is_host_name(name),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    };
    match url.port() {
        _ if !has_host => Err(HOST),
        Some(0) => Err(PORT),
        _ => Ok(()),
    }
}

/// The parser lets other characters pass, for only the schemes of the web have rules for names.
fn is_host_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.is_empty() && name.bytes().all(is_allowed)
}

fn database(path: &str) -> Option<u32> {
    match path.strip_prefix('/').unwrap_or(path) {
        "" => Some(0),
        number if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        assert!(RedisUrl::is_meant(text), "{text}");
        let problem = RedisUrl::parse(text).unwrap_err();
        problem.in_field("store").to_string()
    }

    #[test]
    fn urls_and_how_they_are_shown() {
        let cases = [
            ("redis://host/", "redis://host/", 0),
            ("redis://my_host-1.example", "redis://my_host-1.example", 0),
            ("redis://10.0.0.1:7000/15", "redis://10.0.0.1:7000/15", 15),
            (
                "redis://[2001:db8::1]:7000",
                "redis://[2001:db8::1]:7000",
                0,
            ),
            ("redis://host:65535/007", "redis://host:65535/007", 7),
            ("redis://user:secret@host:1/2", "redis://***@host:1/2", 2),
            ("redis://:secret@host", "redis://***@host", 0),
            ("redis://:s%20%40%2Fsecret@host", "redis://***@host", 0),
            ("redis://:secret@x@host", "redis://***@host", 0),
            ("redis://:sécret@[::1]", "redis://***@[::1]", 0),
        ];
        for (text, shown, database) in cases {
            let url = RedisUrl::parse(text).unwrap();
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), shown);
            assert_eq!(url.as_str(), text);
            assert_eq!(url.database(), database, "{text}");
            assert!(!url.is_encrypted(), "{text}");
        }
        for text in ["rediss://host", "REDISS://host"] {
            assert!(RedisUrl::parse(text).unwrap().is_encrypted());
        }
    }

    #[test]
    fn only_these_schemes_are_meant() {
        for text in ["redis://", "rediss://host", "Redis://host"] {
            assert!(RedisUrl::is_meant(text), "{text}");
        }
        for text in [
            "",
            "redis",
            "redis:host",
            "redis:/host",
            " redis://host",
            "redis+unix:///run",
            "unix:///run",
            "http://redis://host",
            "valkey://host",
            "memory",
        ] {
            assert!(!RedisUrl::is_meant(text), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_url_is_said_and_its_secrets_are_not() {
        let cases = [
            ("redis://", HOST, "redis://"),
            ("redis:///0", HOST, "redis:///0"),
            ("redis://:6379", HOST, "redis://:***"),
            ("redis://:secret", HOST, "redis://:***"),
            ("redis://:secret@", HOST, "redis://***@"),
            ("redis://:#secret@host", HOST, "redis://***@host"),
            ("redis://[::1", HOST, "redis://[:***"),
            ("redis://[secret]", HOST, "redis://[secret]"),
            ("redis://ho%73t", HOST, "redis://ho%73t"),
            ("redis://hóst", HOST, "redis://hóst"),
            ("redis://ho,st", HOST, "redis://ho,st"),
            ("redis://host:0", PORT, "redis://host:0"),
            ("redis://host:65536", PORT, "redis://host:65536"),
            ("redis://user:secret", PORT, "redis://user:***"),
            ("redis://:x@host:secret", PORT, "redis://***@host:***"),
            ("redis://user:sec/ret@host", PORT, "redis://***@host"),
            ("redis://secret@host", PASSWORD, "redis://***@host"),
            ("redis://secret:@host", PASSWORD, "redis://***@host"),
            ("redis://***@host", PASSWORD, "redis://***@host"),
            ("redis://host?secret", END, "redis://host?***"),
            ("redis://host/0?db=secret", END, "redis://host/0?***"),
            ("redis://host#secret", END, "redis://host#***"),
            ("redis://u:1#secret@host", END, "redis://***@host"),
            ("redis://u:1/secret@host", DATABASE, "redis://***@host"),
            ("redis://host/one", DATABASE, "redis://host/one"),
            ("redis://host/-1", DATABASE, "redis://host/-1"),
            ("redis://host/+1", DATABASE, "redis://host/+1"),
            ("redis://host/1/", DATABASE, "redis://host/1/"),
            ("redis://host//1", DATABASE, "redis://host//1"),
            (
                "redis://host/4294967296",
                DATABASE,
                "redis://host/4294967296",
            ),
            ("redis://:sec ret@host", NO_SPACES, "redis://***@host"),
            ("redis://ho\tst", NO_SPACES, "redis://ho\\u0009st"),
            ("redis://host\n", NO_SPACES, "redis://host\\u000A"),
        ];
        for (text, rest, shown) in cases {
            assert_eq!(
                refused(text),
                format!("store: must {rest}, not \"{shown}\"")
            );
        }
    }
}
