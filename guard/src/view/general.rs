//! The windows that are no route's: how they are called, what they admit, what they count by.
//!
//! Must not know: routing, which requests count in them.

use std::rc::Rc;

use crate::{
    config::Settings,
    decision::{Quota, RouteId},
    engine::Engine,
    route::{AnnotatedKey, NamedQuota, Route, RouteWindows},
    store::CountedApart,
    telemetry::{DEFAULT_ROUTE, Meters},
};

use super::{INFRASTRUCTURE_ROUTE, KEY_BY};

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(crate) struct GeneralWindow {
    pub(crate) route: Route,
    /// The name of the route in numbers.
    label: &'static str,
    /// With its name in the `RateLimit` fields.
    pub(crate) named: NamedQuota,
}

impl GeneralWindow {
    /// Of all requests that no other limit covers.
    pub(crate) fn global(settings: &Settings) -> Self {
        let route = Route {
            id: RouteId::GLOBAL,
            endpoint: None,
        };
        let key = settings.key_by.map(|function| AnnotatedKey {
            name: KEY_BY,
            function,
        });
        Self::new(route, DEFAULT_ROUTE, "default", settings.global, key)
    }

    /// Of CORS preflights.
    pub(crate) fn preflight(settings: &Settings) -> Self {
        let route = Engine::apart(CountedApart::Preflight);
        Self::new(route, "preflight", "default", settings.global, None)
    }

    /// Of requests of trusted proxies that name nobody, if they are counted.
    pub(crate) fn infrastructure(settings: &Settings) -> Option<Self> {
        let quota = with_requests(settings, settings.infrastructure_limit?);
        let route = Engine::apart(CountedApart::Infrastructure);
        let name = "infrastructure";
        Some(Self::new(route, INFRASTRUCTURE_ROUTE, name, quota, None))
    }

    /// Of answers with 404, if they are counted.
    pub(crate) fn not_found(settings: &Settings) -> Option<Self> {
        let quota = with_requests(settings, settings.not_found_limit?);
        let route = Engine::apart(CountedApart::NotFound);
        Some(Self::new(route, DEFAULT_ROUTE, "not-found", quota, None))
    }

    /// All that there are; the global one first.
    #[cfg(feature = "admin")]
    pub(crate) fn all(settings: &Settings) -> impl Iterator<Item = Self> + use<> {
        let always = [Self::global(settings), Self::preflight(settings)];
        let configured = [Self::infrastructure(settings), Self::not_found(settings)];
        always.into_iter().chain(configured.into_iter().flatten())
    }

    /// What tells it from the others. In the `RateLimit` fields the one of preflights is called like the global one.
    #[cfg(feature = "admin")]
    pub(crate) fn title(&self) -> &str {
        match self.route.id {
            RouteId::PREFLIGHT => self.label,
            _ => &self.named.name,
        }
    }

    /// The methods of its requests, if it is for some only.
    #[cfg(feature = "admin")]
    pub(crate) fn methods(&self) -> &'static [&'static str] {
        match self.route.id {
            RouteId::PREFLIGHT => &["OPTIONS"],
            _ => &[],
        }
    }

    /// `meters` count its requests.
    pub(super) fn windows(self, meters: &Meters) -> Rc<RouteWindows> {
        let meter = meters.route(self.label);
        Rc::new(RouteWindows::new(self.route, meter, &[self.named]))
    }

    fn new(
        route: Route,
        label: &'static str,
        name: &str,
        quota: Quota,
        key: Option<AnnotatedKey>,
    ) -> Self {
        let name = name.to_owned();
        Self {
            route,
            label,
            named: NamedQuota { name, quota, key },
        }
    }
}

/// So many requests in the time of the global window.
fn with_requests(settings: &Settings, requests: u32) -> Quota {
    Quota {
        requests,
        ..settings.global
    }
}
