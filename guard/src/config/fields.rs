//! The table of fields: every name a configuration may use, with the rule that reads its value and the value that is
//! printed for it. TOML, environment, builder, printing and suggestions all read this one table.
//!
//! Must not know: where values come from, or rules that concern several fields.

use std::{ops::RangeInclusive, sync::Arc, time::Duration};

use super::{
    error::Problem,
    field::{Field, field, later, not_available},
    raw::Raw,
    routes::{REQUESTS, as_routes, as_window_millis, from_route},
    settings::Settings,
    store::{as_failure_policy, as_redis_prefix, as_redis_windows, as_store, from_store},
    values::{
        Form, as_duration, as_header_style, as_integer, as_name, as_networks, as_path,
        as_strike_reset, as_switch, as_text, from_strike_reset,
    },
};

/// 10 years, in seconds.
const BAN: RangeInclusive<u64> = 1..=315_360_000;
const STRIKE_INTERVAL: RangeInclusive<u64> = 0..=86_400;
const THRESHOLD: RangeInclusive<u64> = 0..=1_000_000;
const IPV6_PREFIX: RangeInclusive<u64> = 1..=128;
const MAX_CLIENTS: RangeInclusive<u64> = 1..=100_000_000;
const MAX_BANS: RangeInclusive<u64> = 1..=10_000_000;
const REDIS_TIMEOUT_MS: RangeInclusive<u64> = 1..=10_000;
const BAN_CACHE_ENTRIES: RangeInclusive<u64> = 1..=10_000_000;

const CLIENT_IP_HEADER: &str = "x-forwarded-for";

fn set<T>(slot: &mut T, value: Result<T, Problem>) -> Result<(), Problem> {
    *slot = value?;
    Ok(())
}

fn number(value: impl TryInto<i128>) -> Option<Raw> {
    value.try_into().ok().map(Raw::Integer)
}

fn switch(value: bool) -> Option<Raw> {
    Some(Raw::Switch(value))
}

fn nothing() -> Option<Raw> {
    None
}

fn empty_list() -> Option<Raw> {
    Some(Raw::List(Vec::new()))
}

/// The field of a name.
pub(super) fn find(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

/// In the order of the documentation, in which they are checked and printed.
pub(super) static FIELDS: &[Field] = &[
    field(
        "rate_limit",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.global.requests,
                as_integer(raw, REQUESTS),
            )
        },
        |settings| number(settings.global.requests),
    ),
    field(
        "rate_limit_window",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.global.window_millis,
                as_window_millis(raw),
            )
        },
        |settings| number(settings.global.window_millis / 1000),
    ),
    field(
        "auto_ban_threshold",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.auto_ban_threshold,
                as_integer(raw, THRESHOLD),
            )
        },
        |settings| number(settings.auto_ban_threshold),
    ),
    field(
        "auto_ban_duration",
        Form::Number,
        |draft, raw| set(&mut draft.settings.auto_ban_duration, as_duration(raw, BAN)),
        |settings| Some(Raw::seconds(settings.auto_ban_duration)),
    ),
    field(
        "enable_rate_limiting",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.enable_rate_limiting, as_switch(raw)),
        |settings| switch(settings.enable_rate_limiting),
    ),
    field(
        "enable_ip_banning",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.enable_ip_banning, as_switch(raw)),
        |settings| switch(settings.enable_ip_banning),
    ),
    field(
        "enable_detection",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.enable_detection, as_switch(raw)),
        |settings| switch(settings.enable_detection),
    ),
    later("detection", Form::Tables, nothing),
    field(
        "passive",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.passive, as_switch(raw)),
        |settings| switch(settings.passive),
    ),
    field(
        "count_rejected",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.count_rejected, as_switch(raw)),
        |settings| switch(settings.count_rejected),
    ),
    field(
        "strike_reset",
        Form::StrikeReset,
        |draft, raw| set(&mut draft.settings.strike_reset, as_strike_reset(raw, BAN)),
        |settings| Some(from_strike_reset(settings.strike_reset)),
    ),
    field(
        "strike_ttl",
        Form::Number,
        |draft, raw| set(&mut draft.strike_ttl, as_duration(raw, BAN).map(Some)),
        |settings| Some(Raw::seconds(settings.strike_ttl)),
    ),
    field(
        "strike_interval",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.strike_interval,
                as_duration(raw, STRIKE_INTERVAL),
            )
        },
        |settings| Some(Raw::seconds(settings.strike_interval)),
    ),
    later("strike_on_status", Form::List, empty_list),
    field(
        "exempt_ips",
        Form::List,
        |draft, raw| set(&mut draft.settings.exempt_ips, as_networks(raw)),
        |settings| Some(Raw::texts(settings.exempt_ips.entries())),
    ),
    later("exempt_user_agents", Form::List, empty_list),
    later("exempt_paths", Form::List, empty_list),
    field(
        "exempt_loopback",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.exempt_loopback, as_switch(raw)),
        |settings| switch(settings.exempt_loopback),
    ),
    later("exempt_crawlers", Form::List, empty_list),
    later("banned_user_agents", Form::List, empty_list),
    field(
        "denied_ips",
        Form::List,
        |draft, raw| set(&mut draft.settings.denied_ips, as_networks(raw)),
        |settings| Some(Raw::texts(settings.denied_ips.entries())),
    ),
    later("trusted_proxies", Form::List, empty_list),
    field(
        "client_ip_header",
        Form::Word,
        |_, raw| match as_text(raw)? {
            name if name.eq_ignore_ascii_case(CLIENT_IP_HEADER) => Ok(()),
            _ => Err(not_available()),
        },
        |_| Some(Raw::text(CLIENT_IP_HEADER)),
    ),
    later("infrastructure_limit", Form::Number, nothing),
    field(
        "ipv6_prefix",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.ipv6_prefix,
                as_integer(raw, IPV6_PREFIX),
            )
        },
        |settings| number(settings.ipv6_prefix),
    ),
    field(
        "store",
        Form::Words,
        |draft, raw| set(&mut draft.settings.store, as_store(raw)),
        |settings| Some(from_store(&settings.store)),
    ),
    field(
        "redis_sentinel_master",
        Form::Word,
        |draft, raw| {
            set(
                &mut draft.settings.redis_sentinel_master,
                as_name(raw).map(|name| Some(name.to_owned())),
            )
        },
        |settings| settings.redis_sentinel_master.as_deref().map(Raw::text),
    ),
    field(
        "redis_prefix",
        Form::Word,
        |draft, raw| set(&mut draft.settings.redis_prefix, as_redis_prefix(raw)),
        |settings| Some(Raw::text(&settings.redis_prefix)),
    ),
    field(
        "redis_cluster",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.redis_cluster, as_switch(raw)),
        |settings| switch(settings.redis_cluster),
    ),
    field(
        "redis_timeout_ms",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.redis_timeout,
                as_integer(raw, REDIS_TIMEOUT_MS).map(Duration::from_millis),
            )
        },
        |settings| number(settings.redis_timeout.as_millis()),
    ),
    field(
        "redis_windows",
        Form::Word,
        |draft, raw| set(&mut draft.settings.redis_windows, as_redis_windows(raw)),
        |settings| Some(Raw::text(settings.redis_windows.word())),
    ),
    field(
        "on_store_failure",
        Form::Word,
        |draft, raw| set(&mut draft.settings.on_store_failure, as_failure_policy(raw)),
        |settings| Some(Raw::text(settings.on_store_failure.word())),
    ),
    field(
        "max_clients",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.max_clients,
                as_integer(raw, MAX_CLIENTS),
            )
        },
        |settings| number(settings.max_clients),
    ),
    field(
        "max_bans",
        Form::Number,
        |draft, raw| set(&mut draft.settings.max_bans, as_integer(raw, MAX_BANS)),
        |settings| number(settings.max_bans),
    ),
    field(
        "ban_file",
        Form::Path,
        |draft, raw| set(&mut draft.settings.ban_file, as_path(raw).map(Some)),
        |settings| settings.ban_file.as_deref()?.to_str().map(Raw::text),
    ),
    field(
        "ban_cache_entries",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.ban_cache_entries,
                as_integer(raw, BAN_CACHE_ENTRIES),
            )
        },
        |settings| number(settings.ban_cache_entries),
    ),
    field(
        "rate_limit_headers",
        Form::Word,
        |draft, raw| set(&mut draft.settings.rate_limit_headers, as_header_style(raw)),
        |settings| Some(Raw::text(settings.rate_limit_headers.word())),
    ),
    field(
        "routes",
        Form::Tables,
        |draft, raw| set(&mut draft.settings.routes, as_routes(raw)),
        |settings| match settings.routes.as_slice() {
            [] => None,
            routes => Some(Raw::List(routes.iter().map(from_route).collect())),
        },
    ),
];

/// Equal values, the same clock, and as many detectors and hooks: whether code does the same cannot be told.
impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        FIELDS
            .iter()
            .all(|field| field.show(self) == field.show(other))
            // What is shown leaves the passwords out.
            && self.store == other.store
            && self.detectors.len() == other.detectors.len()
            && self.on_refusal.is_some() == other.on_refusal.is_some()
            && Arc::ptr_eq(&self.clock, &other.clock)
    }
}

#[cfg(test)]
mod tests;
