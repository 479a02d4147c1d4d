//! From the socket's peer and the headers to the client.
//!
//! Must not know: what is done with the client.

use std::net::{IpAddr, Ipv4Addr};

use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::{Client, ClientIpHeader, ClientKey, Networks, Role, named_client};

const X_REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");

/// Which peers are believed when they name the client, and where they name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProxyTrust {
    pub(crate) networks: Networks,
    /// Whatever comes without an address is from a proxy, over a Unix socket.
    pub(crate) unix: bool,
    pub(crate) header: ClientIpHeader,
}

impl ProxyTrust {
    /// Nobody is believed.
    pub(crate) fn nobody() -> Self {
        Self {
            networks: Networks::default(),
            unix: false,
            header: ClientIpHeader::XForwardedFor,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.networks.is_empty() && !self.unix
    }
}

/// The client of a request, as a guard sees it: the socket's peer, or whom a trusted peer names.
#[inline]
pub(crate) fn identify(
    peer: Option<IpAddr>,
    headers: &HeaderMap,
    trust: &ProxyTrust,
    ipv6_prefix: u8,
    guard: usize,
) -> Client {
    let peer = peer.map(|peer| peer.to_canonical());
    let trusted = match peer {
        Some(peer) => trust.networks.contains(peer),
        None => trust.unix,
    };
    let named = trusted.then(|| client_named_by_proxies(headers, trust));
    // Who is local is told from a proxy by what it sends. Who has named the client has sent it.
    let local = peer.filter(|peer| is_local(*peer));
    let forwards = match named {
        Some(Some(_)) => true,
        _ => local.is_some() && forwards(headers, trust),
    };
    let (address, role) = match (named, peer) {
        (Some(Some(client)), _) => (Some(client), Role::Client),
        (Some(None), peer) => (peer, Role::Infrastructure),
        (None, None) => (None, Role::Unknown),
        (None, peer) if forwards => (peer, Role::UndeclaredProxy),
        (None, peer) => (peer, Role::Client),
    };
    Client {
        address,
        key: address.map_or(ClientKey::Unknown, |address| {
            ClientKey::of(address, ipv6_prefix)
        }),
        role,
        direct_loopback: !forwards && local.is_some_and(|peer| peer.is_loopback()),
        guard,
        outer: None,
    }
}

fn client_named_by_proxies(headers: &HeaderMap, trust: &ProxyTrust) -> Option<IpAddr> {
    let lines = headers.get_all(trust.header.name());
    let is_trusted = |address| trust.networks.contains(address);
    named_client(&trust.header, lines.map(HeaderValue::as_bytes), is_trusted)
}

/// Whether the request carries a header with which proxies name the client.
fn forwards(headers: &HeaderMap, trust: &ProxyTrust) -> bool {
    let usual = [&header::X_FORWARDED_FOR, &header::FORWARDED, &X_REAL_IP];
    let mut names = usual.into_iter().chain([trust.header.name()]);
    names.any(|name| headers.contains_key(name))
}

/// Loopback or private: where a reverse proxy sits. The shared address space (RFC 6598) is that of pods and tunnels as well.
#[inline]
fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || is_shared(address)
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

/// 100.64.0.0/10.
fn is_shared(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    first == 100 && second & 0xC0 == 64
}

#[cfg(test)]
mod tests;
