//! The setters of the Redis store's fields.
//!
//! Must not know: the rules of the fields.

use crate::config::{
    SecurityConfigBuilder,
    raw::Raw,
    store::{RedisWindows, StoreFailurePolicy},
};

/// Setters for windows, strikes and bans in Redis or Valkey. The other fields have no effect while `store` is `"memory"`, and
/// those that name servers are refused then.
impl SecurityConfigBuilder {
    /// Where windows, strikes and bans are kept: `"memory"`, the default, or the URL of a Redis server.
    ///
    /// A URL is `redis://[user:password@]host[:port][/database]`, or `rediss://…` for TLS; special characters in the
    /// password are percent-encoded, and the port is 6379 (of Sentinels 26379) unless it is there. It needs the cargo feature
    /// `redis`, or `redis-tls`. User and password are never shown.
    ///
    /// ```
    /// # #[cfg(feature = "redis")] {
    /// use actix_web_guard::SecurityConfig;
    ///
    /// let config = SecurityConfig::builder()
    ///     .store("redis://:p%40ssword@127.0.0.1:6379/0")
    ///     .build()?;
    /// assert!(config.to_string().contains("store = \"redis://***@127.0.0.1:6379/0\""));
    /// # }
    /// # Ok::<(), actix_web_guard::ConfigError>(())
    /// ```
    pub fn store(self, store: impl Into<String>) -> Self {
        self.give("store", Raw::text(store))
    }

    /// Sets [`store`](Self::store) to several servers: the Sentinels of
    /// [`redis_sentinel_master`](Self::redis_sentinel_master), or some nodes of a [Cluster](Self::redis_cluster). The same
    /// field takes a list in TOML, and URLs separated by commas in the environment.
    ///
    /// ```
    /// # #[cfg(feature = "redis")] {
    /// use actix_web_guard::SecurityConfig;
    ///
    /// let config = SecurityConfig::builder()
    ///     .redis_urls(["redis://sentinel-1:26379", "redis://sentinel-2:26379"])
    ///     .redis_sentinel_master("mymaster")
    ///     .build()?;
    /// # }
    /// # Ok::<(), actix_web_guard::ConfigError>(())
    /// ```
    pub fn redis_urls(self, urls: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("store", Raw::texts(urls))
    }

    /// The name of the master whose Sentinels the URLs are; default none. User, password and database of the URLs are those
    /// of the master, so the database is the same in all of them. Not together with `redis_cluster`.
    pub fn redis_sentinel_master(self, name: impl Into<String>) -> Self {
        self.give("redis_sentinel_master", Raw::text(name))
    }

    /// What all keys in Redis begin with: 1 to 64 bytes without braces, spaces and control characters; default `guard:`.
    pub fn redis_prefix(self, prefix: impl Into<String>) -> Self {
        self.give("redis_prefix", Raw::text(prefix))
    }

    /// Whether the URLs are nodes of a Redis Cluster, which has no databases but 0; default false.
    pub fn redis_cluster(self, cluster: bool) -> Self {
        self.switch("redis_cluster", cluster)
    }

    /// Milliseconds after which a call to Redis has failed: 1 to 10,000; default 250.
    pub fn redis_timeout_ms(self, milliseconds: i64) -> Self {
        self.integer("redis_timeout_ms", milliseconds)
    }

    /// Where limits are counted; default [`RedisWindows::Shared`].
    pub fn redis_windows(self, windows: RedisWindows) -> Self {
        self.give("redis_windows", Raw::text(windows.word()))
    }

    /// What becomes of requests while Redis does not answer; default [`StoreFailurePolicy::Local`].
    pub fn on_store_failure(self, policy: StoreFailurePolicy) -> Self {
        self.give("on_store_failure", Raw::text(policy.word()))
    }

    /// Bans of the Redis store that each process remembers, to refuse without asking Redis: 1 to 10,000,000; default 10,000.
    pub fn ban_cache_entries(self, bans: i64) -> Self {
        self.integer("ban_cache_entries", bans)
    }
}
