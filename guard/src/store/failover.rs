//! Windows, strikes and bans on Redis, and what is done while Redis cannot be asked: by `on_store_failure` the same limits from the memory
//! of this process, an open door, or a closed one. Bans that are known here stay in force in any case, and what is decided of
//! bans meanwhile is written once Redis is back.
//!
//! Must not know: connections, scripts, names of keys.

mod breaker;
mod here;
mod owned_hit;
mod recovery;

use std::{
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
    decision::{Answer, Decision, Hit, Outcome, Store, StoreState},
    telemetry::StoreMeter,
};

#[cfg(feature = "admin")]
use crate::decision::{LogHit, Standing};

use super::{
    MemoryStore,
    hot_bans::{HotBans, Moment},
    redis::{Asked, Failure, RedisStore},
    unwritten::{Change, Unwritten},
    upkeep,
};

use breaker::Breaker;
use owned_hit::OwnedHit;
#[cfg(feature = "admin")]
use owned_hit::OwnedLogs;

/// See the module's documentation.
pub(crate) struct Failover {
    shared: Arc<Shared>,
}

struct Shared {
    redis: RedisStore,
    local: MemoryStore,
    hot: HotBans,
    breaker: Breaker,
    meter: StoreMeter,
    unwritten: Unwritten,
    /// Wakes the upkeep.
    wake: Arc<Notify>,
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
            meter: StoreMeter::default(),
            unwritten: Unwritten::default(),
            wake: Arc::default(),
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
            match shared.meter.time(call).await {
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
            match shared.meter.time(shared.redis.decide(&question)).await {
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
        let replaces =
            self.shared.unwritten.overtakes(client) || self.shared.last_known(client).is_some();
        self.shared.overtake(client);
        let call = self.shared.redis.ban(client, duration_millis, reason);
        let reason = reason.to_owned();
        self.ask(Some(client), call, move |shared| {
            shared.ban_here(client, duration_millis, &reason, replaces)
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

    #[cfg(feature = "admin")]
    fn standing(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
        strike_ttl_millis: u64,
    ) -> Answer<Standing> {
        let call = self.shared.redis.standing(client, logs, strike_ttl_millis);
        let logs = OwnedLogs::of(logs);
        self.ask(Some(client), call, move |shared| {
            shared.standing_here(client, &logs, strike_ttl_millis)
        })
    }

    #[cfg(feature = "admin")]
    fn redis_cli(&self, client: ClientKey, logs: &[LogHit<'_>]) -> Vec<String> {
        self.shared.redis.redis_cli(client, logs)
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
}

#[cfg(test)]
mod tests;
