//! A bounded map from addresses to what holds for a time.
//!
//! Must not know: what holds, or why for so long.

use std::{
    collections::{BTreeSet, HashMap},
    net::IpAddr,
};

/// When there is no room, what ends first goes first.
#[derive(Debug)]
pub(super) struct Expiring<T> {
    entries: HashMap<IpAddr, Entry<T>>,
    /// The same entries by their ends.
    ends: BTreeSet<(u64, IpAddr)>,
    capacity: usize,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    ends_millis: u64,
}

impl<T> Expiring<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            entries: HashMap::new(),
            ends: BTreeSet::new(),
            capacity,
        }
    }

    /// What holds for the address.
    pub(super) fn get(&self, address: IpAddr, now: u64) -> Option<&T> {
        let entry = self.entries.get(&address)?;
        (now < entry.ends_millis).then_some(&entry.value)
    }

    /// Takes the place of what held for the address before.
    pub(super) fn insert(&mut self, address: IpAddr, value: T, ends_millis: u64) {
        self.remove(address);
        while self.entries.len() >= self.capacity {
            let Some((_, first)) = self.ends.pop_first() else {
                return;
            };
            self.entries.remove(&first);
        }
        self.ends.insert((ends_millis, address));
        self.entries.insert(address, Entry { value, ends_millis });
    }

    pub(super) fn remove(&mut self, address: IpAddr) {
        if let Some(entry) = self.entries.remove(&address) {
            self.ends.remove(&(entry.ends_millis, address));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::*;

    use super::*;

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(number).into()
    }

    #[test]
    fn an_entry_holds_until_its_end() {
        let mut map = Expiring::new(3);
        map.insert(address(1), 'a', 100);
        for (now, expected) in [(0, Some(&'a')), (99, Some(&'a')), (100, None), (101, None)] {
            assert_eq!(map.get(address(1), now), expected, "{now}");
        }
        assert_eq!(map.get(address(2), 0), None);
    }

    #[test]
    fn what_ends_first_goes_first() {
        let mut map = Expiring::new(2);
        map.insert(address(1), 'a', 300);
        map.insert(address(2), 'b', 100);
        map.insert(address(1), 'c', 200);
        assert_eq!(map.get(address(2), 0), Some(&'b'), "there was room");
        map.insert(address(3), 'd', 50);
        assert_eq!(map.get(address(1), 0), Some(&'c'));
        assert_eq!(map.get(address(2), 0), None);
        assert_eq!(map.get(address(3), 0), Some(&'d'));
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let mut map = Expiring::new(0);
        map.insert(address(1), (), 100);
        assert_eq!(map.get(address(1), 0), None);
    }

    proptest! {
        #[test]
        fn there_are_never_more_than_there_is_room_for(
            changes in prop::collection::vec((0_u32..20, 0_u64..50, any::<bool>()), 0..200),
        ) {
            let mut map = Expiring::new(7);
            for (number, ends, is_inserted) in changes {
                if is_inserted {
                    map.insert(address(number), number, ends);
                    prop_assert_eq!(map.entries[&address(number)].ends_millis, ends);
                } else {
                    map.remove(address(number));
                    prop_assert!(!map.entries.contains_key(&address(number)));
                }
                prop_assert!(map.entries.len() <= 7);
                let ends: BTreeSet<_> = map.entries.iter().map(|(address, entry)| (entry.ends_millis, *address)).collect();
                prop_assert_eq!(&ends, &map.ends);
            }
        }
    }
}
