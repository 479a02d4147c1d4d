//! From a decision to what is done about it: said and counted, and refused, unless the guard is passive.
//!
//! Must not know: how requests are routed, how responses look.

use actix_web::{dev::ServiceRequest, http::header::USER_AGENT};
use tracing::level_filters::LevelFilter;

use crate::{
    bans::{BanRecord, BanSource},
    client::Client,
    clock::whole_seconds,
    decision::{Decision, Outcome},
    detect::{Action, Finding, Threat},
    engine::Engine,
    log_pace::{KeptBack, LineKind},
    policy::{Barred, Pass},
    response::{Refusal, RefusalKind},
    telemetry::{RequestOutcome, StrikeCause, ThreatAction, Trace},
    view::{View, Windows},
};

/// Longer paths, and other words of senders, are cut; in characters.
const LONGEST_TEXT: usize = 200;

/// The target of lines about bans. It is public: filters of fail2ban and log shippers look for it.
pub(crate) const BANS: &str = "actix_web_guard::bans";

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
    say(view, client, decision, cause(windows));
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

/// What a violation in some windows is a strike for, if it is one. A violation in no window is a threat.
fn cause(windows: &Windows) -> Option<StrikeCause> {
    if windows.is_empty() {
        return Some(StrikeCause::Threat);
    }
    let is_apart = windows.iter().any(|windows| windows.is_apart());
    (!is_apart).then_some(StrikeCause::Limit)
}

/// Says and counts what a decision comes to, if it is no admission. `cause`: what a violation is a strike for.
pub(crate) fn say(view: &View, client: &Client, decision: &Decision, cause: Option<StrikeCause>) {
    let passive = view.settings.passive;
    if let Some(cause) = cause.filter(|_| is_strike(view, client, decision)) {
        view.engine.meters.struck(cause);
    }
    match &decision.outcome {
        Outcome::Admitted | Outcome::Threat | Outcome::Unavailable => {}
        Outcome::Limited if is_due(view, client, LineKind::OverTheLimit) => {
            let strikes = decision.strikes;
            let retry_after = whole_seconds(decision.wait_millis());
            if passive {
                tracing::info!(%client, strikes, retry_after, passive, "over the limit");
            } else {
                tracing::debug!(%client, strikes, retry_after, passive, "over the limit");
            }
        }
        Outcome::Banned(ban) if decision.newly_banned => {
            say_banned(&view.engine, client, ban, passive);
        }
        Outcome::Limited | Outcome::Banned(_) => {}
    }
}

/// Counts a refusal for its client, in passive mode as well. What is no refusal is passed over.
#[inline]
pub(crate) fn count_refusal(
    view: &View,
    client: &Client,
    outcome: RequestOutcome,
    request: Option<&ServiceRequest>,
) {
    let trace = || request.map(trace_of);
    view.engine.meters.refused(client.key(), outcome, trace);
}

/// What a sender wrote, no longer than the log and those who look on are to have it.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}

fn trace_of(request: &ServiceRequest) -> Trace {
    let user_agent = request.headers().get(USER_AGENT);
    Trace {
        method: cut(request.method().as_str()).into(),
        path: cut(request.path()).into(),
        user_agent: user_agent.map(|agent| cut(&String::from_utf8_lossy(agent.as_bytes())).into()),
    }
}

/// Whether a decision was about a violation that is a strike.
fn is_strike(view: &View, client: &Client, decision: &Decision) -> bool {
    let is_violation = match decision.outcome {
        Outcome::Limited | Outcome::Threat => true,
        Outcome::Banned(_) => decision.newly_banned,
        Outcome::Admitted | Outcome::Unavailable => false,
    };
    is_violation && view.settings.enable_ip_banning && client.can_be_struck()
}

/// Whether a line about the client is due. Says as well what was kept back of others.
fn is_due(view: &View, client: &Client, kind: LineKind) -> bool {
    if !is_heard(view, kind) {
        return false;
    }
    let now = view.settings.clock.now_millis();
    let turn = view.engine.log_pace.turn(client.key(), kind, now);
    for kept_back in turn.kept_back {
        say_kept_back(view, &kept_back);
    }
    turn.is_said
}

/// Whether anybody listens to lines of a kind.
fn is_heard(view: &View, kind: LineKind) -> bool {
    // Without a subscriber of tracing, events go to log.
    let is_verbose = || {
        LevelFilter::current() >= LevelFilter::DEBUG || log::max_level() >= log::LevelFilter::Debug
    };
    !kind.is_detail() || view.settings.passive || is_verbose()
}

/// In place of all lines that were too many.
fn say_kept_back(view: &View, kept_back: &KeptBack) {
    let client = kept_back
        .client
        .map_or_else(|| "others".to_owned(), |client| client.to_string());
    let (more, of) = (kept_back.lines, kept_back.kind.name());
    let passive = view.settings.passive;
    if kept_back.kind.is_detail() && !passive {
        tracing::debug!(client, more, passive, "and {more} more: {of}");
    } else {
        tracing::info!(client, more, passive, "and {more} more: {of}");
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
        Barred::Banned => RefusalKind::Banned,
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
    if !is_due(view, client, LineKind::Denied) {
        return;
    }
    if view.settings.passive {
        tracing::info!(%client, by, passive = true, "denied");
    } else {
        tracing::debug!(%client, by, passive = false, "denied");
    }
}

/// What a finding comes to: a threat, or a line in the log.
pub(crate) fn threat_of(
    view: &View,
    client: &Client,
    finding: Finding,
    action: Action,
    path: &str,
) -> Option<Threat> {
    match action {
        Action::Off => None,
        Action::Log => {
            say_finding(view, client, &finding, path);
            None
        }
        Action::Refuse | Action::Strike => Some(Threat::of(finding, action == Action::Strike)),
    }
}

/// Of a finding that leads to nothing.
fn say_finding(view: &View, client: &Client, finding: &Finding, path: &str) {
    let category = finding.category.name();
    view.engine.meters.threat(category, ThreatAction::Log);
    if !is_due(view, client, LineKind::Finding) {
        return;
    }
    let rule = finding.rule.as_ref();
    let (surface, excerpt) = (&finding.surface, &finding.excerpt);
    let path = cut(path);
    let passive = view.settings.passive;
    tracing::info!(%client, ?category, ?rule, surface, excerpt, ?path, passive, "found, and served");
}

/// One line for a threat, whatever the client wrote.
pub(crate) fn say_threat(view: &View, client: &Client, threat: &Threat, path: &str) {
    let (category, rule) = (threat.category(), threat.rule());
    let action = match threat.is_struck() {
        true => ThreatAction::Strike,
        false => ThreatAction::Refuse,
    };
    view.engine.meters.threat(category, action);
    if !is_due(view, client, LineKind::Threat) {
        return;
    }
    let (surface, excerpt) = (threat.surface(), threat.excerpt());
    let path = cut(path);
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
        Pass::Operator => "admin",
    };
    tracing::debug!(%client, by, passive = view.settings.passive, "exempt");
}

/// The reason of a ban for a threat.
pub(crate) fn reason(threat: &Threat) -> String {
    format!("threat: {} ({})", threat.category(), threat.rule())
}

/// What a handler found out about a request.
pub(crate) fn say_report(view: &View, client: &Client, reason: &str, path: &str) {
    if is_due(view, client, LineKind::Report) {
        let path = cut(path);
        tracing::info!(%client, ?reason, ?path, "threat reported");
    }
}

/// One line for each ban, always: others act on it.
pub(crate) fn say_banned(engine: &Engine, client: &Client, ban: &BanRecord, passive: bool) {
    let seconds = whole_seconds(ban.until_millis.saturating_sub(ban.since_millis));
    debug_assert_eq!(ban.by, BanSource::Automatic);
    tracing::warn!(target: BANS, %client, reason = ?ban.reason, seconds, passive, "banned");
    engine.meters.banned(ban.by);
    engine.meters.bans_changed(engine);
}
