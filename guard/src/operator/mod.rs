//! Operators: who may use an admin scope, and what the guard has to find out about a request for one before it decides.
//!
//! The guard asks here before its stages 5 to 7, so that an operator gets in whose own address is banned; the scope itself asks
//! again, and finds what the guard has found. Nobody is believed for his path: what counts is the proof. Must not know: what
//! operators do.

mod attempts;
mod auth;
mod examination;
mod mounts;

pub(crate) use attempts::Attempts;
pub use auth::{Auth, WeakToken};
pub(crate) use examination::{Verdict, examine, examine_at, may_still_prove};
pub(crate) use mounts::{Mount, RESOURCE_NAME, announce};

#[cfg(test)]
mod tests;
