//! One entry of a list of networks: how it is read, and how it is written again.
//!
//! Must not know: the set that entries make, or what is in a file.

use std::{fmt, net::IpAddr};

use ipnet::{IpNet, Ipv4Net};

use super::{error::NetworkError, presets::Preset};

/// An IPv4-mapped IPv6 address has this many bits before its IPv4 address.
const MAPPED_BITS: u8 = 96;

const FILE_PREFIX: &str = "file:";

/// What an entry stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A single address, or a network.
    Network(IpNet),
    Preset(Preset),
    /// The path of a file with one address or network a line.
    File(String),
}

impl Entry {
    /// Reads an entry.
    ///
    /// # Errors
    /// One that is none of these. Files are not read yet.
    pub(super) fn parse(text: &str) -> Result<Self, NetworkError> {
        let text = text.trim();
        if let Some(preset) = Preset::named(text) {
            return Ok(Self::Preset(preset));
        }
        if let Some(path) = text.strip_prefix(FILE_PREFIX) {
            return Ok(Self::File(path.to_owned()));
        }
        parse_network(text)
            .map(Self::Network)
            .ok_or_else(|| NetworkError::not_a_network(text))
    }
}

/// Reads back as the same entry: networks in their plain form, single addresses without a prefix length.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(network) if network.prefix_len() == network.max_prefix_len() => {
                network.addr().fmt(f)
            }
            Self::Network(network) => network.fmt(f),
            Self::Preset(preset) => f.write_str(preset.name()),
            Self::File(path) => write!(f, "{FILE_PREFIX}{path}"),
        }
    }
}

/// A single address or a network in its plain form: host bits masked, IPv4-mapped IPv6 as IPv4. Nothing if the text is
/// neither.
pub(super) fn parse_network(text: &str) -> Option<IpNet> {
    let network = if text.contains('/') {
        text.parse().ok()?
    } else {
        IpNet::from(text.parse::<IpAddr>().ok()?)
    };
    Some(as_ipv4_if_mapped(network).trunc())
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
