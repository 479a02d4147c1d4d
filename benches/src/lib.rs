//! What the benchmarks of whole servers have in common: servers as processes with one worker each, a load over a few connections
//! that are kept alive, instructions counted over a fixed number of requests, and a Markdown table.
//!
//! Rounds go through all servers, so that a ratio compares neighbours in time, and medians are told. With `valgrind` at hand the
//! instructions of a fixed number of requests are counted as well: they repeat within a per cent where requests per second
//! wander by 15.
//!
//! Must not know: what is compared.

#![forbid(unsafe_code)]

pub mod browser;
mod command_line;
mod instructions;
pub mod lists;
mod load;
mod processors;
mod report;
mod rounds;
mod server;
mod serving;
mod setup;

pub use command_line::run;
pub use report::Column;
pub use serving::{announce, end_with_standard_input, ok, play};
pub use setup::{Backend, Setup};
