//! Fields of limits, strikes and bans.
//!
//! Must not know: where values come from, or rules that concern several fields.

use std::ops::RangeInclusive;

use super::super::{
    detection::{as_detection, from_detection},
    field::{Field, field},
    raw::Raw,
    routes::{REQUESTS, as_window_millis},
    values::{
        Form, as_duration, as_integer, as_statuses, as_strike_reset, as_switch, from_statuses,
        from_strike_reset,
    },
};
use super::{number, set, switch};

/// 10 years, in seconds.
const BAN: RangeInclusive<u64> = 1..=315_360_000;
const STRIKE_INTERVAL: RangeInclusive<u64> = 0..=86_400;
const THRESHOLD: RangeInclusive<u64> = 0..=1_000_000;

/// In the order of the documentation.
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
    field(
        "detection",
        Form::Tables,
        |draft, raw| set(&mut draft.settings.detection, as_detection(raw)),
        |settings| Some(from_detection(&settings.detection)),
    ),
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
    field(
        "strike_on_status",
        Form::List,
        |draft, raw| set(&mut draft.settings.strike_on_status, as_statuses(raw)),
        |settings| Some(from_statuses(&settings.strike_on_status)),
    ),
    field(
        "not_found_limit",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.not_found_limit,
                as_integer(raw, REQUESTS).map(Some),
            )
        },
        |settings| settings.not_found_limit.and_then(number),
    ),
];
