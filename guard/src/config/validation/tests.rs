use std::time::Duration;

use actix_web::http::header::HeaderName;

use crate::client::Networks;
use crate::config::{RedisWindows, StoreFailurePolicy};

use super::*;

fn checked(ttl: u64, interval: u64, after: Option<u64>) -> Result<(), String> {
    let settings = Settings {
        strike_ttl: Duration::from_secs(ttl),
        strike_interval: Duration::from_secs(interval),
        strike_reset: after.map_or(StrikeReset::CleanRequest, |after| {
            StrikeReset::After(Duration::from_secs(after))
        }),
        ..Settings::default()
    };
    check(&settings).map_err(|(name, problem)| problem.in_field(name).to_string())
}

#[test]
fn strikes_have_to_add_up_before_they_are_forgotten() {
    assert_eq!(checked(60, 0, None), Ok(()));
    assert_eq!(checked(60, 59, None), Ok(()));
    assert_eq!(
        checked(60, 60, None).unwrap_err(),
        "strike_interval: must be shorter than strike_ttl (60 seconds), not 60"
    );
    assert!(checked(60, 61, None).is_err());
}

#[test]
fn strikes_live_at_least_as_long_as_the_reset_promises() {
    assert_eq!(checked(60, 0, Some(60)), Ok(()));
    assert_eq!(checked(61, 0, Some(60)), Ok(()));
    assert_eq!(
        checked(59, 0, Some(60)).unwrap_err(),
        "strike_ttl: must not be shorter than the time in strike_reset (60 seconds), but is 59"
    );
}

fn with_urls(urls: &[&str], change: fn(&mut Settings)) -> Result<(), String> {
    let urls = urls.iter().map(|url| RedisUrl::parse(url).unwrap());
    let mut settings = Settings {
        store: StoreChoice::Redis(urls.collect()),
        ..Settings::default()
    };
    change(&mut settings);
    check(&settings).map_err(|(name, problem)| problem.in_field(name).to_string())
}

fn sentinel(settings: &mut Settings) {
    settings.redis_sentinel_master = Some("mymaster".to_owned());
}

fn cluster(settings: &mut Settings) {
    settings.redis_cluster = true;
}

#[test]
fn servers_that_belong_together() {
    assert_eq!(with_urls(&["redis://one/3"], |_| {}), Ok(()));
    for urls in [&["redis://one/0"][..], &["redis://one", "redis://two/"]] {
        assert_eq!(with_urls(urls, sentinel), Ok(()));
        assert_eq!(with_urls(urls, cluster), Ok(()));
    }
    let sentinels = ["redis://:x@one:1/3", "redis://:x@two:2/3"];
    assert_eq!(with_urls(&sentinels, sentinel), Ok(()));
}

/// URLs, what else is set, and the error.
type Case<'a> = (&'a [&'a str], fn(&mut Settings), &'a str);

#[test]
fn servers_that_do_not_belong_together() {
    let two = ["redis://:secret@one", "redis://:secret@two/3"];
    let cases: [Case<'_>; 5] = [
        (
            &two,
            |_| {},
            "store: must be one URL, not 2, unless redis_sentinel_master or redis_cluster is set",
        ),
        (
            &two,
            sentinel,
            "store[1]: must have the same database as the first URL, unlike redis://***@two/3",
        ),
        (
            &two,
            cluster,
            "store[1]: must not have a database, as redis://***@two/3 has, with redis_cluster: \
             a Cluster has none but 0",
        ),
        (
            &["redis://one/1"],
            cluster,
            "store[0]: must not have a database, as redis://one/1 has, with redis_cluster: \
             a Cluster has none but 0",
        ),
        (
            &["redis://one"],
            |settings| {
                sentinel(settings);
                cluster(settings);
            },
            "redis_cluster: must not be set beside redis_sentinel_master",
        ),
    ];
    for (urls, change, expected) in cases {
        assert_eq!(with_urls(urls, change).unwrap_err(), expected);
    }
}

#[test]
fn bans_are_in_a_file_or_in_redis() {
    let error = with_urls(&["redis://one"], |settings| {
        settings.ban_file = Some("bans.json".into());
    });
    assert_eq!(
        error.unwrap_err(),
        "ban_file: must not be set with a Redis store, which keeps the bans itself"
    );
}

#[test]
fn without_redis_only_its_servers_must_not_be_named() {
    let checked = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        check(&settings).map_err(|(name, problem)| problem.in_field(name).to_string())
    };
    assert_eq!(
        checked(sentinel).unwrap_err(),
        "redis_sentinel_master: needs a Redis store, but store is \"memory\""
    );
    assert_eq!(
        checked(cluster).unwrap_err(),
        "redis_cluster: needs a Redis store, but store is \"memory\""
    );
    let unused = checked(|settings| {
        settings.redis_prefix = "other:".to_owned();
        settings.redis_timeout = Duration::from_millis(1);
        settings.redis_windows = RedisWindows::Local;
        settings.on_store_failure = StoreFailurePolicy::Closed;
        settings.ban_cache_entries = 1;
        settings.ban_file = Some("bans.json".into());
    });
    assert_eq!(unused, Ok(()));
}

#[test]
fn a_header_is_read_from_somebody() {
    let checked = |proxies: &[&str], name| {
        let mut settings = Settings::default();
        settings.proxy_trust.networks = Networks::parse(proxies).unwrap();
        settings.proxy_trust.header = ClientIpHeader::of(HeaderName::from_static(name));
        check(&settings).map_err(|(name, problem)| problem.in_field(name).to_string())
    };
    assert_eq!(checked(&["::1"], "x-real-ip"), Ok(()));
    assert_eq!(checked(&[], "x-forwarded-for"), Ok(()));
    assert_eq!(
        checked(&[], "x-real-ip").unwrap_err(),
        "client_ip_header: is read only from trusted_proxies, and none is set"
    );
}
