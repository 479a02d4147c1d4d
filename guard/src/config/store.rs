//! Which store keeps windows, strikes and bans, and what becomes of requests without it.
//!
//! Must not know: where values come from, rules that concern several fields, how a store works.

use super::{
    error::Problem,
    raw::Raw,
    redis_url::RedisUrl,
    text,
    values::{as_item, as_name, as_word},
};

/// Where the limits of a Redis store are counted. Bans are shared by all processes in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedisWindows {
    /// In Redis: the limit is that of all processes together. The default; in TOML `"shared"`.
    #[default]
    Shared,
    /// In the memory of each process, so that no request waits for Redis: several processes allow several times the limit. In
    /// TOML `"local"`.
    Local,
}

impl RedisWindows {
    pub(super) const ALL: [Self; 2] = [Self::Shared, Self::Local];

    /// In TOML and in the environment.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Local => "local",
        }
    }
}

/// What becomes of requests while Redis does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFailurePolicy {
    /// The same limits are enforced from the memory of the process. The default; in TOML `"local"`.
    #[default]
    Local,
    /// They are served. In TOML `"open"`.
    Open,
    /// They are refused with 503 and `Retry-After`. In TOML `"closed"`.
    Closed,
}

impl StoreFailurePolicy {
    pub(super) const ALL: [Self; 3] = [Self::Local, Self::Open, Self::Closed];

    /// In TOML and in the environment.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// The store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreChoice {
    Memory,
    /// At least one URL.
    Redis(Vec<RedisUrl>),
}

const MEMORY: &str = "memory";

/// Which URLs this build of the crate can use.
#[derive(Clone, Copy)]
struct Features {
    redis: bool,
    redis_tls: bool,
}

const COMPILED: Features = Features {
    redis: cfg!(feature = "redis"),
    redis_tls: cfg!(feature = "redis-tls"),
};

/// Reads a store.
pub(super) fn as_store(raw: &Raw) -> Result<StoreChoice, Problem> {
    as_store_with(raw, COMPILED)
}

fn as_store_with(raw: &Raw, features: Features) -> Result<StoreChoice, Problem> {
    let urls = match raw {
        Raw::Text(word) if word == MEMORY => return Ok(StoreChoice::Memory),
        Raw::Text(text) => vec![as_only_url(text, features)?],
        Raw::List(items) if !items.is_empty() => as_urls(items, features)?,
        Raw::List(_) => return Err(Problem::must("be a list with at least one URL")),
        _ => {
            return Err(Problem::must(format_args!(
                "be \"{MEMORY}\", a URL or a list of URLs, not {raw}"
            )));
        }
    };
    Ok(StoreChoice::Redis(urls))
}

fn as_only_url(text: &str, features: Features) -> Result<RedisUrl, Problem> {
    if !RedisUrl::is_meant(text) {
        return Err(Problem::must(format_args!(
            "be \"{MEMORY}\" or begin with redis:// or rediss://, not {}",
            text::quoted(text)
        )));
    }
    as_url(text, features)
}

fn as_urls(items: &[Raw], features: Features) -> Result<Vec<RedisUrl>, Problem> {
    let read = |(index, item)| {
        as_listed_url(item, features).map_err(|problem| problem.at(format_args!("[{index}]")))
    };
    items.iter().enumerate().map(read).collect()
}

/// What doesn't begin like a URL is not shown: it may be the rest of a password that had a comma in it.
fn as_listed_url(item: &Raw, features: Features) -> Result<RedisUrl, Problem> {
    let text = as_item(item)?;
    if !RedisUrl::is_meant(text) {
        return Err(Problem::must(
            "begin with redis:// or rediss:// (the comma of a password is written %2C)",
        ));
    }
    as_url(text, features)
}

fn as_url(text: &str, features: Features) -> Result<RedisUrl, Problem> {
    let url = RedisUrl::parse(text)?;
    match missing_feature(&url, features) {
        None => Ok(url),
        Some(feature) => Err(Problem::statement(format!(
            "{} needs the cargo feature \"{feature}\" of actix-web-guard",
            text::name(text)
        ))),
    }
}

fn missing_feature(url: &RedisUrl, features: Features) -> Option<&'static str> {
    let (feature, is_there) = if url.is_encrypted() {
        ("redis-tls", features.redis_tls)
    } else {
        ("redis", features.redis)
    };
    (!is_there).then_some(feature)
}

/// The store as a value, without passwords.
pub(super) fn from_store(store: &StoreChoice) -> Raw {
    match store {
        StoreChoice::Memory => Raw::text(MEMORY),
        StoreChoice::Redis(urls) => match urls.as_slice() {
            [url] => Raw::text(url.to_string()),
            urls => Raw::texts(urls.iter().map(RedisUrl::to_string)),
        },
    }
}

/// Longer prefixes would only make every key longer.
const LONGEST_PREFIX: usize = 64;

/// Reads what all keys begin with.
pub(super) fn as_redis_prefix(raw: &Raw) -> Result<String, Problem> {
    let prefix = as_name(raw)?;
    // In a Cluster, braces decide on which node a key lives.
    if prefix.contains(['{', '}']) {
        return Err(Problem::must(format_args!(
            "not contain braces, as {raw} does"
        )));
    }
    if prefix.len() > LONGEST_PREFIX {
        return Err(Problem::must(format_args!(
            "be at most {LONGEST_PREFIX} bytes long, not {}",
            prefix.len()
        )));
    }
    Ok(prefix.to_owned())
}

/// Reads where limits are counted.
pub(super) fn as_redis_windows(raw: &Raw) -> Result<RedisWindows, Problem> {
    as_word(
        raw,
        &RedisWindows::ALL.map(|windows| (windows.word(), windows)),
    )
}

/// Reads what becomes of requests without the store.
pub(super) fn as_failure_policy(raw: &Raw) -> Result<StoreFailurePolicy, Problem> {
    as_word(
        raw,
        &StoreFailurePolicy::ALL.map(|policy| (policy.word(), policy)),
    )
}

#[cfg(test)]
mod tests;
