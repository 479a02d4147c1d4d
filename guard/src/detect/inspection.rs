//! All detectors over all surfaces of a request: which finding counts, and for what.
//!
//! Must not know: how detectors find anything, what becomes of the client.

mod findings;
mod user_agents;

use std::collections::BTreeSet;

use actix_web::http::header::{self, HeaderName};

use super::{
    RequestFacts,
    body::BodyKind,
    category::{Action, Category},
    command,
    custom::CustomRule,
    finding::Surface,
    first_look::VALUE_DETECTORS,
    markup, probe, scanner, sql, traversal,
};

use findings::{Findings, Hear, is_cross_site};
use user_agents::UserAgents;

/// What the built-in detectors do, as the configuration has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detection {
    /// In the order of [`Category::ALL`].
    pub(crate) actions: [Action; Category::ALL.len()],
    /// At most this for what is found in a body.
    pub(crate) body: Action,
    /// At most this for requests that another site made a browser send.
    pub(crate) cross_site: Action,
    /// Rules that find nothing.
    pub(crate) silenced: BTreeSet<String>,
    /// Headers that are looked at.
    pub(crate) headers: Vec<HeaderName>,
    pub(crate) rules: Vec<CustomRule>,
    /// Bytes of a body that are looked at; 0: bodies are left alone.
    pub(crate) body_bytes: usize,
}

impl Default for Detection {
    fn default() -> Self {
        Self {
            actions: [Action::Strike; Category::ALL.len()],
            body: Action::Refuse,
            cross_site: Action::Refuse,
            silenced: BTreeSet::new(),
            headers: vec![header::USER_AGENT, header::REFERER],
            rules: Vec::new(),
            body_bytes: 0,
        }
    }
}

/// All ids of built-in rules.
pub(crate) fn rule_ids() -> impl Iterator<Item = &'static str> {
    let all = [
        probe::RULES,
        traversal::RULES,
        sql::RULES,
        markup::RULES,
        command::RULES,
    ];
    all.into_iter().flatten().copied().chain(scanner::rules())
}

/// What detection needs to know of the application that the request is for.
pub(crate) trait Application {
    /// Whether the application routes the request's path by a literal segment at the place of a match: then nobody probes for it.
    fn routes_literally(&self, found: &probe::Match) -> bool;
}

impl Detection {
    /// What is done about findings of a category.
    pub(crate) fn action(&self, category: Category) -> Action {
        let [probe, traversal, sqli, xss, command, scanner] = self.actions;
        match category {
            Category::Probe => probe,
            Category::Traversal => traversal,
            Category::Sqli => sqli,
            Category::Xss => xss,
            Category::Command => command,
            Category::Scanner => scanner,
        }
    }

    /// Which detectors of values are on: a bit for each.
    fn value_detectors(&self) -> u64 {
        let bits = VALUE_DETECTORS.iter().zip(0..);
        bits.filter(|((category, _), _)| self.action(*category) != Action::Off)
            .fold(0, |bits, (_, bit)| bits | 1 << bit)
    }

    /// Sets what is done about findings of a category.
    pub(crate) fn set_action(&mut self, category: Category, action: Action) {
        for (one, slot) in Category::ALL.iter().zip(&mut self.actions) {
            if *one == category {
                *slot = action;
            }
        }
    }

    /// Gives everything that is found in a request, but for its body, until it is said that that is all.
    #[inline(always)]
    pub(crate) fn inspect(
        &self,
        request: &RequestFacts<'_>,
        application: &dyn Application,
        hear: Hear<'_>,
    ) {
        let mut findings = Findings {
            detection: self,
            most: &|| match is_cross_site(request) {
                true => self.cross_site,
                false => Action::Strike,
            },
            hits: 0,
            hear,
        };
        let user_agents = UserAgents::of(request);
        let _all = findings.in_user_agent(&user_agents)
            || findings.in_path(request.path, application)
            || findings.in_query(request.query)
            || findings.in_headers(request, &user_agents);
    }

    /// Gives everything that is found in the beginning of a body, until it is said that that is all.
    pub(crate) fn inspect_body(&self, kind: BodyKind, beginning: &[u8], hear: Hear<'_>) {
        let mut findings = Findings {
            detection: self,
            most: &|| self.body,
            hits: 0,
            hear,
        };
        kind.each_value(beginning, &mut |value| {
            findings.in_value(Surface::Body, value)
        });
    }
}

#[cfg(test)]
mod tests;
