//! Redis fails: what becomes of requests meanwhile, and of limits and bans afterwards.
//!
//! Real servers, and guards that listen on real sockets. Every request in here is checked: none is answered with a 500, and none
//! takes longer than a call to Redis may.

mod bans;
mod chaos;
mod failovers;
mod faults;
mod impostor;
mod local_windows;
mod log;
mod pace;
mod policies;
mod recovery;
mod site;
mod waits;
mod wire;
