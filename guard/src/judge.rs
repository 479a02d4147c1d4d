//! From a decision to what is done about it: said in the log, and refused, unless the guard is passive.
//!
//! Must not know: how requests are routed, how responses look.

use crate::{
    bans::{BanRecord, BanSource},
    client::Client,
    clock::whole_seconds,
    decision::{Decision, Outcome},
    detect::{Finding, Threat},
    policy::{Barred, Pass},
    response::{Refusal, RefusalKind},
    view::{View, Windows},
};

/// Longer paths are cut in the log.
const LOGGED_PATH: usize = 200;

/// How long clients are told to wait when the store is out of reach: the breaker looks for it oftener than that.
const UNAVAILABLE_WAIT_MILLIS: u64 = 5000;

/// The refusal that a decision comes to, which takes the windows and how they stand; `None`: the request is served.
#[inline]
pub(crate) fn judge(
    view: &View,
    client: &Client,
    decision: &mut Decision,
    windows: &mut Windows,
) -> Option<Refusal> {
    if decision.outcome == Outcome::Admitted {
        return None;
    }
    say(view, client, decision);
    if view.settings.passive {
        return None;
    }
    let (kind, wait_millis) = match &decision.outcome {
        Outcome::Admitted => return None,
        Outcome::Limited => (RefusalKind::RateLimited, Some(decision.wait_millis())),
        Outcome::Threat => (RefusalKind::Threat, None),
        Outcome::Banned(_) => (RefusalKind::Banned, None),
        Outcome::Unavailable => (RefusalKind::Unavailable, Some(UNAVAILABLE_WAIT_MILLIS)),
    };
    Some(Refusal {
        kind,
        client: client.clone(),
        wait_millis,
        windows: std::mem::take(windows),
        quotas: std::mem::take(&mut decision.quotas),
    })
}

/// Says in the log what a decision comes to, if it is no admission.
pub(crate) fn say(view: &View, client: &Client, decision: &Decision) {
    let passive = view.settings.passive;
    match &decision.outcome {
        Outcome::Admitted | Outcome::Threat | Outcome::Unavailable => {}
        Outcome::Limited => {
            let strikes = decision.strikes;
            let retry_after = whole_seconds(decision.wait_millis());
            if passive {
                tracing::info!(%client, strikes, retry_after, passive, "over the limit");
            } else {
                tracing::debug!(%client, strikes, retry_after, passive, "over the limit");
            }
        }
        Outcome::Banned(ban) if decision.newly_banned => say_banned(client, ban, passive),
        Outcome::Banned(_) => {}
    }
}

/// The refusal of somebody who is refused at once.
pub(crate) fn bar(view: &View, client: &Client, barred: &Barred, path: &str) -> Option<Refusal> {
    let kind = match barred {
        Barred::UserAgent => {
            say_denied(view, client, "banned_user_agents");
            RefusalKind::Denied
        }
        Barred::Address => {
            say_denied(view, client, "denied_ips");
            RefusalKind::Denied
        }
        Barred::Banned(_) => RefusalKind::Banned,
        Barred::Threat(threat) => {
            say_threat(view, client, threat, path);
            RefusalKind::Threat
        }
    };
    let refusal = || Refusal {
        kind,
        client: client.clone(),
        wait_millis: None,
        windows: Windows::new(),
        quotas: Default::default(),
    };
    (!view.settings.passive).then(refusal)
}

/// Passive mode is there to see whom an enforcing guard would refuse.
fn say_denied(view: &View, client: &Client, by: &str) {
    if view.settings.passive {
        tracing::info!(%client, by, passive = true, "denied");
    } else {
        tracing::debug!(%client, by, passive = false, "denied");
    }
}

/// Of a finding that leads to nothing.
pub(crate) fn say_finding(view: &View, client: &Client, finding: &Finding, path: &str) {
    let (category, rule) = (finding.category.name(), finding.rule.as_ref());
    let (surface, excerpt) = (&finding.surface, &finding.excerpt);
    let path: String = path.chars().take(LOGGED_PATH).collect();
    let passive = view.settings.passive;
    tracing::info!(%client, ?category, ?rule, surface, excerpt, ?path, passive, "found, and served");
}

/// One line for each threat, whatever the client wrote.
pub(crate) fn say_threat(view: &View, client: &Client, threat: &Threat, path: &str) {
    let (category, rule) = (threat.category(), threat.rule());
    let (surface, excerpt) = (threat.surface(), threat.excerpt());
    let path: String = path.chars().take(LOGGED_PATH).collect();
    let passive = view.settings.passive;
    let struck = threat.is_struck() && client.can_be_struck();
    tracing::info!(%client, ?category, ?rule, surface, excerpt, ?path, struck, passive, "threat");
}

/// Why a request is served uncounted.
pub(crate) fn say_pass(view: &View, client: &Client, pass: Pass) {
    let by = match pass {
        Pass::Address => "exempt_ips",
        Pass::Loopback => "exempt_loopback",
        Pass::Path => "exempt_paths",
        Pass::Crawler => "exempt_crawlers",
        Pass::UserAgent => "exempt_user_agents",
        Pass::Infrastructure => "trusted_proxies",
    };
    tracing::debug!(%client, by, passive = view.settings.passive, "exempt");
}

/// The reason of a ban for a threat.
pub(crate) fn reason(threat: &Threat) -> String {
    format!("threat: {} ({})", threat.category(), threat.rule())
}

/// One line for each ban.
pub(crate) fn say_banned(client: &Client, ban: &BanRecord, passive: bool) {
    let seconds = whole_seconds(ban.until_millis.saturating_sub(ban.since_millis));
    debug_assert_eq!(ban.by, BanSource::Automatic);
    tracing::warn!(%client, reason = ?ban.reason, seconds, passive, "banned");
}
