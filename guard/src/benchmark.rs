//! Parts of the crate by themselves, for this project's benchmarks. Not public API.

use std::{net::Ipv4Addr, time::Duration};

use actix_web::dev::ServiceRequest;

use crate::{
    client::ClientKey,
    clock::{SystemClock, millis},
    config::{SecurityConfig, StoreFailurePolicy},
    decision::{
        Answer, Cause, Hit, LogHit, LogKey, LogName, Outcome, Quota, RouteId, Store, StrikeRules,
        Subject,
    },
    engine::Engine,
    middleware::{Asked, client_of},
    policy::{Course, course},
    store::{MemoryStore, MemoryStoreOptions},
    view::View,
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

/// What is looked at before a request is counted: who asks, the lists, a ban, detectors.
pub struct FirstStages {
    view: View,
}

impl FirstStages {
    /// By a configuration.
    #[must_use]
    pub fn of(config: &SecurityConfig) -> Self {
        Self {
            view: View::new(Engine::of(config)),
        }
    }

    /// Whether none of them applies.
    pub fn pass(&self, request: &ServiceRequest) -> bool {
        let (view, client) = (&self.view, client_of(request, &self.view));
        let facts = Asked {
            request,
            client: &client,
            view,
        };
        matches!(course(&view.settings, &client, &facts), Course::Decide(_))
    }
}

impl std::fmt::Debug for FirstStages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FirstStages").finish_non_exhaustive()
    }
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
