//! The windows of a route: what is asked of the store, and the names under which the answer is told.
//!
//! Must not know: requests, routing.

use std::sync::Arc;

use actix_web::{http::header::HeaderValue, web::Bytes};

use crate::{
    client::Client,
    decision::{CountedBy, LogHit, LogKey, LogName, Quota, RouteId, Subject},
    response::{StateValues, policy_value, quota_exceeded, quoted},
    telemetry::RouteMeter,
};

use super::annotation::AnnotatedKey;

/// A quota with its name in the `RateLimit` fields.
#[derive(Clone, Debug)]
pub(crate) struct NamedQuota {
    pub(crate) name: String,
    pub(crate) quota: Quota,
    /// What it counts by; `None`: the client's address.
    pub(crate) key: Option<AnnotatedKey>,
}

/// A route as stores know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// In this process.
    pub(crate) id: RouteId,
    /// In all processes that share a store; `None` for what no other limit covers, and where no store is shared.
    pub(crate) endpoint: Option<Arc<str>>,
}

/// All windows of one route.
#[derive(Debug)]
pub(crate) struct RouteWindows {
    route: RouteId,
    meter: RouteMeter,
    endpoint: Option<Arc<str>>,
    logs: Vec<Log>,
    /// The names in the order in which the store answers, as structured strings: quotes included.
    names: Vec<String>,
    quotas: Vec<Quota>,
    policy: HeaderValue,
    state_values: StateValues,
    /// The body of a refusal, if there is one quota.
    problem: Bytes,
}

/// Quotas that count by the same key share a log.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) key: Option<AnnotatedKey>,
    pub(super) quotas: Vec<Quota>,
}

/// The logs of some quotas, with the names of those that share them.
pub(super) fn logs_of(named: &[NamedQuota]) -> Vec<(Log, Vec<String>)> {
    let mut logs: Vec<(Log, Vec<String>)> = Vec::new();
    for one in named {
        let name = |key: Option<AnnotatedKey>| key.map(|key| key.name);
        let mut known = logs.iter_mut();
        match known.find(|(log, _)| name(log.key) == name(one.key)) {
            Some((log, names)) => {
                log.quotas.push(one.quota);
                names.push(one.name.clone());
            }
            None => {
                let log = Log {
                    key: one.key,
                    quotas: vec![one.quota],
                };
                logs.push((log, vec![one.name.clone()]));
            }
        }
    }
    logs
}

impl RouteWindows {
    /// `meter` counts its requests.
    pub(crate) fn new(route: Route, meter: RouteMeter, named: &[NamedQuota]) -> Self {
        let (logs, names): (Vec<Log>, Vec<Vec<String>>) = logs_of(named).into_iter().unzip();
        let names: Vec<String> = names.into_iter().flatten().collect();
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        let quotas: Vec<Quota> = logs.iter().flat_map(|log| &log.quotas).copied().collect();
        let policy = policy_value(names.iter().map(String::as_str).zip(&quotas));
        let problem = quota_exceeded(names.iter().map(String::as_str));
        Self {
            route: route.id,
            meter,
            endpoint: route.endpoint,
            logs,
            names,
            quotas,
            policy,
            state_values: StateValues::default(),
            problem,
        }
    }

    /// Whether the global window has no part in the route besides: it is this one, or one of these counts by the client's address.
    pub(crate) fn is_enough(&self) -> bool {
        self.is_global() || self.logs.iter().any(|log| log.key.is_none())
    }

    /// Whether they are those of the requests that no other limit covers.
    pub(crate) fn is_global(&self) -> bool {
        self.route == RouteId::GLOBAL
    }

    /// Whether a request over them is nobody's strike.
    pub(crate) fn is_apart(&self) -> bool {
        matches!(self.route, RouteId::PREFLIGHT | RouteId::INFRASTRUCTURE)
    }

    /// Counts the requests that these windows decide about.
    pub(crate) fn meter(&self) -> &RouteMeter {
        &self.meter
    }

    /// The key functions of the logs, in their order; `None` for one that counts by the client's address.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Option<AnnotatedKey>> {
        self.logs.iter().map(|log| log.key)
    }

    /// The logs to be asked for, with what each counts by in this process and what it is called in all.
    pub(crate) fn logs<'a>(
        &'a self,
        counted: impl Iterator<Item = (Subject, Option<CountedBy<'a>>)>,
    ) -> impl Iterator<Item = LogHit<'a>> {
        self.logs
            .iter()
            .zip(counted)
            .map(|(log, (subject, counted_by))| self.hit(log, subject, counted_by))
    }

    /// Those of the logs of whose key it is known what they count by.
    pub(crate) fn logs_where<'a>(
        &'a self,
        counted: impl Fn(Option<AnnotatedKey>) -> Option<(Subject, Option<CountedBy<'a>>)>,
    ) -> impl Iterator<Item = LogHit<'a>> {
        self.logs.iter().filter_map(move |log| {
            let (subject, counted_by) = counted(log.key)?;
            Some(self.hit(log, subject, counted_by))
        })
    }

    #[inline]
    fn hit<'a>(
        &'a self,
        log: &'a Log,
        subject: Subject,
        counted_by: Option<CountedBy<'a>>,
    ) -> LogHit<'a> {
        LogHit {
            key: LogKey {
                subject,
                route: self.route,
            },
            name: LogName {
                endpoint: self.endpoint.as_deref(),
                counted_by,
            },
            quotas: &log.quotas,
        }
    }

    /// The log to be asked for, if there is one and it counts by the client's address: the usual case.
    #[inline]
    pub(crate) fn only_log_by_address(&self, client: &Client) -> Option<LogHit<'_>> {
        let [log @ Log { key: None, .. }] = self.logs.as_slice() else {
            return None;
        };
        Some(self.hit(log, Subject::Client(client.key()), None))
    }

    /// Names, quoted, with their quotas, in the order of the store's answer.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&str, &Quota)> {
        self.names.iter().map(String::as_str).zip(&self.quotas)
    }

    /// What was told of the quota last, if there is one.
    pub(crate) fn state_values(&self) -> &StateValues {
        &self.state_values
    }

    /// The `RateLimit-Policy` of these windows alone.
    pub(crate) fn policy(&self) -> &HeaderValue {
        &self.policy
    }

    /// The body of a refusal in which all of these quotas were exceeded.
    pub(crate) fn problem(&self) -> &Bytes {
        &self.problem
    }
}
