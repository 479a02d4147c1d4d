//! Acceptance tests: the crate through its public API, one module for each part of the contract.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test fails by panicking"
)]

mod admin;
mod browser;
mod clients;
mod detection;
mod guard;
mod outages;
mod proxies;
mod redis;
mod routes;
mod server;
mod support;
mod telemetry;
mod ui;
