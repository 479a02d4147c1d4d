//! Fields of who is asking: proxies, and lists of those that are exempt or denied.
//!
//! Must not know: where values come from, or rules that concern several fields.

use std::ops::RangeInclusive;

use super::super::{
    clients::{
        as_client_ip_header, as_crawlers, as_networks, as_paths, as_proxies, as_user_agents,
        from_proxies,
    },
    field::{Field, field},
    raw::Raw,
    routes::REQUESTS,
    values::{Form, as_integer, as_switch},
};
use super::{number, set, switch};

const IPV6_PREFIX: RangeInclusive<u64> = 1..=128;

/// In the order of the documentation.
pub(super) static FIELDS: &[Field] = &[
    field(
        "exempt_ips",
        Form::List,
        |draft, raw| set(&mut draft.settings.exempt_ips, as_networks(raw)),
        |settings| Some(Raw::texts(settings.exempt_ips.entries())),
    ),
    field(
        "exempt_user_agents",
        Form::List,
        |draft, raw| set(&mut draft.settings.exempt_user_agents, as_user_agents(raw)),
        |settings| Some(Raw::texts(settings.exempt_user_agents.entries())),
    ),
    field(
        "exempt_paths",
        Form::List,
        |draft, raw| set(&mut draft.settings.exempt_paths, as_paths(raw)),
        |settings| Some(Raw::texts(settings.exempt_paths.entries())),
    ),
    field(
        "exempt_loopback",
        Form::Switch,
        |draft, raw| set(&mut draft.settings.exempt_loopback, as_switch(raw)),
        |settings| switch(settings.exempt_loopback),
    ),
    field(
        "exempt_crawlers",
        Form::List,
        |draft, raw| set(&mut draft.settings.exempt_crawlers, as_crawlers(raw)),
        |settings| Some(Raw::texts(settings.exempt_crawlers.entries())),
    ),
    field(
        "banned_user_agents",
        Form::List,
        |draft, raw| set(&mut draft.settings.banned_user_agents, as_user_agents(raw)),
        |settings| Some(Raw::texts(settings.banned_user_agents.entries())),
    ),
    field(
        "denied_ips",
        Form::List,
        |draft, raw| set(&mut draft.settings.denied_ips, as_networks(raw)),
        |settings| Some(Raw::texts(settings.denied_ips.entries())),
    ),
    field(
        "trusted_proxies",
        Form::List,
        |draft, raw| {
            let (networks, unix) = as_proxies(raw)?;
            draft.settings.proxy_trust.networks = networks;
            draft.settings.proxy_trust.unix = unix;
            Ok(())
        },
        |settings| Some(from_proxies(&settings.proxy_trust)),
    ),
    field(
        "client_ip_header",
        Form::Word,
        |draft, raw| {
            set(
                &mut draft.client_ip_header,
                as_client_ip_header(raw).map(Some),
            )
        },
        |settings| Some(Raw::text(settings.proxy_trust.header.name().as_str())),
    ),
    field(
        "infrastructure_limit",
        Form::Number,
        |draft, raw| {
            set(
                &mut draft.settings.infrastructure_limit,
                as_integer(raw, REQUESTS).map(Some),
            )
        },
        |settings| settings.infrastructure_limit.and_then(number),
    ),
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
];
