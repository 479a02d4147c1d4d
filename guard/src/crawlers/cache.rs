//! What is known of addresses: whose they are, for how long that holds, and what is being asked.
//!
//! Proven and unproven addresses are kept apart, so that forged claims from ever new addresses push out no crawler.
//! Must not know: how an address is proven.

use std::{collections::HashSet, net::IpAddr, time::Duration};

use crate::clock::millis;

use super::{expiring::Expiring, operators::Operator};

/// So many proven addresses, and so many others.
const MOST_ADDRESSES: usize = 10_000;

/// A proof holds for as long as the records it rests on, within these bounds.
const SHORTEST_PROOF: Duration = Duration::from_secs(5 * 60);
const LONGEST_PROOF: Duration = Duration::from_secs(24 * 3600);
/// DNS has said that the address is no crawler's.
const DISPROVEN: Duration = Duration::from_secs(3600);
/// DNS has said nothing.
const FAILED: Duration = Duration::from_secs(60);

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The address is the crawler's.
    Proven {
        operator: &'static Operator,
        /// Of the records that prove it.
        ttl: Duration,
    },
    /// The address is none of a crawler's.
    Disproven,
    /// There was no answer that says either.
    Failed,
}

/// What is known of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// Whose it is, if that is proven.
    pub(super) operator: Option<&'static Operator>,
    /// Whether it is time to ask.
    pub(super) is_due: bool,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Cache {
    proven: Expiring<Proof>,
    /// Those that are not to be asked about again before a time; a proof that could not be renewed may be among them.
    unproven: Expiring<()>,
    /// Those whose questions are on their way: never more than fit into the queue and are worked on.
    asked: HashSet<IpAddr>,
}

#[derive(Debug)]
struct Proof {
    operator: &'static Operator,
    renewed_from_millis: u64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self::with_capacity(MOST_ADDRESSES)
    }

    fn with_capacity(capacity: usize) -> Self {
        Self {
            proven: Expiring::new(capacity),
            unproven: Expiring::new(capacity),
            asked: HashSet::new(),
        }
    }

    pub(super) fn look_up(&self, address: IpAddr, now: u64) -> Standing {
        let proof = self.proven.get(address, now);
        let is_fresh = proof.is_some_and(|proof| now < proof.renewed_from_millis);
        let is_waited_for = self.asked.contains(&address);
        let is_put_off = self.unproven.get(address, now).is_some();
        Standing {
            operator: proof.map(|proof| proof.operator),
            is_due: !is_fresh && !is_waited_for && !is_put_off,
        }
    }

    /// The question about the address is on its way.
    pub(super) fn ask(&mut self, address: IpAddr) {
        self.asked.insert(address);
    }

    /// The question about the address has ended.
    pub(super) fn settle(&mut self, address: IpAddr, outcome: Outcome, now: u64) {
        self.asked.remove(&address);
        match outcome {
            Outcome::Proven { operator, ttl } => self.prove(address, operator, ttl, now),
            Outcome::Disproven => {
                self.proven.remove(address);
                self.put_off(address, DISPROVEN, now);
            }
            // What was proven before holds until its time is over.
            Outcome::Failed => self.put_off(address, FAILED, now),
        }
    }

    /// A proof is renewed in the last tenth of its time, so that a crawler that comes often never falls out.
    fn prove(&mut self, address: IpAddr, operator: &'static Operator, ttl: Duration, now: u64) {
        let time = millis(ttl.clamp(SHORTEST_PROOF, LONGEST_PROOF));
        let ends = now.saturating_add(time);
        let proof = Proof {
            operator,
            renewed_from_millis: ends - time / 10,
        };
        self.unproven.remove(address);
        self.proven.insert(address, proof, ends);
    }

    fn put_off(&mut self, address: IpAddr, time: Duration, now: u64) {
        self.unproven
            .insert(address, (), now.saturating_add(millis(time)));
    }

    #[cfg(test)]
    pub(super) fn is_asked(&self, address: IpAddr) -> bool {
        self.asked.contains(&address)
    }

    #[cfg(test)]
    pub(super) fn asked(&self) -> usize {
        self.asked.len()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;
    use crate::crawlers::operators::operator;

    const START: u64 = 1_000_000;
    const MINUTE: u64 = 60_000;
    const HOUR: u64 = 60 * MINUTE;

    fn address(number: u128) -> IpAddr {
        Ipv6Addr::from_bits(number).into()
    }

    fn proven(seconds: u64) -> Outcome {
        Outcome::Proven {
            operator: operator("googlebot").unwrap(),
            ttl: Duration::from_secs(seconds),
        }
    }

    /// What is known of the one address, after so many milliseconds: whether it is proven, whether it is time to ask.
    fn standing(cache: &Cache, after: u64) -> (bool, bool) {
        let standing = cache.look_up(address(1), START + after);
        (standing.operator.is_some(), standing.is_due)
    }

    #[test]
    fn an_outcome_holds_for_its_time() {
        type Standings = &'static [(u64, (bool, bool))];
        let cases: &[(Outcome, Standings)] = &[
            // The last tenth of an hour begins after 54 minutes.
            (
                proven(3600),
                &[
                    (0, (true, false)),
                    (54 * MINUTE - 1, (true, false)),
                    (54 * MINUTE, (true, true)),
                    (HOUR - 1, (true, true)),
                    (HOUR, (false, true)),
                ],
            ),
            (
                proven(0),
                &[(5 * MINUTE - 1, (true, true)), (5 * MINUTE, (false, true))],
            ),
            (
                proven(30 * 24 * 3600),
                &[(24 * HOUR - 1, (true, true)), (24 * HOUR, (false, true))],
            ),
            (
                Outcome::Disproven,
                &[(HOUR - 1, (false, false)), (HOUR, (false, true))],
            ),
            (
                Outcome::Failed,
                &[(MINUTE - 1, (false, false)), (MINUTE, (false, true))],
            ),
        ];
        for (outcome, expected) in cases {
            let mut cache = Cache::new();
            assert_eq!(standing(&cache, 0), (false, true));
            cache.settle(address(1), *outcome, START);
            for (after, expected) in *expected {
                assert_eq!(standing(&cache, *after), *expected, "{outcome:?} {after}");
            }
        }
    }

    #[test]
    fn a_question_is_asked_once() {
        let mut cache = Cache::new();
        cache.ask(address(1));
        assert_eq!(standing(&cache, 0), (false, false));
        assert_eq!(standing(&cache, 100 * HOUR), (false, false));
        cache.settle(address(1), Outcome::Failed, START);
        assert_eq!(standing(&cache, MINUTE), (false, true));
    }

    #[test]
    fn a_proof_that_cannot_be_renewed_holds_to_its_end_and_is_tried_every_minute() {
        let mut cache = Cache::new();
        cache.settle(address(1), proven(3600), START);
        let failed = 59 * MINUTE;
        cache.settle(address(1), Outcome::Failed, START + failed);
        assert_eq!(standing(&cache, failed), (true, false));
        assert_eq!(standing(&cache, HOUR - 1), (true, false));
        assert_eq!(standing(&cache, HOUR), (false, true));
        cache.settle(address(1), Outcome::Failed, START + HOUR);
        assert_eq!(standing(&cache, HOUR + 1), (false, false));
        assert_eq!(standing(&cache, HOUR + MINUTE), (false, true));
    }

    #[test]
    fn the_last_definite_outcome_counts() {
        let mut cache = Cache::new();
        cache.settle(address(1), proven(3600), START);
        cache.settle(address(1), Outcome::Disproven, START);
        assert_eq!(standing(&cache, 0), (false, false));
        cache.settle(address(1), proven(3600), START);
        assert_eq!(standing(&cache, 0), (true, false));
        cache.settle(address(1), Outcome::Failed, START);
        cache.settle(address(1), proven(3600), START + 1);
        assert_eq!(standing(&cache, 59 * MINUTE), (true, true), "not put off");
    }

    #[test]
    fn a_flood_of_forged_claims_pushes_out_no_crawler() {
        let mut cache = Cache::with_capacity(10);
        cache.settle(address(1), proven(3600), START);
        for number in 2..1000 {
            cache.settle(address(number), Outcome::Disproven, START);
            cache.settle(address(number + 1000), Outcome::Failed, START);
        }
        assert_eq!(standing(&cache, 0), (true, false));
        let kept = (2..3000).filter(|number| !cache.look_up(address(*number), START).is_due);
        assert_eq!(kept.count(), 10);
    }
}
