//! Parts of the crate by themselves, for this project's benchmarks. Not public API.

use std::{net::Ipv4Addr, time::Duration};

use crate::{
    client::ClientKey,
    clock::{SystemClock, millis},
    config::StoreFailurePolicy,
    decision::{
        Answer, Cause, Hit, LogHit, LogKey, LogName, Outcome, Quota, RouteId, Store, StrikeRules,
        Subject,
    },
    store::{MemoryStore, MemoryStoreOptions},
};

/// The text of the script that decides about requests with one window, with bans and strikes by the default rules.
#[must_use]
pub fn decision_script(requests: u32, window_millis: u64) -> String {
    crate::store::redis::decision_script(
        Quota {
            requests,
            window_millis,
        },
        StrikeRules {
            threshold: 5,
            ttl_millis: 300_000,
            interval_millis: 0,
            ban_millis: 300_000,
        },
    )
}

/// A memory store with its default bounds, asked about one quota with strikes and bans on.
#[derive(Debug)]
pub struct MemoryDecisions {
    store: MemoryStore,
    quotas: [Quota; 1],
}

impl MemoryDecisions {
    /// A store in which nobody is known.
    #[must_use]
    pub fn new(requests: u32, window: Duration) -> Self {
        let options = MemoryStoreOptions {
            max_clients: 1_000_000,
            max_bans: 100_000,
            ban_file: None,
        };
        Self {
            store: MemoryStore::new(&options, SystemClock::shared()),
            quotas: [Quota {
                requests,
                window_millis: millis(window),
            }],
        }
    }

    /// One decision: whether the client's request is admitted.
    pub fn admits(&self, client: Ipv4Addr) -> bool {
        let client = ClientKey::V4(client);
        let key = LogKey {
            subject: Subject::Client(client),
            route: RouteId::GLOBAL,
        };
        let answer = self.store.decide(&Hit {
            client,
            cause: Cause::Request,
            logs: &[LogHit {
                key,
                name: LogName::default(),
                quotas: &self.quotas,
            }],
            count_rejected: true,
            bans: true,
            strikes: Some(StrikeRules {
                threshold: u32::MAX,
                ttl_millis: 300_000,
                interval_millis: 0,
                ban_millis: 300_000,
            }),
            on_store_failure: StoreFailurePolicy::Local,
        });
        matches!(answer, Answer::Ready(decision) if decision.outcome == Outcome::Admitted)
    }
}
