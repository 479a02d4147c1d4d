//! Which limits there are, for whoever looks on: the general windows, the limited routes of this worker, and the entries of `[[routes]]`.
//!
//! Where a limited route sits is known once a request has met it in any worker; until then it is listed by the end of its pattern. A
//! handler of which one place is known is not listed a second time for one that isn't: most often that is the same place, in the
//! application of another socket.
//! Must not know: stores, how requests are decided.

use crate::{
    config::{RouteOverride, Settings},
    engine::Engine,
    view::{GeneralWindow, counted_as},
};

use super::{
    in_force::InForce,
    met::MetRoute,
    pattern::without_regexes,
    registration::{RouteIdentity, Source},
    registry,
    windows::NamedQuota,
};

/// What a limit without a key function counts by.
const ADDRESS: &str = "address";

/// Some requests, and the limits that are in force for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedRoute {
    /// Without the regular expressions of its segments. `None` for general windows, and for what was limited by `.wrap` and has met no
    /// request yet.
    pub(crate) pattern: Option<String>,
    /// `false`: the scopes around the route are not known yet, and the pattern is the end of it.
    pub(crate) pattern_is_whole: bool,
    /// The path of the handler, if there is one with `#[rate_limit]`.
    pub(crate) handler: Option<&'static str>,
    /// Empty: any.
    pub(crate) methods: Vec<String>,
    pub(crate) from: LimitOrigin,
    /// It counts in no window.
    pub(crate) exempt: bool,
    /// Detectors look at it, if detection is on at all.
    pub(crate) detection: bool,
    /// All that count its requests, also the global one. Whether rate limiting is on doesn't matter here.
    pub(crate) limits: Vec<ListedLimit>,
}

/// Where limits were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitOrigin {
    /// `#[rate_limit]`.
    Annotation,
    /// `.wrap(RouteLimit::new(…))`.
    Wrap,
    /// `[[routes]]`.
    Configuration,
    /// The fields for the general windows.
    Global,
}

/// One limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedLimit {
    /// In the `RateLimit` fields; empty where it goes by a pattern that is not known yet.
    pub(crate) name: String,
    /// At most so many in the window.
    pub(crate) requests: u32,
    pub(crate) window_millis: u64,
    /// `address`, or the name of a key function.
    pub(crate) counted_by: &'static str,
}

/// All limits of a guard with these settings, as this worker knows them: the general ones first, then by pattern.
pub(crate) fn listed_routes(engine: &Engine, settings: &Settings) -> Vec<ListedRoute> {
    let met = engine.met_routes.all();
    let mut routes: Vec<ListedRoute> = Vec::new();
    let mut add = |route: ListedRoute| {
        if !routes.contains(&route) {
            routes.push(route);
        }
    };
    met.iter()
        .flat_map(|route| met_rows(route, settings))
        .for_each(&mut add);
    let is_known = |source: &Source| met.iter().any(|route| route.source.is_same(source));
    registry::unmet_sources()
        .iter()
        .filter(|source| !is_known(source))
        .map(|source| unmet_row(source, settings))
        .for_each(&mut add);
    settings
        .routes
        .iter()
        .filter(|entry| !met.iter().any(|route| route.is_overridden(settings, entry)))
        .map(configured_row)
        .for_each(&mut add);
    routes.sort_by(|one, other| one.order().cmp(&other.order()));
    let general = GeneralWindow::all(settings).map(|window| general_row(&window));
    general.chain(routes).collect()
}

impl ListedRoute {
    fn order(&self) -> (Option<&str>, &[String], Option<&str>) {
        (self.pattern.as_deref(), &self.methods, self.handler)
    }
}

impl ListedLimit {
    fn of(named: &NamedQuota) -> Self {
        Self {
            name: named.name.clone(),
            requests: named.quota.requests,
            window_millis: named.quota.window_millis,
            counted_by: named.key.map_or(ADDRESS, |key| key.name),
        }
    }
}

fn general_row(window: &GeneralWindow) -> ListedRoute {
    let limit = ListedLimit {
        name: window.title().to_owned(),
        ..ListedLimit::of(&window.named)
    };
    ListedRoute {
        pattern: None,
        pattern_is_whole: true,
        handler: None,
        methods: owned(window.methods()),
        from: LimitOrigin::Global,
        exempt: false,
        detection: true,
        limits: vec![limit],
    }
}

/// One row, and for a limit put on by hand one more for each method that the configuration has an entry for.
fn met_rows(route: &MetRoute, settings: &Settings) -> Vec<ListedRoute> {
    let all = route.in_force(settings);
    all.iter()
        .map(|in_force| met_row(route, in_force, settings))
        .collect()
}

fn met_row(route: &MetRoute, in_force: &InForce<'_>, settings: &Settings) -> ListedRoute {
    let source = &route.source;
    let only = in_force
        .overriding
        .and_then(|entry| entry.method.as_ref())
        .filter(|_| matches!(source, Source::Wrapped(_)));
    ListedRoute {
        pattern: Some(route.identity.pattern.clone()),
        from: match in_force.overriding {
            Some(_) => LimitOrigin::Configuration,
            None => source.origin(),
        },
        methods: match only {
            Some(method) => vec![method.to_string()],
            None => owned(source.methods()),
        },
        ..row(source, &in_force.named, settings)
    }
}

/// Of a route that no request has met: which entry of `[[routes]]` is for it is not known.
fn unmet_row(source: &Source, settings: &Settings) -> ListedRoute {
    let pattern = source.local_pattern().map(without_regexes);
    let named = source.named(pattern.as_deref().unwrap_or_default());
    ListedRoute {
        pattern,
        pattern_is_whole: false,
        ..row(source, &named, settings)
    }
}

fn row(source: &Source, named: &[NamedQuota], settings: &Settings) -> ListedRoute {
    let exempt = named.is_empty() && source.is_exempt();
    let mut limits: Vec<ListedLimit> = named.iter().map(ListedLimit::of).collect();
    // A limit by key adds to the global one, and so does none at all.
    if !exempt && named.iter().all(|limit| limit.key.is_some()) {
        limits.push(ListedLimit::of(&GeneralWindow::global(settings).named));
    }
    ListedRoute {
        pattern: None,
        pattern_is_whole: true,
        handler: source.handler(),
        methods: owned(source.methods()),
        from: source.origin(),
        exempt,
        detection: !source.detection_is_off(),
        limits,
    }
}

/// An entry of `[[routes]]` for routes without limits of their own.
fn configured_row(entry: &RouteOverride) -> ListedRoute {
    let method = entry.method.iter();
    ListedRoute {
        pattern: Some(entry.pattern.clone()),
        pattern_is_whole: true,
        handler: None,
        methods: method.map(ToString::to_string).collect(),
        from: LimitOrigin::Configuration,
        exempt: false,
        detection: true,
        limits: vec![ListedLimit {
            name: entry.pattern.clone(),
            requests: entry.quota.requests,
            window_millis: entry.quota.window_millis,
            counted_by: ADDRESS,
        }],
    }
}

fn owned(methods: &[&str]) -> Vec<String> {
    methods.iter().map(|method| (*method).to_owned()).collect()
}

impl MetRoute {
    /// What is in force there: for all methods, or for those that the configuration has no entry for, and for each of the others. A
    /// handler's methods are one.
    pub(super) fn in_force<'a>(&self, settings: &'a Settings) -> Vec<InForce<'a>> {
        let at = |method| {
            let Self {
                source,
                pattern,
                identity,
            } = self;
            InForce::at(source, pattern, identity, settings, method)
        };
        let of_methods = settings.routes.iter().filter_map(|entry| {
            let method = entry.method.as_ref().map(counted_as);
            let in_force = at(method);
            let is_it = in_force
                .overriding
                .is_some_and(|it| std::ptr::eq(it, entry));
            (method.is_some() && is_it).then_some(in_force)
        });
        match self.source {
            Source::Annotation(_) => vec![at(None)],
            Source::Wrapped(_) => [at(None)].into_iter().chain(of_methods).collect(),
        }
    }

    /// Whether an entry of `[[routes]]` is in force there.
    fn is_overridden(&self, settings: &Settings, entry: &RouteOverride) -> bool {
        let all = self.in_force(settings);
        let mut entries = all.iter().filter_map(|in_force| in_force.overriding);
        entries.any(|it| std::ptr::eq(it, entry))
    }
}

impl Source {
    fn origin(&self) -> LimitOrigin {
        match self {
            Self::Annotation(_) => LimitOrigin::Annotation,
            Self::Wrapped(_) => LimitOrigin::Wrap,
        }
    }

    fn handler(&self) -> Option<&'static str> {
        let RouteIdentity { handler, .. } = self.at(String::new());
        (!handler.is_empty()).then_some(handler)
    }

    /// Empty: any.
    pub(super) fn methods(&self) -> &'static [&'static str] {
        match self {
            Self::Annotation(annotation) => annotation.methods,
            Self::Wrapped(_) => &[],
        }
    }

    /// The end of its pattern, as far as it is written beside the limit.
    fn local_pattern(&self) -> Option<&'static str> {
        match self {
            Self::Annotation(annotation) => Some(annotation.pattern),
            Self::Wrapped(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
