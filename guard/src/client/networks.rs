//! A set of addresses and networks, as the lists of the configuration name them.
//!
//! Must not know: which list it is, or what a match leads to.

use std::{error::Error, fmt, net::IpAddr};

use ipnet::{IpNet, Ipv4Net};

/// An IPv4-mapped IPv6 address has this many bits before its IPv4 address.
const MAPPED_BITS: u8 = 96;

/// Addresses and networks in their plain form: host bits masked, IPv4-mapped IPv6 as IPv4.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Networks {
    entries: Vec<IpNet>,
}

impl Networks {
    /// Reads single addresses and CIDRs.
    ///
    /// # Errors
    /// The first entry that is neither.
    pub(crate) fn parse<I>(items: I) -> Result<Self, NetworkError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let entries = items
            .into_iter()
            .map(|item| parse_entry(item.as_ref()))
            .collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// Whether one of the entries covers the address; an IPv4-mapped IPv6 address is looked up as IPv4.
    #[inline]
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        if self.is_empty() {
            return false;
        }
        let address = address.to_canonical();
        self.entries.iter().any(|entry| entry.contains(&address))
    }

    /// Whether there are no entries.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in the order in which they were given, single addresses without a prefix length.
    pub(crate) fn entries(&self) -> impl Iterator<Item = String> + '_ {
        self.entries.iter().map(print_entry)
    }
}

/// An entry that is not an address or network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetworkError {
    entry: String,
}

impl NetworkError {
    /// The entry as it was given.
    pub(crate) fn entry(&self) -> &str {
        &self.entry
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not an address or network", self.entry)
    }
}

impl Error for NetworkError {}

fn parse_entry(text: &str) -> Result<IpNet, NetworkError> {
    let text = text.trim();
    let network = if text.contains('/') {
        text.parse().ok()
    } else {
        text.parse::<IpAddr>().ok().map(IpNet::from)
    };
    network
        .map(|network| as_ipv4_if_mapped(network).trunc())
        .ok_or_else(|| NetworkError {
            entry: text.to_owned(),
        })
}

/// Requests are looked up as IPv4, so a mapped entry that stayed IPv6 would never match.
fn as_ipv4_if_mapped(network: IpNet) -> IpNet {
    let IpNet::V6(mapped) = network else {
        return network;
    };
    let address = mapped.addr().to_ipv4_mapped();
    let prefix = mapped.prefix_len().checked_sub(MAPPED_BITS);
    match (address, prefix) {
        (Some(address), Some(prefix)) => Ipv4Net::new(address, prefix).map_or(network, IpNet::V4),
        _ => network,
    }
}

fn print_entry(entry: &IpNet) -> String {
    if entry.prefix_len() == entry.max_prefix_len() {
        entry.addr().to_string()
    } else {
        entry.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(items: &[&str]) -> Networks {
        Networks::parse(items).unwrap()
    }

    fn printed(items: &[&str]) -> Vec<String> {
        networks(items).entries().collect()
    }

    #[test]
    fn an_entry_covers_its_addresses_and_no_others() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "192.0.2.1",
                &["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"],
                &["192.0.2.2", "::1"],
            ),
            (
                "192.0.2.0/24",
                &["192.0.2.0", "192.0.2.255", "::ffff:192.0.2.7"],
                &["192.0.1.255", "192.0.3.0"],
            ),
            ("192.0.2.77/24", &["192.0.2.1"], &["192.0.3.1"]),
            (
                "0.0.0.0/0",
                &["0.0.0.0", "255.255.255.255"],
                &["::", "2001:db8::1"],
            ),
            (
                "::/0",
                &["::", "2001:db8::1"],
                &["192.0.2.1", "::ffff:192.0.2.1"],
            ),
            (
                "::ffff:192.0.2.1",
                &["192.0.2.1", "::ffff:192.0.2.1"],
                &["192.0.2.2"],
            ),
            (
                "::ffff:192.0.2.0/120",
                &["192.0.2.9", "::ffff:192.0.2.9"],
                &["192.0.3.9"],
            ),
            (
                "::ffff:0:0/96",
                &["192.0.2.9", "::ffff:198.51.100.1"],
                &["2001:db8::1"],
            ),
            (
                "2001:DB8::/32",
                &["2001:db8::1", "2001:0db8:ffff::"],
                &["2001:db9::", "192.0.2.1"],
            ),
            ("2001:db8::1/128", &["2001:db8:0:0::1"], &["2001:db8::2"]),
            (
                "  198.51.100.0/31 ",
                &["198.51.100.0", "198.51.100.1"],
                &["198.51.100.2"],
            ),
        ];
        for (entry, inside, outside) in cases {
            let networks = networks(&[entry]);
            for address in *inside {
                assert!(
                    networks.contains(address.parse().unwrap()),
                    "{entry} {address}"
                );
            }
            for address in *outside {
                assert!(
                    !networks.contains(address.parse().unwrap()),
                    "{entry} {address}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_an_address_or_network_is_named() {
        let bad = [
            "",
            " ",
            "foo",
            "192.0.2",
            "192.0.2.256",
            "192.0.2.0/33",
            "192.0.2.0/",
            "192.0.2.0/-1",
            "192.0.2.0/255.255.255.0",
            "2001:db8::/129",
            "::ffff:192.0.2.0/129",
            "fe80::1%eth0",
            "[::1]",
            "192.0.2.1:80",
            "010.0.0.1",
            "192.0.2.0/24/8",
        ];
        for entry in bad {
            let error = Networks::parse(["192.0.2.1", entry]).unwrap_err();
            assert_eq!(error.entry(), entry.trim());
            assert_eq!(
                error.to_string(),
                format!("{:?} is not an address or network", entry.trim())
            );
        }
    }

    #[test]
    fn entries_are_printed_as_they_are_matched() {
        assert_eq!(
            printed(&[
                "10.1.2.3/8",
                "::ffff:192.0.2.1",
                "2001:DB8::1/64",
                "::1",
                "192.0.2.1/32"
            ]),
            [
                "10.0.0.0/8",
                "192.0.2.1",
                "2001:db8::/64",
                "::1",
                "192.0.2.1"
            ],
        );
    }

    #[test]
    fn printed_entries_are_the_same_set() {
        let set = networks(&["10.1.2.3/8", "::ffff:192.0.2.0/120", "::1"]);
        let again = Networks::parse(set.entries()).unwrap();
        assert_eq!(again, set);
    }

    #[test]
    fn the_empty_set_contains_nothing() {
        let empty = Networks::default();
        assert!(empty.is_empty());
        assert!(!empty.contains("192.0.2.1".parse().unwrap()));
        assert_eq!(empty, networks(&[]));
        assert!(!networks(&["::1"]).is_empty());
    }
}
