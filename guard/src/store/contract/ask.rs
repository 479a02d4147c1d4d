//! Questions to a store, put together piece by piece.

use crate::{
    client::ClientKey,
    config::StoreFailurePolicy,
    decision::{
        Answer, Cause, CountedBy, Decision, Hit, LogHit, LogKey, LogName, Quota, RouteId, Store,
        StrikeRules, Subject, ValueHash,
    },
};

/// Rules for most tests: the third strike bans for five minutes.
pub(in crate::store) const RULES: StrikeRules = StrikeRules {
    threshold: 2,
    ttl_millis: 300_000,
    interval_millis: 0,
    ban_millis: 300_000,
};

pub(in crate::store) fn quota(requests: u32, window_millis: u64) -> Quota {
    Quota {
        requests,
        window_millis,
    }
}

/// What a log is called where processes share it: other for each key.
pub(in crate::store) struct Names {
    endpoint: Option<String>,
    value: Option<String>,
}

impl Names {
    pub(in crate::store) fn of(key: LogKey) -> Self {
        let endpoint = (key.route != RouteId::GLOBAL).then(|| format!("/route/{}", key.route.0));
        let value = match key.subject {
            Subject::Client(_) => None,
            Subject::Value(ValueHash(value)) => Some(u128::from_ne_bytes(value).to_string()),
        };
        Self { endpoint, value }
    }

    pub(in crate::store) fn name(&self) -> LogName<'_> {
        LogName {
            endpoint: self.endpoint.as_deref(),
            counted_by: self.value.as_deref().map(|value| CountedBy {
                function: "test",
                value: Some(value),
            }),
        }
    }
}

/// A [`Hit`] that owns its parts.
#[derive(Clone, Debug)]
pub(in crate::store) struct Ask {
    client: ClientKey,
    threat: Option<String>,
    logs: Vec<(LogKey, Vec<Quota>)>,
    count_rejected: bool,
    bans: bool,
    strikes: Option<StrikeRules>,
}

impl Ask {
    /// A request that counts nowhere, is refused if the client is banned, and cannot strike.
    pub(in crate::store) fn request(client: ClientKey) -> Self {
        Self {
            client,
            threat: None,
            logs: Vec::new(),
            count_rejected: true,
            bans: true,
            strikes: None,
        }
    }

    /// A request that is a violation already.
    pub(in crate::store) fn threat(client: ClientKey, reason: &str) -> Self {
        Self {
            threat: Some(reason.to_owned()),
            ..Self::request(client)
        }
    }

    /// Counts in the client's global log.
    pub(in crate::store) fn counted(self, quotas: &[Quota]) -> Self {
        self.counted_on(RouteId::GLOBAL, quotas)
    }

    /// Counts in the client's log of a route.
    pub(in crate::store) fn counted_on(self, route: RouteId, quotas: &[Quota]) -> Self {
        let subject = Subject::Client(self.client);
        self.counted_in(LogKey { subject, route }, quotas)
    }

    /// Counts in the log of a value.
    pub(in crate::store) fn counted_by(
        self,
        value: u128,
        route: RouteId,
        quotas: &[Quota],
    ) -> Self {
        let subject = Subject::Value(ValueHash(value.to_ne_bytes()));
        self.counted_in(LogKey { subject, route }, quotas)
    }

    pub(in crate::store) fn counted_in(mut self, key: LogKey, quotas: &[Quota]) -> Self {
        self.logs.push((key, quotas.to_vec()));
        self
    }

    /// Whether a rejected request is recorded; it is by default.
    pub(in crate::store) fn count_rejected(mut self, yes: bool) -> Self {
        self.count_rejected = yes;
        self
    }

    /// A violation is a strike.
    pub(in crate::store) fn struck(mut self, rules: StrikeRules) -> Self {
        self.strikes = Some(rules);
        self
    }

    /// Does not look for a ban.
    pub(in crate::store) fn without_bans(mut self) -> Self {
        self.bans = false;
        self
    }

    /// Lends the question to `ask`.
    pub(in crate::store) fn with_hit<T>(&self, ask: impl FnOnce(&Hit<'_>) -> T) -> T {
        let names: Vec<Names> = self.logs.iter().map(|(key, _)| Names::of(*key)).collect();
        let logs = self.logs.iter().zip(&names);
        let logs: Vec<LogHit<'_>> = logs
            .map(|((key, quotas), names)| LogHit {
                key: *key,
                name: names.name(),
                quotas,
            })
            .collect();
        ask(&Hit {
            client: self.client,
            cause: self.threat.as_deref().map_or(Cause::Request, Cause::Threat),
            logs: &logs,
            count_rejected: self.count_rejected,
            bans: self.bans,
            strikes: self.strikes,
            on_store_failure: StoreFailurePolicy::Local,
        })
    }

    /// Puts the question to a store.
    pub(in crate::store) fn put(&self, store: &impl Store) -> Answer<Decision> {
        self.with_hit(|hit| store.decide(hit))
    }
}
