//! From what the socket says to the client.
//!
//! Must not know: what is done with the client.

use std::net::IpAddr;

use super::{Client, ClientKey};

/// What a request says of its sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender {
    /// The socket's peer; `None` over a Unix socket and in test requests.
    pub(crate) peer: Option<IpAddr>,
    /// Whether the peer is local and the request carries a header with which proxies name the client.
    pub(crate) forwarded: bool,
}

/// The client of a request, as a guard sees it: the socket's peer.
#[inline]
pub(crate) fn identify(sender: Sender, ipv6_prefix: u8, guard: usize) -> Client {
    let Some(peer) = sender.peer else {
        return Client {
            address: None,
            key: ClientKey::Unknown,
            struck: false,
            guard,
            outer: Vec::new(),
        };
    };
    let address = peer.to_canonical();
    Client {
        address: Some(address),
        key: ClientKey::of(address, ipv6_prefix),
        struck: !sender.forwarded,
        guard,
        outer: Vec::new(),
    }
}

/// Loopback or private: where a reverse proxy sits.
#[inline]
pub(crate) fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: bool) -> Client {
        let peer = Some(peer.parse().unwrap());
        identify(Sender { peer, forwarded }, 64, 0)
    }

    #[test]
    fn the_peer_is_the_client() {
        assert_eq!(client("198.51.100.7", false).to_string(), "198.51.100.7");
        assert!(client("198.51.100.7", false).can_be_struck());
        assert_eq!(
            client("::ffff:198.51.100.7", false),
            client("198.51.100.7", false)
        );
    }

    #[test]
    fn a_local_peer_that_forwards_is_a_proxy_nobody_declared_and_is_never_struck() {
        for peer in [
            "127.0.0.1",
            "10.0.0.5",
            "192.168.1.1",
            "172.16.0.1",
            "169.254.1.1",
            "::1",
            "fd00::1",
            "fe80::1",
        ] {
            assert!(!client(peer, true).can_be_struck(), "{peer}");
            assert!(client(peer, false).can_be_struck(), "{peer}");
        }
    }

    #[test]
    fn requests_without_a_peer_share_one_client_that_is_never_struck() {
        let sender = Sender {
            peer: None,
            forwarded: false,
        };
        let client = identify(sender, 64, 0);
        assert_eq!(client.to_string(), "unknown");
        assert_eq!(client.address(), None);
        assert!(!client.can_be_struck());
    }
}
