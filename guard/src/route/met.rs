//! The limited routes that requests have met in any worker of a guard, with their full patterns: a registration alone doesn't know the
//! scopes around it.
//!
//! Must not know: which limits are in force.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::decision::Quota;

use super::registration::{RouteIdentity, Source};

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct MetRoutes {
    met: Mutex<HashMap<RouteIdentity, Vec<MetRoute>>>,
}

/// A limited route at its place.
#[derive(Clone, Debug)]
pub(super) struct MetRoute {
    pub(super) source: Source,
    /// As the router has it.
    pub(super) pattern: String,
    pub(super) identity: RouteIdentity,
}

impl MetRoutes {
    /// A request has met a route there.
    pub(super) fn note(&self, source: &Source, pattern: &str, identity: &RouteIdentity) {
        let mut met = self.lock();
        let there = met.entry(identity.clone()).or_default();
        if !there.iter().any(|one| one.source.is_same(source)) {
            there.push(MetRoute {
                source: source.clone(),
                pattern: pattern.to_owned(),
                identity: identity.clone(),
            });
        }
    }

    /// All that have been met.
    pub(super) fn all(&self) -> Vec<MetRoute> {
        self.lock().values().flatten().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RouteIdentity, Vec<MetRoute>>> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source {
    /// Whether both were written at the same place and say the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let limits = |source: &Self| -> Vec<(String, Quota, Option<&str>)> {
            let named = source.named("").into_iter();
            named
                .map(|limit| (limit.name, limit.quota, limit.key.map(|key| key.name)))
                .collect()
        };
        self.at(String::new()) == other.at(String::new()) && limits(self) == limits(other)
    }
}
