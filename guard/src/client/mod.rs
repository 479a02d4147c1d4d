//! Who is asking: the address of a request, and the key it is counted and banned under.
//!
//! Must not know: limits, bans, routes.

mod forwarding;
mod identify;
mod networks;
mod user_agents;

use std::{
    fmt,
    hash::{Hash, Hasher},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use forwarding::parse_address;
#[cfg(fuzzing)]
pub(crate) use forwarding::properties;
pub(crate) use forwarding::{ClientIpHeader, named_client};
pub(crate) use identify::{ProxyTrust, identify};
pub(crate) use networks::{NetworkError, Networks, Preset};
pub(crate) use user_agents::UserAgents;

/// What a client is counted and banned under: an IPv4 address, an IPv6 network, or the one key that all requests
/// without an address share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClientKey {
    Unknown,
    V4(Ipv4Addr),
    V6 { network: Ipv6Addr, prefix: u8 },
}

/// As few words as will do: every request is hashed.
impl Hash for ClientKey {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Unknown => state.write_u64(u64::MAX),
            Self::V4(address) => state.write_u64(u64::from(address.to_bits())),
            Self::V6 { network, prefix } => {
                state.write_u128(network.to_bits());
                state.write_u8(*prefix);
            }
        }
    }
}

impl ClientKey {
    /// The key of an address; IPv4-mapped IPv6 is IPv4.
    #[inline]
    pub(crate) fn of(address: IpAddr, ipv6_prefix: u8) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => Self::V6 {
                network: network(address, ipv6_prefix),
                prefix: ipv6_prefix,
            },
        }
    }

    /// Reads an address in any spelling: upper case, leading zeros, IPv4-mapped, with a zone, brackets or a port, or as
    /// a network in the form in which bans are listed.
    pub(crate) fn parse(text: &str, ipv6_prefix: u8) -> Option<Self> {
        Self::parse_listed(text, ipv6_prefix).filter(|key| match key {
            Self::V6 { prefix, .. } => *prefix == ipv6_prefix,
            Self::V4(_) | Self::Unknown => true,
        })
    }

    /// As [`parse`](Self::parse), and also a network of another prefix, as a ban is listed that was made before `ipv6_prefix` was changed.
    pub(crate) fn parse_listed(text: &str, ipv6_prefix: u8) -> Option<Self> {
        let text = text.trim();
        let address = match text.split_once('/') {
            Some((address, prefix)) => {
                let address: Ipv6Addr = address.parse().ok()?;
                let prefix = prefix
                    .parse()
                    .ok()
                    .filter(|prefix| (1..=128).contains(prefix))?;
                return Some(Self::of(IpAddr::V6(address), prefix));
            }
            None => parse_address(text)?,
        };
        Some(Self::of(address, ipv6_prefix))
    }
}

impl fmt::Display for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::V4(address) => write!(f, "{address}"),
            Self::V6 {
                network,
                prefix: 128,
            } => write!(f, "{network}"),
            Self::V6 { network, prefix } => write!(f, "{network}/{prefix}"),
        }
    }
}

/// The network of `address` with `prefix` bits.
fn network(address: Ipv6Addr, prefix: u8) -> Ipv6Addr {
    let host_bits = 128 - u32::from(prefix.min(128));
    let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
    Ipv6Addr::from_bits(address.to_bits() & mask)
}

/// What a client is to the guard. All but [`Role::Client`] are never struck: a ban would hit everybody behind them, or nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Somebody, by the address of the socket's peer or by the word of a trusted proxy.
    Client,
    /// The configuration exempts it.
    Exempt,
    /// A trusted proxy that named nobody.
    Infrastructure,
    /// A local peer that sends a header with which proxies name the client, and is not trusted.
    UndeclaredProxy,
    /// Nobody knows: there is no address.
    Unknown,
}

/// Who the guard took the client to be: in the request's extensions, and an extractor for handlers and loggers.
///
/// ```
/// use actix_web::{Responder, get};
/// use actix_web_guard::Client;
///
/// #[get("/whoami")]
/// async fn whoami(client: Client) -> impl Responder {
///     format!("you are {client}")
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    address: Option<IpAddr>,
    key: ClientKey,
    role: Role,
    /// The socket's peer is on loopback and sends no header with which proxies name the client.
    direct_loopback: bool,
    /// The guard that takes the client to be this one.
    guard: usize,
    /// Guards around that one, which have had their turn before; `None`: there are none.
    outer: Option<Box<[usize]>>,
}

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        (self.address, self.key) == (other.address, other.key)
    }
}

impl Eq for Client {}

impl Client {
    /// The client's full address; `None` if the request came without one, as over a Unix socket. IPv4-mapped IPv6
    /// addresses are IPv4 here.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// The key of windows, strikes and bans.
    #[inline]
    pub(crate) fn key(&self) -> ClientKey {
        self.key
    }

    /// What the client is to the guard.
    #[inline]
    pub(crate) fn role(&self) -> Role {
        self.role
    }

    /// Whether violations of this client are strikes.
    #[inline]
    pub(crate) fn can_be_struck(&self) -> bool {
        self.role == Role::Client
    }

    /// Whether the socket's peer is on loopback, and no proxy.
    pub(crate) fn is_direct_loopback(&self) -> bool {
        self.direct_loopback
    }

    /// The client is on a list of those that are never struck.
    pub(crate) fn exempt(&mut self) {
        self.role = Role::Exempt;
    }

    /// The client as a further guard sees it takes the place of this one; no, if that guard has had its turn.
    pub(crate) fn introduce(&mut self, client: &Self) -> bool {
        let outer = self.outer.iter().flatten().copied();
        let seen = outer.chain([self.guard]);
        if seen.clone().any(|guard| guard == client.guard) {
            return false;
        }
        let outer = Some(seen.collect());
        *self = Self {
            outer,
            ..client.clone()
        };
        true
    }

    /// The innermost guard that has seen the client.
    pub(crate) fn guard(&self) -> usize {
        self.guard
    }
}

/// The key under which the client is counted and banned: `203.0.113.9`, `2001:db8:1:2::/64`, or `unknown`.
impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_is_one_key() {
        let v6 = "2001:db8:cc:dd::/64";
        let v4 = "203.0.113.9";
        for (text, expected) in [
            ("203.0.113.9", v4),
            (" 203.0.113.9 ", v4),
            ("203.0.113.9:4711", v4),
            ("::ffff:203.0.113.9", v4),
            ("::FFFF:cb00:7109", v4),
            ("2001:db8:cc:dd::1", v6),
            ("2001:0DB8:00CC:00DD:0:0:0:99", v6),
            ("[2001:db8:cc:dd::1]", v6),
            ("[2001:db8:cc:dd::1]:443", v6),
            ("2001:db8:cc:dd::1%eth0", v6),
            ("2001:db8:cc:dd::/64", v6),
        ] {
            let key = ClientKey::parse(text, 64).map(|key| key.to_string());
            assert_eq!(key.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_no_key() {
        for text in [
            "",
            "unknown",
            "localhost",
            "203.0.113",
            "203.0.113.999",
            "2001:db8::/48",
            "203.0.113.0/24",
            "[::1",
            "::1/x",
        ] {
            assert_eq!(ClientKey::parse(text, 64), None, "{text}");
        }
    }

    #[test]
    fn what_is_listed_may_have_another_prefix() {
        let listed = |text| ClientKey::parse_listed(text, 64).map(|key| key.to_string());
        for (text, expected) in [
            ("2001:DB8::1/56", Some("2001:db8::/56")),
            ("2001:db8::1/64", Some("2001:db8::/64")),
            ("2001:db8::1/128", Some("2001:db8::1")),
            ("2001:db8::1", Some("2001:db8::/64")),
            ("203.0.113.9", Some("203.0.113.9")),
            ("2001:db8::/0", None),
            ("2001:db8::/129", None),
            ("203.0.113.0/24", None),
        ] {
            assert_eq!(listed(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn neighbours_share_a_key_only_within_the_prefix() {
        let key = |text, prefix| ClientKey::parse(text, prefix);
        assert_eq!(
            key("2001:db8:aa:bb::1", 64),
            key("2001:db8:aa:bb:ffff::6", 64)
        );
        assert_ne!(key("2001:db8:aa:bb::1", 64), key("2001:db8:aa:bc::1", 64));
        assert_ne!(key("2001:db8::1", 128), key("2001:db8::2", 128));
        assert_eq!(
            key("2001:db8::1", 128).map(|k| k.to_string()).as_deref(),
            Some("2001:db8::1")
        );
        assert_eq!(key("fe80::1", 1), key("8000::", 1));
    }
}
