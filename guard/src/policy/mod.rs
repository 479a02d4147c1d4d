//! The chain: in which order a request is looked at, and what the first stage that applies makes of it.
//!
//! Facts in, a course out. Must not know: actix-web, stores, responses.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::{bans::BanRecord, client::Client, config::Settings, detect::Threat};

/// What the chain looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    /// Stage 1: who is asking.
    pub(crate) client: &'a Client,
    /// The request carries a header with which proxies name the client.
    pub(crate) forwarded: bool,
    /// A CORS preflight.
    pub(crate) preflight: bool,
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// Served; nothing is counted.
    Serve,
    /// Refused without a look at the store; nothing is counted.
    Refuse(Barred),
    /// The store decides.
    Decide(Question),
}

/// Who is refused at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Barred {
    /// On a list of those that are never served.
    Denied,
    /// Known to be banned.
    Banned(Arc<BanRecord>),
}

/// What the store is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A violation.
    Threat(Threat),
    /// A preflight: it has a window of its own and is never a strike.
    Preflight,
    /// A request that counts in no window: rate limiting is off.
    Uncounted,
    /// A request that counts in windows.
    Counted,
}

/// The order of the stages. Stages 1 (identify) and 8 (serve) are before and after.
#[inline]
pub(crate) fn course(
    settings: &Settings,
    facts: Facts<'_>,
    hot_ban: impl FnOnce() -> Option<Arc<BanRecord>>,
    detect: impl FnOnce() -> Option<Threat>,
) -> Course {
    // 2. Exempt.
    if is_exempt(settings, facts) {
        return Course::Serve;
    }
    // 3. Denied.
    if is_denied(settings, facts) {
        return Course::Refuse(Barred::Denied);
    }
    // 4. Infrastructure: trusted proxies come with the proxy headers.
    // 5. Banned, hot.
    if settings.enable_ip_banning
        && let Some(ban) = hot_ban()
    {
        return Course::Refuse(Barred::Banned(ban));
    }
    // 6. Detect.
    if settings.enable_detection
        && let Some(threat) = detect()
    {
        return Course::Decide(Question::Threat(threat));
    }
    // 7. Decide.
    Course::Decide(match (settings.enable_rate_limiting, facts.preflight) {
        (false, _) => Question::Uncounted,
        (true, true) => Question::Preflight,
        (true, false) => Question::Counted,
    })
}

#[inline]
fn is_exempt(settings: &Settings, facts: Facts<'_>) -> bool {
    let Some(address) = facts.client.address() else {
        return false;
    };
    settings.exempt_ips.contains(address)
        || settings.exempt_loopback && address.is_loopback() && !facts.forwarded
}

#[inline]
fn is_denied(settings: &Settings, facts: Facts<'_>) -> bool {
    facts
        .client
        .address()
        .is_some_and(|address| settings.denied_ips.contains(address))
}
