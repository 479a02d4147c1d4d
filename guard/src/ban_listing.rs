//! All bans, for somebody who looks at them again and again.
//!
//! Reading all of them costs a store on Redis a scan of its keys. What was read is therefore kept for 20 times as long as reading took:
//! a handful of bans is always read afresh, and looking on never takes more than a twentieth of the time. Must not know: what is
//! done with them.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{bans::Ban, decision::Store};

/// So many times as long as reading took.
const KEPT_FOR: u32 = 20;
const KEPT_AT_MOST: Duration = Duration::from_secs(60);

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct BanListing(Mutex<Option<LastRead>>);

#[derive(Clone, Debug)]
struct LastRead {
    bans: Arc<Vec<Ban>>,
    passive: bool,
    until: Instant,
}

impl BanListing {
    /// The bans of a store, which is the one for passive mode or the other. Some of them may have ended since.
    pub(crate) async fn read(&self, store: &dyn Store, passive: bool) -> Arc<Vec<Ban>> {
        let begun = Instant::now();
        let last = self.last().clone();
        if let Some(last) = last.filter(|last| last.until > begun && last.passive == passive) {
            return last.bans;
        }
        let bans = Arc::new(store.bans().wait().await);
        let took = begun.elapsed();
        *self.last() = Some(LastRead {
            bans: Arc::clone(&bans),
            passive,
            until: begun + took + took.saturating_mul(KEPT_FOR).min(KEPT_AT_MOST),
        });
        bans
    }

    /// A ban has come or gone by the hand of somebody who wants to see it.
    pub(crate) fn changed(&self) {
        *self.last() = None;
    }

    fn last(&self) -> MutexGuard<'_, Option<LastRead>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
