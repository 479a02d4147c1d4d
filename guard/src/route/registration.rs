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
    index::{Found, Index},
    pattern::{Extent, Pattern, path_segments, without_regexes},
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
    id: u64,
    /// The pattern as far as an annotation has it.
    local: Option<Pattern>,
    place: OnceCell<Place>,
    /// Paths that its pattern does not match have reached it: it has a list of patterns.
    is_elsewhere: Cell<bool>,
    /// The windows as each guard sees them; `None` for an exempt route.
    pub(super) windows: RefCell<Vec<(Seen, Option<Rc<RouteWindows>>)>>,
}

thread_local! {
    static REGISTRY: Registry = const { Registry {
        live: RefCell::new(Vec::new()),
        version: Cell::new(0),
        next_id: Cell::new(1),
        index: RefCell::new(None),
    } };
}

/// All registrations of this thread, which is a worker's. Several applications in one thread see each other's: that makes
/// predictions more careful, nothing else.
struct Registry {
    live: RefCell<Vec<Weak<Registration>>>,
    version: Cell<u64>,
    next_id: Cell<u64>,
    /// Of `live`, with the version that it was made for.
    index: RefCell<Option<(u64, Index)>>,
}

impl Registration {
    pub(super) fn announce(source: Source) -> Rc<Self> {
        let local = match &source {
            Source::Annotation(annotation) => Some(Pattern::parse(annotation.pattern)),
            Source::Wrapped(_) => None,
        };
        let registration = Rc::new(Self {
            source,
            id: REGISTRY.with(|registry| registry.next_id.replace(registry.next_id.get() + 1)),
            local,
            place: OnceCell::new(),
            is_elsewhere: Cell::new(false),
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

    /// Notes where the registration sits: `request` has just reached it. `expected`: its path was known to lead here.
    pub(super) fn place(&self, request: &ServiceRequest, expected: bool) -> &Place {
        let below = !request.match_info().unprocessed().is_empty();
        let place = self.place.get_or_init(|| {
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
            Place {
                segments: Pattern::parse(&pattern),
                pattern,
                identity,
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
            REGISTRY.with(Registry::bump);
        }
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
    fn could_be_reached(&self, method: &str, path: &[&str]) -> bool {
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
    fn whereabouts(&self) -> Option<(&Pattern, Extent)> {
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
    fn shares(&self, pattern: &str) -> bool {
        match (&self.source, self.place.get()) {
            (Source::Annotation(_), Some(place)) => pattern == place.pattern,
            (Source::Annotation(annotation), None) => pattern.ends_with(annotation.pattern),
            (Source::Wrapped(_), _) => true,
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

    /// Calls `visit` with each registration that a request of this method for this path could reach, in the order of their announcements.
    fn each_reached(&self, method: &str, path: &[&str], mut visit: impl FnMut(&Registration)) {
        let live = self.live.borrow();
        for number in self.found(&live, path) {
            let registration = live.get(number).and_then(Weak::upgrade);
            if let Some(one) = registration.filter(|one| one.could_be_reached(method, path)) {
                visit(&one);
            }
        }
    }

    fn found(&self, live: &[Weak<Registration>], path: &[&str]) -> Found {
        let version = self.version.get();
        let mut index = self.index.borrow_mut();
        match &*index {
            Some((made_for, index)) if *made_for == version => index.find(path),
            _ => {
                let registrations: Vec<Option<Rc<Registration>>> =
                    live.iter().map(Weak::upgrade).collect();
                let whereabouts = registrations
                    .iter()
                    .map(|one| one.as_ref().and_then(|one| one.whereabouts()));
                let (_, index) = index.insert((version, Index::new(whereabouts)));
                index.find(path)
            }
        }
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

/// The limited routes that a request could reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Candidates(u64);

impl Candidates {
    /// None at all.
    pub(crate) const NOBODY: Self = Self(0);
}

/// Which limited routes a request of this method for this path could reach.
pub(crate) fn candidates(method: &str, path: &[&str]) -> Candidates {
    // An FNV hash of their numbers: sets are only told apart.
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut set = 0_u64;
    REGISTRY.with(|registry| {
        registry.each_reached(method, path, |one| set = (set ^ one.id).wrapping_mul(PRIME));
    });
    Candidates(set)
}

/// Whether one of the limited routes that a request could reach sits at the pattern that the resource map gives for the path, or may.
/// Without a pattern a middleware behind the guard may still rewrite the path.
pub(crate) fn shares_pattern(method: &str, path: &[&str], pattern: Option<&str>) -> bool {
    let Some(pattern) = pattern else {
        return true;
    };
    let mut shares = false;
    REGISTRY.with(|registry| {
        registry.each_reached(method, path, |one| shares |= one.shares(pattern));
    });
    shares
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
