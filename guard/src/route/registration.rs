//! The limited routes of this worker: one registration for each `RouteLimit` in an application, with what is known of
//! where it sits.
//!
//! A registration is made when the worker builds the application. Its full pattern is known only once a request has reached
//! it: the scopes around a route don't tell. Must not know: stores, decisions.

use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
};

use actix_web::{dev::ServiceRequest, http::Method};

use super::{
    annotation::{AnnotatedKey, Annotation},
    pattern::{Extent, Pattern, path_segments, without_regexes},
    registry,
    windows::RouteWindows,
};

/// What a `RouteLimit` was made from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// `#[rate_limit]` on a handler.
    Annotation(&'static Annotation),
    /// `.wrap(RouteLimit::new(…))`.
    Wrapped(Arc<WrappedLimit>),
}

impl Source {
    /// Whether the route is in no window, rather than in the global one.
    pub(super) fn is_exempt(&self) -> bool {
        match self {
            Self::Annotation(annotation) => annotation.exempt,
            Self::Wrapped(wrapped) => wrapped.limits.is_empty(),
        }
    }

    pub(super) fn detection_is_off(&self) -> bool {
        match self {
            Self::Annotation(annotation) => annotation.detection_off,
            Self::Wrapped(_) => false,
        }
    }

    /// What tells the route from others, if it sits at a pattern.
    pub(super) fn at(&self, pattern: String) -> RouteIdentity {
        let (handler, location) = match self {
            Self::Annotation(annotation) => (annotation.handler, annotation.location),
            Self::Wrapped(wrapped) => ("", wrapped.location),
        };
        RouteIdentity {
            handler,
            location,
            pattern,
        }
    }
}

/// A limit that was put on a resource or a scope by hand.
#[derive(Clone, Debug)]
pub(crate) struct WrappedLimit {
    pub(crate) location: (&'static str, u32, u32),
    /// None: what is wrapped is exempt.
    pub(crate) limits: Vec<LimitSpec>,
}

/// One limit, wherever it was written.
#[derive(Clone, Debug)]
pub(crate) struct LimitSpec {
    pub(crate) requests: u32,
    pub(crate) window_seconds: u64,
    pub(crate) name: Option<String>,
    pub(crate) key: Option<AnnotatedKey>,
}

/// Tells routes apart, in all workers alike: a handler (or the place of a `.wrap`) at a full pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RouteIdentity {
    pub(crate) handler: &'static str,
    pub(crate) location: (&'static str, u32, u32),
    /// Without the regular expressions of its segments.
    pub(crate) pattern: String,
}

impl RouteIdentity {
    /// What tells the route from all others at its pattern, in all processes that were built from the same source: the handler,
    /// or the place of a `.wrap`.
    pub(crate) fn mark(&self) -> String {
        let (file, line, column) = self.location;
        match self.handler {
            "" => format!("{file}:{line}:{column}"),
            handler => handler.to_owned(),
        }
    }
}

/// Which methods a route's windows are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedMethods<'a> {
    /// Those of a handler, of which this is the first, or the only one.
    First(&'a str),
    /// All: the limit was put around a resource or scope.
    All,
}

/// Where a registration was found to sit.
#[derive(Debug)]
pub(crate) struct Place {
    /// The full pattern: of the route, or of the scope.
    pub(crate) pattern: String,
    pub(crate) identity: RouteIdentity,
    segments: Pattern,
}

/// What the windows of a registration depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) engine: usize,
    /// Of the settings.
    pub(super) version: u64,
    /// Only where methods have windows of their own.
    pub(super) method: Option<Method>,
}

/// A `RouteLimit` in the application of this worker.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(crate) source: Source,
    /// Tells registrations of this thread apart.
    pub(super) id: u64,
    /// The pattern as far as an annotation has it.
    local: Option<Pattern>,
    place: OnceCell<Place>,
    /// Paths that its pattern does not match have reached it: it has a list of patterns.
    is_elsewhere: Cell<bool>,
    /// The windows as each guard sees them; `None` for an exempt route.
    pub(super) windows: RefCell<Vec<(Seen, Option<Rc<RouteWindows>>)>>,
}

impl Registration {
    pub(super) fn announce(source: Source) -> Rc<Self> {
        let local = match &source {
            Source::Annotation(annotation) => Some(Pattern::parse(annotation.pattern)),
            Source::Wrapped(_) => None,
        };
        let registration = Rc::new(Self {
            source,
            id: registry::next_id(),
            local,
            place: OnceCell::new(),
            is_elsewhere: Cell::new(false),
            windows: RefCell::new(Vec::new()),
        });
        registry::announce(&registration);
        registration
    }

    /// Notes where the registration sits: `request` has just reached it. `expected`: its path was known to lead here.
    pub(super) fn place(&self, request: &ServiceRequest, expected: bool) -> &Place {
        let place = self.place.get_or_init(|| {
            registry::changed();
            let below = !request.match_info().unprocessed().is_empty();
            let reached = || reached_pattern(request);
            let pattern = if below {
                reached()
            } else {
                request.match_pattern().unwrap_or_else(reached)
            };
            Place {
                segments: Pattern::parse(&pattern),
                identity: self.source.at(without_regexes(&pattern)),
                pattern,
            }
        });
        if !expected {
            self.watch(place, request);
        }
        place
    }

    /// Notes if a request came by a path that the pattern does not match. An annotated route has one pattern.
    fn watch(&self, place: &Place, request: &ServiceRequest) {
        if self.is_elsewhere.get() || matches!(self.source, Source::Annotation(_)) {
            return;
        }
        let path = path_segments(request.match_info().as_str());
        if !place.segments.could_match(&path, Extent::Beginning) {
            self.is_elsewhere.set(true);
            registry::changed();
        }
    }

    /// Whether others may sit at its pattern and have its methods: then its name alone does not tell it from them. Only routing knows, so
    /// it does not depend on which of them are known already.
    pub(super) fn may_share_place(&self) -> bool {
        match &self.source {
            Source::Annotation(annotation) => annotation.guarded,
            Source::Wrapped(_) => true,
        }
    }

    /// Whether no request has reached it yet.
    #[cfg(feature = "admin")]
    pub(super) fn is_unmet(&self) -> bool {
        self.place.get().is_none()
    }

    /// Whether it is known to sit at a pattern.
    pub(super) fn is_at(&self, pattern: Option<&str>) -> bool {
        self.place.get().is_some_and(|place| {
            pattern.is_some_and(|pattern| {
                pattern == place.pattern || pattern == place.identity.pattern
            })
        })
    }

    /// Whether a request of this method for this path could reach the registration, by all that is known of it.
    pub(super) fn could_be_reached(&self, method: &str, path: &[&str]) -> bool {
        let fits = match &self.source {
            Source::Annotation(annotation) => {
                annotation.methods.is_empty() || annotation.methods.contains(&method)
            }
            Source::Wrapped(_) => true,
        };
        fits && self
            .whereabouts()
            .is_none_or(|(pattern, extent)| pattern.could_match(path, extent))
    }

    /// The pattern of the paths that could reach it, as far as it is known; `None`: any path could.
    pub(super) fn whereabouts(&self) -> Option<(&Pattern, Extent)> {
        if self.is_elsewhere.get() {
            return None;
        }
        match (&self.source, self.place.get()) {
            (Source::Annotation(_), Some(place)) => Some((&place.segments, Extent::Whole)),
            (Source::Annotation(_), None) => Some((self.local.as_ref()?, Extent::End)),
            // A resource wrapped by hand is taken for a scope: that is only too careful.
            (Source::Wrapped(_), Some(place)) => Some((&place.segments, Extent::Beginning)),
            (Source::Wrapped(_), None) => None,
        }
    }

    /// Whether the registration sits at a pattern, or may: then only routing tells who is meant. One that is known to sit elsewhere is
    /// meant only if a guard turns the request away from the pattern that comes first.
    pub(super) fn shares(&self, pattern: &str) -> bool {
        match (&self.source, self.place.get()) {
            (Source::Annotation(_), Some(place)) => pattern == place.pattern,
            (Source::Annotation(annotation), None) => pattern.ends_with(annotation.pattern),
            (Source::Wrapped(_), _) => true,
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        registry::changed();
    }
}

/// The pattern of what a request has passed so far, put together from the path and its captured segments. For scopes, whose
/// pattern actix-web does not tell.
fn reached_pattern(request: &ServiceRequest) -> String {
    let info = request.match_info();
    let path = info.as_str();
    let passed = path.len() - info.unprocessed().len();
    let mut pattern = String::new();
    let mut at = 0;
    for (name, value) in info.iter() {
        // The captured values are slices of the path.
        let Some(start) = (value.as_ptr() as usize).checked_sub(path.as_ptr() as usize) else {
            continue;
        };
        if start < at || start + value.len() > passed {
            continue;
        }
        pattern.push_str(path.get(at..start).unwrap_or_default());
        pattern.push('{');
        pattern.push_str(name);
        pattern.push('}');
        at = start + value.len();
    }
    pattern.push_str(path.get(at..passed).unwrap_or_default());
    pattern
}
