//! What the fuzz targets in `fuzz/` call. Not public API, and only there for builds with `--cfg fuzzing`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::client::properties;
use crate::detect::decoder_properties;

const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// The client's address comes from what a proxy wrote, whatever the sender did.
///
/// The input is 16 bytes, which make the client's address, and the lines of a header, separated by line feeds. Every second
/// address is trusted, so that walks go on.
///
/// # Panics
/// If a property does not hold.
pub fn client_address(input: &[u8]) {
    let Some((address, text)) = input.split_first_chunk() else {
        return;
    };
    let lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
    properties::assert_nothing_is_invented(&lines, is_even);
    let client = client(*address);
    if client != PROXY {
        properties::assert_what_stands_left_is_powerless(&lines, client, PROXY);
    }
}

/// Whatever the decoders of threat detection are given, it gets no longer, and they don't panic.
///
/// # Panics
/// If a property does not hold.
pub fn decoders(input: &[u8]) {
    decoder_properties::assert_decoders_only_shorten(input);
}

/// IPv6, or the IPv4 address of the last bytes.
fn client(bytes: [u8; 16]) -> IpAddr {
    match bytes {
        [0..128, .., a, b, c, d] => IpAddr::from([a, b, c, d]),
        _ => IpAddr::V6(Ipv6Addr::from(bytes)),
    }
}

fn is_even(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.to_bits() % 2 == 0,
        IpAddr::V6(address) => address.to_bits() % 2 == 0,
    }
}
