//! What the guard costs each request when it keeps everything in Redis, against the same server without it, and against
//! actix-extensible-rate-limit on Redis, which counts in fixed windows and knows neither strikes nor bans:
//! `cargo run --release -p actix-web-guard-benches --bin redis_requests`.
//!
//! Starts a `redis-server` of its own, on this machine.

mod redis;
mod server;
mod setup;

use std::process::ExitCode;

fn main() -> ExitCode {
    actix_web_guard_benches::run::<setup::Compared>("redis_requests")
}
