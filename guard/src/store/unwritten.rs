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
        /// In place of a ban that was known here, however long that was to last.
        replaces: bool,
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
            replaces: false,
        }
    }

    /// The same, if it is a ban, in place of one that was known.
    pub(super) fn in_place_of(mut self, known: bool) -> Self {
        if let Self::Banned { replaces, .. } = &mut self {
            *replaces |= known;
        }
        self
    }

    /// Whether what Redis has of the client is overtaken by it.
    fn overtakes(&self) -> bool {
        match self {
            Self::Banned { replaces, .. } => *replaces,
            Self::Lifted => true,
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
    /// A ban after another change is one in place of what that change was about.
    pub(super) fn note(&self, client: ClientKey, change: Change) {
        let mut changes = self.lock();
        let overtakes = changes.get(&client).is_some_and(Change::overtakes);
        changes.insert(client, change.in_place_of(overtakes));
        self.count.store(changes.len(), Ordering::Release);
    }

    /// Whether what Redis has of a client is overtaken by what is to be written.
    pub(super) fn overtakes(&self, client: ClientKey) -> bool {
        !self.is_empty() && self.lock().get(&client).is_some_and(Change::overtakes)
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
        changes.retain(|client, change| {
            let is_over = matches!(change, Change::Banned { .. }) && !is_banned(*client);
            if is_over && change.overtakes() {
                // The one in whose place it came must not be in force again.
                *change = Change::Lifted;
                return true;
            }
            !is_over
        });
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
            replaces: false,
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

    #[test]
    fn a_ban_after_an_unban_replaces_what_there_was_before_both_and_so_does_the_next_one() {
        let banned = |ends_millis, replaces| Change::Banned {
            ends_millis,
            reason: "a reason".into(),
            by: BanSource::Automatic,
            replaces,
        };
        let unwritten = Unwritten::default();
        unwritten.note(BOB, banned(1, false));
        assert!(!unwritten.overtakes(BOB));
        unwritten.tidy(|_| false);
        assert!(unwritten.is_empty());

        unwritten.note(ALICE, Change::Lifted);
        for ends_millis in [1, 2] {
            unwritten.note(ALICE, banned(ends_millis, false));
            assert_eq!(unwritten.all(), [(ALICE, banned(ends_millis, true))]);
        }
        unwritten.tidy(|_| true);
        assert!(unwritten.overtakes(ALICE));
        // When it is over, nothing is in force again.
        unwritten.tidy(|_| false);
        assert_eq!(unwritten.all(), [(ALICE, Change::Lifted)]);
    }
}
