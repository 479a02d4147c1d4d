//! The windows that are in force at a registration: those that it was made with, or those of `[[routes]]` for its pattern.
//!
//! Must not know: tickets, decisions.

use std::rc::Rc;

use actix_web::{dev::ServiceRequest, http::Method};

use crate::{
    config::{RouteOverride, Settings},
    view::{View, configured_quota, counted_as, override_of, quota},
};

use super::{
    registration::{CountedMethods, LimitSpec, Place, Registration, RouteIdentity, Seen, Source},
    windows::{NamedQuota, RouteWindows},
};

/// What is in force at a place, for requests of one method where that matters.
#[derive(Debug)]
pub(super) struct InForce<'a> {
    /// Of the route that counts there.
    pub(super) identity: RouteIdentity,
    pub(super) methods: CountedMethods<'a>,
    /// Empty: the global window, unless the route is exempt.
    pub(super) named: Vec<NamedQuota>,
    /// The entry of `[[routes]]` that all of it is from.
    #[cfg_attr(
        not(feature = "admin"),
        expect(dead_code, reason = "told to operators only")
    )]
    pub(super) overriding: Option<&'a RouteOverride>,
}

impl<'a> InForce<'a> {
    /// At the full pattern of an identity.
    pub(super) fn at(
        source: &Source,
        pattern: &str,
        identity: &RouteIdentity,
        settings: &'a Settings,
        method: Option<&Method>,
    ) -> Self {
        let fits = |wanted: &Method| match source {
            Source::Annotation(annotation) => annotation.methods.contains(&wanted.as_str()),
            Source::Wrapped(_) => method == Some(wanted),
        };
        let patterns = [pattern, identity.pattern.as_str()];
        let overriding = override_of(&settings.routes, &patterns, fits);
        let named = match overriding {
            Some(route) => vec![configured_quota(route, &identity.pattern)],
            None => source.named(&identity.pattern),
        };
        let mut identity = identity.clone();
        let methods = match source {
            Source::Annotation(annotation) => annotation.methods.first().copied(),
            Source::Wrapped(_) => {
                let method = overriding.and_then(|route| route.method.as_ref());
                if let Some(method) = method {
                    identity.pattern = format!("{method} {}", identity.pattern);
                }
                method.map(Method::as_str)
            }
        };
        Self {
            identity,
            methods: methods.map_or(CountedMethods::All, CountedMethods::First),
            named,
            overriding,
        }
    }
}

impl Registration {
    /// The windows of this registration as a guard sees them: the global one, if it has none of its own; `None` for an exempt route.
    pub(super) fn windows(
        &self,
        view: &View,
        request: &ServiceRequest,
        expected: bool,
    ) -> Option<Rc<RouteWindows>> {
        let place = self.place(request, expected);
        let seen = Seen {
            engine: view.engine.id(),
            version: view.version,
            method: self.own_method(view, request),
        };
        let mut cached = self.windows.borrow_mut();
        if let Some((_, windows)) = cached.iter().find(|(other, _)| *other == seen) {
            return windows.clone();
        }
        let windows = self.make_windows(view, place, seen.method.as_ref());
        cached.retain(|(other, _)| other.engine != seen.engine || other.version == seen.version);
        cached.push((seen, windows.clone()));
        windows
    }

    fn make_windows(
        &self,
        view: &View,
        place: &Place,
        method: Option<&Method>,
    ) -> Option<Rc<RouteWindows>> {
        let Place {
            pattern, identity, ..
        } = place;
        #[cfg(feature = "admin")]
        view.engine.met_routes.note(&self.source, pattern, identity);
        let in_force = InForce::at(&self.source, pattern, identity, &view.settings, method);
        if in_force.named.is_empty() {
            return (!self.source.is_exempt()).then(|| view.global());
        }
        let apart = self.may_share_place();
        let route = view
            .engine
            .route(&in_force.identity, pattern, in_force.methods, apart);
        Some(Rc::new(RouteWindows::new(
            route,
            view.engine.meters.route(&identity.pattern),
            &in_force.named,
        )))
    }

    /// The method of the request, where it matters: what was limited by hand has one window for all methods, unless the
    /// configuration has entries for some.
    fn own_method(&self, view: &View, request: &ServiceRequest) -> Option<Method> {
        let matters = matches!(self.source, Source::Wrapped(_)) && !view.settings.routes.is_empty();
        matters.then(|| counted_as(request.method()).clone())
    }
}

impl Source {
    /// The quotas that it was made with. Those without a name go by the pattern.
    pub(super) fn named(&self, pattern: &str) -> Vec<NamedQuota> {
        let specs: Vec<LimitSpec> = match self {
            Self::Annotation(annotation) => annotation
                .limits
                .iter()
                .map(|limit| LimitSpec {
                    requests: limit.requests,
                    window_seconds: limit.window_seconds,
                    name: limit.name.map(str::to_owned),
                    key: limit.key,
                })
                .collect(),
            Self::Wrapped(wrapped) => wrapped.limits.clone(),
        };
        let name = |spec: &LimitSpec| spec.name.clone().unwrap_or_else(|| pattern.to_owned());
        specs
            .iter()
            .map(|spec| NamedQuota {
                name: name(spec),
                quota: quota(spec.requests, spec.window_seconds),
                key: spec.key,
            })
            .collect()
    }
}
