//! The windows that are in force at a registration: those that it was made with, or those of `[[routes]]` for its pattern.
//!
//! Must not know: tickets, decisions.

use std::rc::Rc;

use actix_web::{dev::ServiceRequest, http::Method};

use crate::{
    decision::Quota,
    view::{View, counted_as, quota},
};

use super::{
    registration::{CountedMethods, LimitSpec, Place, Registration, Seen, Source},
    windows::{NamedQuota, RouteWindows},
};

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
        let patterns = [place.pattern.as_str(), place.identity.pattern.as_str()];
        let fits = |wanted: &Method| match &self.source {
            Source::Annotation(annotation) => annotation.methods.contains(&wanted.as_str()),
            Source::Wrapped(_) => method == Some(wanted),
        };
        let overriding = view.override_of(&patterns, fits);
        let named = self.named(&place.identity.pattern, overriding.map(|route| route.quota));
        let mut identity = place.identity.clone();
        if let (Source::Wrapped(_), Some(method)) = (
            &self.source,
            overriding.and_then(|route| route.method.as_ref()),
        ) {
            identity.pattern = format!("{method} {}", identity.pattern);
        }
        let methods = match &self.source {
            Source::Annotation(annotation) => annotation.methods.first().copied(),
            Source::Wrapped(_) => {
                overriding.and_then(|route| route.method.as_ref()?.as_str().into())
            }
        };
        let methods = methods.map_or(CountedMethods::All, CountedMethods::First);
        if named.is_empty() {
            return (!self.source.is_exempt()).then(|| view.global());
        }
        let apart = self.may_share_place();
        let route = view.engine.route(&identity, &place.pattern, methods, apart);
        Some(Rc::new(RouteWindows::new(
            route,
            view.engine.meters.route(&place.identity.pattern),
            &named,
        )))
    }

    /// The method of the request, where it matters: what was limited by hand has one window for all methods, unless the
    /// configuration has entries for some.
    fn own_method(&self, view: &View, request: &ServiceRequest) -> Option<Method> {
        let matters = matches!(self.source, Source::Wrapped(_)) && !view.settings.routes.is_empty();
        matters.then(|| counted_as(request.method()).clone())
    }

    fn named(&self, pattern: &str, overriding: Option<Quota>) -> Vec<NamedQuota> {
        if let Some(quota) = overriding {
            return vec![NamedQuota {
                name: pattern.to_owned(),
                quota,
                key: None,
            }];
        }
        let specs: Vec<LimitSpec> = match &self.source {
            Source::Annotation(annotation) => annotation
                .limits
                .iter()
                .map(|limit| LimitSpec {
                    requests: limit.requests,
                    window_seconds: limit.window_seconds,
                    name: limit.name.map(str::to_owned),
                    key: limit.key,
                })
                .collect(),
            Source::Wrapped(wrapped) => wrapped.limits.clone(),
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
