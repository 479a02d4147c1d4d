//! Real Redis servers for tests: single ones, Sentinel and Cluster. They start within a second or a few, on ports of
//! their own, and end with the test, even if it is killed.
//!
//! Blocking: in an async test, start them before the runtime, or don't mind.
//!
//! Must not know: what is tested with them.

#![forbid(unsafe_code)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod admin;
mod builder;
mod cluster;
mod launch;
mod ports;
mod process;
mod sentinels;
mod server;
mod settings;
mod tls;
mod wait;

pub use builder::Builder;
pub use cluster::Cluster;
pub use sentinels::Sentinels;
pub use server::Server;
