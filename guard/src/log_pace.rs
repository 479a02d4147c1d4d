//! How often the log has a line about a client: under attack one a second for each kind, with how many there were, instead of thousands.
//!
//! Must not know: what the lines say, or where they go.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use crate::client::ClientKey;

/// A client has at most one line of a kind in so long a time.
const PACE_MILLIS: u64 = 1000;

/// Of so many clients at once it is known what was kept back. What others do is only counted.
const MOST_CLIENTS: usize = 1024;

/// What lines are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LineKind {
    OverTheLimit,
    Denied,
    Threat,
    Finding,
    Report,
}

impl LineKind {
    /// As the lines have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OverTheLimit => "over the limit",
            Self::Denied => "denied",
            Self::Threat => "threat",
            Self::Finding => "found, and served",
            Self::Report => "threat reported",
        }
    }

    /// Whether it is of interest only to those who look for it.
    pub(crate) fn is_detail(self) -> bool {
        matches!(self, Self::OverTheLimit | Self::Denied)
    }
}

/// Lines that were kept back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptBack {
    pub(crate) kind: LineKind,
    /// `None`: of clients that there was no room for.
    pub(crate) client: Option<ClientKey>,
    pub(crate) lines: u64,
}

/// What is to be said now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Whether the line itself is.
    pub(crate) is_said: bool,
    /// What was kept back, and has waited long enough.
    pub(crate) kept_back: Vec<KeptBack>,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct LogPace(Mutex<Paced>);

#[derive(Debug, Default)]
struct Paced {
    clients: HashMap<(ClientKey, LineKind), Said>,
    /// Lines of clients that there was no room for.
    others: HashMap<LineKind, u64>,
    looked_millis: u64,
}

#[derive(Debug)]
struct Said {
    at_millis: u64,
    kept_back: u64,
}

impl LogPace {
    /// A line is due.
    pub(crate) fn turn(&self, client: ClientKey, kind: LineKind, now_millis: u64) -> Turn {
        let mut paced = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept_back = paced.look(now_millis);
        let is_said = paced.is_said(client, kind, now_millis);
        Turn { is_said, kept_back }
    }
}

impl Paced {
    fn is_said(&mut self, client: ClientKey, kind: LineKind, now_millis: u64) -> bool {
        if let Some(said) = self.clients.get_mut(&(client, kind)) {
            let is_said = is_over(said.at_millis, now_millis) && said.kept_back == 0;
            if is_said {
                said.at_millis = now_millis;
            } else {
                said.kept_back += 1;
            }
            return is_said;
        }
        if self.clients.len() >= MOST_CLIENTS {
            *self.others.entry(kind).or_default() += 1;
            return false;
        }
        let said = Said {
            at_millis: now_millis,
            kept_back: 0,
        };
        self.clients.insert((client, kind), said);
        true
    }

    /// Lets go of clients whose time is over. Once in a while, for all of them are looked at.
    fn look(&mut self, now_millis: u64) -> Vec<KeptBack> {
        if !is_over(self.looked_millis, now_millis) {
            return Vec::new();
        }
        self.looked_millis = now_millis;
        let mut kept_back = Vec::new();
        for (kind, lines) in self.others.drain() {
            kept_back.push(KeptBack {
                kind,
                client: None,
                lines,
            });
        }
        self.clients.retain(|(client, kind), said| {
            if !is_over(said.at_millis, now_millis) {
                return true;
            }
            if said.kept_back == 0 {
                return false;
            }
            kept_back.push(KeptBack {
                kind: *kind,
                client: Some(*client),
                lines: said.kept_back,
            });
            // That was the client's line for now.
            *said = Said {
                at_millis: now_millis,
                kept_back: 0,
            };
            true
        });
        kept_back
    }
}

/// Whether the time since then is over; it is as well if the clock was set back.
fn is_over(since_millis: u64, now_millis: u64) -> bool {
    now_millis.abs_diff(since_millis) >= PACE_MILLIS
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const NOW: u64 = 1_000_000;

    fn client(number: u32) -> ClientKey {
        ClientKey::V4(Ipv4Addr::from_bits(number))
    }

    #[test]
    fn the_first_line_is_said_at_once_and_the_rest_is_summed_up_once_a_second() {
        let pace = LogPace::default();
        let mut said = 0;
        let mut summed_up = 0;
        for millis in 0..5000 {
            let turn = pace.turn(client(1), LineKind::Threat, NOW + millis);
            assert_eq!(turn.is_said, millis == 0, "{millis}");
            said += u64::from(turn.is_said);
            for kept_back in turn.kept_back {
                assert_eq!(millis % 1000, 0);
                assert_eq!(kept_back.client, Some(client(1)));
                summed_up += kept_back.lines;
            }
        }
        assert_eq!((said, summed_up), (1, 3999));
    }

    #[test]
    fn another_kind_and_another_client_have_lines_of_their_own() {
        let pace = LogPace::default();
        for kind in [LineKind::Threat, LineKind::OverTheLimit, LineKind::Denied] {
            for number in 0..3 {
                assert!(pace.turn(client(number), kind, NOW).is_said);
                assert!(!pace.turn(client(number), kind, NOW).is_said);
            }
        }
    }

    #[test]
    fn what_was_kept_back_is_said_when_anybody_else_has_a_line() {
        let pace = LogPace::default();
        for _ in 0..4 {
            pace.turn(client(1), LineKind::Denied, NOW);
        }
        let turn = pace.turn(client(2), LineKind::Threat, NOW + 1000);
        let kept_back = KeptBack {
            kind: LineKind::Denied,
            client: Some(client(1)),
            lines: 3,
        };
        assert_eq!(turn.kept_back, [kept_back]);
        assert!(turn.is_said);
    }

    #[test]
    fn more_clients_than_there_is_room_for_are_counted_together() {
        let pace = LogPace::default();
        let beyond = 500;
        for number in 0..MOST_CLIENTS as u32 + beyond {
            let turn = pace.turn(client(number), LineKind::Threat, NOW);
            assert_eq!(turn.is_said, (number as usize) < MOST_CLIENTS);
        }
        assert_eq!(pace.0.lock().unwrap().clients.len(), MOST_CLIENTS);
        let turn = pace.turn(client(0), LineKind::Threat, NOW + 1000);
        let others = KeptBack {
            kind: LineKind::Threat,
            client: None,
            lines: beyond.into(),
        };
        assert_eq!(turn.kept_back, [others]);
        assert!(turn.is_said);
        assert_eq!(pace.0.lock().unwrap().clients.len(), 1);
    }

    #[test]
    fn a_clock_that_is_set_back_silences_nobody() {
        let pace = LogPace::default();
        assert!(pace.turn(client(1), LineKind::Threat, NOW).is_said);
        assert!(pace.turn(client(1), LineKind::Threat, NOW - 5000).is_said);
    }
}
