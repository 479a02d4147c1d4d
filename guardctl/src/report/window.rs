//! The global window: what clients send in it, and which limits they would notice.
//!
//! Must not know: how that was counted, how it is shown.

use serde::Serialize;

use crate::{configuration::Effective, replay::Distribution};

/// Suggestions are for limits that one client in so many would notice.
const ONE_IN: [u64; 3] = [100, 1000, 10_000];

/// The global window.
#[derive(Debug, Serialize)]
pub(crate) struct Window {
    pub(crate) limit: u64,
    pub(crate) seconds: u64,
    /// Of all windows of the clock in which a client sent something.
    pub(crate) requests_per_client_and_window: Percentiles,
    /// Of the busiest window of each client.
    pub(crate) busiest_window_per_client: Percentiles,
    /// Each client is in the latter once.
    pub(crate) each_client_once: bool,
    pub(crate) clients_over_limit: u64,
    pub(crate) suggestions: Vec<Suggestion>,
    /// Clients, by the number of requests in their busiest window: up to 1, 2, 4 and so on.
    pub(crate) distribution: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Percentiles {
    pub(crate) count: u64,
    pub(crate) p50: u64,
    pub(crate) p90: u64,
    pub(crate) p99: u64,
    #[serde(rename = "p99.9")]
    pub(crate) p99_9: u64,
    pub(crate) max: u64,
}

/// A limit that one client in so many would notice.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Suggestion {
    pub(crate) one_client_in: u64,
    pub(crate) limit: u64,
    pub(crate) clients_over: u64,
}

impl Window {
    pub(super) fn of(
        effective: &Effective,
        (in_windows, busiest, each_client_once): (Distribution, Distribution, bool),
    ) -> Self {
        let suggestions = ONE_IN.into_iter().map(|one_client_in| {
            let limit = busiest.at(1.0 - 1.0 / one_client_in as f64).max(1);
            Suggestion {
                one_client_in,
                limit,
                clients_over: busiest.above(limit),
            }
        });
        Self {
            limit: effective.rate_limit,
            seconds: effective.rate_limit_window.0,
            requests_per_client_and_window: Percentiles::of(&in_windows),
            busiest_window_per_client: Percentiles::of(&busiest),
            each_client_once,
            clients_over_limit: busiest.above(effective.rate_limit),
            suggestions: suggestions.collect(),
            distribution: busiest.by_powers(),
        }
    }
}

impl Percentiles {
    fn of(distribution: &Distribution) -> Self {
        Self {
            count: distribution.count(),
            p50: distribution.at(0.5),
            p90: distribution.at(0.9),
            p99: distribution.at(0.99),
            p99_9: distribution.at(0.999),
            max: distribution.max(),
        }
    }
}
