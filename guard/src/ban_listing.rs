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
        let read = Instant::now();
        *self.last() = Some(LastRead {
            bans: Arc::clone(&bans),
            passive,
            until: read + kept_for(read - begun),
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

fn kept_for(took: Duration) -> Duration {
    took.saturating_mul(KEPT_FOR).min(KEPT_AT_MOST)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        client::ClientKey,
        clock::ManualClock,
        store::{MemoryStore, MemoryStoreOptions},
    };

    #[test]
    fn looking_on_takes_no_more_than_a_twentieth_of_the_time() {
        for (took_millis, kept_millis) in [(0, 0), (1, 20), (500, 10_000), (60_000, 60_000)] {
            let kept = kept_for(Duration::from_millis(took_millis));
            assert_eq!(kept, Duration::from_millis(kept_millis), "{took_millis}");
        }
    }

    #[actix_web::test]
    async fn what_was_read_is_kept_until_it_is_said_to_have_changed() {
        let options = MemoryStoreOptions {
            max_clients: 10,
            max_bans: 10,
            ban_file: None,
        };
        let store = MemoryStore::new(&options, Arc::new(ManualClock::new()));
        let listing = BanListing::default();
        *listing.last() = Some(LastRead {
            bans: Arc::default(),
            passive: false,
            until: Instant::now() + KEPT_AT_MOST,
        });
        let client = ClientKey::parse("192.0.2.1", 64).unwrap();
        store.ban(client, 1000, "test").wait().await;
        assert_eq!(listing.read(&store, false).await.len(), 0);
        listing.changed();
        assert_eq!(listing.read(&store, false).await.len(), 1);
        // Passive mode has a store of its own.
        *listing.last() = Some(LastRead {
            bans: Arc::default(),
            passive: true,
            until: Instant::now() + KEPT_AT_MOST,
        });
        assert_eq!(listing.read(&store, false).await.len(), 1);
    }
}
