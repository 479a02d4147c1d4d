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
use actix_web_guard_benches::{
    browser,
    lists::{USER_AGENT, with_long_lists},
};

const CLIENTS: u32 = 10_000;
const ROUNDS: usize = 101;
/// A server has just read the request that it looks at: so few are in the caches.
const AT_ONCE: u32 = 32;
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
    let undetected = || SecurityConfig::builder().enable_detection(false);
    let [plain, long, detecting] = [
        FirstStages::of(&undetected().build()?),
        FirstStages::of(&with_long_lists(undetected()).build()?),
        FirstStages::of(&SecurityConfig::builder().build()?),
    ];
    let [proxied, browsers]: [Vec<_>; 2] =
        [proxied_request, browser_request].map(|make| (FIRST..FIRST + AT_ONCE).map(make).collect());
    let round = |stages: &FirstStages, requests: &[ServiceRequest]| {
        let start = Instant::now();
        for request in requests {
            assert!(stages.pass(black_box(request)), "nothing applies to it");
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(AT_ONCE)
    };
    let [mut without, mut with, mut detected] = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        without.push(round(&plain, &proxied));
        with.push(round(&long, &proxied));
        detected.push(round(&detecting, &browsers));
    }
    for (what, times) in [
        ("without detection: the peer, and a look for a ban", without),
        (
            "two proxies, 1,000 networks, 100 user agents, 20 paths",
            with,
        ),
        (
            "detection, at the defaults, of a browser\'s request",
            detected,
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

/// Of a browser, on its own.
fn browser_request(peer: u32) -> ServiceRequest {
    let request =
        TestRequest::with_uri(browser::TARGET).peer_addr((Ipv4Addr::from_bits(peer), 4711).into());
    let with_headers = browser::HEADERS
        .into_iter()
        .fold(request, |request, header| request.insert_header(header));
    with_headers.to_srv_request()
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
