//! What a worker knows, before routing, of where a request will end up: may the global window decide at once, or must the
//! route be asked?
//!
//! Must not know: stores, decisions, responses.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    hash::{Hash, Hasher},
    rc::Rc,
};

use actix_web::dev::ServiceRequest;
use foldhash::fast::RandomState;
use smallvec::SmallVec;

use super::{
    paths::{Entries, Paths, method_slot},
    registration::Registration,
    registry::Candidates,
};

/// Kinds of requests remembered, against paths made up to fill the memory. An application has far fewer.
const KINDS: usize = 10_000;

/// Registrations that claimed a request, outermost first.
pub(crate) type Claims = SmallVec<[Rc<Registration>; 2]>;

/// Who decides about a request.
#[derive(Clone, Debug)]
pub(crate) enum Forecast {
    /// No limited route is meant, as far as is known: the global window decides before routing.
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
    kind: Kind,
    /// The claims of last time: the last one decides for all.
    pub(crate) claims: Rc<Claims>,
    /// Claims may come only when the request is polled: a middleware in between is lazy.
    pub(crate) late: bool,
    /// Requests of the kind have been seen.
    is_known: bool,
}

/// Requests that went the same way last time are expected to go it again: those of a method that could reach the same limited routes,
/// told apart by their patterns where that is not enough.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kind {
    method: u8,
    candidates: Candidates,
    pattern: Option<Rc<str>>,
}

/// As few words as will do: each request of a limited route is looked up.
impl Hash for Kind {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.candidates.to_bits() ^ u64::from(self.method));
        if let Some(pattern) = &self.pattern {
            state.write(pattern.as_bytes());
        }
    }
}

/// What is known of a kind of requests.
#[derive(Clone, Debug)]
struct Seen {
    /// The claims of last time.
    claims: Rc<Claims>,
    /// Claims differ: a guard decides by something else than method and path.
    mixed: bool,
    /// Claims came late.
    late: bool,
}

/// The memory of one guard in one worker.
#[derive(Debug)]
pub(crate) struct Prediction {
    /// The services behind the guard may be lazy, as far as their types tell.
    may_be_lazy: bool,
    /// A limited route was reached by a request that none was expected of: a middleware rewrites what actix-web routes by. From then on the
    /// route is always asked.
    surprised: Cell<bool>,
    seen: RefCell<HashMap<Kind, Seen, RandomState>>,
    paths: Paths,
    nobody: Rc<Claims>,
}

impl Expectation {
    /// The pattern of the resource map, where it had to be asked.
    #[inline]
    pub(crate) fn pattern(&self) -> Option<&str> {
        self.kind.pattern.as_deref()
    }
}

impl Seen {
    /// Some limited route claimed, sometimes at least.
    fn is_claimed(&self) -> bool {
        self.mixed || !self.claims.is_empty()
    }
}

impl Prediction {
    pub(crate) fn new(may_be_lazy: bool) -> Self {
        Self {
            may_be_lazy,
            surprised: Cell::new(false),
            seen: RefCell::default(),
            paths: Paths::default(),
            nobody: Rc::default(),
        }
    }

    /// Who decides about `request`. `entries`: the limits that the configuration has for patterns, if it has any.
    pub(crate) fn forecast(
        &self,
        request: &ServiceRequest,
        entries: Option<Entries<'_>>,
    ) -> Forecast {
        let candidates = self.paths.candidates(request);
        let is_nobody = candidates == Candidates::NOBODY && !self.surprised.get();
        if is_nobody {
            let first = entries.map(|_| self.paths.first_pattern(request, entries));
            return Forecast::Global {
                pattern: first.and_then(|first| first.pattern),
            };
        }
        let method = method_slot(request.method());
        let kind = Kind {
            method,
            candidates,
            pattern: None,
        };
        let seen = self.seen.borrow().get(&kind).cloned();
        let is_clear = seen
            .as_ref()
            .is_none_or(|seen| !seen.mixed && !seen.claims.is_empty());
        if is_clear && entries.is_none() {
            return self.expect(kind, seen);
        }
        self.forecast_by_pattern(request, entries, kind, seen)
    }

    /// The pattern tells apart what method and candidates do not.
    fn forecast_by_pattern(
        &self,
        request: &ServiceRequest,
        entries: Option<Entries<'_>>,
        kind: Kind,
        all: Option<Seen>,
    ) -> Forecast {
        let first = self.paths.first_pattern(request, entries);
        let kind = Kind {
            pattern: first.pattern.clone(),
            ..kind
        };
        let known = self.seen.borrow().get(&kind).cloned();
        // A pattern that is new goes by the others, if they agree.
        let mut seen = known.or_else(|| all.clone().filter(|all| !all.mixed));
        let is_plain = seen.as_ref().is_some_and(|seen| !seen.is_claimed());
        if is_plain && !first.shared && !self.surprised.get() {
            return Forecast::Global {
                pattern: first.pattern,
            };
        }
        // Where a limited route may share the pattern, it comes as late as it has come before.
        if first.shared
            && all.is_some_and(|all| all.late)
            && let Some(seen) = &mut seen
        {
            (seen.late, seen.mixed) = (true, true);
        }
        self.expect(kind, seen)
    }

    #[inline]
    fn expect(&self, kind: Kind, seen: Option<Seen>) -> Forecast {
        let is_known = seen.is_some();
        let late = seen
            .as_ref()
            .map_or(self.may_be_lazy, |seen| seen.late && seen.is_claimed());
        let claims = seen.map_or_else(|| Rc::clone(&self.nobody), |seen| seen.claims);
        Forecast::Route(Expectation {
            kind,
            claims,
            late,
            is_known,
        })
    }

    /// Remembers who claimed a request. `late`: only when it was polled.
    #[inline]
    pub(crate) fn learn(&self, expected: &Expectation, claims: &Claims, late: bool) {
        if expected.is_known && same(&expected.claims, claims) && (expected.late || !late) {
            return;
        }
        self.learn_anew(expected, claims, late);
    }

    fn learn_anew(&self, expected: &Expectation, claims: &Claims, late: bool) {
        let mut seen = self.seen.borrow_mut();
        if seen.len() >= KINDS {
            seen.clear();
        }
        note(&mut seen, &expected.kind, claims, late);
        if expected.kind.pattern.is_some() {
            let all = Kind {
                pattern: None,
                ..expected.kind.clone()
            };
            note(&mut seen, &all, claims, late);
        }
    }

    /// A limited route was reached that nobody expected.
    pub(crate) fn surprise(&self) {
        self.surprised.set(true);
    }
}

fn note(seen: &mut HashMap<Kind, Seen, RandomState>, kind: &Kind, claims: &Claims, late: bool) {
    match seen.get_mut(kind) {
        Some(seen) => {
            seen.late |= late;
            if !same(&seen.claims, claims) {
                seen.mixed = true;
                seen.claims = Rc::new(claims.clone());
            }
        }
        None => {
            let claims = Rc::new(claims.clone());
            seen.insert(
                kind.clone(),
                Seen {
                    claims,
                    mixed: false,
                    late,
                },
            );
        }
    }
}

#[inline]
fn same(one: &Claims, two: &Claims) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(one, two)| Rc::ptr_eq(one, two))
}
