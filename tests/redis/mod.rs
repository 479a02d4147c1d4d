//! The store on Redis, over HTTP: what several nodes have in common, and what it costs.
//!
//! Two guards whose configurations were built apart are two nodes, as far as the store can tell, though they are in one process; where real
//! processes matter, there are some. Whatever Redis does not answer is refused with 503: nothing is counted anywhere else.

mod app;
mod bans;
mod clients;
mod cluster;
mod commands;
mod deferred;
mod healing;
mod listing;
mod local;
mod monitor;
mod names;
mod node;
mod operators;
mod prefixes;
mod processes;
mod sentinels;
mod sharing;
