//! Clients whose requests were refused, with how often in the last hour.
//!
//! There are at most 1,024: a new one takes the place of the one that was refused least. The numbers of those that are kept are
//! exact; somebody who comes back after having lost his place begins at zero. Must not know: what time it is, headers.

use std::{
    collections::HashMap,
    hash::BuildHasher as _,
    sync::{Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;

use crate::{
    client::ClientKey,
    telemetry::{RequestOutcome, Trace},
};

const SHARDS: usize = 16;
const PER_SHARD: usize = 64;
const HOUR_MILLIS: u64 = 3_600_000;
const PERIODS: usize = 12;
const PERIOD_MILLIS: u64 = HOUR_MILLIS / PERIODS as u64;
/// What a client does is looked at again after so long a time.
const TRACE_MILLIS: u64 = 1000;
/// What counts as a refusal.
const REFUSALS: [RequestOutcome; 4] = [
    RequestOutcome::Limited,
    RequestOutcome::Threat,
    RequestOutcome::Banned,
    RequestOutcome::Denied,
];

/// A client, with what was refused of it in the last hour.
#[derive(Clone, Debug)]
pub(crate) struct Offender {
    pub(crate) client: ClientKey,
    pub(crate) last_millis: u64,
    pub(crate) trace: Option<Trace>,
    refused: [u64; REFUSALS.len()],
}

impl Offender {
    /// How many requests came to this.
    pub(crate) fn refused_as(&self, outcome: RequestOutcome) -> u64 {
        let of = REFUSALS.iter().zip(self.refused);
        of.filter(|(refusal, _)| **refusal == outcome)
            .map(|(_, count)| count)
            .sum()
    }

    /// How many requests were refused.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.iter().sum()
    }
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Offenders {
    shards: [Mutex<HashMap<ClientKey, Entry, RandomState>>; SHARDS],
    hasher: RandomState,
}

#[derive(Debug)]
struct Entry {
    periods: [Period; PERIODS],
    /// Since the entry was made.
    count: u64,
    last_millis: u64,
    trace: Option<Trace>,
    traced_millis: u64,
}

/// A twelfth of an hour.
#[derive(Clone, Copy, Debug, Default)]
struct Period {
    number: u64,
    refused: [u32; REFUSALS.len()],
}

impl Offenders {
    pub(super) fn refused(
        &self,
        client: ClientKey,
        outcome: RequestOutcome,
        now_millis: u64,
        trace: impl FnOnce() -> Option<Trace>,
    ) {
        let Some(kind) = REFUSALS.iter().position(|refusal| *refusal == outcome) else {
            return;
        };
        let Some(mut shard) = self.shard(client) else {
            return;
        };
        if !shard.contains_key(&client) && shard.len() >= PER_SHARD {
            drop_least(&mut shard, now_millis);
        }
        let entry = shard
            .entry(client)
            .or_insert_with(|| Entry::new(now_millis));
        entry.refused(kind, now_millis);
        if entry.trace.is_none() || now_millis.abs_diff(entry.traced_millis) >= TRACE_MILLIS {
            entry.traced_millis = now_millis;
            entry.trace = trace().or(entry.trace.take());
        }
    }

    pub(super) fn most_refused(&self, most: usize, now_millis: u64) -> Vec<Offender> {
        let mut offenders: Vec<Offender> = self
            .shards
            .iter()
            .flat_map(|shard| {
                let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
                let all = shard.iter();
                all.filter_map(|(client, entry)| entry.in_last_hour(*client, now_millis))
                    .collect::<Vec<_>>()
            })
            .collect();
        let least_first =
            |offender: &Offender| (offender.refused(), offender.last_millis, offender.client);
        offenders.sort_unstable_by_key(least_first);
        offenders.reverse();
        offenders.truncate(most);
        offenders
    }

    fn shard(
        &self,
        client: ClientKey,
    ) -> Option<MutexGuard<'_, HashMap<ClientKey, Entry, RandomState>>> {
        let place = self.hasher.hash_one(client) % SHARDS as u64;
        let shard = self.shards.get(usize::try_from(place).ok()?)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Makes room for another.
fn drop_least(shard: &mut HashMap<ClientKey, Entry, RandomState>, now_millis: u64) {
    let weight = |entry: &Entry| match now_millis.saturating_sub(entry.last_millis) {
        0..HOUR_MILLIS => (entry.count, entry.last_millis),
        _ => (0, entry.last_millis),
    };
    let least = shard.iter().min_by_key(|(_, entry)| weight(entry));
    if let Some(client) = least.map(|(client, _)| *client) {
        shard.remove(&client);
    }
}

impl Entry {
    fn new(now_millis: u64) -> Self {
        Self {
            periods: Default::default(),
            count: 0,
            last_millis: now_millis,
            trace: None,
            traced_millis: now_millis,
        }
    }

    fn refused(&mut self, kind: usize, now_millis: u64) {
        let number = now_millis / PERIOD_MILLIS;
        let place = usize::try_from(number % PERIODS as u64).unwrap_or(0);
        self.count += 1;
        self.last_millis = now_millis;
        let Some(period) = self.periods.get_mut(place) else {
            return;
        };
        if period.number != number {
            *period = Period {
                number,
                ..Period::default()
            };
        }
        if let Some(refused) = period.refused.get_mut(kind) {
            *refused = refused.saturating_add(1);
        }
    }

    fn in_last_hour(&self, client: ClientKey, now_millis: u64) -> Option<Offender> {
        let this = now_millis / PERIOD_MILLIS;
        let mut refused = [0; REFUSALS.len()];
        let recent = |period: &&Period| this.abs_diff(period.number) < PERIODS as u64;
        for period in self.periods.iter().filter(recent) {
            for (sum, more) in refused.iter_mut().zip(period.refused) {
                *sum += u64::from(more);
            }
        }
        (refused.iter().sum::<u64>() > 0).then(|| Offender {
            client,
            last_millis: self.last_millis,
            trace: self.trace.clone(),
            refused,
        })
    }
}
