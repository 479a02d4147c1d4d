//! Fields of stores.
//!
//! Must not know: where values come from, or rules that concern several fields.

use std::{ops::RangeInclusive, time::Duration};

use super::super::{
    field::{Field, field},
    raw::Raw,
    store::{as_failure_policy, as_redis_prefix, as_redis_windows, as_store, from_store},
    values::{Form, as_integer, as_name, as_path, as_switch},
};
use super::{number, set, switch};

const MAX_CLIENTS: RangeInclusive<u64> = 1..=100_000_000;
const MAX_BANS: RangeInclusive<u64> = 1..=10_000_000;
const REDIS_TIMEOUT_MS: RangeInclusive<u64> = 1..=10_000;
const BAN_CACHE_ENTRIES: RangeInclusive<u64> = 1..=10_000_000;

/// In the order of the documentation.
pub(super) static FIELDS: &[Field] = &[
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
];
