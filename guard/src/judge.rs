//! From a decision to what is done about it: said in the log, and refused, unless the guard is passive.
//!
//! Must not know: how requests are routed, how responses look.

use crate::{
    bans::{BanRecord, BanSource},
    client::Client,
    clock::whole_seconds,
    decision::{Decision, Outcome},
    detect::Threat,
    policy::Barred,
    response::{Refusal, RefusalKind},
    view::{View, Windows},
};

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
pub(crate) fn bar(view: &View, client: &Client, barred: &Barred) -> Option<Refusal> {
    let kind = match barred {
        Barred::Denied => {
            tracing::debug!(%client, passive = view.settings.passive, "denied");
            RefusalKind::Denied
        }
        Barred::Banned(_) => RefusalKind::Banned,
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
