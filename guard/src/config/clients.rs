//! How values about clients are read: networks, proxies, user agents, paths, crawlers.
//!
//! Must not know: the names of fields, or where a value came from.

use actix_web::http::header::HeaderName;

use crate::{
    client::{ClientIpHeader, NetworkError, Networks, ProxyTrust, UserAgents},
    crawlers::Crawlers,
};

use super::{
    error::{ConfigError, Problem},
    paths::Paths,
    raw::Raw,
    settings::Settings,
    text,
    values::{as_name, as_texts},
};

/// Stands for whatever comes over a Unix socket.
const UNIX: &str = "unix";

/// Reads a list of addresses, networks, presets and files.
pub(super) fn as_networks(raw: &Raw) -> Result<Networks, Problem> {
    parse_networks(as_texts(raw)?)
}

fn parse_networks(items: Vec<&str>) -> Result<Networks, Problem> {
    Networks::parse(items).map_err(|error| bad_network(&error))
}

fn bad_network(error: &NetworkError) -> Problem {
    Problem::statement(error.message(text::quoted))
}

/// Reads a list of proxies: as of networks, and whether it names Unix sockets.
pub(super) fn as_proxies(raw: &Raw) -> Result<(Networks, bool), Problem> {
    let (unix, networks): (Vec<&str>, Vec<&str>) = as_texts(raw)?
        .into_iter()
        .partition(|item| item.trim() == UNIX);
    let networks = not_everybody(parse_networks(networks)?)?;
    Ok((networks, !unix.is_empty()))
}

fn not_everybody(networks: Networks) -> Result<Networks, Problem> {
    if networks.cover_everybody() {
        return Err(Problem::must(
            "name your proxies, not everybody: whoever is trusted chooses the address that is counted",
        ));
    }
    Ok(networks)
}

/// Proxies as a value.
pub(super) fn from_proxies(trust: &ProxyTrust) -> Raw {
    let unix = trust.unix.then(|| UNIX.to_owned());
    Raw::texts(trust.networks.entries().chain(unix))
}

/// Reads the name of a header.
pub(super) fn as_client_ip_header(raw: &Raw) -> Result<ClientIpHeader, Problem> {
    let name = as_name(raw)?;
    match HeaderName::from_bytes(name.as_bytes()) {
        Ok(name) => Ok(ClientIpHeader::of(name)),
        Err(_) => Err(Problem::must(format_args!(
            "be the name of a header, not {raw}"
        ))),
    }
}

/// Reads a list of texts in user agents.
pub(super) fn as_user_agents(raw: &Raw) -> Result<UserAgents, Problem> {
    UserAgents::parse(as_texts(raw)?)
        .map_err(|error| Problem::statement(error.message(text::quoted)))
}

/// Reads a list of route patterns.
pub(super) fn as_paths(raw: &Raw) -> Result<Paths, Problem> {
    Paths::parse(as_texts(raw)?)
}

/// Reads a list of crawlers.
pub(super) fn as_crawlers(raw: &Raw) -> Result<Crawlers, Problem> {
    let crawlers = Crawlers::parse(as_texts(raw)?)
        .map_err(|error| Problem::statement(error.message(text::quoted)))?;
    if cfg!(not(feature = "verify-crawlers")) && !crawlers.is_empty() {
        return Err(Problem::statement(
            "needs the cargo feature \"verify-crawlers\" of actix-web-guard",
        ));
    }
    Ok(crawlers)
}

/// The settings with the files of their lists as they are now.
pub(super) fn reread(settings: &Settings) -> Result<Settings, ConfigError> {
    let read = |field: &str, networks: &Networks| {
        let networks = networks.reread();
        networks.map_err(|error| bad_network(&error).in_field(field))
    };
    let mut now = settings.clone();
    now.exempt_ips = read("exempt_ips", &settings.exempt_ips)?;
    now.denied_ips = read("denied_ips", &settings.denied_ips)?;
    let proxies = read("trusted_proxies", &settings.proxy_trust.networks)?;
    now.proxy_trust.networks =
        not_everybody(proxies).map_err(|problem| problem.in_field("trusted_proxies"))?;
    Ok(now)
}

#[cfg(test)]
mod tests;
