//! How a client stands, all in one: its strikes, its windows, and how `redis-cli` shows them. For whoever looks on; a ban is told
//! elsewhere.
//!
//! Must not know: requests, HTTP, how a store keeps its data.

use crate::{
    client::ClientKey,
    clock::millis,
    decision::{LogHit, Quota, QuotaStanding},
    engine::Engine,
    route::{KnownLog, known_logs},
};

/// See the module's documentation. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientState {
    pub(crate) strikes: u32,
    /// The strike that exceeds this bans.
    pub(crate) strike_limit: u32,
    /// Time until the strikes are forgotten; `None` without strikes.
    pub(crate) strikes_left_millis: Option<u64>,
    /// Those in which something is recorded, and the global one in any case. None, if rate limiting is off.
    pub(crate) windows: Vec<ClientWindow>,
    /// Complete lines; none where nothing is on Redis.
    pub(crate) redis_cli: Vec<String>,
}

/// A window of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientWindow {
    /// In the `RateLimit` fields; the one of preflights is told apart from the global one.
    pub(crate) name: String,
    /// `None` for a general window.
    pub(crate) pattern: Option<String>,
    /// Empty: any.
    pub(crate) methods: Vec<String>,
    pub(crate) quota: Quota,
    /// Requests that count against the quota.
    pub(crate) used: u32,
    /// Requests that would still be admitted now.
    pub(crate) remaining: u32,
    /// Time until one more than now would be admitted; the window, if it is empty.
    pub(crate) reset_millis: u64,
}

/// How a client stands with the settings in force. It counts nothing and changes nothing.
pub(crate) async fn client_state(engine: &Engine, client: ClientKey) -> ClientState {
    let settings = engine.settings();
    let store = engine.store(settings.passive);
    let logs = known_logs(engine, &settings);
    let hits: Vec<LogHit<'_>> = logs.iter().map(|log| log.hit(engine, client)).collect();
    let standing = store.standing(client, &hits, millis(settings.strike_ttl));
    let standing = standing.wait().await;
    let mut quotas = standing.quotas.into_iter();
    let (mut windows, mut shown) = (Vec::new(), Vec::new());
    for (log, hit) in logs.iter().zip(&hits) {
        let of_log: Vec<QuotaStanding> = quotas.by_ref().take(hit.quotas.len()).collect();
        if log.is_global() || of_log.iter().any(|quota| quota.used > 0) {
            windows.extend(windows_of(log, &of_log));
            shown.push(*hit);
        }
    }
    ClientState {
        strikes: standing.strikes,
        strike_limit: settings.auto_ban_threshold,
        strikes_left_millis: standing.strikes_left_millis,
        windows,
        redis_cli: store.redis_cli(client, &shown),
    }
}

fn windows_of(log: &KnownLog, standing: &[QuotaStanding]) -> impl Iterator<Item = ClientWindow> {
    let quotas = log.quotas().zip(standing);
    quotas.map(|((name, quota), standing)| ClientWindow {
        name: name.to_owned(),
        pattern: log.pattern.clone(),
        methods: log.methods.clone(),
        quota: *quota,
        used: standing.used,
        remaining: standing.remaining,
        reset_millis: standing.reset_millis,
    })
}

#[cfg(test)]
mod tests;
