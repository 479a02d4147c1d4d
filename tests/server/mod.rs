//! On a listening server, through real sockets: what only shows when bytes travel.
//!
//! The clock of every guard stands still, but for the one test in `retry_after`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what does not hold in a test's helper fails the test"
)]

mod banned;
pub(crate) mod client;
mod cors;
mod head;
mod keep_alive;
pub(crate) mod listen;
pub(crate) mod log;
mod odd_bytes;
mod order;
mod placement;
mod request_bodies;
mod retry_after;
mod streaming;
mod unix;
mod unlike;
pub(crate) mod websocket;
mod workers;
