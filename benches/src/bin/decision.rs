//! How long one decision of the memory store takes, and what is looked at before it: `cargo run --release -p actix-web-guard-benches --bin decision`.

use std::{
    hint::black_box,
    net::Ipv4Addr,
    time::{Duration, Instant},
};

use actix_web::{dev::ServiceRequest, test::TestRequest};
use actix_web_guard::{
    ConfigError, SecurityConfig,
    benchmark::{FirstStages, MemoryDecisions},
};
use actix_web_guard_benches::lists::{USER_AGENT, with_long_lists};

const CLIENTS: u32 = 10_000;
const ROUNDS: usize = 101;
/// The first of the addresses that RFC 2544 sets aside for benchmarks.
const FIRST: u32 = 0xC612_0000;

fn main() -> Result<(), ConfigError> {
    decisions();
    first_stages()
}

fn decisions() {
    println!(
        "One decision of the memory store, {CLIENTS} known clients in turn, median of {ROUNDS} rounds:"
    );
    let admitting = MemoryDecisions::new(50, Duration::from_secs(60));
    let refusing = MemoryDecisions::new(1, Duration::from_secs(3600));
    round(&admitting);
    round(&refusing);
    // Full logs are the usual state of busy clients.
    let [mut full, mut refused, mut clock] = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        full.push(round(&admitting));
        refused.push(round(&refusing));
        clock.push(clock_reads());
    }
    for (what, times) in [
        ("of a log of up to 51 entries", full),
        ("refused", refused),
        ("(reading the clock alone)", clock),
    ] {
        println!("{:>6.0} ns  {what}", median(times));
    }
}

fn first_stages() -> Result<(), ConfigError> {
    println!("What comes before it, for requests in turn, median of {ROUNDS} rounds:");
    let [plain, long] = [
        FirstStages::of(&SecurityConfig::builder().build()?),
        FirstStages::of(&with_long_lists(SecurityConfig::builder()).build()?),
    ];
    let requests: Vec<_> = (FIRST..FIRST + CLIENTS).map(proxied_request).collect();
    let round = |stages: &FirstStages| {
        let start = Instant::now();
        for request in &requests {
            assert!(stages.pass(black_box(request)), "no list has it");
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(CLIENTS)
    };
    let [mut without, mut with] = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        without.push(round(&plain));
        with.push(round(&long));
    }
    for (what, times) in [
        ("at the defaults: the peer, and a look for a ban", without),
        (
            "two proxies, 1,000 networks, 100 user agents, 20 paths",
            with,
        ),
    ] {
        println!("{:>6.0} ns  {what}", median(times));
    }
    Ok(())
}

/// Of a browser, through two proxies.
fn proxied_request(peer: u32) -> ServiceRequest {
    let peer = Ipv4Addr::from_bits(peer);
    let [_, b, c, d] = peer.octets();
    TestRequest::with_uri("/items/7")
        .peer_addr((peer, 4711).into())
        .insert_header(("x-forwarded-for", format!("25.{b}.{c}.{d}, 10.1.0.1")))
        .insert_header(("user-agent", USER_AGENT))
        .to_srv_request()
}

/// Nanoseconds a decision, over a round of all clients.
fn round(decisions: &MemoryDecisions) -> f64 {
    each(|client| {
        black_box(decisions.admits(Ipv4Addr::from_bits(client)));
    })
}

fn clock_reads() -> f64 {
    each(|_| {
        black_box(Instant::now());
    })
}

fn each(mut act: impl FnMut(u32)) -> f64 {
    let start = Instant::now();
    for client in FIRST..FIRST + CLIENTS {
        act(client);
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CLIENTS)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
