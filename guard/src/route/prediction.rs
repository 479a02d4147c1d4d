//! What a worker knows, before routing, of where a request will end up: may the global window decide at once, or must the
//! route be asked?
//!
//! Must not know: stores, decisions, responses.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    rc::Rc,
};

use actix_web::{dev::ServiceRequest, http::Method};
use smallvec::SmallVec;

use super::registration::{Reach, Registration, reach, registry_version};

/// Paths remembered: enough for the busy ones of a site. A path that is not remembered costs a walk through the resource map,
/// as much as actix-web's own routing.
const PATHS: usize = 1024;
/// Longer paths are not remembered.
const LONGEST_PATH: usize = 256;

/// Registrations that claimed a request, outermost first.
pub(crate) type Claims = SmallVec<[Rc<Registration>; 2]>;

/// Who decides about a request.
#[derive(Clone, Debug)]
pub(crate) enum Forecast {
    /// No limited route can be meant: the global window decides before routing.
    Global {
        /// The pattern, for limits from the configuration.
        pattern: Option<Rc<str>>,
    },
    /// Limited routes claim the request; without a claim, the global window decides.
    Route(Expectation),
}

/// What is expected of a request that is routed before it is decided.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    known: Option<u32>,
    pub(crate) pattern: Option<Rc<str>>,
    /// The claims of last time: the last one decides for all.
    pub(crate) claims: Rc<Claims>,
    /// Claims may come only when the request is polled: a middleware in between is lazy.
    pub(crate) late: bool,
}

/// The memory of one guard in one worker.
#[derive(Debug)]
pub(crate) struct Prediction {
    /// The services behind the guard may be lazy, as far as their types tell.
    may_be_lazy: bool,
    patterns: RefCell<HashMap<(u8, Rc<str>), u32>>,
    known: RefCell<Vec<Known>>,
    paths: RefCell<Vec<Option<Remembered>>>,
    hasher: RandomState,
    nobody: Rc<Claims>,
}

/// What is known of a method and a pattern.
#[derive(Debug)]
struct Known {
    pattern: Rc<str>,
    /// The claims of last time; `None`: never seen.
    claims: Option<Rc<Claims>>,
    /// Claims differ: a guard decides by something else than method and path.
    mixed: Cell<bool>,
    /// Claims came late.
    late: Cell<bool>,
}

/// A path whose look-up is remembered.
#[derive(Debug)]
struct Remembered {
    method: u8,
    path: String,
    known: Option<u32>,
    reach: Reach,
    version: u64,
}

impl Prediction {
    pub(crate) fn new(may_be_lazy: bool) -> Self {
        Self {
            may_be_lazy,
            patterns: RefCell::default(),
            known: RefCell::default(),
            paths: RefCell::default(),
            hasher: RandomState::new(),
            nobody: Rc::default(),
        }
    }

    /// Who decides about `request`.
    pub(crate) fn forecast(&self, request: &ServiceRequest) -> Forecast {
        let (index, reach) = self.look_up(request);
        let known = self.known.borrow();
        let entry = index.and_then(|index| known.get(index as usize));
        let pattern = entry.map(|entry| Rc::clone(&entry.pattern));
        let claims = entry.and_then(|entry| entry.claims.as_ref());
        let plain = claims.is_some_and(|claims| claims.is_empty())
            && entry.is_some_and(|entry| !entry.mixed.get());
        let claimed = claims.is_some_and(|claims| !claims.is_empty())
            || entry.is_some_and(|entry| entry.mixed.get());
        if !claimed && (reach == Reach::Never || reach == Reach::Perhaps && plain) {
            return Forecast::Global { pattern };
        }
        let late = match claims {
            None => self.may_be_lazy,
            Some(_) => claimed && entry.is_some_and(|entry| entry.late.get()),
        };
        let claims = Rc::clone(claims.unwrap_or(&self.nobody));
        Forecast::Route(Expectation {
            known: index,
            pattern,
            claims,
            late,
        })
    }

    /// Remembers who claimed a request. `late`: only when it was polled.
    pub(crate) fn learn(&self, expected: &Expectation, claims: &Claims, late: bool) {
        let mut known = self.known.borrow_mut();
        let Some(entry) = expected
            .known
            .and_then(|index| known.get_mut(index as usize))
        else {
            return;
        };
        if late {
            entry.late.set(true);
        }
        match &entry.claims {
            Some(before) if same(before, claims) => {}
            before => {
                entry.mixed.set(entry.mixed.get() || before.is_some());
                entry.claims = Some(Rc::new(claims.clone()));
            }
        }
    }

    fn look_up(&self, request: &ServiceRequest) -> (Option<u32>, Reach) {
        let method = slot(request.method());
        let path = request.match_info().as_str();
        let version = registry_version();
        if path.len() > LONGEST_PATH {
            return self.find(request, method, path);
        }
        let at = usize::try_from(self.hasher.hash_one((method, path))).unwrap_or(0) % PATHS;
        let mut paths = self.paths.borrow_mut();
        if paths.is_empty() {
            paths.resize_with(PATHS, || None);
        }
        let Some(place) = paths.get_mut(at) else {
            return self.find(request, method, path);
        };
        if let Some(one) = place
            && (one.version, one.method, one.path.as_str()) == (version, method, path)
        {
            return (one.known, one.reach);
        }
        let (known, reach) = self.find(request, method, path);
        let text = place.take().map(|one| one.path).unwrap_or_default();
        *place = Some(Remembered {
            method,
            path: refill(text, path),
            known,
            reach,
            version,
        });
        (known, reach)
    }

    /// The way without a memory: through the resource map and all registrations.
    fn find(&self, request: &ServiceRequest, method: u8, path: &str) -> (Option<u32>, Reach) {
        // The path that the router matches on: percent-decoded.
        let pattern = request.resource_map().match_pattern(path);
        let reach = match &pattern {
            Some(pattern) => reach(request.method().as_str(), path, Some(pattern)),
            None => reach(request.method().as_str(), &normalized(path), None),
        };
        (pattern.map(|pattern| self.known(method, &pattern)), reach)
    }

    fn known(&self, method: u8, pattern: &str) -> u32 {
        let pattern: Rc<str> = pattern.into();
        let mut patterns = self.patterns.borrow_mut();
        *patterns
            .entry((method, Rc::clone(&pattern)))
            .or_insert_with(|| {
                let mut known = self.known.borrow_mut();
                known.push(Known {
                    pattern,
                    claims: None,
                    mixed: Cell::new(false),
                    late: Cell::new(false),
                });
                u32::try_from(known.len() - 1).unwrap_or(u32::MAX)
            })
    }
}

fn same(one: &Claims, two: &Claims) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(one, two)| Rc::ptr_eq(one, two))
}

fn refill(mut text: String, path: &str) -> String {
    text.clear();
    text.push_str(path);
    text
}

/// A path as a `NormalizePath` behind the guard may leave it: slashes merged, none at the end.
fn normalized(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        plain.push('/');
        plain.push_str(segment);
    }
    plain
}

/// A small number for each method; all that applications make up themselves share one, so that nobody can fill the memory.
fn slot(method: &Method) -> u8 {
    match *method {
        Method::GET => 0,
        Method::HEAD => 1,
        Method::POST => 2,
        Method::PUT => 3,
        Method::DELETE => 4,
        Method::PATCH => 5,
        Method::OPTIONS => 6,
        Method::CONNECT => 7,
        Method::TRACE => 8,
        _ => 9,
    }
}

/// Whether a service might put off calling the one inside until it is polled. Only actix-web's own services that are known not
/// to are believed: for all others the answer is yes.
pub(crate) fn may_be_lazy<S>() -> bool {
    const PROMPT: [&str; 12] = [
        "AppRouting",
        "ScopeService",
        "ResourceService",
        "CompressMiddleware",
        "ConditionMiddleware",
        "CorsMiddleware",
        "DefaultHeadersMiddleware",
        "ErrorHandlersMiddleware",
        "GuardService",
        "LoggerMiddleware",
        "NormalizePathNormalization",
        "RouteLimitService",
    ];
    let name = std::any::type_name::<S>();
    let types = name
        .split(['<', '>', ',', ' '])
        .filter(|part| !part.is_empty());
    !types
        .map(|path| path.rsplit("::").next().unwrap_or(path))
        .all(|part| PROMPT.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_are_merged_and_dropped_at_the_end() {
        for (path, expected) in [
            ("//public", "/public"),
            ("/public/", "/public"),
            ("/", ""),
            ("/a//b/", "/a/b"),
        ] {
            assert_eq!(normalized(path), expected);
        }
    }

    #[test]
    fn only_services_known_to_be_prompt_are_believed() {
        struct AppRouting;
        struct LoggerMiddleware<S>(S);
        struct Mine<S>(S);
        assert!(!may_be_lazy::<AppRouting>());
        assert!(!may_be_lazy::<LoggerMiddleware<AppRouting>>());
        assert!(may_be_lazy::<Mine<AppRouting>>());
        assert!(may_be_lazy::<LoggerMiddleware<Mine<AppRouting>>>());
        let _ = (AppRouting, LoggerMiddleware(Mine(())), Mine(()));
    }
}
