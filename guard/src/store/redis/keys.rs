//! The names of the keys.
//!
//! Must not know: what is kept under them, connections.

use std::fmt::Write as _;

use crate::client::ClientKey;

use super::endpoint::{push_encoded, push_hash};

/// The longest value of a key function that stands in a name as it is.
const LONGEST_PLAIN_VALUE: usize = 64;

/// A client as it stands in names; see [`Keys::whose`].
#[derive(Clone, Debug)]
pub(crate) struct Whose(String);

/// Whose requests a log holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LogOf<'a> {
    Client(&'a Whose),
    /// All requests for which a key function gave this value.
    Value {
        function: &'a str,
        value: &'a str,
    },
    /// All requests of a client for which a key function gave none.
    NoValue {
        function: &'a str,
        client: &'a Whose,
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

    /// The client, for all names that are written of it.
    pub(crate) fn whose(&self, client: ClientKey) -> Whose {
        // Longer than any client.
        let mut whose = String::with_capacity(48);
        self.push_tagged(&mut whose, |whose| push_client(whose, client));
        Whose(whose)
    }

    /// The client's ban.
    pub(crate) fn ban(&self, client: ClientKey) -> String {
        let mut name = String::new();
        self.push_ban(&mut name, &self.whose(client));
        name
    }

    /// The client's strikes.
    pub(crate) fn strikes(&self, client: ClientKey) -> String {
        let mut name = String::new();
        self.push_strikes(&mut name, &self.whose(client));
        name
    }

    /// Appends the name of the client's ban.
    pub(crate) fn push_ban(&self, name: &mut String, client: &Whose) {
        name.push_str(&self.bans);
        name.push_str(&client.0);
    }

    /// Appends the name of the client's strikes.
    pub(crate) fn push_strikes(&self, name: &mut String, client: &Whose) {
        name.push_str(&self.strikes);
        name.push_str(&client.0);
    }

    /// Appends the name of a log. Without an endpoint: of all requests that no other limit covers.
    pub(crate) fn push_log(&self, name: &mut String, of: LogOf<'_>, endpoint: Option<&str>) {
        name.push_str(&self.logs);
        match of {
            LogOf::Client(client) => name.push_str(&client.0),
            LogOf::Value { function, value } => self.push_tagged(name, |name| {
                push_counted_by(name, function);
                push_value(name, value);
            }),
            LogOf::NoValue { function, client } => {
                push_counted_by(name, function);
                // No value begins with an at sign.
                name.push('@');
                name.push_str(&client.0);
            }
        }
        if let Some(endpoint) = endpoint {
            name.push(':');
            name.push_str(endpoint);
        }
    }

    #[cfg(test)]
    pub(crate) fn log(&self, of: LogOf<'_>, endpoint: Option<&str>) -> String {
        let mut name = String::new();
        self.push_log(&mut name, of, endpoint);
        name
    }

    /// For looking whether the server that has a client's keys writes.
    pub(crate) fn probe(&self, client: ClientKey) -> String {
        format!("{}{}", self.probes, self.whose(client).0)
    }

    /// The same for the server that has another key of a Cluster.
    pub(crate) fn probe_beside(&self, name: &str) -> String {
        let tag = name.find('{').and_then(|at| name.get(at..));
        let tag = tag.and_then(|tag| tag.get(..=tag.find('}')?));
        format!("{}{}", self.probes, tag.unwrap_or(name))
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

    /// In a Cluster, what decides about the slot.
    fn push_tagged(&self, name: &mut String, push: impl FnOnce(&mut String)) {
        if self.cluster {
            name.push('{');
            push(name);
            name.push('}');
        } else {
            push(name);
        }
    }
}

/// As it is shown. Every request writes its client, and most are IPv4 addresses: these are spared the way through
/// formatting.
fn push_client(name: &mut String, client: ClientKey) {
    let ClientKey::V4(address) = client else {
        // Writing to a String cannot fail.
        write!(name, "{client}").ok();
        return;
    };
    for (at, octet) in address.octets().into_iter().enumerate() {
        if at > 0 {
            name.push('.');
        }
        push_decimal(name, octet);
    }
}

fn push_decimal(name: &mut String, number: u8) {
    if number >= 100 {
        name.push(char::from(b'0' + number / 100));
    }
    if number >= 10 {
        name.push(char::from(b'0' + number / 10 % 10));
    }
    name.push(char::from(b'0' + number % 10));
}

/// `by:FUNCTION:`, with dots in the path of the function: a colon ends it.
fn push_counted_by(name: &mut String, function: &str) {
    name.push_str("by:");
    for (at, part) in function.split("::").enumerate() {
        if at > 0 {
            name.push('.');
        }
        push_encoded(name, part, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'_'
        });
    }
    name.push(':');
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
    use std::{collections::HashSet, net::Ipv4Addr};

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
        let (alice, network_name) = (keys.whose(ALICE), keys.whose(network()));
        let of_alice = LogOf::Client(&alice);
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
                keys.log(LogOf::Client(&network_name), None),
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
                        client: &alice,
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
    fn addresses_are_written_as_they_are_shown() {
        for octet in 0..=u8::MAX {
            let address = Ipv4Addr::new(octet, 1, octet, 255);
            let mut name = String::new();
            push_client(&mut name, ClientKey::V4(address));
            assert_eq!(name, address.to_string());
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
        let alice = keys.whose(ALICE);
        let no_value = LogOf::NoValue {
            function: "user",
            client: &alice,
        };
        for name in [
            keys.ban(ALICE),
            keys.strikes(ALICE),
            keys.log(LogOf::Client(&alice), None),
            keys.log(LogOf::Client(&alice), Some(items("POST").as_str())),
            keys.log(no_value, Some(items("POST").as_str())),
        ] {
            assert_eq!(tag(&name), "203.0.113.1", "{name}");
        }
        assert_eq!(keys.ban(ALICE), "guard:banned_ips:{203.0.113.1}");
        let of_value = keys.log(value("user", "7"), Some(items("GET").as_str()));
        assert_eq!(tag(&of_value), "by:user:7");
        assert_eq!(keys.probe_beside(&of_value), "guard:probe:{by:user:7}");
        assert_eq!(keys.probe_beside(&keys.ban(ALICE)), keys.probe(ALICE));
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
