//! The store on Redis or Valkey: one server, Sentinel, or a Cluster.
//!
//! Each question is one script, so that it is atomic and one round trip. The scripts need nothing beyond Redis 6.2: no
//! functions, no flags, effects replication as it is the default. All times are the server's.
//!
//! Must not know: requests, responses, what is done about a failure.

mod bans;
#[cfg(feature = "admin")]
mod command_lines;
mod connection;
mod endpoint;
mod events;
mod invalidation;
mod keys;
mod parts;
mod question;
mod reply;
mod script;
#[cfg(feature = "admin")]
mod standing;
mod store;
#[cfg(test)]
pub(in crate::store) mod tests;

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::{
    config::{RedisUrl, RedisWindows, Settings},
    decision::Store,
    route::CountedMethods,
};

use super::{CountedApart, MemoryStore, failover::Failover, shared_bans::SharedBans};

use connection::Servers;
use endpoint::{EndpointPath, RouteMethod};

pub(in crate::store) use connection::Failure;
pub(in crate::store) use events::Event;
pub(in crate::store) use question::Asked;
pub(in crate::store) use store::RedisStore;

/// Keys of passive mode have this behind the prefix: enforcing nodes never see them.
const PASSIVE: &str = "passive:";

/// The store of a configuration that names Redis servers, with `memory` for what stays in this process.
pub(in crate::store) fn open(
    settings: &Settings,
    urls: &[RedisUrl],
    memory: MemoryStore,
    enforcing: bool,
) -> Box<dyn Store> {
    let servers = match servers(settings, urls) {
        Ok(servers) => servers,
        Err(error) => {
            // The configuration was checked when it was built.
            tracing::error!(
                error,
                "store: windows, strikes and bans stay in this process"
            );
            return Box::new(memory);
        }
    };
    let prefix = match enforcing {
        true => settings.redis_prefix.clone(),
        false => format!("{}{PASSIVE}", settings.redis_prefix),
    };
    let redis = RedisStore::new(servers, &prefix, settings.redis_cluster);
    let clock = Arc::clone(&settings.clock);
    match settings.redis_windows {
        RedisWindows::Shared => Box::new(Failover::start(
            redis,
            memory,
            settings.ban_cache_entries,
            clock,
        )),
        RedisWindows::Local => Box::new(SharedBans::start(redis, memory, clock)),
    }
}

/// A store on one server.
#[cfg(test)]
pub(in crate::store) fn store_at(url: &str) -> RedisStore {
    let timeout = std::time::Duration::from_millis(250);
    let servers = Servers::parse(&[url], None, false, timeout).unwrap();
    RedisStore::new(servers, "guard:", false)
}

/// A store on a Cluster.
#[cfg(test)]
pub(in crate::store) fn store_of_cluster(urls: &[String]) -> RedisStore {
    let timeout = std::time::Duration::from_millis(250);
    let servers = Servers::parse(urls, None, true, timeout).unwrap();
    RedisStore::new(servers, "guard:", true)
}

/// A store on the master that Sentinels name.
#[cfg(test)]
pub(in crate::store) fn store_of_sentinels(urls: &[String], master: &str) -> RedisStore {
    let timeout = std::time::Duration::from_millis(250);
    let servers = Servers::parse(urls, Some(master), false, timeout).unwrap();
    RedisStore::new(servers, "guard:", false)
}

/// See [`check_servers`](super::check_servers).
pub(in crate::store) fn check_servers(
    settings: &Settings,
    urls: &[RedisUrl],
) -> Result<(), String> {
    servers(settings, urls).map(drop)
}

fn servers(settings: &Settings, urls: &[RedisUrl]) -> Result<Servers, String> {
    let urls: Vec<&str> = urls.iter().map(RedisUrl::as_str).collect();
    let master = settings.redis_sentinel_master.as_deref();
    Servers::parse(
        &urls,
        master,
        settings.redis_cluster,
        settings.redis_timeout,
    )
    .map_err(|error| error.to_string())
}

/// The text of the script that decides about requests with one window.
#[cfg(feature = "benchmark")]
pub(crate) fn decision_script(
    quota: crate::decision::Quota,
    rules: crate::decision::StrikeRules,
) -> String {
    let shape = script::Shape {
        threat: false,
        exceeded: false,
        logs: [[quota].into_iter().collect()].into_iter().collect(),
        count_rejected: true,
        bans: true,
        strikes: Some(rules),
    };
    let script = script::Scripts::new().decision(shape);
    script.script.text().to_owned()
}

/// See [`endpoint`](super::endpoint).
pub(in crate::store) fn endpoint(
    pattern: &str,
    methods: CountedMethods<'_>,
    mark: Option<String>,
) -> Arc<str> {
    let methods = match methods {
        CountedMethods::First(method) => RouteMethod::First(method),
        CountedMethods::All => RouteMethod::All,
    };
    let path = EndpointPath::new(pattern, methods);
    let path = match mark {
        None => path,
        Some(mark) => path.distinct(short_hash(&mark)),
    };
    path.as_str().into()
}

fn short_hash(text: &str) -> u32 {
    let hash = Sha256::digest(text);
    let first = hash.first_chunk();
    first.map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

pub(in crate::store) fn endpoint_apart(apart: CountedApart) -> Arc<str> {
    EndpointPath::apart(apart).as_str().into()
}
