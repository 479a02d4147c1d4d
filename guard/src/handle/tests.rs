use super::*;
use crate::{
    clock::ManualClock,
    config::{SecurityConfigBuilder, StoreFailurePolicy},
};

/// Puts the second configuration in force after the first.
fn reloaded(
    old: SecurityConfigBuilder,
    new: SecurityConfigBuilder,
) -> (GuardHandle, Result<(), GuardError>) {
    let clock = Arc::new(ManualClock::new());
    let [old, new] = [old, new].map(|builder| builder.clock(clock.clone()).build().unwrap());
    let handle = GuardHandle::of(&old);
    let result = handle.reload(&new);
    (handle, result)
}

#[test]
fn what_the_store_was_made_of_stays() {
    let plain = SecurityConfig::builder;
    let changes = [
        ("redis_prefix", plain().redis_prefix("other:")),
        ("redis_timeout_ms", plain().redis_timeout_ms(251)),
        (
            "redis_windows",
            plain().redis_windows(crate::RedisWindows::Local),
        ),
        ("max_clients", plain().max_clients(7)),
        ("max_bans", plain().max_bans(7)),
        ("ban_file", plain().ban_file("bans.json")),
        ("ban_cache_entries", plain().ban_cache_entries(7)),
    ];
    for (field, change) in changes {
        let (handle, result) = reloaded(plain(), change.rate_limit(7));
        assert_eq!(result, Err(GuardError::FixedAtStart(field)));
        assert_eq!(handle.engine.settings().global.requests, 50);
    }
}

#[test]
fn what_becomes_of_requests_without_the_store_may_change() {
    let plain = SecurityConfig::builder;
    let closed = plain().on_store_failure(StoreFailurePolicy::Closed);
    let (handle, result) = reloaded(plain(), closed);
    assert_eq!(result, Ok(()));
    assert_eq!(
        handle.engine.settings().on_store_failure,
        StoreFailurePolicy::Closed
    );
}

#[test]
fn the_servers_stay() {
    let config = SecurityConfig::default();
    let settings = config.settings();
    let changed = |change: fn(&mut Settings)| {
        let mut other = Settings::clone(settings);
        change(&mut other);
        fixed_field(settings, &other)
    };
    assert_eq!(changed(|_| {}), None);
    assert_eq!(
        changed(|other| other.redis_sentinel_master = Some("mymaster".to_owned())),
        Some("redis_sentinel_master")
    );
    assert_eq!(
        changed(|other| other.redis_cluster = true),
        Some("redis_cluster")
    );
}

#[cfg(feature = "redis")]
#[test]
fn not_even_the_password_of_the_store_may_change() {
    let with = |url: &str| {
        let config = SecurityConfig::builder().store(url).build().unwrap();
        Arc::clone(config.settings())
    };
    let old = with("redis://:old@host");
    for url in ["redis://:new@host", "redis://:old@other", "memory"] {
        let mut new = Settings::clone(&with(url));
        new.clock = Arc::clone(&old.clock);
        assert_eq!(fixed_field(&old, &new), Some("store"), "{url}");
    }
}
