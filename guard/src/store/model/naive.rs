//! The model: lists, looked through from end to end.

use std::collections::HashMap;

use crate::{
    bans::{BanRecord, BanSource},
    client::ClientKey,
    decision::{Decision, LogKey, Outcome, Quota, QuotaState, StrikeRules},
};

#[cfg(feature = "admin")]
use crate::decision::{QuotaStanding, Standing};

/// A question, with its parts.
#[derive(Clone, Debug)]
pub(super) struct ModelHit {
    pub(super) client: ClientKey,
    pub(super) threat: Option<&'static str>,
    pub(super) logs: Vec<(LogKey, Vec<Quota>)>,
    pub(super) count_rejected: bool,
    pub(super) strikes: Option<StrikeRules>,
}

#[derive(Debug)]
struct Tally {
    count: u32,
    last: u64,
    ttl: u64,
}

#[derive(Debug)]
pub(super) struct Model {
    pub(super) now: u64,
    entries: HashMap<LogKey, Vec<u64>>,
    strikes: HashMap<ClientKey, Tally>,
    bans: HashMap<ClientKey, BanRecord>,
}

impl Model {
    pub(super) fn at(now: u64) -> Self {
        Self {
            now,
            entries: HashMap::new(),
            strikes: HashMap::new(),
            bans: HashMap::new(),
        }
    }

    pub(super) fn decide(&mut self, hit: &ModelHit) -> Decision {
        if let Some(ban) = self.ban_of(hit.client) {
            return Decision {
                outcome: Outcome::Banned(ban.into()),
                newly_banned: false,
                strikes: 0,
                quotas: Default::default(),
            };
        }
        let mut decision = Decision {
            outcome: Outcome::Threat,
            newly_banned: false,
            strikes: 0,
            quotas: Default::default(),
        };
        let mut tripped = Vec::new();
        if hit.threat.is_none() {
            for (key, quotas) in &hit.logs {
                self.look_at(*key, quotas);
                let full = |quota: &Quota| self.young(*key, quota).len() >= quota.requests as usize;
                if quotas.iter().any(full) {
                    tripped.push(*key);
                }
            }
            let admitted = tripped.is_empty();
            decision.outcome = if admitted {
                Outcome::Admitted
            } else {
                Outcome::Limited
            };
            let record = admitted || hit.count_rejected;
            for (key, quotas) in &hit.logs {
                let over: Vec<bool> = quotas
                    .iter()
                    .map(|quota| self.young(*key, quota).len() >= quota.requests as usize)
                    .collect();
                if record {
                    self.entries.entry(*key).or_default().push(self.now);
                }
                let states = quotas.iter().zip(over);
                decision
                    .quotas
                    .extend(states.map(|(quota, exceeded)| self.state(*key, quota, exceeded)));
            }
        }
        let Some(rules) = hit.strikes else {
            return decision;
        };
        let mut strikes = self.strikes_of(hit.client);
        if decision.outcome != Outcome::Admitted {
            let near = |tally: &Tally| self.now - tally.last < rules.interval_millis;
            if !self.strikes.get(&hit.client).is_some_and(near) {
                strikes += 1;
                let tally = Tally {
                    count: strikes,
                    last: self.now,
                    ttl: rules.ttl_millis,
                };
                self.strikes.insert(hit.client, tally);
                if strikes > rules.threshold {
                    let ban = BanRecord {
                        since_millis: self.now,
                        until_millis: self.now + rules.ban_millis,
                        reason: hit.threat.unwrap_or("rate limit").into(),
                        by: BanSource::Automatic,
                    };
                    self.bans.insert(hit.client, ban.clone());
                    self.strikes.remove(&hit.client);
                    for key in tripped {
                        self.entries.remove(&key);
                    }
                    decision.outcome = Outcome::Banned(ban.into());
                    decision.newly_banned = true;
                    strikes = 0;
                }
            }
        }
        decision.strikes = strikes;
        decision
    }

    pub(super) fn clear_strikes(&mut self, client: ClientKey) {
        self.strikes.remove(&client);
    }

    pub(super) fn ban(&mut self, client: ClientKey, millis: u64, reason: &str) {
        let ban = BanRecord {
            since_millis: self.now,
            until_millis: self.now + millis,
            reason: reason.into(),
            by: BanSource::Manual,
        };
        self.bans.insert(client, ban);
        self.strikes.remove(&client);
    }

    pub(super) fn unban(&mut self, client: ClientKey) -> bool {
        self.strikes.remove(&client);
        let banned = self.ban_of(client).is_some();
        self.bans.remove(&client);
        banned
    }

    /// The bans in force, by the names of the clients.
    pub(super) fn bans(&mut self) -> Vec<(ClientKey, BanRecord)> {
        let clients: Vec<ClientKey> = self.bans.keys().copied().collect();
        let in_force = |client| Some((client, self.ban_of(client)?));
        let mut bans: Vec<_> = clients.into_iter().filter_map(in_force).collect();
        bans.sort_by_key(|(client, _)| client.to_string());
        bans
    }

    /// Entries of the future are of now; those that have left every window are forgotten.
    pub(super) fn look_at(&mut self, key: LogKey, quotas: &[Quota]) {
        let now = self.now;
        if let Some(entries) = self.entries.get_mut(&key) {
            for entry in &mut *entries {
                *entry = now.min(*entry);
            }
            entries.retain(|entry| quotas.iter().any(|quota| entry + quota.window_millis > now));
        }
    }

    fn ban_of(&mut self, client: ClientKey) -> Option<BanRecord> {
        let ban = self.bans.get_mut(&client)?;
        if ban.since_millis > self.now {
            // It began now, and is as long as ever.
            ban.until_millis = self.now + (ban.until_millis - ban.since_millis);
            ban.since_millis = self.now;
        }
        if ban.until_millis <= self.now {
            self.bans.remove(&client);
        }
        self.bans.get(&client).cloned()
    }

    fn strikes_of(&mut self, client: ClientKey) -> u32 {
        let Some(tally) = self.strikes.get_mut(&client) else {
            return 0;
        };
        tally.last = tally.last.min(self.now);
        if tally.last + tally.ttl <= self.now {
            self.strikes.remove(&client);
            return 0;
        }
        tally.count
    }

    #[cfg(feature = "admin")]
    pub(super) fn standing(&self, client: ClientKey, logs: &[(LogKey, &[Quota])]) -> Standing {
        let tally = self.strikes.get(&client);
        let left = tally.map_or(0, |tally| (tally.last + tally.ttl).saturating_sub(self.now));
        let quotas = logs
            .iter()
            .flat_map(|(key, quotas)| quotas.iter().map(|quota| (*key, quota)));
        Standing {
            strikes: tally.filter(|_| left > 0).map_or(0, |tally| tally.count),
            strikes_left_millis: (left > 0).then_some(left),
            quotas: quotas
                .map(|(key, quota)| {
                    let state = self.state(key, quota, false);
                    QuotaStanding {
                        used: quota.requests.min(self.young(key, quota).len() as u32),
                        remaining: state.remaining,
                        reset_millis: state.reset_millis,
                    }
                })
                .collect(),
        }
    }

    /// The entries that are younger than the window, the oldest first.
    fn young(&self, key: LogKey, quota: &Quota) -> Vec<u64> {
        let entries = self.entries.get(&key).into_iter().flatten().copied();
        entries
            .filter(|entry| self.now - entry < quota.window_millis)
            .collect()
    }

    fn state(&self, key: LogKey, quota: &Quota, exceeded: bool) -> QuotaState {
        let young = self.young(key, quota);
        let admitted_after = |wait: &u64| {
            let left = young
                .iter()
                .filter(|entry| *entry + quota.window_millis > self.now + wait)
                .count();
            quota.requests.saturating_sub(left as u32)
        };
        let remaining = admitted_after(&0);
        // Tried millisecond by millisecond.
        let reset_millis = (1..=quota.window_millis).find(|wait| admitted_after(wait) > remaining);
        QuotaState {
            remaining,
            reset_millis: reset_millis.unwrap_or(quota.window_millis),
            exceeded,
        }
    }
}
