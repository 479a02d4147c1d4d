//! Acceptance tests: the crate through its public API, one module for each part of the contract.

mod guard;
mod routes;
mod server;
mod support;
mod ui;
