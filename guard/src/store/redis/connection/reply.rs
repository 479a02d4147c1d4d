//! What a server says to a command: a value, or where else to go.
//!
//! Must not know: connections.

use ::redis::{ServerError, Value};

use super::failure::Failure;

/// An answer that is no failure.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    Value(Value),
    /// The server does not know the script. Nothing ran.
    NoScript,
    /// The slot belongs to another node of the Cluster. Nothing ran.
    Moved(Address),
    /// The key may be on another node, which must be asked for it. Nothing ran.
    Ask(Address),
}

/// Where a node is. Without a host: where the node is that said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: Option<Box<str>>,
    pub(super) port: u16,
}

impl Reply {
    pub(super) fn of(value: Value) -> Result<Self, Failure> {
        let Value::ServerError(error) = value else {
            return Ok(Self::Value(value));
        };
        let redirected = |reply: fn(Address) -> Self| {
            Address::of_redirection(&error)
                .map(reply)
                .ok_or_else(|| Failure::of_reply(&error))
        };
        match error.code() {
            "NOSCRIPT" => Ok(Self::NoScript),
            "MOVED" => redirected(Self::Moved),
            "ASK" => redirected(Self::Ask),
            _ => Err(Failure::of_reply(&error)),
        }
    }

    /// The value, where nothing else makes sense.
    pub(super) fn value(self) -> Result<Value, Failure> {
        match self {
            Self::Value(value) => Ok(value),
            Self::NoScript => Err(Failure::other("the server does not keep scripts")),
            Self::Moved(_) | Self::Ask(_) => Err(Failure::other("the server belongs to a Cluster")),
        }
    }
}

impl Address {
    /// `3999 127.0.0.1:6381`; the host may be missing or unknown.
    fn of_redirection(error: &ServerError) -> Option<Self> {
        let (_slot, address) = error.details()?.split_once(' ')?;
        let (host, port) = address.rsplit_once(':')?;
        Some(Self {
            host: known_host(host),
            port: port.parse().ok()?,
        })
    }
}

/// Nodes that may not say their host write nothing, or a question mark.
pub(super) fn known_host(host: &str) -> Option<Box<str>> {
    match host {
        "" | "?" => None,
        host => Some(host.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> Result<Reply, Failure> {
        let text = format!("{text}\r\n");
        Reply::of(::redis::parse_redis_value(text.as_bytes()).unwrap())
    }

    fn address(host: &str, port: u16) -> Address {
        Address {
            host: known_host(host),
            port,
        }
    }

    #[test]
    fn a_reply_is_a_value_or_sends_elsewhere() {
        let cases = [
            (":1", Reply::Value(Value::Int(1))),
            ("-NOSCRIPT No matching script.", Reply::NoScript),
            (
                "-MOVED 3999 127.0.0.1:6381",
                Reply::Moved(address("127.0.0.1", 6381)),
            ),
            ("-MOVED 3999 ::1:6381", Reply::Moved(address("::1", 6381))),
            ("-MOVED 3999 :6381", Reply::Moved(address("", 6381))),
            ("-MOVED 3999 ?:6381", Reply::Moved(address("", 6381))),
            ("-ASK 1 a.example:1", Reply::Ask(address("a.example", 1))),
        ];
        for (text, expected) in cases {
            assert_eq!(reply(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_redirection_to_nowhere_is_a_failure() {
        for text in ["-MOVED", "-MOVED 1", "-MOVED 1 host", "-ASK 1 host:99999"] {
            assert!(matches!(reply(text), Err(Failure::Other(_))), "{text}");
        }
    }
}
