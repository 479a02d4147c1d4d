#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "admin")]
pub mod admin;
#[cfg(feature = "admin")]
mod ban_listing;
mod bans;
#[cfg(feature = "benchmark")]
#[doc(hidden)]
pub mod benchmark;
mod client;
#[cfg(feature = "admin")]
mod client_state;
pub mod clock;
mod config;
mod crawlers;
mod decision;
pub mod detect;
mod engine;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod handle;
mod inspector;
mod judge;
mod log_pace;
mod middleware;
#[cfg(feature = "admin")]
mod operator;
mod policy;
mod proxy_warnings;
mod replay;
mod response;
mod route;
mod store;
mod telemetry;
mod view;

pub use bans::{Ban, BanSource};
pub use client::Client;
pub use config::{
    ConfigError, HeaderStyle, RedisWindows, RouteOverride, SecurityConfig, SecurityConfigBuilder,
    StoreFailurePolicy, StrikeReset,
};
pub use decision::StoreState;
pub use detect::{Action, Category};
pub use handle::{BanStream, GuardError, GuardHandle};
pub use inspector::Inspector;
pub use middleware::{Guard, GuardService};
pub use replay::{KnownAgent, PastRequest, Replay, ReplayDecision, ReplayOutcome};
pub use response::{Refusal, RefusalError, RefusalKind};
pub use route::{KeyFunction, RouteLimit};

#[cfg(feature = "macros")]
pub use actix_web_guard_macros::rate_limit;

/// For the expansion of `#[rate_limit]`. Not public API.
#[doc(hidden)]
pub mod __private {
    pub use crate::route::{
        RouteLimit,
        annotation::{AnnotatedKey, AnnotatedLimit, Annotation},
    };
}
