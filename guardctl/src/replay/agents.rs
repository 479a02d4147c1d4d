//! Monitors and search crawlers that would have been refused, by their user agents.
//!
//! Must not know: why they were refused.

use std::collections::HashMap;

use actix_web_guard::KnownAgent;

use super::Bucket;

/// User agents are written by others: there may be any number of them.
const MOST_AGENTS: usize = 1000;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct RefusedAgents(HashMap<(KnownAgent, Vec<u8>), Bucket>);

impl RefusedAgents {
    pub(super) fn add(&mut self, kind: KnownAgent, user_agent: &[u8], refused: Bucket) {
        let key = (kind, user_agent.to_vec());
        if self.0.len() < MOST_AGENTS || self.0.contains_key(&key) {
            self.0.entry(key).or_default().add(refused);
        }
    }

    /// The one with most refusals first.
    pub(crate) fn worst_first(self) -> Vec<(KnownAgent, String, Bucket)> {
        let mut agents: Vec<_> = self
            .0
            .into_iter()
            .map(|((kind, agent), bucket)| {
                (kind, String::from_utf8_lossy(&agent).into_owned(), bucket)
            })
            .collect();
        agents.sort_by(|one, other| {
            let refused = |bucket: &Bucket| bucket.limited + bucket.forbidden;
            (refused(&other.2).cmp(&refused(&one.2))).then_with(|| one.1.cmp(&other.1))
        });
        agents
    }
}
