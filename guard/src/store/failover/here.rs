//! What this process knows and decides by itself: bans, and all of it while Redis is out of reach.
//!
//! Must not know: how Redis is asked, when it is.

use std::collections::HashSet;

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    config::StoreFailurePolicy,
    decision::{Answer, Cause, Decision, Hit, Outcome, QuotaStates, Store as _},
    store::{redis::Failure, unwritten::Change},
};

#[cfg(feature = "admin")]
use crate::decision::Standing;

use super::Shared;
#[cfg(feature = "admin")]
use super::owned_hit::OwnedLogs;

impl Shared {
    pub(super) fn hot_ban(&self, client: ClientKey) -> Option<BanSource> {
        if self.is_out(client) {
            return self.last_known(client, |ban| ban.by);
        }
        self.hot.get(client).or_else(|| {
            let unwritten = self.unwritten.concerns(client);
            unwritten.then(|| self.local.hot_ban(client)).flatten()
        })
    }

    /// What is read of the ban of a client that is known here.
    pub(super) fn last_known<T>(
        &self,
        client: ClientKey,
        read: impl Fn(&BanRecord) -> T,
    ) -> Option<T> {
        let known = self.hot.last_known(client, &read);
        known.or_else(|| self.local.in_force(client, &read))
    }

    /// Whether a ban of the client is known here.
    pub(super) fn knows_ban_of(&self, client: ClientKey) -> bool {
        self.last_known(client, |_| ()).is_some()
    }

    /// What is decided without Redis.
    pub(super) fn decide_here(&self, hit: &Hit<'_>) -> Decision {
        if hit.bans
            && let Some(ban) = self.last_known(hit.client, BanRecord::clone)
        {
            return uncounted(Outcome::Banned(Box::new(ban)));
        }
        match (hit.on_store_failure, hit.cause) {
            (StoreFailurePolicy::Open | StoreFailurePolicy::Closed, Cause::Threat(_)) => {
                uncounted(Outcome::Threat)
            }
            (StoreFailurePolicy::Open, Cause::Request) => uncounted(Outcome::Admitted),
            (StoreFailurePolicy::Closed, Cause::Request) => uncounted(Outcome::Unavailable),
            (StoreFailurePolicy::Local, _) => {
                let Answer::Ready(decision) = self.local.decide(hit) else {
                    return uncounted(Outcome::Unavailable);
                };
                if let (true, Outcome::Banned(ban)) = (decision.newly_banned, &decision.outcome) {
                    let left = ban.until_millis.saturating_sub(ban.since_millis);
                    self.note_ban(hit.client, ban, left, false);
                }
                decision
            }
        }
    }

    /// What has been counted here, which is nothing as long as Redis could be asked.
    #[cfg(feature = "admin")]
    pub(super) fn standing_here(
        &self,
        client: ClientKey,
        logs: &OwnedLogs,
        strike_ttl_millis: u64,
    ) -> Standing {
        let answer = logs.with(|logs| self.local.standing(client, logs, strike_ttl_millis));
        match answer {
            Answer::Ready(standing) => standing,
            Answer::Later(_) => Standing::default(),
        }
    }

    pub(super) fn ban_here(
        &self,
        client: ClientKey,
        duration_millis: u64,
        reason: &str,
        replaces: bool,
    ) -> Ban {
        let ban = self.local.ban_now(client, duration_millis, reason);
        if let Some(record) = self.local.in_force(client, BanRecord::clone) {
            self.note_ban(client, &record, duration_millis, replaces);
        }
        ban
    }

    fn note_ban(&self, client: ClientKey, ban: &BanRecord, left_millis: u64, replaces: bool) {
        let change = Change::banned(ban, self.clock.now_millis(), left_millis);
        self.unwritten.note(client, change.in_place_of(replaces));
    }

    /// Whatever was known of a ban is overtaken by what is decided now.
    pub(super) fn overtake(&self, client: ClientKey) {
        self.unwritten.forget(client);
        self.hot.forget(client);
        self.local.unban_now(client);
    }

    pub(super) fn bans_here(&self) -> Vec<Ban> {
        let (now, wall) = (self.clock.now_millis(), self.clock.wall());
        let mut bans = self.local.bans_now();
        let of_here: HashSet<String> = bans.iter().map(|ban| ban.client.clone()).collect();
        for (client, ban, left) in self.hot.all() {
            if !of_here.contains(&client.to_string()) {
                bans.push(ban.on_clock(now, left).to_ban(client, now, wall));
            }
        }
        bans.sort_by_key(|ban| ban.remaining);
        bans
    }

    /// Adds to bans that could be read what is known here of those that could not.
    pub(super) fn with_bans_out_of_reach(&self, mut bans: Vec<Ban>, failure: &Failure) -> Vec<Ban> {
        tracing::warn!(%failure, "a master of the Redis Cluster is out of reach: of its bans only those that are known here are listed");
        let is_out = |ban: &Ban| self.parts.is_out(self.redis.part_of_shown(&ban.client));
        bans.extend(self.bans_here().into_iter().filter(is_out));
        // A part may lie on a master that was read as well.
        let mut seen = HashSet::new();
        bans.retain(|ban| seen.insert(ban.client.clone()));
        bans.sort_by_key(|ban| ban.remaining);
        bans
    }
}

fn uncounted(outcome: Outcome) -> Decision {
    Decision {
        outcome,
        newly_banned: false,
        strikes: 0,
        quotas: QuotaStates::new(),
    }
}
