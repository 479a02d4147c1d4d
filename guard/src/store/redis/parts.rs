//! The parts into which a store is divided that may fare differently: in a Cluster each has slots of its own, and few of them lie on two
//! masters. Any other store is one part.
//!
//! Must not know: which of them can be asked.

use super::connection::{SLOTS, slot_of};

/// More than masters of most Clusters.
const CLUSTER_PARTS: usize = 64;

/// How many there are.
pub(super) fn number(cluster: bool) -> usize {
    if cluster { CLUSTER_PARTS } else { 1 }
}

/// The part that has a key.
#[inline]
pub(super) fn part_of(key: &[u8], cluster: bool) -> usize {
    if cluster {
        usize::from(slot_of(key)) * CLUSTER_PARTS / SLOTS
    } else {
        0
    }
}
