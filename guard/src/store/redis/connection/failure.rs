//! What goes wrong between the guard and Redis.
//!
//! Must not know: what is done about a failure.

use std::{error::Error, fmt, io};

use ::redis::{ErrorKind, RedisError, ServerError};

/// Why a call to Redis has no answer. A failure's text never holds a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No connection could be made: nobody listens there, no such host, no route, a TLS handshake that failed.
    Refused(Box<str>),
    /// No answer in time. Redis may still do what it was asked.
    TimedOut,
    /// The connection was lost before the answer came. Redis may have done what it was asked.
    Disconnected,
    /// The last attempt to connect failed just now, and the next one is not due yet.
    Unavailable,
    /// Too many calls are waiting for Redis already.
    Busy,
    /// The server is a replica.
    ReadOnly,
    /// The server is at its `maxmemory`.
    OutOfMemory,
    /// The server is reading its data from the disk.
    Loading,
    /// No password, or a wrong one.
    Unauthenticated(Box<str>),
    /// The user may not do this.
    NotPermitted(Box<str>),
    /// A replica lost its master.
    MasterDown,
    /// The Cluster does not serve this key.
    ClusterDown(Box<str>),
    /// The key is being moved to another node of the Cluster.
    Moving,
    /// One of the keys holds something that nobody but a stranger can have put there.
    WrongType(Box<str>),
    /// What came back is not the protocol of Redis.
    Protocol(Box<str>),
    /// Anything else.
    Other(Box<str>),
}

impl Failure {
    /// Other calls may be expected to fail as well. The opposite is the trouble of single keys.
    pub(crate) fn is_outage(&self) -> bool {
        !matches!(self, Self::WrongType(_) | Self::Moving)
    }

    /// The connection it came over is of no more use.
    pub(super) fn ends_connection(&self) -> bool {
        matches!(
            self,
            Self::Refused(_)
                | Self::Disconnected
                | Self::ReadOnly
                | Self::MasterDown
                | Self::Unauthenticated(_)
                | Self::Protocol(_)
        )
    }

    pub(in crate::store::redis) fn other(text: impl Into<Box<str>>) -> Self {
        Self::Other(text.into())
    }

    /// What an error reply says.
    pub(super) fn of_reply(error: &ServerError) -> Self {
        let details = error.details().unwrap_or_default();
        match error.code() {
            // Redis 6.2 wraps what stopped a script: `ERR Error running script (call to f_…): @user_script:1: WRONGTYPE …`.
            "ERR" if details.contains("unning script") => Self::of_script(details),
            code => Self::of_code(code, details),
        }
    }

    fn of_script(details: &str) -> Self {
        details
            .split(' ')
            .map(|word| word.trim_start_matches('-'))
            .map(|word| Self::of_code(word, details))
            .find(|failure| !matches!(failure, Self::Other(_)))
            .unwrap_or_else(|| {
                let inner = details
                    .split_once(": ERR ")
                    .map_or(details, |(_, inner)| inner);
                Self::of_code("ERR", inner)
            })
    }

    fn of_code(code: &str, details: &str) -> Self {
        match code {
            "READONLY" => Self::ReadOnly,
            "OOM" => Self::OutOfMemory,
            "LOADING" => Self::Loading,
            "NOAUTH" | "WRONGPASS" => Self::Unauthenticated(one_line(details)),
            "NOPERM" | "DENIED" => Self::NotPermitted(one_line(details)),
            "MASTERDOWN" => Self::MasterDown,
            "CLUSTERDOWN" => Self::ClusterDown(one_line(details)),
            "TRYAGAIN" => Self::Moving,
            "WRONGTYPE" => Self::WrongType(one_line(details)),
            // What INCR says of a text.
            "ERR" if details.starts_with("value is not an integer") => {
                Self::WrongType(one_line(details))
            }
            // A server that is a node of a Cluster, but was configured as a server of its own.
            "MOVED" | "ASK" | "CROSSSLOT" => Self::Other(one_line(&format!(
                "{code} {details}: the server belongs to a Cluster"
            ))),
            _ => Self::Other(one_line(&format!("{code} {details}"))),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "Redis cannot be reached: {why}"),
            Self::TimedOut => f.write_str("Redis did not answer in time"),
            Self::Disconnected => f.write_str("the connection to Redis was lost"),
            Self::Unavailable => f.write_str("there is no connection to Redis at present"),
            Self::Busy => f.write_str("too many calls are waiting for Redis"),
            Self::ReadOnly => f.write_str("the Redis server is a read-only replica"),
            Self::OutOfMemory => f.write_str("the Redis server has used up its maxmemory"),
            Self::Loading => f.write_str("the Redis server is loading its data"),
            Self::Unauthenticated(why) => write!(f, "Redis refuses the password: {why}"),
            Self::NotPermitted(why) => write!(f, "Redis does not permit this user to go on: {why}"),
            Self::MasterDown => f.write_str("the Redis server is a replica that lost its master"),
            Self::ClusterDown(why) => write!(f, "the Redis Cluster is down: {why}"),
            Self::Moving => f.write_str("the key is being moved in the Redis Cluster"),
            Self::WrongType(why) => write!(f, "a key in Redis holds a foreign value: {why}"),
            Self::Protocol(why) => write!(f, "the server does not speak as Redis does: {why}"),
            Self::Other(why) => write!(f, "Redis failed: {why}"),
        }
    }
}

impl Error for Failure {}

impl From<RedisError> for Failure {
    fn from(error: RedisError) -> Self {
        match error.kind() {
            ErrorKind::Parse => Self::Protocol(one_line(&error.to_string())),
            ErrorKind::AuthenticationFailed => Self::Unauthenticated(one_line(&error.to_string())),
            ErrorKind::Io if error.is_timeout() => Self::TimedOut,
            ErrorKind::Io => Self::Disconnected,
            ErrorKind::Server(_) | ErrorKind::Extension => Self::of_code(
                error.code().unwrap_or("ERR"),
                error.detail().unwrap_or_default(),
            ),
            _ => Self::Other(one_line(&error.to_string())),
        }
    }
}

/// An error of making a connection.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Refused(one_line(&error.to_string())),
        }
    }
}

/// Longer texts of a server are of no use in a log.
const LONGEST_TEXT: usize = 200;

/// A text of the server's, made harmless: no line breaks, not endless, and no echo of what was sent, which may be a password.
fn one_line(text: &str) -> Box<str> {
    let said = text.split(", with args beginning").next();
    said.unwrap_or_default()
        .chars()
        .take(LONGEST_TEXT)
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect::<String>()
        .trim()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> Failure {
        let value = ::redis::parse_redis_value(format!("-{text}\r\n").as_bytes()).unwrap();
        let ::redis::Value::ServerError(error) = value else {
            panic!("not an error: {value:?}");
        };
        Failure::of_reply(&error)
    }

    #[test]
    fn replies_say_what_is_wrong() {
        let cases = [
            (
                "READONLY You can't write against a read only replica.",
                Failure::ReadOnly,
            ),
            (
                "OOM command not allowed when used memory > 'maxmemory'.",
                Failure::OutOfMemory,
            ),
            (
                "LOADING Redis is loading the dataset in memory",
                Failure::Loading,
            ),
            (
                "NOAUTH Authentication required.",
                Failure::Unauthenticated("Authentication required.".into()),
            ),
            (
                "NOPERM no permissions",
                Failure::NotPermitted("no permissions".into()),
            ),
            ("MASTERDOWN Link with MASTER is down", Failure::MasterDown),
            (
                "CLUSTERDOWN The cluster is down",
                Failure::ClusterDown("The cluster is down".into()),
            ),
            ("TRYAGAIN Multiple keys request", Failure::Moving),
            (
                "WRONGTYPE Operation against a key",
                Failure::WrongType("Operation against a key".into()),
            ),
            (
                "ERR value is not an integer or out of range script: f",
                Failure::WrongType("value is not an integer or out of range script: f".into()),
            ),
            ("ERR unknown command", Failure::other("ERR unknown command")),
            (
                "MOVED 1 127.0.0.1:1",
                Failure::other("MOVED 1 127.0.0.1:1: the server belongs to a Cluster"),
            ),
            ("WHATEVER", Failure::other("WHATEVER")),
            ("", Failure::other("")),
        ];
        for (text, expected) in cases {
            assert_eq!(reply(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_of_redis_6_wrap_what_is_wrong() {
        let wrapped = |inner: &str| {
            reply(&format!(
                "ERR Error running script (call to f_ab): @user_script:1: {inner}"
            ))
        };
        assert!(matches!(
            wrapped("WRONGTYPE Operation against a key"),
            Failure::WrongType(_)
        ));
        assert!(matches!(
            wrapped("ERR value is not an integer or out of range"),
            Failure::WrongType(_)
        ));
        assert_eq!(
            wrapped("@user_script: 1: -READONLY You can't write"),
            Failure::ReadOnly
        );
        assert_eq!(wrapped("-OOM command not allowed"), Failure::OutOfMemory);
        assert!(matches!(
            wrapped("attempt to index a nil value"),
            Failure::Other(_)
        ));
    }

    #[test]
    fn only_the_trouble_of_single_keys_is_no_outage() {
        assert!(!reply("WRONGTYPE Operation").is_outage());
        assert!(!reply("TRYAGAIN Multiple keys").is_outage());
        assert!(reply("READONLY You can't write").is_outage());
        assert!(Failure::TimedOut.is_outage());
    }

    #[test]
    fn what_was_sent_is_not_repeated() {
        let failure = reply(
            "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'default' 'secret'",
        );
        assert_eq!(failure, Failure::other("ERR unknown command 'HELLO'"));
    }

    #[test]
    fn a_failure_is_one_line_whatever_a_server_says() {
        let text = format!("{}\u{7}{}", "a\u{85}b\tc", "x".repeat(5_000));
        let failure = Failure::Other(one_line(&text)).to_string();
        assert!(!failure.contains(char::is_control), "{failure}");
        assert!(failure.len() < 300);
    }
}
