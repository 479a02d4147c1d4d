//! The admin scopes of this thread, which is a worker. The full path of one is not known if other scopes lie around it: a path that
//! contains its own may be meant, and the name of the resource that the path leads to tells whether one is.
//!
//! Must not know: what a proof is.

use std::{
    cell::RefCell,
    rc::{Rc, Weak},
};

use super::auth::Auth;

/// The name of all resources in admin scopes.
pub(crate) const RESOURCE_NAME: &str = "actix-web-guard admin";

/// An admin scope in the application of this worker.
#[derive(Debug)]
pub(crate) struct Mount {
    /// As it was mounted: `/guard`.
    path: String,
    auth: Auth,
}

thread_local! {
    static MOUNTS: RefCell<Vec<Weak<Mount>>> = const { RefCell::new(Vec::new()) };
}

/// An admin scope is there for as long as what this gives.
pub(crate) fn announce(path: String, auth: Auth) -> Rc<Mount> {
    let mount = Rc::new(Mount { path, auth });
    MOUNTS.with_borrow_mut(|mounts| {
        mounts.retain(|other| other.strong_count() > 0);
        mounts.push(Rc::downgrade(&mount));
    });
    mount
}

/// The admin scopes that a path may be meant for.
#[inline]
pub(super) fn meant_by(path: &str) -> Vec<Rc<Mount>> {
    MOUNTS.with_borrow(|mounts| {
        let live = mounts.iter().filter_map(Weak::upgrade);
        live.filter(|mount| mount.may_hold(path)).collect()
    })
}

impl Mount {
    pub(crate) fn auth(&self) -> &Auth {
        &self.auth
    }

    fn may_hold(&self, path: &str) -> bool {
        path.match_indices(&self.path).any(|(at, found)| {
            let rest = path.get(at + found.len()..).unwrap_or_default();
            rest.is_empty() || rest.starts_with('/')
        })
    }
}
