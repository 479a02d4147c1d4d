//! What one worker has ready of an engine's settings: windows with their headers, and the rules for strikes. Made anew when
//! the settings change.
//!
//! Must not know: routing, responses' bodies.

mod ask;

use std::{
    cell::RefCell,
    collections::HashMap,
    rc::Rc,
    sync::{Arc, LazyLock},
};

use actix_web::http::Method;
use smallvec::SmallVec;

use crate::{
    clock::millis,
    config::{RouteOverride, Settings, StrikeReset},
    decision::{Decision, Outcome, Quota, RouteId, Store, StrikeRules},
    engine::Engine,
    route::{AnnotatedKey, CountedMethods, NamedQuota, Route, RouteIdentity, RouteWindows},
    store::CountedApart,
    telemetry::{DEFAULT_ROUTE, RouteMeter},
};

pub(crate) use ask::GlobalValue;

/// The windows that a request is counted in together.
pub(crate) type Windows = SmallVec<[Rc<RouteWindows>; 2]>;

/// The label of requests of trusted proxies that name nobody.
const INFRASTRUCTURE_ROUTE: &str = "infrastructure";

/// The name of the function by which the global window counts.
const KEY_BY: &str = "key_by";

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) engine: Arc<Engine>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) version: u64,
    global: Rc<RouteWindows>,
    preflight: Rc<RouteWindows>,
    infrastructure: Option<Rc<RouteWindows>>,
    /// Counts the requests of trusted proxies that are in no window.
    uncounted_infrastructure: RouteMeter,
    not_found: Option<Rc<RouteWindows>>,
    strikes: Option<StrikeRules>,
    /// Windows of `[[routes]]` for routes without an annotation.
    configured: RefCell<HashMap<(String, Method), Rc<RouteWindows>>>,
}

impl View {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        // The version first: settings that come in between are then looked at again.
        let version = engine.version();
        let settings = engine.settings();
        let window =
            |route: Route, label: &str, name: &str, quota: Quota, key: Option<AnnotatedKey>| {
                let name = name.to_owned();
                Rc::new(RouteWindows::new(
                    route,
                    engine.meters.route(label),
                    &[NamedQuota { name, quota, key }],
                ))
            };
        let global = Route {
            id: RouteId::GLOBAL,
            endpoint: None,
        };
        let key_by = settings.key_by.map(|function| AnnotatedKey {
            name: KEY_BY,
            function,
        });
        let infrastructure = settings.infrastructure_limit.map(|requests| {
            let quota = Quota {
                requests,
                ..settings.global
            };
            window(
                Engine::apart(CountedApart::Infrastructure),
                INFRASTRUCTURE_ROUTE,
                "infrastructure",
                quota,
                None,
            )
        });
        let not_found = settings.not_found_limit.map(|requests| {
            let quota = Quota {
                requests,
                ..settings.global
            };
            window(
                Engine::apart(CountedApart::NotFound),
                DEFAULT_ROUTE,
                "not-found",
                quota,
                None,
            )
        });
        Self {
            version,
            global: window(global, DEFAULT_ROUTE, "default", settings.global, key_by),
            preflight: window(
                Engine::apart(CountedApart::Preflight),
                "preflight",
                "default",
                settings.global,
                None,
            ),
            uncounted_infrastructure: engine.meters.route(INFRASTRUCTURE_ROUTE),
            infrastructure,
            not_found,
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

    /// The windows of a trusted proxy that names nobody; empty without `infrastructure_limit`.
    pub(crate) fn infrastructure(&self) -> Windows {
        self.infrastructure.iter().map(Rc::clone).collect()
    }

    /// The global window.
    pub(crate) fn global(&self) -> Rc<RouteWindows> {
        Rc::clone(&self.global)
    }

    /// Counts the requests that some windows decide about: by the route that lies deepest, if there is one.
    #[inline]
    pub(crate) fn meter<'a>(&'a self, windows: &'a Windows) -> &'a RouteMeter {
        let mut from_below = windows.iter().rev();
        let route = from_below.find(|windows| !windows.is_global());
        route.unwrap_or(&self.global).meter()
    }

    /// Counts the requests that no limited route decides about.
    pub(crate) fn default_meter(&self) -> &RouteMeter {
        self.global.meter()
    }

    /// Counts the requests of trusted proxies that are in no window.
    pub(crate) fn infrastructure_meter(&self) -> &RouteMeter {
        &self.uncounted_infrastructure
    }

    /// The windows of answers with 404; empty without `not_found_limit`.
    pub(crate) fn not_found(&self) -> Windows {
        self.not_found.iter().map(Rc::clone).collect()
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
            let meter = self.engine.meters.route(&route.pattern);
            Rc::new(RouteWindows::new(endpoint, meter, &[named]))
        };
        Rc::clone(
            configured
                .entry((route.pattern.clone(), method.clone()))
                .or_insert_with(make),
        )
    }

    /// Whether a clean answer puts the client's strikes back to zero.
    #[inline]
    pub(crate) fn resets(&self, decision: &Decision) -> bool {
        decision.strikes > 0
            && decision.outcome == Outcome::Admitted
            && !decision.quotas.is_empty()
            && self.settings.strike_reset == StrikeReset::CleanRequest
    }
}

fn alone(windows: Rc<RouteWindows>) -> Windows {
    let mut alone = Windows::new();
    alone.push(windows);
    alone
}

/// HEAD counts as GET, and methods that the sender made up count as one: else each would have a window of its own.
pub(crate) fn counted_as(method: &Method) -> &Method {
    static MADE_UP: LazyLock<Method> =
        LazyLock::new(|| Method::from_bytes(b"OTHER").unwrap_or_default());
    match *method {
        Method::HEAD => &Method::GET,
        Method::GET
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS
        | Method::CONNECT
        | Method::TRACE => method,
        _ => &MADE_UP,
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
