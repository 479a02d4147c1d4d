//! Windows, strikes and bans on Redis, and what is done while Redis cannot be asked: by `on_store_failure` the same limits from the memory
//! of this process, an open door, or a closed one. Bans that are known here stay in force in any case, and what is decided of
//! bans meanwhile is written once Redis is back.
//!
//! Must not know: connections, scripts, names of keys.

mod breaker;
mod owned_hit;
mod recovery;

use std::{
    collections::HashSet,
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use tokio::sync::Notify;

use crate::{
    bans::{Ban, BanRecord},
    client::ClientKey,
    clock::Clock,
    config::StoreFailurePolicy,
    decision::{Answer, Cause, Decision, Hit, Outcome, QuotaStates, Store, StoreState},
};

use super::{
    MemoryStore,
    hot_bans::{HotBans, Moment},
    redis::{Asked, Failure, RedisStore},
    unwritten::{Change, Unwritten},
    upkeep,
};

use breaker::Breaker;
use owned_hit::OwnedHit;

/// See the module's documentation.
pub(crate) struct Failover {
    shared: Arc<Shared>,
}

struct Shared {
    redis: RedisStore,
    local: MemoryStore,
    hot: HotBans,
    breaker: Breaker,
    unwritten: Unwritten,
    /// Wakes the upkeep.
    wake: Arc<Notify>,
    turns: AtomicU32,
    /// Turns without a look whether Redis is back.
    waits: AtomicU32,
    trouble: Mutex<Trouble>,
    warned_of_foreign_value: AtomicBool,
    clock: Arc<dyn Clock>,
}

/// What is known of an outage.
#[derive(Default)]
struct Trouble {
    /// About whom Redis was asked last in vain. In a Cluster others may fare better.
    client: Option<ClientKey>,
    /// Why. That there is no connection at present is no reason.
    cause: Option<Failure>,
}

impl Failover {
    pub(crate) fn start(
        redis: RedisStore,
        local: MemoryStore,
        ban_cache_entries: usize,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let shared = Arc::new(Shared {
            redis,
            local,
            hot: HotBans::new(ban_cache_entries, Arc::clone(&clock)),
            breaker: Breaker::default(),
            unwritten: Unwritten::default(),
            wake: Arc::default(),
            turns: AtomicU32::new(0),
            waits: AtomicU32::new(0),
            trouble: Mutex::default(),
            warned_of_foreign_value: AtomicBool::new(false),
            clock,
        });
        upkeep::start(&shared);
        Self { shared }
    }

    /// Asks Redis about a client, if it is worth it, and otherwise, or if it fails, answers from here.
    fn ask<T: Send + 'static>(
        &self,
        client: Option<ClientKey>,
        call: impl Future<Output = Result<T, Failure>> + Send + 'static,
        otherwise: impl FnOnce(&Shared) -> T + Send + 'static,
    ) -> Answer<T> {
        if self.shared.breaker.is_open() {
            return Answer::Ready(otherwise(&self.shared));
        }
        let shared = Arc::clone(&self.shared);
        Answer::Later(Box::pin(async move {
            match call.await {
                Ok(answer) => {
                    shared.breaker.succeeded();
                    answer
                }
                Err(failure) => {
                    shared.failed(client, &failure);
                    otherwise(&shared)
                }
            }
        }))
    }
}

impl Store for Failover {
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision> {
        if self.shared.breaker.is_open() {
            return Answer::Ready(self.shared.decide_here(hit));
        }
        let asked = self.shared.hot.moment();
        let question = self.shared.redis.question(hit);
        let hit = OwnedHit::of(hit);
        let shared = Arc::clone(&self.shared);
        Answer::Later(Box::pin(async move {
            match shared.redis.decide(&question).await {
                Ok(answer) => shared.answered(asked, &hit, answer),
                Err(failure) => {
                    shared.failed(Some(hit.client()), &failure);
                    hit.with(|hit| shared.decide_here(hit))
                }
            }
        }))
    }

    fn hot_ban(&self, client: ClientKey) -> Option<Arc<BanRecord>> {
        self.shared.hot_ban(client)
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        let call = self.shared.redis.clear_strikes(client);
        self.ask(Some(client), call, move |shared| {
            drop(shared.local.clear_strikes(client));
        })
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        self.shared.overtake(client);
        let call = self.shared.redis.ban(client, duration_millis, reason);
        let reason = reason.to_owned();
        self.ask(Some(client), call, move |shared| {
            shared.ban_here(client, duration_millis, &reason)
        })
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        let known_here = self.shared.last_known(client).is_some();
        self.shared.overtake(client);
        let call = self.shared.redis.unban(client);
        let call = async move { Ok(call.await? || known_here) };
        self.ask(Some(client), call, move |shared| {
            shared.unwritten.note(client, Change::Lifted);
            known_here
        })
    }

    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>> {
        self.ask(
            Some(client),
            self.shared.redis.ban_of(client),
            move |shared| {
                let name = client.to_string();
                let bans = shared.bans_here();
                bans.into_iter().find(|ban| ban.client == name)
            },
        )
    }

    fn bans(&self) -> Answer<Vec<Ban>> {
        self.ask(None, self.shared.redis.bans(), |shared| {
            tracing::warn!("Redis is out of reach: only bans that are known here are listed");
            shared.bans_here()
        })
    }

    fn state(&self) -> StoreState {
        match self.shared.breaker.is_open() {
            true => StoreState::Unavailable,
            false => StoreState::Available,
        }
    }
}

impl Shared {
    /// Redis has decided.
    fn answered(&self, asked: Moment, hit: &OwnedHit, answer: Asked) -> Decision {
        self.breaker.succeeded();
        let client = hit.client();
        match &answer.decision.outcome {
            Outcome::Banned(ban) => {
                let ban = Arc::clone(ban);
                self.hot
                    .remember(asked, client, ban, answer.ban_left_millis);
            }
            _ if hit.asks_for_ban() => self.hot.has_none(client),
            _ => {}
        }
        answer.decision
    }

    fn failed(&self, client: Option<ClientKey>, failure: &Failure) {
        if !failure.is_outage() {
            if !self.warned_of_foreign_value.swap(true, Ordering::Relaxed) {
                tracing::warn!(%failure, "a client is counted in this process only");
            }
            return;
        }
        tracing::debug!(%failure, "Redis failed");
        let cause = {
            let mut trouble = self.trouble();
            trouble.client = client.or(trouble.client);
            if *failure != Failure::Unavailable {
                trouble.cause = Some(failure.clone());
            }
            trouble.cause.clone()
        };
        if self.breaker.failed() {
            let failure = cause.as_ref().unwrap_or(failure);
            self.waits.store(self.breaker.wait(), Ordering::Relaxed);
            tracing::warn!(%failure, "the store is out of reach: on_store_failure applies until it is back");
            self.wake.notify_one();
        }
    }

    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hot_ban(&self, client: ClientKey) -> Option<Arc<BanRecord>> {
        if self.breaker.is_open() {
            return self.last_known(client);
        }
        self.hot.get(client).or_else(|| {
            let unwritten = self.unwritten.concerns(client);
            unwritten.then(|| self.local.hot_ban(client)).flatten()
        })
    }

    fn last_known(&self, client: ClientKey) -> Option<Arc<BanRecord>> {
        let known = self.hot.last_known(client);
        known.or_else(|| self.local.hot_ban(client))
    }

    /// What is decided without Redis.
    fn decide_here(&self, hit: &Hit<'_>) -> Decision {
        if hit.bans
            && let Some(ban) = self.last_known(hit.client)
        {
            return uncounted(Outcome::Banned(ban));
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
                    self.note_ban(hit.client, ban, left);
                }
                decision
            }
        }
    }

    fn ban_here(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Ban {
        let ban = self.local.ban_now(client, duration_millis, reason);
        if let Some(record) = self.local.hot_ban(client) {
            self.note_ban(client, &record, duration_millis);
        }
        ban
    }

    fn note_ban(&self, client: ClientKey, ban: &BanRecord, left_millis: u64) {
        let change = Change::Banned {
            ends_millis: self.clock.now_millis().saturating_add(left_millis),
            reason: ban.reason.clone(),
            by: ban.by,
        };
        self.unwritten.note(client, change);
    }

    /// Whatever was known of a ban is overtaken by what is decided now.
    fn overtake(&self, client: ClientKey) {
        self.unwritten.forget(client);
        self.hot.forget(client);
        self.local.unban_now(client);
    }

    fn bans_here(&self) -> Vec<Ban> {
        let (now, wall) = (self.clock.now_millis(), self.clock.wall());
        let mut bans = self.local.bans_now();
        let of_here: HashSet<String> = bans.iter().map(|ban| ban.client.clone()).collect();
        for (client, ban, left) in self.hot.all() {
            if !of_here.contains(&client.to_string()) {
                let ban = BanRecord {
                    since_millis: now
                        .saturating_add(left)
                        .saturating_sub(ban.until_millis.saturating_sub(ban.since_millis)),
                    until_millis: now.saturating_add(left),
                    ..BanRecord::clone(&ban)
                };
                bans.push(ban.to_ban(client, now, wall));
            }
        }
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

#[cfg(test)]
mod tests;
