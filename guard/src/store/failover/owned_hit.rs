//! A question to a store, kept for when another store has to answer it.
//!
//! Must not know: which stores those are.

use smallvec::SmallVec;

use crate::{
    client::ClientKey,
    config::StoreFailurePolicy,
    decision::{Cause, Hit, LogHit, LogKey, LogName, Quota, StrikeRules},
};

/// The logs of a question. They have no names: only stores that are shared need them.
#[derive(Clone, Debug)]
pub(super) struct OwnedLogs(SmallVec<[(LogKey, SmallVec<[Quota; 1]>); 2]>);

impl OwnedLogs {
    pub(super) fn of(logs: &[LogHit<'_>]) -> Self {
        let logs = logs.iter();
        Self(logs.map(|log| (log.key, log.quotas.into())).collect())
    }

    /// Lends the logs to `ask`.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&[LogHit<'_>]) -> T) -> T {
        let logs: SmallVec<[LogHit<'_>; 2]> = self
            .0
            .iter()
            .map(|(key, quotas)| LogHit {
                key: *key,
                name: LogName::default(),
                quotas,
            })
            .collect();
        ask(&logs)
    }
}

/// A [`Hit`] that owns its parts.
#[derive(Clone, Debug)]
pub(super) struct OwnedHit {
    client: ClientKey,
    threat: Option<Box<str>>,
    logs: OwnedLogs,
    count_rejected: bool,
    bans: bool,
    strikes: Option<StrikeRules>,
    on_store_failure: StoreFailurePolicy,
}

impl OwnedHit {
    pub(super) fn of(hit: &Hit<'_>) -> Self {
        Self {
            client: hit.client,
            threat: match hit.cause {
                Cause::Request => None,
                Cause::Threat(reason) => Some(reason.into()),
            },
            logs: OwnedLogs::of(hit.logs),
            count_rejected: hit.count_rejected,
            bans: hit.bans,
            strikes: hit.strikes,
            on_store_failure: hit.on_store_failure,
        }
    }

    pub(super) fn client(&self) -> ClientKey {
        self.client
    }

    pub(super) fn asks_for_ban(&self) -> bool {
        self.bans
    }

    /// Lends the hit to `ask`.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&Hit<'_>) -> T) -> T {
        self.logs.with(|logs| {
            ask(&Hit {
                client: self.client,
                cause: self.threat.as_deref().map_or(Cause::Request, Cause::Threat),
                logs,
                count_rejected: self.count_rejected,
                bans: self.bans,
                strikes: self.strikes,
                on_store_failure: self.on_store_failure,
            })
        })
    }
}
