//! The names of the keys.
//!
//! Must not know: what is kept under them, connections.

use std::fmt;

use crate::client::ClientKey;

use super::endpoint::{push_encoded, push_hash};

/// The longest value of a key function that stands in a name as it is.
const LONGEST_PLAIN_VALUE: usize = 64;

/// Whose requests a log holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LogOf<'a> {
    Client(ClientKey),
    /// All requests for which a key function gave this value.
    Value {
        function: &'a str,
        value: &'a str,
    },
    /// All requests of a client for which a key function gave none.
    NoValue {
        function: &'a str,
        client: ClientKey,
    },
}

/// Makes names of keys; see the module's documentation.
///
/// In a Cluster the name of a client stands in braces, so that all its keys are in one slot and one script may use them
/// together. So does a value: its logs are in a slot of their own, for which a script of their own has to be called.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    logs: Box<str>,
    strikes: Box<str>,
    bans: Box<str>,
    probes: Box<str>,
    cluster: bool,
}

impl Keys {
    /// The prefix may not contain braces.
    pub(crate) fn new(prefix: &str, cluster: bool) -> Self {
        debug_assert!(!prefix.contains(['{', '}']));
        Self {
            logs: format!("{prefix}rate_limit:rate:").into(),
            strikes: format!("{prefix}strikes:").into(),
            bans: format!("{prefix}banned_ips:").into(),
            probes: format!("{prefix}probe:").into(),
            cluster,
        }
    }

    /// The client's ban.
    pub(crate) fn ban(&self, client: ClientKey) -> String {
        self.named(&self.bans, client)
    }

    /// The client's strikes.
    pub(crate) fn strikes(&self, client: ClientKey) -> String {
        self.named(&self.strikes, client)
    }

    /// A log. Without an endpoint: of all requests that no other limit covers.
    pub(crate) fn log(&self, of: LogOf<'_>, endpoint: Option<&str>) -> String {
        let mut name = match of {
            LogOf::Client(client) => self.named(&self.logs, client),
            LogOf::Value { function, value } => {
                let mut counted_by = counted_by(function);
                push_value(&mut counted_by, value);
                self.named(&self.logs, counted_by)
            }
            // No value begins with an at sign.
            LogOf::NoValue { function, client } => {
                let before = format!("{}{}@", self.logs, counted_by(function));
                self.named(&before, client)
            }
        };
        if let Some(endpoint) = endpoint {
            name.push(':');
            name.push_str(endpoint);
        }
        name
    }

    /// For looking whether the server that has a client's keys writes.
    pub(crate) fn probe(&self, client: ClientKey) -> String {
        self.named(&self.probes, client)
    }

    /// What all names of bans begin with.
    pub(crate) fn bans_prefix(&self) -> &str {
        &self.bans
    }

    /// The pattern for `SCAN` that finds all bans.
    pub(crate) fn bans_pattern(&self) -> String {
        let mut pattern = String::with_capacity(self.bans.len() + 1);
        for character in self.bans.chars() {
            if matches!(character, '*' | '?' | '[' | ']' | '\\') {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern.push('*');
        pattern
    }

    /// Whose ban has this name; `None` if no client's has.
    pub(crate) fn banned_client(&self, name: &str) -> Option<ClientKey> {
        let text = name.strip_prefix(&*self.bans)?;
        let text = if self.cluster {
            text.strip_prefix('{')?.strip_suffix('}')?
        } else {
            text
        };
        if text == ClientKey::Unknown.to_string() {
            return Some(ClientKey::Unknown);
        }
        let prefix = match text.split_once('/') {
            Some((_, prefix)) => prefix.parse().ok().filter(|prefix| *prefix <= 128)?,
            None => 128,
        };
        // Another spelling of an address is a key that no request looks at.
        ClientKey::parse(text, prefix).filter(|client| client.to_string() == text)
    }

    fn named(&self, before: &str, whose: impl fmt::Display) -> String {
        if self.cluster {
            format!("{before}{{{whose}}}")
        } else {
            format!("{before}{whose}")
        }
    }
}

/// `by:FUNCTION:`, with dots in the path of the function: a colon ends it.
fn counted_by(function: &str) -> String {
    let mut name = "by:".to_owned();
    for (at, part) in function.split("::").enumerate() {
        if at > 0 {
            name.push('.');
        }
        push_encoded(&mut name, part, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'_'
        });
    }
    name.push(':');
    name
}

/// A value as it stands, or its hash if it is long or odd: senders choose values.
fn push_value(name: &mut String, value: &str) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte);
    if (1..=LONGEST_PLAIN_VALUE).contains(&value.len()) && value.bytes().all(plain) {
        name.push_str(value);
    } else {
        name.push('#');
        push_hash(name, value, 16);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::store::{
        contract::ALICE,
        redis::endpoint::{EndpointPath, RouteMethod},
    };

    fn network() -> ClientKey {
        ClientKey::parse("2001:db8:1:2::1", 64).unwrap()
    }

    fn items(method: &str) -> EndpointPath {
        EndpointPath::new("/items/{id}", RouteMethod::First(method))
    }

    fn value(function: &'static str, value: &'static str) -> LogOf<'static> {
        LogOf::Value { function, value }
    }

    #[test]
    fn names_are_those_of_the_documentation() {
        let keys = Keys::new("guard:", false);
        let of_alice = LogOf::Client(ALICE);
        for (name, expected) in [
            (
                keys.log(of_alice, None),
                "guard:rate_limit:rate:203.0.113.1",
            ),
            (
                keys.log(of_alice, Some(items("GET").as_str())),
                "guard:rate_limit:rate:203.0.113.1:/items/:id",
            ),
            (
                keys.log(of_alice, Some(items("POST").as_str())),
                "guard:rate_limit:rate:203.0.113.1:/items/:id:POST",
            ),
            (
                keys.log(LogOf::Client(network()), None),
                "guard:rate_limit:rate:2001:db8:1:2::/64",
            ),
            (keys.strikes(ALICE), "guard:strikes:203.0.113.1"),
            (keys.ban(network()), "guard:banned_ips:2001:db8:1:2::/64"),
            (keys.ban(ClientKey::Unknown), "guard:banned_ips:unknown"),
            (
                keys.log(
                    value("my_app::keys::api_key", "k-7"),
                    Some(items("GET").as_str()),
                ),
                "guard:rate_limit:rate:by:my_app.keys.api_key:k-7:/items/:id",
            ),
            (
                keys.log(
                    LogOf::NoValue {
                        function: "user",
                        client: ALICE,
                    },
                    None,
                ),
                "guard:rate_limit:rate:by:user:@203.0.113.1",
            ),
        ] {
            assert_eq!(name, expected);
        }
    }

    #[test]
    fn in_a_cluster_all_keys_of_a_client_have_its_name_as_their_tag() {
        let keys = Keys::new("guard:", true);
        let tag = |name: &str| {
            let (_, rest) = name.split_once('{').unwrap();
            let (tag, rest) = rest.split_once('}').unwrap();
            assert!(!rest.contains(['{', '}']));
            tag.to_owned()
        };
        let no_value = LogOf::NoValue {
            function: "user",
            client: ALICE,
        };
        for name in [
            keys.ban(ALICE),
            keys.strikes(ALICE),
            keys.log(LogOf::Client(ALICE), None),
            keys.log(LogOf::Client(ALICE), Some(items("POST").as_str())),
            keys.log(no_value, Some(items("POST").as_str())),
        ] {
            assert_eq!(tag(&name), "203.0.113.1", "{name}");
        }
        assert_eq!(keys.ban(ALICE), "guard:banned_ips:{203.0.113.1}");
        let of_value = keys.log(value("user", "7"), Some(items("GET").as_str()));
        assert_eq!(tag(&of_value), "by:user:7");
        assert_eq!(
            tag(&keys.log(value("user", "{x}"), None)).len(),
            "by:user:#".len() + 32
        );
    }

    #[test]
    fn values_stand_as_they_are_unless_they_are_long_or_odd() {
        let keys = Keys::new("", false);
        let name = |text: &str| {
            let of = LogOf::Value {
                function: "f",
                value: text,
            };
            keys.log(of, None)
                .strip_prefix("rate_limit:rate:by:f:")
                .unwrap()
                .to_owned()
        };
        let longest = "x".repeat(64);
        for plain in ["a", "A-Z_0.9~", &longest] {
            assert_eq!(name(plain), plain);
        }
        let odd = [
            "",
            "a b",
            "a:b",
            "{a}",
            "#a",
            "@1.2.3.4",
            "\u{e9}",
            "%41",
            "a\r\nb",
            &"x".repeat(65),
        ];
        let hashed: HashSet<String> = odd.into_iter().map(name).collect();
        assert_eq!(hashed.len(), odd.len());
        for name in &hashed {
            assert!(name.starts_with('#') && name.len() == 33, "{name}");
            assert!(name.bytes().skip(1).all(|byte| byte.is_ascii_hexdigit()));
        }
        // Nobody sends the hash of another's value.
        let hash = name("a b");
        assert_ne!(name(&hash), hash);
    }

    #[test]
    fn functions_are_kept_apart() {
        let keys = Keys::new("", false);
        let names: HashSet<String> = ["a", "a::b", "a.b", "a:b", "b", "a%3Ab", "r#a", "\u{e9}"]
            .into_iter()
            .map(|function| {
                keys.log(
                    LogOf::Value {
                        function,
                        value: "v",
                    },
                    None,
                )
            })
            .collect();
        assert_eq!(names.len(), 8);
    }

    #[test]
    fn the_client_of_a_ban_is_read_from_its_name() {
        for cluster in [false, true] {
            let keys = Keys::new("guard:", cluster);
            for client in [
                ALICE,
                network(),
                ClientKey::Unknown,
                ClientKey::parse("::1", 128).unwrap(),
            ] {
                assert_eq!(keys.banned_client(&keys.ban(client)), Some(client));
                assert_eq!(keys.banned_client(&keys.strikes(client)), None);
            }
        }
        let keys = Keys::new("guard:", false);
        for foreign in [
            "",
            "nobody",
            "2001:DB8::/64",
            "2001:db8::1/64",
            "2001:db8::/129",
            "1.2.3.4 ",
            "{1.2.3.4}",
        ] {
            assert_eq!(
                keys.banned_client(&format!("guard:banned_ips:{foreign}")),
                None
            );
        }
    }

    #[test]
    fn the_pattern_takes_the_prefix_literally() {
        let keys = Keys::new(r"a*b?[c]\", false);
        assert_eq!(keys.bans_pattern(), r"a\*b\?\[c\]\\banned_ips:*");
        assert_eq!(keys.bans_prefix(), r"a*b?[c]\banned_ips:");
    }
}
