//! Wrong attempts to get into an admin scope: a client has 10 in any minute. In this process, and in no other window: guessing must not
//! be helped by what the configuration allows.
//!
//! Must not know: what was tried.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;

use crate::client::ClientKey;

const ATTEMPTS: usize = 10;
const WINDOW_MILLIS: u64 = 60_000;
/// Clients that are remembered. A new one takes the place of the one that has not tried for longest.
const MOST_CLIENTS: usize = 4096;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<Clients>);

/// When the latest wrong attempts of each client were, the oldest first.
type Clients = HashMap<ClientKey, VecDeque<u64>, RandomState>;

impl Attempts {
    /// How long a client has to wait until it may try again; `None`: not at all.
    pub(crate) fn wait_millis(&self, client: ClientKey, now_millis: u64) -> Option<u64> {
        let clients = self.clients();
        let wrong = clients.get(&client)?;
        if wrong.len() < ATTEMPTS {
            return None;
        }
        // After a clock step the future is now.
        let oldest = (*wrong.front()?).min(now_millis);
        let age = now_millis - oldest;
        (age < WINDOW_MILLIS).then(|| WINDOW_MILLIS - age)
    }

    pub(crate) fn wrong(&self, client: ClientKey, now_millis: u64) {
        let mut clients = self.clients();
        if !clients.contains_key(&client) && clients.len() >= MOST_CLIENTS {
            make_room(&mut clients, now_millis);
        }
        let wrong = clients.entry(client).or_default();
        if wrong.len() >= ATTEMPTS {
            wrong.pop_front();
        }
        wrong.push_back(now_millis);
    }

    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets go of all that don't matter any more, and at least of the one that matters least.
fn make_room(clients: &mut Clients, now_millis: u64) {
    let latest = |wrong: &VecDeque<u64>| wrong.back().copied().unwrap_or(0);
    clients.retain(|_, wrong| now_millis.saturating_sub(latest(wrong)) < WINDOW_MILLIS);
    if clients.len() < MOST_CLIENTS {
        return;
    }
    let oldest = clients.iter().min_by_key(|(_, wrong)| latest(wrong));
    if let Some(client) = oldest.map(|(client, _)| *client) {
        clients.remove(&client);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client(number: u32) -> ClientKey {
        ClientKey::V4(Ipv4Addr::from_bits(number))
    }

    #[test]
    fn ten_wrong_attempts_in_any_minute() {
        let attempts = Attempts::default();
        for attempt in 0..10 {
            assert_eq!(attempts.wait_millis(client(1), attempt * 1000), None);
            attempts.wrong(client(1), attempt * 1000);
        }
        assert_eq!(attempts.wait_millis(client(1), 9_000), Some(51_000));
        assert_eq!(attempts.wait_millis(client(2), 9_000), None);
        assert_eq!(attempts.wait_millis(client(1), 59_999), Some(1));
        assert_eq!(attempts.wait_millis(client(1), 60_000), None);
        attempts.wrong(client(1), 60_000);
        assert_eq!(attempts.wait_millis(client(1), 60_500), Some(500));
    }

    #[test]
    fn a_clock_that_steps_back_shuts_nobody_out_for_longer() {
        let attempts = Attempts::default();
        for _ in 0..10 {
            attempts.wrong(client(1), 1_000_000);
        }
        assert_eq!(attempts.wait_millis(client(1), 0), Some(60_000));
    }

    #[test]
    fn a_flood_of_addresses_takes_bounded_room() {
        let attempts = Attempts::default();
        for number in 0..10_000 {
            attempts.wrong(client(number), u64::from(number));
        }
        assert_eq!(attempts.clients().len(), MOST_CLIENTS);
        assert!(attempts.clients().contains_key(&client(9_999)));
        attempts.wrong(client(1), 100_000);
        assert_eq!(attempts.clients().len(), 1);
    }
}
