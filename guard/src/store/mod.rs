//! Stores: where windows, strikes and bans are kept.
//!
//! Must not know: requests, responses, routes' patterns.

mod memory;

#[cfg(test)]
mod contract;
#[cfg(test)]
mod model;

pub(crate) use memory::{MemoryStore, MemoryStoreOptions};
