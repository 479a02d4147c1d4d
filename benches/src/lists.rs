//! Everything that can be asked about a request before it is counted: two proxies, 1,000 networks, 100 user agents, 20 paths.
//!
//! None of the lists has the request in it, so that all are searched.

use std::net::Ipv4Addr;

use actix_web_guard::SecurityConfigBuilder;

const NETWORKS: u32 = 1000;
const USER_AGENTS: usize = 100;
const PATHS: usize = 20;

/// As an ordinary browser has it.
pub const USER_AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/// Header lines of a request whose peer is a trusted proxy; what one of them names is derived from the peer.
#[must_use]
pub fn header_lines(peer: Ipv4Addr) -> String {
    let [_, b, c, d] = peer.octets();
    format!("X-Forwarded-For: 25.{b}.{c}.{d}, 10.1.0.1\r\nUser-Agent: {USER_AGENT}\r\n")
}

/// Trusts the peers of the load, and the proxy before them; half of the networks exempt and half deny, and so do the user agents.
pub fn with_long_lists(builder: SecurityConfigBuilder) -> SecurityConfigBuilder {
    // In between, so that neighbours don't make one network.
    let network = |number: u32| format!("{}/24", Ipv4Addr::from_bits(0x1E00_0000 + number * 512));
    let agent = |number: usize| format!("Robot-{number:03}/");
    let path = |number: usize| match number % 2 {
        0 => format!("/static/{number}/{{tail}}*"),
        _ => format!("/health/{number}"),
    };
    builder
        .trusted_proxies(["198.18.0.0/15", "10.0.0.0/8"])
        .exempt_ips((0..NETWORKS / 2).map(network))
        .denied_ips((NETWORKS / 2..NETWORKS).map(network))
        .exempt_user_agents((0..USER_AGENTS / 2).map(agent))
        .banned_user_agents((USER_AGENTS / 2..USER_AGENTS).map(agent))
        .exempt_paths((0..PATHS).map(path))
}
