//! Rules that concern several fields at once.
//!
//! Must not know: rules of a single field, or where a value came from.

use crate::client::ClientIpHeader;

use super::{
    error::Problem,
    redis_url::RedisUrl,
    settings::{Settings, StrikeReset},
    store::StoreChoice,
};

/// Checks the fields beside each other; a problem comes with the field to blame.
pub(super) fn check(settings: &Settings) -> Result<(), (&'static str, Problem)> {
    check_strike_ttl(settings).map_err(|problem| ("strike_ttl", problem))?;
    check_strike_interval(settings).map_err(|problem| ("strike_interval", problem))?;
    check_client_ip_header(settings).map_err(|problem| ("client_ip_header", problem))?;
    match &settings.store {
        StoreChoice::Memory => check_without_redis(settings),
        StoreChoice::Redis(urls) => check_redis(settings, urls),
    }
}

/// Who names servers in some way or other does not want them to be ignored.
fn check_without_redis(settings: &Settings) -> Result<(), (&'static str, Problem)> {
    let needs_redis = || Problem::statement("needs a Redis store, but store is \"memory\"");
    if settings.redis_sentinel_master.is_some() {
        return Err(("redis_sentinel_master", needs_redis()));
    }
    if settings.redis_cluster {
        return Err(("redis_cluster", needs_redis()));
    }
    Ok(())
}

fn check_redis(settings: &Settings, urls: &[RedisUrl]) -> Result<(), (&'static str, Problem)> {
    match (&settings.redis_sentinel_master, settings.redis_cluster) {
        (Some(_), true) => {
            let problem = Problem::must("not be set beside redis_sentinel_master");
            return Err(("redis_cluster", problem));
        }
        (Some(_), false) => check_same_database(urls),
        (None, true) => check_no_database(urls),
        (None, false) => check_single(urls),
    }
    .map_err(|problem| ("store", problem))?;
    check_servers(settings).map_err(|problem| ("store", problem))?;
    check_ban_file(settings).map_err(|problem| ("ban_file", problem))
}

/// Whatever else the connection layer finds wrong with them, such as that there are no certificates to trust.
fn check_servers(settings: &Settings) -> Result<(), Problem> {
    #[cfg(feature = "redis")]
    return crate::store::check_servers(settings).map_err(Problem::statement);
    #[cfg(not(feature = "redis"))]
    {
        let _ = settings;
        Ok(())
    }
}

fn check_single(urls: &[RedisUrl]) -> Result<(), Problem> {
    match urls {
        [_] => Ok(()),
        _ => Err(Problem::must(format_args!(
            "be one URL, not {}, unless redis_sentinel_master or redis_cluster is set",
            urls.len()
        ))),
    }
}

/// Else the database would be that of the Sentinel that happens to answer.
fn check_same_database(urls: &[RedisUrl]) -> Result<(), Problem> {
    match different_database(urls, urls.first().map_or(0, RedisUrl::database)) {
        None => Ok(()),
        Some((index, url)) => Err(Problem::must(format_args!(
            "have the same database as the first URL, unlike {url}"
        ))
        .at(format_args!("[{index}]"))),
    }
}

fn check_no_database(urls: &[RedisUrl]) -> Result<(), Problem> {
    match different_database(urls, 0) {
        None => Ok(()),
        Some((index, url)) => Err(Problem::must(format_args!(
            "not have a database, as {url} has, with redis_cluster: a Cluster has none but 0"
        ))
        .at(format_args!("[{index}]"))),
    }
}

/// The first URL with another database than this.
fn different_database(urls: &[RedisUrl], database: u32) -> Option<(usize, &RedisUrl)> {
    let mut urls = urls.iter().enumerate();
    urls.find(|(_, url)| url.database() != database)
}

/// A file of one process beside the bans of all would contradict them.
fn check_ban_file(settings: &Settings) -> Result<(), Problem> {
    match settings.ban_file {
        None => Ok(()),
        Some(_) => Err(Problem::must(
            "not be set with a Redis store, which keeps the bans itself",
        )),
    }
}

/// A shorter life would break what the reset promises: strikes are kept for that long.
fn check_strike_ttl(settings: &Settings) -> Result<(), Problem> {
    let ttl = settings.strike_ttl;
    match settings.strike_reset {
        StrikeReset::After(after) if ttl < after => Err(Problem::must(format_args!(
            "not be shorter than the time in strike_reset ({} seconds), but is {}",
            after.as_secs(),
            ttl.as_secs()
        ))),
        _ => Ok(()),
    }
}

/// With an interval as long as the life, strikes would never add up.
fn check_strike_interval(settings: &Settings) -> Result<(), Problem> {
    let (interval, ttl) = (settings.strike_interval, settings.strike_ttl);
    if interval >= ttl {
        return Err(Problem::must(format_args!(
            "be shorter than strike_ttl ({} seconds), not {}",
            ttl.as_secs(),
            interval.as_secs()
        )));
    }
    Ok(())
}

/// A header that nobody is believed in is taken for a protection that isn't there: all visitors are counted as the proxy.
fn check_client_ip_header(settings: &Settings) -> Result<(), Problem> {
    let trust = &settings.proxy_trust;
    if trust.is_empty() && trust.header != ClientIpHeader::XForwardedFor {
        return Err(Problem::statement(
            "is read only from trusted_proxies, and none is set",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
