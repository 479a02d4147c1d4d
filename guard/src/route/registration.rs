//! The limited routes of this worker: one registration for each `RouteLimit` in an application, with what is known of
//! where it sits.
//!
//! A registration is made when the worker builds the application. Its full pattern is known only once a request has reached
//! it: the scopes around a route don't tell. Must not know: stores, decisions.

use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::{Rc, Weak},
    sync::Arc,
};

use actix_web::{dev::ServiceRequest, http::Method};

use super::{
    annotation::{AnnotatedKey, Annotation},
    pattern::{Extent, could_overlap, without_regexes},
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

/// Where a registration was found to sit.
#[derive(Debug)]
pub(crate) struct Place {
    /// The full pattern: of the route, or of the scope.
    pub(crate) pattern: String,
    pub(crate) identity: RouteIdentity,
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
    place: OnceCell<Place>,
    /// Requests went on below it: it is a scope's.
    is_scope: Cell<bool>,
    /// The windows as each guard sees them; `None` for an exempt route.
    pub(super) windows: RefCell<Vec<(Seen, Option<Rc<RouteWindows>>)>>,
}

thread_local! {
    static REGISTRY: Registry = const { Registry { live: RefCell::new(Vec::new()), version: Cell::new(0) } };
}

/// All registrations of this thread, which is a worker's. Several applications in one thread see each other's: that makes
/// predictions more careful, nothing else.
struct Registry {
    live: RefCell<Vec<Weak<Registration>>>,
    version: Cell<u64>,
}

impl Registration {
    pub(super) fn announce(source: Source) -> Rc<Self> {
        let registration = Rc::new(Self {
            source,
            place: OnceCell::new(),
            is_scope: Cell::new(false),
            windows: RefCell::new(Vec::new()),
        });
        REGISTRY.with(|registry| {
            let mut live = registry.live.borrow_mut();
            live.retain(|other| other.strong_count() > 0);
            live.push(Rc::downgrade(&registration));
            registry.bump();
        });
        registration
    }

    /// Notes where the registration sits: `request` has just reached it.
    pub(super) fn place(&self, request: &ServiceRequest) -> &Place {
        let below = !request.match_info().unprocessed().is_empty();
        if below && !self.is_scope.replace(true) {
            REGISTRY.with(Registry::bump);
        }
        self.place.get_or_init(|| {
            REGISTRY.with(Registry::bump);
            let reached = || reached_pattern(request);
            let pattern = if below {
                reached()
            } else {
                request.match_pattern().unwrap_or_else(reached)
            };
            let (handler, location) = match &self.source {
                Source::Annotation(annotation) => (annotation.handler, annotation.location),
                Source::Wrapped(wrapped) => ("", wrapped.location),
            };
            let identity = RouteIdentity {
                handler,
                location,
                pattern: without_regexes(&pattern),
            };
            Place { pattern, identity }
        })
    }

    /// Whether it is known to sit at a pattern.
    pub(super) fn is_at(&self, pattern: Option<&str>) -> bool {
        self.place.get().is_some_and(|place| {
            pattern.is_some_and(|pattern| {
                pattern == place.pattern || pattern == place.identity.pattern
            })
        })
    }

    /// How a request can reach the registration, by all that is known of it.
    fn reach(&self, method: &str, path: &str, pattern: Option<&str>) -> Reach {
        match (&self.source, self.place.get()) {
            (Source::Annotation(annotation), place) => {
                if !annotation.methods.is_empty() && !annotation.methods.contains(&method) {
                    return Reach::Never;
                }
                let (mine, extent, same) = match place {
                    Some(place) => (
                        place.pattern.as_str(),
                        Extent::Whole,
                        pattern == Some(&place.pattern),
                    ),
                    None => {
                        let same =
                            pattern.is_some_and(|pattern| pattern.ends_with(annotation.pattern));
                        (annotation.pattern, Extent::End, same)
                    }
                };
                match (same, could_overlap(path, mine, extent)) {
                    (true, _) => Reach::Always,
                    // A path that matches no pattern is one that a middleware behind the guard may still rewrite.
                    (false, true) if pattern.is_none() => Reach::Always,
                    (false, true) => Reach::Perhaps,
                    (false, false) => Reach::Never,
                }
            }
            (Source::Wrapped(_), None) => Reach::Always,
            // A resource wrapped by hand is taken for a scope: that is only too careful.
            (Source::Wrapped(_), Some(place))
                if could_overlap(path, &place.pattern, Extent::Beginning) =>
            {
                Reach::Always
            }
            (Source::Wrapped(_), Some(_)) => Reach::Never,
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // The thread may be ending, and its registry be gone.
        REGISTRY.try_with(Registry::bump).ok();
    }
}

impl Registry {
    fn bump(&self) {
        self.version.set(self.version.get() + 1);
    }
}

/// Changes whenever more is known of the worker's limited routes.
pub(crate) fn registry_version() -> u64 {
    REGISTRY.with(|registry| registry.version.get())
}

/// Whether this worker has limited routes at all.
pub(crate) fn any_registered() -> bool {
    REGISTRY.with(|registry| {
        registry
            .live
            .borrow()
            .iter()
            .any(|registration| registration.strong_count() > 0)
    })
}

/// Whether a request can reach a limited route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// No limited route can be meant.
    Never,
    /// One that stands behind another route could be meant, if a guard turns the request away from that.
    Perhaps,
    /// A limited route has this very pattern, or may have: only routing tells.
    Always,
}

/// How a request of this method, for this path and the pattern that the resource map gives for it, can reach limited routes.
pub(crate) fn reach(method: &str, path: &str, pattern: Option<&str>) -> Reach {
    REGISTRY.with(|registry| {
        let live = registry.live.borrow();
        let registrations = live.iter().filter_map(Weak::upgrade);
        registrations
            .map(|one| one.reach(method, path, pattern))
            .max()
            .unwrap_or(Reach::Never)
    })
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
