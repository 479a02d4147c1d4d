//! What one worker has ready of an engine's settings: windows with their headers, and the rules for strikes. Made anew when
//! the settings change.
//!
//! Must not know: routing, responses' bodies.

mod ask;
mod general;

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
    sync::{Arc, LazyLock},
};

use actix_web::http::Method;
use smallvec::SmallVec;

use crate::{
    clock::millis,
    config::{RouteOverride, Settings, StrikeReset},
    decision::{Decision, Outcome, Quota, Store, StrikeRules},
    engine::Engine,
    route::{CountedMethods, Entries, EntryPaths, NamedQuota, RouteIdentity, RouteWindows},
    telemetry::RouteMeter,
};

pub(crate) use ask::GlobalValue;
pub(crate) use general::GeneralWindow;

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
    entry_paths: OnceCell<EntryPaths>,
}

impl View {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        // The version first: settings that come in between are then looked at again.
        let version = engine.version();
        let settings = engine.settings();
        Self {
            version,
            global: GeneralWindow::global(&settings).windows(&engine.meters),
            preflight: GeneralWindow::preflight(&settings).windows(&engine.meters),
            uncounted_infrastructure: engine.meters.route(INFRASTRUCTURE_ROUTE),
            infrastructure: GeneralWindow::infrastructure(&settings)
                .map(|window| window.windows(&engine.meters)),
            not_found: GeneralWindow::not_found(&settings)
                .map(|window| window.windows(&engine.meters)),
            strikes: settings.enable_ip_banning.then(|| strike_rules(&settings)),
            configured: RefCell::default(),
            entry_paths: OnceCell::new(),
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

    /// The entries of `[[routes]]`, if there are any.
    #[inline]
    pub(crate) fn entries(&self) -> Option<Entries<'_>> {
        let routes = &self.settings.routes;
        if routes.is_empty() {
            return None;
        }
        let paths = || EntryPaths::new(routes.iter().map(|route| route.pattern.as_str()));
        Some(Entries {
            paths: self.entry_paths.get_or_init(paths),
            version: self.version,
        })
    }

    /// The windows of a request that no annotation claims: the configuration's for its pattern, else the global one.
    #[inline]
    pub(crate) fn unclaimed(&self, method: &Method, pattern: Option<&str>) -> Windows {
        let configured = pattern.and_then(|pattern| self.configured_for(method, pattern));
        configured.unwrap_or_else(|| alone(Rc::clone(&self.global)))
    }

    /// The windows that `[[routes]]` have for a pattern.
    pub(crate) fn configured_for(&self, method: &Method, pattern: &str) -> Option<Windows> {
        if self.settings.routes.is_empty() {
            return None;
        }
        let method = counted_as(method);
        let routes = &self.settings.routes;
        let route = override_of(routes, &[pattern], |wanted| wanted == method)?;
        Some(alone(self.configured(method, route)))
    }

    fn configured(&self, method: &Method, route: &RouteOverride) -> Rc<RouteWindows> {
        let mut configured = self.configured.borrow_mut();
        let make = || {
            let identity = configured_identity(method, route);
            let named = configured_quota(route, &route.pattern);
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

/// The entry of `[[routes]]` for one of some patterns and a fitting method; one for the method is meant rather than one for
/// all methods.
pub(crate) fn override_of<'a>(
    routes: &'a [RouteOverride],
    patterns: &[&str],
    fits: impl Fn(&Method) -> bool,
) -> Option<&'a RouteOverride> {
    let mut for_all = None;
    let routes = routes.iter();
    for route in routes.filter(|route| patterns.contains(&route.pattern.as_str())) {
        match &route.method {
            None => for_all = Some(route),
            Some(method) if fits(counted_as(method)) => return Some(route),
            Some(_) => {}
        }
    }
    for_all
}

/// What tells the windows of an entry for a method from all others. Each method has windows of its own.
pub(crate) fn configured_identity(method: &Method, route: &RouteOverride) -> RouteIdentity {
    RouteIdentity {
        handler: "",
        location: ("configuration", 0, 0),
        pattern: format!("{method} {}", route.pattern),
    }
}

/// What an entry of `[[routes]]` admits at a pattern.
pub(crate) fn configured_quota(route: &RouteOverride, pattern: &str) -> NamedQuota {
    NamedQuota {
        name: pattern.to_owned(),
        quota: route.quota,
        key: None,
    }
}

fn alone(windows: Rc<RouteWindows>) -> Windows {
    let mut alone = Windows::new();
    alone.push(windows);
    alone
}

static MADE_UP: LazyLock<Method> =
    LazyLock::new(|| Method::from_bytes(b"OTHER").unwrap_or_default());

/// All that [`counted_as`] gives.
#[cfg(feature = "admin")]
pub(crate) fn counted_methods() -> [Method; 9] {
    [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::CONNECT,
        Method::TRACE,
        MADE_UP.clone(),
    ]
}

/// HEAD counts as GET, and methods that the sender made up count as one: else each would have a window of its own.
pub(crate) fn counted_as(method: &Method) -> &Method {
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

#[cfg(all(test, feature = "admin"))]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_counted_as_one_of_those_that_are_known() {
        let known = counted_methods();
        for method in &known {
            assert_eq!(counted_as(method), method);
        }
        for name in [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
            "PURGE", "get",
        ] {
            let method = Method::from_bytes(name.as_bytes()).unwrap();
            assert!(known.contains(counted_as(&method)), "{name}");
        }
    }
}
