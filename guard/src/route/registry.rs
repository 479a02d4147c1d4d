//! The limited routes of this thread, which is a worker: which of them a request could reach, by all that is known of them.
//!
//! Several applications in one thread see each other's: that makes predictions more careful, nothing else. Must not know: what
//! a registration is for.

use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};

use super::{index::Index, pattern::path_segments, registration::Registration};

#[cfg(feature = "admin")]
use super::registration::Source;

thread_local! {
    static REGISTRY: Registry = const { Registry {
        live: RefCell::new(Vec::new()),
        version: Cell::new(0),
        next_id: Cell::new(1),
        index: RefCell::new(None),
    } };
}

/// See the module's documentation.
struct Registry {
    live: RefCell<Vec<Weak<Registration>>>,
    version: Cell<u64>,
    next_id: Cell<u64>,
    /// Of `live`, with the version that it was made for.
    index: RefCell<Option<(u64, Index)>>,
}

/// A number that no other registration of the thread has.
pub(super) fn next_id() -> u64 {
    REGISTRY.with(|registry| registry.next_id.replace(registry.next_id.get() + 1))
}

/// A registration has been made.
pub(super) fn announce(registration: &Rc<Registration>) {
    REGISTRY.with(|registry| {
        let mut live = registry.live.borrow_mut();
        live.retain(|other| other.strong_count() > 0);
        live.push(Rc::downgrade(registration));
    });
    changed();
}

/// More is known of a registration, or it is gone.
pub(super) fn changed() {
    // The thread may be ending, and its registry be gone.
    let bump = |registry: &Registry| registry.version.set(registry.version.get() + 1);
    REGISTRY.try_with(bump).ok();
}

/// Other than before whenever something [changed].
pub(super) fn version() -> u64 {
    REGISTRY.with(|registry| registry.version.get())
}

/// Whether this worker has limited routes at all.
#[inline]
pub(crate) fn any_registered() -> bool {
    REGISTRY.with(|registry| {
        let live = registry.live.borrow();
        live.iter()
            .any(|registration| registration.strong_count() > 0)
    })
}

/// The limited routes that a request could reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidates(u64);

impl Candidates {
    /// None at all.
    pub(super) const NOBODY: Self = Self(0);

    /// All over the range.
    #[inline]
    pub(super) fn to_bits(self) -> u64 {
        self.0
    }
}

/// Which limited routes a request of this method for this path could reach.
#[inline]
pub(super) fn candidates(method: &str, path: &[&str]) -> Candidates {
    // The sum of their scattered numbers: sets are only told apart.
    let mut set = 0_u64;
    REGISTRY.with(|registry| {
        registry.each_reached(method, path, |one| {
            set = set.wrapping_add(scattered(one.id));
        });
    });
    Candidates(set)
}

/// Another number for each, all over the range (the finalizer of SplitMix64).
fn scattered(id: u64) -> u64 {
    let id = (id ^ id >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let id = (id ^ id >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    id ^ id >> 31
}

/// Whether one of the limited routes that a request could reach sits at the pattern that the resource map gives for the path, or may.
/// Without a pattern a middleware behind the guard may still rewrite the path.
pub(super) fn shares_pattern(method: &str, path: &[&str], pattern: Option<&str>) -> bool {
    let Some(pattern) = pattern else {
        return true;
    };
    let mut shares = false;
    REGISTRY.with(|registry| {
        registry.each_reached(method, path, |one| shares |= one.shares(pattern));
    });
    shares
}

/// Whether one of the routes that a request could reach has detection off.
pub(crate) fn detection_is_off(method: &str, path: &str) -> bool {
    let mut off = false;
    REGISTRY.with(|registry| {
        registry.each_reached(method, &path_segments(path), |one| {
            off |= one.source.detection_is_off();
        });
    });
    off
}

/// What the limited routes that no request has reached yet were made from.
#[cfg(feature = "admin")]
pub(super) fn unmet_sources() -> Vec<Source> {
    REGISTRY.with(|registry| {
        let live = registry.live.borrow();
        let live = live.iter().filter_map(Weak::upgrade);
        live.filter(|registration| registration.is_unmet())
            .map(|registration| registration.source.clone())
            .collect()
    })
}

impl Registry {
    /// Calls `visit` with each registration that a request of this method for this path could reach.
    fn each_reached(&self, method: &str, path: &[&str], mut visit: impl FnMut(&Registration)) {
        let live = self.live.borrow();
        let version = self.version.get();
        let mut index = self.index.borrow_mut();
        let (_, index) = match &mut *index {
            Some(known) if known.0 == version => known,
            outdated => outdated.insert((version, index_of(&live))),
        };
        index.find(path, |number| {
            let registration = live.get(number).and_then(Weak::upgrade);
            if let Some(one) = registration.filter(|one| one.could_be_reached(method, path)) {
                visit(&one);
            }
        });
    }
}

fn index_of(live: &[Weak<Registration>]) -> Index {
    let registrations: Vec<Option<Rc<Registration>>> = live.iter().map(Weak::upgrade).collect();
    let whereabouts = registrations
        .iter()
        .map(|one| one.as_ref().and_then(|one| one.whereabouts()));
    Index::new(whereabouts)
}
