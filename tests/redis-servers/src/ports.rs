//! Free ports.
//!
//! Must not know: who listens there.

use std::{
    hash::{BuildHasher, RandomState},
    net::{Ipv4Addr, TcpListener},
    ops::Range,
};

/// Not the ports that the system hands out for outgoing connections (which binding port 0 would give, too): one of those
/// could be taken while its server is down, and the server could not come back. And so low that a Cluster node's bus fits
/// in below them as well.
const CANDIDATES: Range<u16> = 10_000..22_000;

/// A Cluster node listens for other nodes this far above its port.
pub(crate) const BUS_DISTANCE: u16 = 10_000;

/// A port on which nobody listens at the moment, nor on the bus that belongs to it.
pub(crate) fn free() -> u16 {
    // Random, for several processes that run tests at once.
    let offset = RandomState::new().hash_one(0) % u64::from(CANDIDATES.end - CANDIDATES.start);
    let first = CANDIDATES.start + u16::try_from(offset).expect("the range is one of ports");
    (first..CANDIDATES.end)
        .chain(CANDIDATES.start..first)
        .find(|&port| is_free(port) && is_free(port + BUS_DISTANCE))
        .expect("a free port")
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_not_free() {
        let port = free();
        let _holder = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        assert!(!is_free(port));
    }

    #[test]
    fn a_port_and_its_bus_stay_below_those_of_outgoing_connections() {
        let port = free();
        assert!(CANDIDATES.contains(&port));
        assert!(port + BUS_DISTANCE < 32_768);
    }
}
