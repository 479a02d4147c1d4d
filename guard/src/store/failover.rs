//! Windows, strikes and bans on Redis, and what is done while Redis cannot be asked: by `on_store_failure` the same limits from the memory
//! of this process, an open door, or a closed one. Bans that are known here stay in force in any case, and what is decided of
//! bans meanwhile is written once Redis is back.
//!
//! Must not know: connections, scripts, names of keys.

mod breaker;
mod here;
mod owned_hit;
mod parts;
mod recovery;

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use crate::{
    bans::{Ban, BanRecord, BanSource},
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

use owned_hit::OwnedHit;
#[cfg(feature = "admin")]
use owned_hit::OwnedLogs;
use parts::Parts;

/// See the module's documentation.
pub(crate) struct Failover {
    shared: Arc<Shared>,
}

struct Shared {
    redis: RedisStore,
    local: MemoryStore,
    hot: HotBans,
    parts: Parts,
    meter: StoreMeter,
    unwritten: Unwritten,
    /// Wakes the upkeep.
    wake: Arc<Notify>,
    warned_of_foreign_value: AtomicBool,
    clock: Arc<dyn Clock>,
}

impl Failover {
    pub(crate) fn start(
        redis: RedisStore,
        local: MemoryStore,
        ban_cache_entries: usize,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let shared = Arc::new(Shared {
            parts: Parts::new(redis.parts()),
            redis,
            local,
            hot: HotBans::new(ban_cache_entries, Arc::clone(&clock)),
            meter: StoreMeter::default(),
            unwritten: Unwritten::default(),
            wake: Arc::default(),
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
        let is_out = match client {
            Some(client) => self.shared.is_out(client),
            None => self.shared.parts.all_are_out(),
        };
        if is_out {
            return Answer::Ready(otherwise(&self.shared));
        }
        let shared = Arc::clone(&self.shared);
        Answer::Later(Box::pin(async move {
            match shared.meter.time(call).await {
                Ok(answer) => {
                    if let Some(part) = shared.part_of(client) {
                        shared.parts.succeeded(part);
                    }
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
        if self.shared.is_out(hit.client) {
            return Answer::Ready(self.shared.decide_here(hit));
        }
        let asked = self.shared.hot.moment();
        let question = self.shared.redis.question(hit);
        let parts = &self.shared.parts;
        if parts.any_is_out()
            && self
                .shared
                .redis
                .asks_apart(&question, |part| parts.is_out(part))
        {
            return Answer::Ready(self.shared.decide_here(hit));
        }
        let hit = OwnedHit::of(hit);
        let shared = Arc::clone(&self.shared);
        Answer::Later(Box::pin(async move {
            match shared.meter.time(shared.redis.decide(&question)).await {
                Ok(answer) => {
                    shared.parts.succeeded(shared.redis.part_asked(&question));
                    shared.answered(asked, &hit, answer)
                }
                Err(failure) => {
                    let client = hit.client();
                    match shared.redis.failed_apart(&question) {
                        Some((part, key)) => shared.failed_at(Some(part), Some(key), &failure),
                        None => shared.failed(Some(client), &failure),
                    }
                    hit.with(|hit| shared.decide_here(hit))
                }
            }
        }))
    }

    fn hot_ban(&self, client: ClientKey) -> Option<BanSource> {
        self.shared.hot_ban(client)
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        let call = self.shared.redis.clear_strikes(client);
        self.ask(Some(client), call, move |shared| {
            drop(shared.local.clear_strikes(client));
        })
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        let replaces = self.shared.unwritten.overtakes(client) || self.shared.knows_ban_of(client);
        self.shared.overtake(client);
        let call = self.shared.redis.ban(client, duration_millis, reason);
        let reason = reason.to_owned();
        self.ask(Some(client), call, move |shared| {
            shared.ban_here(client, duration_millis, &reason, replaces)
        })
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        let known_here = self.shared.knows_ban_of(client);
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
        let call = self.shared.redis.bans();
        let shared = Arc::clone(&self.shared);
        let call = async move {
            Ok(match call.await? {
                (bans, None) => bans,
                (bans, Some(failure)) => shared.with_bans_out_of_reach(bans, &failure),
            })
        };
        self.ask(None, call, |shared| {
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
        match self.shared.parts.any_is_out() {
            true => StoreState::Unavailable,
            false => StoreState::Available,
        }
    }
}

impl Shared {
    /// Whether nobody is to ask Redis about a client.
    #[inline]
    fn is_out(&self, client: ClientKey) -> bool {
        self.parts.any_is_out() && self.parts.is_out(self.redis.part_of(client))
    }

    /// The part that has failed or not; `None` if it may have been any.
    fn part_of(&self, client: Option<ClientKey>) -> Option<usize> {
        match client {
            Some(client) => Some(self.redis.part_of(client)),
            None => (self.redis.parts() == 1).then_some(0),
        }
    }

    /// Redis has decided.
    fn answered(&self, asked: Moment, hit: &OwnedHit, answer: Asked) -> Decision {
        let client = hit.client();
        match &answer.decision.outcome {
            Outcome::Banned(ban) => {
                let ban = BanRecord::clone(ban);
                self.hot
                    .remember(asked, client, ban, answer.ban_left_millis);
            }
            _ if hit.asks_for_ban() => self.hot.has_none(client),
            _ => {}
        }
        answer.decision
    }

    fn failed(&self, client: Option<ClientKey>, failure: &Failure) {
        let key = client.map(|client| self.redis.probe_key(client));
        self.failed_at(self.part_of(client), key, failure);
    }

    fn failed_at(&self, part: Option<usize>, key: Option<Box<str>>, failure: &Failure) {
        if !failure.is_outage() {
            if !self.warned_of_foreign_value.swap(true, Ordering::Relaxed) {
                tracing::warn!(%failure, "a client is counted in this process only");
            }
            return;
        }
        tracing::debug!(%failure, "Redis failed");
        let Some(part) = part else {
            return;
        };
        let is_first = !self.parts.any_is_out();
        let Some(failure) = self.parts.failed(part, key, failure) else {
            return;
        };
        self.wake.notify_one();
        if !is_first {
            tracing::debug!(%failure, "another part of the store is out of reach");
        } else if self.redis.parts() == 1 {
            tracing::warn!(%failure, "the store is out of reach: on_store_failure applies until it is back");
        } else {
            tracing::warn!(%failure, "the store is out of reach for some clients: on_store_failure applies to them until it is back");
        }
    }
}

#[cfg(test)]
mod tests;
