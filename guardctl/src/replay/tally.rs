//! What comes out of a replay, as it goes on.
//!
//! Must not know: how a report looks.

use std::{
    collections::{BTreeMap, HashSet},
    net::IpAddr,
    rc::Rc,
    time::{Duration, SystemTime},
};

use actix_web_guard::{Ban, ReplayDecision, ReplayOutcome};
use foldhash::fast::RandomState;

use crate::{access_log::Entry, configuration::Effective};

use super::{Bucket, agents::RefusedAgents, timeline::Timeline, traffic::Traffic};

const MOST_BANS_TOLD: usize = 50;
const MOST_BAD_LINES_TOLD: usize = 5;

/// A ban, and the request that brought it.
#[derive(Debug)]
pub(crate) struct NewBan {
    pub(crate) ban: Ban,
    pub(crate) request: String,
}

/// Distinct clients, up to a number.
#[derive(Debug)]
pub(crate) struct Clients {
    seen: HashSet<IpAddr, RandomState>,
    most: usize,
}

impl Clients {
    fn new(most: usize) -> Self {
        Self {
            seen: HashSet::default(),
            most,
        }
    }

    fn add(&mut self, client: IpAddr) {
        if self.seen.len() < self.most {
            self.seen.insert(client);
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.seen.len() as u64
    }

    /// There may be more of them.
    pub(crate) fn is_full(&self) -> bool {
        self.seen.len() >= self.most
    }
}

/// See the module's documentation.
pub(crate) struct Tally {
    pub(crate) span: Option<(SystemTime, SystemTime)>,
    pub(crate) outcomes: BTreeMap<&'static str, u64>,
    pub(crate) clients: Clients,
    pub(crate) refused_clients: Clients,
    /// `None` is the global window.
    pub(crate) routes: BTreeMap<Option<Rc<str>>, Bucket>,
    /// By category and rule.
    pub(crate) rules: BTreeMap<(String, String), u64>,
    pub(crate) bans: Vec<NewBan>,
    pub(crate) bans_by_reason: BTreeMap<String, u64>,
    pub(crate) agents: RefusedAgents,
    pub(crate) timeline: Timeline,
    pub(crate) traffic: Traffic,
    window: Duration,
    /// Requests that are more than a window earlier than one before them, and count as if they were not.
    pub(crate) late_requests: u64,
    pub(crate) bad_lines: u64,
    pub(crate) first_bad_lines: Vec<String>,
}

impl Tally {
    pub(super) fn new(effective: &Effective) -> Self {
        let most = effective.max_clients;
        Self {
            span: None,
            outcomes: BTreeMap::new(),
            clients: Clients::new(most),
            refused_clients: Clients::new(most),
            routes: BTreeMap::new(),
            rules: BTreeMap::new(),
            bans: Vec::new(),
            bans_by_reason: BTreeMap::new(),
            agents: RefusedAgents::default(),
            timeline: Timeline::new(),
            traffic: Traffic::new(effective.rate_limit_window.0, most),
            window: Duration::from_secs(effective.rate_limit_window.0),
            late_requests: 0,
            bad_lines: 0,
            first_bad_lines: Vec::new(),
        }
    }

    pub(super) fn skip(&mut self, why: String) {
        self.bad_lines += 1;
        if self.first_bad_lines.len() < MOST_BAD_LINES_TOLD {
            self.first_bad_lines.push(why);
        }
    }

    pub(super) fn add(&mut self, entry: &Entry<'_>, decision: ReplayDecision) {
        let (outcome, client) = (decision.outcome, decision.client);
        let (from, until) = self.span.unwrap_or((entry.at, entry.at));
        let late = until.duration_since(entry.at).unwrap_or_default();
        self.late_requests += u64::from(late > self.window);
        self.span = Some((from.min(entry.at), until.max(entry.at)));
        *self.outcomes.entry(name(outcome)).or_default() += 1;
        self.clients.add(client);
        let bucket = Bucket {
            requests: 1,
            limited: u64::from(outcome == ReplayOutcome::Limited),
            forbidden: u64::from(outcome.is_refused() && outcome != ReplayOutcome::Limited),
        };
        if outcome.is_refused() {
            self.refused_clients.add(client);
        }
        self.timeline.add(entry.at, bucket);
        if decision.route.is_none() && counts_in_windows(outcome) {
            self.traffic.add(client, entry.at);
        }
        if let (Some(kind), Some(user_agent)) = (decision.refused_agent, &entry.user_agent) {
            self.agents.add(kind, user_agent, bucket);
        }
        if let Some(threat) = decision.threat {
            let rule = (threat.category().to_owned(), threat.rule().to_owned());
            *self.rules.entry(rule).or_default() += 1;
        }
        self.routes.entry(decision.route).or_default().add(bucket);
        if let Some(ban) = decision.new_ban {
            self.add_ban(ban, entry);
        }
    }

    fn add_ban(&mut self, ban: Ban, entry: &Entry<'_>) {
        *self.bans_by_reason.entry(ban.reason.clone()).or_default() += 1;
        if self.bans.len() < MOST_BANS_TOLD {
            let request = format!("{} {}", entry.method, entry.target);
            self.bans.push(NewBan { ban, request });
        }
    }
}

/// Whether a request is one of those for whose sake a limit has its size: what is exempt, denied or flagged is in no window.
fn counts_in_windows(outcome: ReplayOutcome) -> bool {
    use ReplayOutcome::{Banned, Limited, Served};
    matches!(outcome, Served | Limited | Banned)
}

pub(crate) fn name(outcome: ReplayOutcome) -> &'static str {
    match outcome {
        ReplayOutcome::Exempt => "exempt",
        ReplayOutcome::Served => "served",
        ReplayOutcome::Limited => "limited",
        ReplayOutcome::Denied => "denied",
        ReplayOutcome::Threat => "threat",
        ReplayOutcome::Banned => "banned",
        _ => "other",
    }
}
