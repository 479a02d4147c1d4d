//! The report of a replay, as numbers and texts: also its JSON form.
//!
//! Must not know: how it is shown.

pub(crate) mod html;
mod markup;
mod plot;
pub(crate) mod text;
mod window;

use std::time::Duration;

use actix_web_guard::KnownAgent;
use serde::Serialize;

use crate::{
    calendar::utc,
    configuration::Effective,
    replay::{Bucket, Tally},
};

use window::Window;

const MOST_AGENTS: usize = 20;
/// Paths may be long.
const MOST_CHARACTERS: usize = 200;

/// See the module's documentation.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) logs: Vec<String>,
    pub(crate) requests: u64,
    /// More than a window earlier than a request before them.
    pub(crate) late_requests: u64,
    pub(crate) bad_lines: u64,
    pub(crate) first_bad_lines: Vec<String>,
    pub(crate) clients: u64,
    /// False: there were more than `max_clients`, and clients are at least so many.
    pub(crate) all_clients_counted: bool,
    pub(crate) from: Option<String>,
    pub(crate) until: Option<String>,
    pub(crate) seconds: u64,
    pub(crate) detection: bool,
    pub(crate) outcomes: Outcomes,
    pub(crate) refused_clients: u64,
    pub(crate) routes: Vec<Route>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) bans: Bans,
    pub(crate) refused_monitors_and_crawlers: Vec<Agent>,
    pub(crate) window: Window,
    pub(crate) timeline: Timeline,
}

/// Requests, by what would have become of them.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Outcomes {
    pub(crate) served: u64,
    pub(crate) exempt: u64,
    pub(crate) limited_429: u64,
    pub(crate) denied_403: u64,
    pub(crate) threat_403: u64,
    pub(crate) banned_403: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Route {
    /// None is the global window.
    pub(crate) pattern: Option<String>,
    #[serde(flatten)]
    pub(crate) requests: Bucket,
}

#[derive(Debug, Serialize)]
pub(crate) struct Rule {
    pub(crate) category: String,
    pub(crate) rule: String,
    pub(crate) requests: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Bans {
    pub(crate) total: u64,
    pub(crate) by_reason: Vec<(String, u64)>,
    pub(crate) first: Vec<Ban>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Ban {
    pub(crate) client: String,
    pub(crate) since: String,
    pub(crate) until: String,
    pub(crate) reason: String,
    pub(crate) request: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Agent {
    pub(crate) kind: &'static str,
    pub(crate) user_agent: String,
    #[serde(flatten)]
    pub(crate) refused: Bucket,
}

#[derive(Debug, Serialize)]
pub(crate) struct Timeline {
    pub(crate) step_seconds: u64,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Step {
    pub(crate) at: String,
    #[serde(flatten)]
    pub(crate) requests: Bucket,
}

impl Report {
    pub(crate) fn of(logs: &[String], effective: &Effective, tally: Tally) -> Self {
        let outcomes = Outcomes::of(&tally);
        let span = tally.span;
        let length = span.and_then(|(from, until)| until.duration_since(from).ok());
        Self {
            logs: logs.to_vec(),
            requests: tally.outcomes.values().sum(),
            late_requests: tally.late_requests,
            bad_lines: tally.bad_lines,
            first_bad_lines: tally.first_bad_lines,
            clients: tally.clients.count(),
            all_clients_counted: !tally.clients.is_full(),
            from: span.map(|(from, _)| utc(from)),
            until: span.map(|(_, until)| utc(until)),
            seconds: length.as_ref().map_or(0, Duration::as_secs),
            detection: effective.enable_detection,
            outcomes,
            refused_clients: tally.refused_clients.count(),
            routes: routes(tally.routes.into_iter()),
            rules: rules(tally.rules.into_iter()),
            bans: Bans::of(tally.bans, tally.bans_by_reason),
            refused_monitors_and_crawlers: agents(tally.agents.worst_first()),
            window: Window::of(effective, tally.traffic.end()),
            timeline: Timeline {
                step_seconds: tally.timeline.width_seconds(),
                steps: tally
                    .timeline
                    .buckets()
                    .map(|(at, requests)| Step {
                        at: utc(at),
                        requests,
                    })
                    .collect(),
            },
        }
    }
}

impl Outcomes {
    fn of(tally: &Tally) -> Self {
        let of = |name: &str| tally.outcomes.get(name).copied().unwrap_or(0);
        Self {
            served: of("served"),
            exempt: of("exempt"),
            limited_429: of("limited"),
            denied_403: of("denied"),
            threat_403: of("threat"),
            banned_403: of("banned"),
        }
    }

    pub(crate) fn forbidden(self) -> u64 {
        self.denied_403 + self.threat_403 + self.banned_403
    }
}

fn routes(routes: impl Iterator<Item = (Option<std::rc::Rc<str>>, Bucket)>) -> Vec<Route> {
    let mut routes: Vec<Route> = routes
        .map(|(pattern, requests)| Route {
            pattern: pattern.map(|pattern| pattern.to_string()),
            requests,
        })
        .collect();
    routes
        .sort_by_key(|route| std::cmp::Reverse(route.requests.limited + route.requests.forbidden));
    routes
}

fn rules(rules: impl Iterator<Item = ((String, String), u64)>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = rules
        .map(|((category, rule), requests)| Rule {
            category,
            rule,
            requests,
        })
        .collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.requests));
    rules
}

fn agents(worst_first: Vec<(KnownAgent, String, Bucket)>) -> Vec<Agent> {
    let agents = worst_first.into_iter().take(MOST_AGENTS);
    let agents = agents.map(|(kind, user_agent, refused)| Agent {
        kind: match kind {
            KnownAgent::UptimeMonitor => "uptime monitor",
            KnownAgent::SearchCrawler => "search crawler",
            _ => "other",
        },
        user_agent: shortened(&user_agent),
        refused,
    });
    agents.collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

impl Bans {
    fn of(
        first: Vec<crate::replay::NewBan>,
        by_reason: std::collections::BTreeMap<String, u64>,
    ) -> Self {
        let mut by_reason: Vec<_> = by_reason.into_iter().collect();
        by_reason.sort_by_key(|(_, bans)| std::cmp::Reverse(*bans));
        let first = first.into_iter().map(|new| Ban {
            client: new.ban.client,
            since: utc(new.ban.since),
            until: utc(new.ban.until),
            reason: new.ban.reason,
            request: shortened(&new.request),
        });
        Self {
            total: by_reason.iter().map(|(_, bans)| bans).sum(),
            by_reason,
            first: first.collect(),
        }
    }
}
