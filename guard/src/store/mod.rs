//! Stores: where windows, strikes and bans are kept.
//!
//! Must not know: requests, responses.

mod memory;
mod table;

#[cfg(feature = "redis")]
mod failover;
#[cfg(feature = "redis")]
mod hot_bans;
#[cfg(feature = "redis")]
pub(crate) mod redis;
#[cfg(feature = "redis")]
mod shared_bans;
#[cfg(feature = "redis")]
mod unwritten;
#[cfg(feature = "redis")]
mod upkeep;
#[cfg(feature = "redis")]
mod writing;

#[cfg(test)]
mod contract;
#[cfg(test)]
mod model;

use std::sync::Arc;

use crate::{
    config::{Settings, StoreChoice},
    decision::Store,
    route::CountedMethods,
};

pub(crate) use memory::{MemoryStore, MemoryStoreOptions};

/// The store of a configuration; the one for passive mode has keys of its own.
pub(crate) fn open(settings: &Settings, enforcing: bool) -> Box<dyn Store> {
    let memory = MemoryStore::new(
        &MemoryStoreOptions {
            max_clients: settings.max_clients,
            max_bans: settings.max_bans,
            ban_file: settings.ban_file.clone().filter(|_| enforcing),
        },
        Arc::clone(&settings.clock),
    );
    match &settings.store {
        StoreChoice::Memory => Box::new(memory),
        #[cfg(feature = "redis")]
        StoreChoice::Redis(urls) => redis::open(settings, urls, memory, enforcing),
        #[cfg(not(feature = "redis"))]
        StoreChoice::Redis(_) => Box::new(memory),
    }
}

/// What is wrong with the Redis servers of a configuration, if anything is.
///
/// # Errors
///
/// One line that does not name the field. It never shows a password.
#[cfg(feature = "redis")]
pub(crate) fn check_servers(settings: &Settings) -> Result<(), String> {
    match &settings.store {
        StoreChoice::Memory => Ok(()),
        StoreChoice::Redis(urls) => redis::check_servers(settings, urls),
    }
}

/// What a route is called in a store that processes share; `mark` tells apart those that have pattern and methods in common.
pub(crate) fn endpoint(
    pattern: &str,
    methods: CountedMethods<'_>,
    mark: Option<String>,
) -> Option<Arc<str>> {
    #[cfg(feature = "redis")]
    return Some(redis::endpoint(pattern, methods, mark));
    #[cfg(not(feature = "redis"))]
    {
        let _ = (pattern, methods, mark);
        None
    }
}

/// What is counted apart from the application's routes, and is no route of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedApart {
    /// CORS preflights.
    Preflight,
    /// Requests of trusted proxies that name nobody.
    Infrastructure,
    /// Answers with 404.
    NotFound,
}

/// What that is called in a store that processes share.
pub(crate) fn endpoint_apart(apart: CountedApart) -> Option<Arc<str>> {
    #[cfg(feature = "redis")]
    return Some(redis::endpoint_apart(apart));
    #[cfg(not(feature = "redis"))]
    {
        let _ = apart;
        None
    }
}
