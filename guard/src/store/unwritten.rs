//! What was decided of bans while Redis could not be told.
//!
//! Must not know: how it is written.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    bans::{BanRecord, BanSource},
    client::ClientKey,
};

/// The last thing that was decided of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Banned, until then on the clock of this process.
    Banned {
        ends_millis: u64,
        reason: Box<str>,
        by: BanSource,
    },
    Lifted,
}

impl Change {
    /// A ban that is set at `now_millis` for so long.
    pub(super) fn banned(ban: &BanRecord, now_millis: u64, left_millis: u64) -> Self {
        Self::Banned {
            ends_millis: now_millis.saturating_add(left_millis),
            reason: ban.reason.clone(),
            by: ban.by,
        }
    }
}

/// See the module's documentation. As many as there are bans in memory, and lifted ones.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    changes: Mutex<HashMap<ClientKey, Change>>,
    /// Read without the lock.
    count: AtomicUsize,
}

impl Unwritten {
    pub(super) fn note(&self, client: ClientKey, change: Change) {
        let mut changes = self.lock();
        changes.insert(client, change);
        self.count.store(changes.len(), Ordering::Release);
    }

    /// Whether something is to be written of a client.
    pub(super) fn concerns(&self, client: ClientKey) -> bool {
        !self.is_empty() && self.lock().contains_key(&client)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// All that is to be written now.
    pub(super) fn all(&self) -> Vec<(ClientKey, Change)> {
        let changes = self.lock();
        let all = changes.iter();
        all.map(|(client, change)| (*client, change.clone()))
            .collect()
    }

    /// A change has been written, or concerns nobody any more; unless another one has come since.
    pub(super) fn settle(&self, client: ClientKey, written: &Change) {
        let mut changes = self.lock();
        if changes.get(&client) == Some(written) {
            changes.remove(&client);
            self.count.store(changes.len(), Ordering::Release);
        }
    }

    /// Nothing is to be written of a client any more.
    pub(super) fn forget(&self, client: ClientKey) {
        if self.is_empty() {
            return;
        }
        let mut changes = self.lock();
        changes.remove(&client);
        self.count.store(changes.len(), Ordering::Release);
    }

    /// Lets go of bans that are not in force here any more: else an outage of hours would pile up bans that are over, and more of them
    /// than may be kept.
    pub(super) fn tidy(&self, is_banned: impl Fn(ClientKey) -> bool) {
        let mut changes = self.lock();
        changes.retain(|client, change| matches!(change, Change::Lifted) || is_banned(*client));
        self.count.store(changes.len(), Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientKey, Change>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::contract::{ALICE, BOB};

    #[test]
    fn the_last_change_of_a_client_counts_and_stays_if_an_earlier_one_was_written() {
        let banned = Change::Banned {
            ends_millis: 1,
            reason: "a reason".into(),
            by: BanSource::Manual,
        };
        let unwritten = Unwritten::default();
        unwritten.note(ALICE, banned.clone());
        unwritten.note(ALICE, Change::Lifted);
        unwritten.note(BOB, banned.clone());
        unwritten.settle(ALICE, &banned);
        unwritten.settle(BOB, &banned);
        assert_eq!(unwritten.all(), [(ALICE, Change::Lifted)]);
        assert!(unwritten.concerns(ALICE) && !unwritten.concerns(BOB));
        unwritten.settle(ALICE, &Change::Lifted);
        assert!(unwritten.is_empty());
        for client in [ALICE, BOB] {
            unwritten.note(client, banned.clone());
        }
        unwritten.forget(ALICE);
        assert_eq!(unwritten.all(), [(BOB, banned)]);
        unwritten.note(ALICE, Change::Lifted);
        unwritten.tidy(|_| false);
        assert_eq!(unwritten.all(), [(ALICE, Change::Lifted)]);
    }
}
