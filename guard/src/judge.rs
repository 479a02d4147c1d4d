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

/// The refusal that a decision comes to; `None`: the request is served.
pub(crate) fn judge(
    view: &View,
    client: &Client,
    decision: &Decision,
    windows: &Windows,
) -> Option<Refusal> {
    let passive = view.settings.passive;
    let (kind, wait_millis) = match &decision.outcome {
        Outcome::Admitted => return None,
        Outcome::Limited => {
            let wait = decision.wait_millis();
            let (strikes, retry_after) = (decision.strikes, whole_seconds(wait));
            if passive {
                tracing::info!(%client, strikes, retry_after, passive, "over the limit");
            } else {
                tracing::debug!(%client, strikes, retry_after, passive, "over the limit");
            }
            (RefusalKind::RateLimited, Some(wait))
        }
        Outcome::Threat => (RefusalKind::Threat, None),
        Outcome::Banned(ban) => {
            if decision.newly_banned {
                say_banned(client, ban, passive);
            }
            (RefusalKind::Banned, None)
        }
    };
    let refusal = || Refusal {
        kind,
        client: client.clone(),
        wait_millis,
        windows: windows.clone(),
        quotas: decision.quotas.clone(),
    };
    (!passive).then(refusal)
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
