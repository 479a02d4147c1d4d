//! What one worker has ready of an engine's settings: windows with their headers, and the rules for strikes. Made anew when
//! the settings change.
//!
//! Must not know: routing, responses' bodies.

use std::{borrow::Cow, cell::RefCell, collections::HashMap, rc::Rc, sync::Arc};

use actix_web::{dev::ServiceRequest, http::Method};
use smallvec::SmallVec;

use crate::{
    client::Client,
    clock::millis,
    config::{RouteOverride, Settings, StoreFailurePolicy, StrikeReset},
    decision::{
        Answer, Cause, CountedBy, Decision, Hit, LogHit, Quota, RouteId, Store, StrikeRules,
        Subject,
    },
    engine::Engine,
    route::{AnnotatedKey, CountedMethods, NamedQuota, Route, RouteIdentity, RouteWindows},
};

/// The windows that a request is counted in together.
pub(crate) type Windows = SmallVec<[Rc<RouteWindows>; 2]>;

type Logs<'a> = SmallVec<[LogHit<'a>; 2]>;

/// A key function with what it gave; `None` for a log that counts by the client's address.
type Value<'a> = Option<(AnnotatedKey, Option<Cow<'a, str>>)>;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) engine: Arc<Engine>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) version: u64,
    global: Rc<RouteWindows>,
    preflight: Rc<RouteWindows>,
    strikes: Option<StrikeRules>,
    /// Windows of `[[routes]]` for routes without an annotation.
    configured: RefCell<HashMap<(String, Method), Rc<RouteWindows>>>,
}

impl View {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        // The version first: settings that come in between are then looked at again.
        let version = engine.version();
        let settings = engine.settings();
        let global = |route: Route| {
            let name = "default".to_owned();
            Rc::new(RouteWindows::new(
                route,
                &[NamedQuota {
                    name,
                    quota: settings.global,
                    key: None,
                }],
            ))
        };
        Self {
            version,
            global: global(Route {
                id: RouteId::GLOBAL,
                endpoint: None,
            }),
            preflight: global(Engine::preflight()),
            strikes: settings.enable_ip_banning.then(|| strike_rules(&settings)),
            configured: RefCell::default(),
            settings,
            engine,
        }
    }

    #[inline]
    pub(crate) fn store(&self) -> &dyn Store {
        self.engine.store(self.settings.passive)
    }

    pub(crate) fn preflight(&self) -> Windows {
        alone(Rc::clone(&self.preflight))
    }

    /// The windows of a request that no annotation claims: the configuration's for its pattern, else the global one.
    #[inline]
    pub(crate) fn unclaimed(&self, method: &Method, pattern: Option<&str>) -> Windows {
        let configured = self.configured_for(method, pattern);
        configured.unwrap_or_else(|| alone(Rc::clone(&self.global)))
    }

    /// The windows that `[[routes]]` have for a pattern.
    pub(crate) fn configured_for(&self, method: &Method, pattern: Option<&str>) -> Option<Windows> {
        let pattern = pattern.filter(|_| !self.settings.routes.is_empty())?;
        let method = counted_as(method);
        let route = self.override_of(&[pattern], |wanted| wanted == method)?;
        Some(alone(self.configured(method, route)))
    }

    /// The entry of `[[routes]]` for one of some patterns and a fitting method; one for the method is meant rather than one for
    /// all methods.
    pub(crate) fn override_of(
        &self,
        patterns: &[&str],
        fits: impl Fn(&Method) -> bool,
    ) -> Option<&RouteOverride> {
        let mut for_all = None;
        for route in self
            .settings
            .routes
            .iter()
            .filter(|route| patterns.contains(&route.pattern.as_str()))
        {
            match &route.method {
                None => for_all = Some(route),
                Some(method) if fits(counted_as(method)) => return Some(route),
                Some(_) => {}
            }
        }
        for_all
    }

    fn configured(&self, method: &Method, route: &RouteOverride) -> Rc<RouteWindows> {
        let mut configured = self.configured.borrow_mut();
        let make = || {
            let identity = RouteIdentity {
                handler: "",
                location: ("configuration", 0, 0),
                pattern: format!("{method} {}", route.pattern),
            };
            let named = NamedQuota {
                name: route.pattern.clone(),
                quota: route.quota,
                key: None,
            };
            let endpoint = self.engine.route(
                &identity,
                &route.pattern,
                CountedMethods::First(method.as_str()),
                false,
            );
            Rc::new(RouteWindows::new(endpoint, &[named]))
        };
        Rc::clone(
            configured
                .entry((route.pattern.clone(), method.clone()))
                .or_insert_with(make),
        )
    }

    /// Asks the store about a request that counts in `windows`. `strikes`: whether a violation is a strike.
    #[inline]
    pub(crate) fn ask(
        &self,
        client: &Client,
        cause: Cause<'_>,
        windows: &Windows,
        strikes: bool,
        request: &ServiceRequest,
    ) -> Answer<Decision> {
        if let [windows] = windows.as_slice()
            && let Some(log) = windows.only_log_by_address(client)
        {
            return self.decide(client, cause, &[log], strikes);
        }
        let keys = windows.iter().flat_map(|windows| windows.keys());
        let values: SmallVec<[Value<'_>; 2]> = keys
            .map(|key| key.map(|key| (key, (key.function)(request))))
            .collect();
        let client_key = client.key();
        let mut counted = values.iter().map(|value| match value {
            None => (Subject::Client(client_key), None),
            Some((key, value)) => {
                let (function, value) = (key.name, value.as_deref());
                let hash = self.engine.value(function, value, client_key);
                let counted_by = CountedBy { function, value };
                (Subject::Value(hash), Some(counted_by))
            }
        });
        let mut logs = Logs::new();
        for windows in windows {
            for log in windows.logs(&mut counted) {
                logs.push(log);
            }
        }
        self.decide(client, cause, &logs, strikes)
    }

    /// Asks the store about a request that counts in no window.
    pub(crate) fn ask_without_windows(
        &self,
        client: &Client,
        cause: Cause<'_>,
    ) -> Answer<Decision> {
        self.decide(client, cause, &[], true)
    }

    /// Asks the store only whether the client of a request for an exempt route is banned; `None` if that can't be. Whatever the failure
    /// policy is, such a route is served while nobody knows: health checks of a server must not depend on another.
    pub(crate) fn ask_about_ban(&self, client: &Client) -> Option<Answer<Decision>> {
        let bans = self.settings.enable_ip_banning && client.can_be_struck();
        bans.then(|| {
            self.store().decide(&Hit {
                client: client.key(),
                cause: Cause::Request,
                logs: &[],
                count_rejected: self.settings.count_rejected,
                bans,
                strikes: None,
                on_store_failure: StoreFailurePolicy::Open,
            })
        })
    }

    /// Asks the store about a request that is out of reach, in the inner service or answered: it can count only by its address.
    pub(crate) fn ask_detached(&self, client: &Client, windows: &Windows) -> Answer<Decision> {
        let logs: Logs<'_> = windows
            .iter()
            .flat_map(|windows| windows.logs_by_address(client.key()))
            .collect();
        self.decide(client, Cause::Request, &logs, true)
    }

    #[inline]
    fn decide(
        &self,
        client: &Client,
        cause: Cause<'_>,
        logs: &[LogHit<'_>],
        strikes: bool,
    ) -> Answer<Decision> {
        self.store().decide(&Hit {
            client: client.key(),
            cause,
            logs,
            count_rejected: self.settings.count_rejected,
            // A ban that the proxy's own address earned without it is not one of everybody behind it.
            bans: self.settings.enable_ip_banning && client.can_be_struck(),
            strikes: self.strikes.filter(|_| strikes && client.can_be_struck()),
            on_store_failure: self.settings.on_store_failure,
        })
    }

    /// Whether a clean request puts the strikes back to zero.
    pub(crate) fn clean_requests_reset(&self) -> bool {
        self.settings.strike_reset == StrikeReset::CleanRequest
    }
}

fn alone(windows: Rc<RouteWindows>) -> Windows {
    let mut alone = Windows::new();
    alone.push(windows);
    alone
}

/// HEAD counts as GET.
pub(crate) fn counted_as(method: &Method) -> &Method {
    if *method == Method::HEAD {
        &Method::GET
    } else {
        method
    }
}

fn strike_rules(settings: &Settings) -> StrikeRules {
    StrikeRules {
        threshold: settings.auto_ban_threshold,
        ttl_millis: millis(settings.strike_ttl),
        interval_millis: millis(settings.strike_interval),
        ban_millis: millis(settings.auto_ban_duration),
    }
}

/// A quota from whole numbers.
pub(crate) fn quota(requests: u32, window_seconds: u64) -> Quota {
    Quota {
        requests,
        window_millis: window_seconds.saturating_mul(1000),
    }
}
