//! A set of addresses and networks, as the lists of the configuration name them.
//!
//! Must not know: which list it is, or what a match leads to.

mod entry;
mod error;
mod file;
mod presets;

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use entry::{Entry, parse_network};

pub(crate) use error::NetworkError;
pub(crate) use presets::Preset;

/// Addresses, networks, presets and files, and what they cover together. Clones share it: a list may be large.
#[derive(Clone, Default)]
pub(crate) struct Networks {
    entries: Arc<[Entry]>,
    /// Disjoint, in ascending order.
    ipv4: Arc<[Ipv4Net]>,
    /// Disjoint, in ascending order.
    ipv6: Arc<[Ipv6Net]>,
}

impl Networks {
    /// Reads single addresses, CIDRs, names of presets, and `file:PATH`; reads the files, too.
    ///
    /// # Errors
    /// The first entry that is none of these, and files that cannot be read, have a bad line, or have no entries.
    pub(crate) fn parse<I>(items: I) -> Result<Self, NetworkError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let entries: Vec<_> = items
            .into_iter()
            .map(|item| Entry::parse(item.as_ref()))
            .collect::<Result<_, _>>()?;
        Self::of(entries.into())
    }

    /// The same list with what its files hold now. Without files a clone.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    pub(crate) fn reread(&self) -> Result<Self, NetworkError> {
        if self.has(|entry| matches!(entry, Entry::File(_))) {
            Self::of(Arc::clone(&self.entries))
        } else {
            Ok(self.clone())
        }
    }

    fn of(entries: Arc<[Entry]>) -> Result<Self, NetworkError> {
        let (mut ipv4, mut ipv6) = (Vec::new(), Vec::new());
        for entry in entries.iter() {
            for network in networks_of(entry)? {
                match network {
                    IpNet::V4(network) => ipv4.push(network),
                    IpNet::V6(network) => ipv6.push(network),
                }
            }
        }
        Ok(Self {
            entries,
            ipv4: Ipv4Net::aggregate(&ipv4).into(),
            ipv6: Ipv6Net::aggregate(&ipv6).into(),
        })
    }

    /// Whether one of the entries covers the address; an IPv4-mapped IPv6 address is looked up as IPv4.
    #[inline]
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        if self.is_empty() {
            return false;
        }
        match address.to_canonical() {
            IpAddr::V4(address) => self.contains_ipv4(address),
            IpAddr::V6(address) => self.contains_ipv6(address),
        }
    }

    fn contains_ipv4(&self, address: Ipv4Addr) -> bool {
        let after = self
            .ipv4
            .partition_point(|network| network.addr() <= address);
        last_of(&self.ipv4, after).is_some_and(|network| network.contains(&address))
    }

    fn contains_ipv6(&self, address: Ipv6Addr) -> bool {
        let after = self
            .ipv6
            .partition_point(|network| network.addr() <= address);
        last_of(&self.ipv6, after).is_some_and(|network| network.contains(&address))
    }

    /// Whether there are no entries.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether every IPv4 or every IPv6 address is covered.
    pub(crate) fn cover_everybody(&self) -> bool {
        let everybody = |prefix_length| prefix_length == 0;
        self.ipv4
            .iter()
            .any(|network| everybody(network.prefix_len()))
            || self
                .ipv6
                .iter()
                .any(|network| everybody(network.prefix_len()))
    }

    /// Whether the preset is one of the entries.
    pub(crate) fn has_preset(&self, preset: Preset) -> bool {
        self.has(|entry| *entry == Entry::Preset(preset))
    }

    fn has(&self, predicate: impl Fn(&Entry) -> bool) -> bool {
        self.entries.iter().any(predicate)
    }

    /// The entries in the order in which they were given, single addresses without a prefix length.
    pub(crate) fn entries(&self) -> impl Iterator<Item = String> + '_ {
        self.entries.iter().map(Entry::to_string)
    }
}

/// Sets are equal if they have the same entries, whatever their files held when they were read.
impl PartialEq for Networks {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Networks {}

impl fmt::Debug for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries()).finish()
    }
}

fn networks_of(entry: &Entry) -> Result<Vec<IpNet>, NetworkError> {
    match entry {
        Entry::Network(network) => Ok(vec![*network]),
        Entry::Preset(preset) => preset
            .networks()
            .iter()
            .map(|text| parse_network(text).ok_or_else(|| NetworkError::not_a_network(text)))
            .collect(),
        Entry::File(path) => file::read(path),
    }
}

/// The last of the first `count` elements.
fn last_of<T>(elements: &[T], count: usize) -> Option<&T> {
    elements.get(count.checked_sub(1)?)
}

#[cfg(test)]
mod tests;
