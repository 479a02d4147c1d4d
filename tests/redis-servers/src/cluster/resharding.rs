//! Moving a slot from one master to another, step by step, as `redis-cli --cluster reshard` does.
//!
//! Must not know: failover.

use super::{Cluster, id};
use crate::{Server, wait};

/// So many keys are moved at once.
const BATCH: &str = "100";
const TIMEOUT_MILLIS: &str = "5000";

impl Cluster {
    /// Moves a slot with its keys.
    ///
    /// # Panics
    ///
    /// If a node refuses.
    pub fn move_slot(&self, slot: u16, to: &Server) {
        self.begin_slot_move(slot, to);
        self.migrate_keys(slot, to);
        self.finish_slot_move(slot, to);
    }

    /// From here on, the master of the slot answers `ASK` for keys that it doesn't have (any more).
    ///
    /// # Panics
    ///
    /// If a node refuses: because the slot is there already, or the destination isn't a master.
    pub fn begin_slot_move(&self, slot: u16, to: &Server) {
        let from = self.master_of_slot(slot);
        let slot = slot.to_string();
        // In this order, for else a client could be sent to a node that knows of nothing.
        to.command(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &id(from)]);
        from.command(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &id(to)]);
    }

    /// Moves the keys that the slot has now.
    ///
    /// # Panics
    ///
    /// If a node refuses.
    pub fn migrate_keys(&self, slot: u16, to: &Server) {
        let from = self.master_of_slot(slot);
        let (slot, port) = (slot.to_string(), to.port().to_string());
        loop {
            let keys: Vec<String> = from
                .query(&["CLUSTER", "GETKEYSINSLOT", &slot, BATCH])
                .unwrap_or_else(|error| panic!("the keys of slot {slot}: {error}"));
            if keys.is_empty() {
                return;
            }
            let mut command = vec!["MIGRATE", "127.0.0.1", &port, "", "0", TIMEOUT_MILLIS];
            if let Some(password) = to.password() {
                command.extend(["AUTH", password]);
            }
            command.push("KEYS");
            command.extend(keys.iter().map(String::as_str));
            from.command(&command);
        }
    }

    /// Gives the slot to its new master, and returns when all nodes know.
    ///
    /// # Panics
    ///
    /// If a node refuses: because there still are keys, or the move was never begun.
    pub fn finish_slot_move(&self, slot: u16, to: &Server) {
        let from = self.master_of_slot(slot).port();
        let id = id(to);
        // The destination first: were it the source, there would be a moment when nobody has the slot.
        let mut masters = self.masters();
        masters.sort_by_key(|master| (master.port() != to.port(), master.port() != from));
        for master in masters {
            master.command(&["CLUSTER", "SETSLOT", &slot.to_string(), "NODE", &id]);
        }
        wait::until_ok(|| match self.agreed_master_of_slot(slot)? {
            master if master.port() == to.port() => Ok(()),
            master => Err(format!("slot {slot} to leave {}", master.url())),
        });
    }
}
