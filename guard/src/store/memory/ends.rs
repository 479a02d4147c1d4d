//! The bans of all shards in the order in which they end: for the bound on their number, and to let go of those that are over.
//! Whoever changes a ban enters it here while the shard is locked, so that both always say the same.
//!
//! Must not know: what a ban is for. The bans themselves are in the shards.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use crate::client::ClientKey;

/// No ban ends.
const NEVER: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct Ends {
    order: Mutex<BTreeSet<(u64, ClientKey)>>,
    /// Read on every request without the lock.
    count: AtomicUsize,
    next: AtomicU64,
}

impl Ends {
    pub(super) fn new() -> Self {
        Self {
            order: Mutex::default(),
            count: AtomicUsize::new(0),
            next: AtomicU64::new(NEVER),
        }
    }

    /// Whether anybody is banned.
    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Whether a ban is over that is still kept.
    pub(super) fn is_due(&self, now_millis: u64) -> bool {
        self.next.load(Ordering::Acquire) <= now_millis
    }

    pub(super) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Enters a ban, in place of one that ended at `before`.
    pub(super) fn enter(&self, client: ClientKey, until_millis: u64, before: Option<u64>) {
        let mut order = self.lock();
        if let Some(before) = before {
            order.remove(&(before, client));
        }
        order.insert((until_millis, client));
        self.publish(&order);
    }

    pub(super) fn leave(&self, client: ClientKey, until_millis: u64) {
        let mut order = self.lock();
        order.remove(&(until_millis, client));
        self.publish(&order);
    }

    /// Takes out the ban that ends first, if it ends by `by_millis`: when that is, and whose it is.
    pub(super) fn take_first(&self, by_millis: u64) -> Option<(u64, ClientKey)> {
        let mut order = self.lock();
        let first = *order.first()?;
        if first.0 > by_millis {
            return None;
        }
        order.remove(&first);
        self.publish(&order);
        Some(first)
    }

    /// Everybody who is banned, the ban that ends first ahead.
    pub(super) fn clients(&self) -> Vec<ClientKey> {
        self.lock().iter().map(|(_, client)| *client).collect()
    }

    fn publish(&self, order: &BTreeSet<(u64, ClientKey)>) {
        self.count.store(order.len(), Ordering::Release);
        self.next.store(
            order.first().map_or(NEVER, |(until, _)| *until),
            Ordering::Release,
        );
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<(u64, ClientKey)>> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
