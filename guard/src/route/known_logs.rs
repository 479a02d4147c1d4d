//! The logs in which a client may have been counted by its address: those of the general windows and of all routes that requests have met.
//!
//! Must not know: stores, whether anything is recorded.

use crate::{
    client::ClientKey,
    config::{RouteOverride, Settings},
    decision::{CountedBy, LogHit, LogKey, LogName, Quota, RouteId, Subject},
    engine::Engine,
    view::{GeneralWindow, configured_identity, configured_quota, counted_methods, override_of},
};

use super::{
    met::MetRoute,
    registration::Source,
    windows::{Log, NamedQuota, Route, logs_of},
};

/// A log with the quotas that read it by the settings in force.
#[derive(Debug)]
pub(crate) struct KnownLog {
    route: Route,
    log: Log,
    names: Vec<String>,
    /// `None` for a general window.
    pub(crate) pattern: Option<String>,
    /// Empty: any.
    pub(crate) methods: Vec<String>,
}

/// All known logs of a guard with these settings: the global one first, then the other general ones, then by pattern. None, if rate
/// limiting is off.
pub(crate) fn known_logs(engine: &Engine, settings: &Settings) -> Vec<KnownLog> {
    if !settings.enable_rate_limiting {
        return Vec::new();
    }
    let met = engine.met_routes.all();
    let met = met
        .iter()
        .flat_map(|route| met_logs(engine, settings, route));
    let entries = settings.routes.iter();
    let configured = entries.flat_map(|entry| configured_logs(engine, settings, entry));
    let mut of_routes: Vec<KnownLog> = met.chain(configured).collect();
    of_routes.sort_by(|one, other| one.order().cmp(&other.order()));
    let general = GeneralWindow::all(settings).flat_map(general_logs);
    general.chain(of_routes).collect()
}

impl KnownLog {
    /// Whether it is the one of all requests that no other limit covers.
    pub(crate) fn is_global(&self) -> bool {
        self.route.id == RouteId::GLOBAL
    }

    /// The quotas with their names, in the order in which a store tells them.
    pub(crate) fn quotas(&self) -> impl Iterator<Item = (&str, &Quota)> {
        self.names.iter().map(String::as_str).zip(&self.log.quotas)
    }

    /// The log of a client. Where a key function says what is counted by: of the requests for which it gave nothing.
    pub(crate) fn hit(&self, engine: &Engine, client: ClientKey) -> LogHit<'_> {
        let (subject, counted_by) = match self.log.key {
            None => (Subject::Client(client), None),
            Some(key) => {
                let counted_by = CountedBy {
                    function: key.name,
                    value: None,
                };
                let value = engine.value(key.name, None, client);
                (Subject::Value(value), Some(counted_by))
            }
        };
        LogHit {
            key: LogKey {
                subject,
                route: self.route.id,
            },
            name: LogName {
                endpoint: self.route.endpoint.as_deref(),
                counted_by,
            },
            quotas: &self.log.quotas,
        }
    }

    fn order(&self) -> (Option<&str>, &[String]) {
        (self.pattern.as_deref(), &self.methods)
    }

    fn all_of(
        route: &Route,
        named: &[NamedQuota],
        pattern: Option<&str>,
        methods: &[String],
    ) -> Vec<Self> {
        let logs = logs_of(named).into_iter();
        logs.map(|(log, names)| Self {
            route: route.clone(),
            log,
            names,
            pattern: pattern.map(str::to_owned),
            methods: methods.to_vec(),
        })
        .collect()
    }
}

fn general_logs(window: GeneralWindow) -> Vec<KnownLog> {
    let methods = window.methods().iter();
    let methods: Vec<String> = methods.map(|method| (*method).to_owned()).collect();
    let named = NamedQuota {
        name: window.title().to_owned(),
        ..window.named
    };
    KnownLog::all_of(&window.route, &[named], None, &methods)
}

fn met_logs(engine: &Engine, settings: &Settings, met: &MetRoute) -> Vec<KnownLog> {
    let mut logs = Vec::new();
    for in_force in met.in_force(settings) {
        // Who has not got a number has not been counted.
        let Some(route) = engine.known_route(&in_force.identity) else {
            continue;
        };
        let methods: Vec<String> = match (&met.source, in_force.overriding) {
            (Source::Wrapped(_), Some(entry)) => {
                entry.method.iter().map(ToString::to_string).collect()
            }
            (source, _) => source
                .methods()
                .iter()
                .map(|one| (*one).to_owned())
                .collect(),
        };
        let pattern = Some(met.identity.pattern.as_str());
        logs.extend(KnownLog::all_of(&route, &in_force.named, pattern, &methods));
    }
    logs
}

/// Each method has a log of its own.
fn configured_logs(engine: &Engine, settings: &Settings, entry: &RouteOverride) -> Vec<KnownLog> {
    let mut logs = Vec::new();
    for method in counted_methods() {
        let meant = override_of(&settings.routes, &[&entry.pattern], |one| *one == method);
        if !meant.is_some_and(|meant| std::ptr::eq(meant, entry)) {
            continue;
        }
        if let Some(route) = engine.known_route(&configured_identity(&method, entry)) {
            let named = [configured_quota(entry, &entry.pattern)];
            let pattern = Some(entry.pattern.as_str());
            logs.extend(KnownLog::all_of(
                &route,
                &named,
                pattern,
                &[method.to_string()],
            ));
        }
    }
    logs
}
