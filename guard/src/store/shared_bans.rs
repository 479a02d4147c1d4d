//! Local windows, shared bans: windows and strikes are this process's, and no request waits for Redis. Bans are in memory as well; new
//! ones are written to Redis behind the answer, and those of other processes come from there.
//!
//! Must not know: connections, scripts, names of keys.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use crate::{
    bans::{Ban, BanRecord},
    client::ClientKey,
    clock::Clock,
    decision::{Answer, Decision, Hit, Outcome, Store, StoreState},
};

use super::{
    MemoryStore,
    redis::{Event, Failure, RedisStore},
    unwritten::{Change, Unwritten},
    upkeep::{self, Upheld},
};

/// See the module's documentation.
pub(crate) struct SharedBans {
    shared: Arc<Shared>,
}

struct Shared {
    redis: RedisStore,
    memory: MemoryStore,
    unwritten: Unwritten,
    wake: Arc<Notify>,
    /// Others' bans come in.
    told: AtomicBool,
    /// All bans are to be read: what happened before is not known.
    to_be_read: AtomicBool,
    clock: Arc<dyn Clock>,
}

impl SharedBans {
    pub(crate) fn start(redis: RedisStore, memory: MemoryStore, clock: Arc<dyn Clock>) -> Self {
        let shared = Arc::new(Shared {
            redis,
            memory,
            unwritten: Unwritten::default(),
            wake: Arc::default(),
            told: AtomicBool::new(false),
            to_be_read: AtomicBool::new(false),
            clock,
        });
        upkeep::start(&shared);
        Self { shared }
    }
}

impl Store for SharedBans {
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision> {
        let answer = self.shared.memory.decide(hit);
        if let Answer::Ready(decision) = &answer
            && decision.newly_banned
            && let Outcome::Banned(ban) = &decision.outcome
        {
            let length = ban.until_millis.saturating_sub(ban.since_millis);
            self.shared.note_ban(hit.client, ban, length);
        }
        answer
    }

    fn hot_ban(&self, client: ClientKey) -> Option<Arc<BanRecord>> {
        self.shared.memory.hot_ban(client)
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        self.shared.memory.clear_strikes(client)
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        let answer = self.shared.memory.ban(client, duration_millis, reason);
        if let Some(ban) = self.shared.memory.hot_ban(client) {
            self.shared.note_ban(client, &ban, duration_millis);
        }
        answer
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        let answer = self.shared.memory.unban(client);
        self.shared.note(client, Change::Lifted);
        answer
    }

    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>> {
        self.shared.memory.ban_of(client)
    }

    fn bans(&self) -> Answer<Vec<Ban>> {
        self.shared.memory.bans()
    }

    fn state(&self) -> StoreState {
        match self.shared.told.load(Ordering::Acquire) {
            true => StoreState::Available,
            false => StoreState::Unavailable,
        }
    }
}

impl Shared {
    fn note_ban(&self, client: ClientKey, ban: &BanRecord, left_millis: u64) {
        let change = Change::Banned {
            ends_millis: self.clock.now_millis().saturating_add(left_millis),
            reason: ban.reason.clone(),
            by: ban.by,
        };
        self.note(client, change);
    }

    fn note(&self, client: ClientKey, change: Change) {
        self.unwritten.note(client, change);
        self.wake.notify_one();
    }

    /// Takes over what Redis says of a client, unless something else has yet to be written.
    async fn read(&self, client: ClientKey) -> Result<(), Failure> {
        let standing = self.redis.standing_ban(client).await?;
        if self.unwritten.concerns(client) {
            return Ok(());
        }
        match standing {
            Some(ban) => self.memory.adopt(client, &ban.record, ban.left_millis()),
            None => {
                self.memory.unban_now(client);
            }
        }
        Ok(())
    }

    /// Takes over all bans.
    async fn read_all(&self) -> Result<(), Failure> {
        let before = self.memory.banned();
        let standing = self.redis.standing_bans().await?;
        let mut stand = HashSet::with_capacity(standing.len());
        for (client, ban) in standing {
            stand.insert(client);
            if !self.unwritten.concerns(client) {
                self.memory.adopt(client, &ban.record, ban.left_millis());
            }
        }
        for client in before {
            if !stand.contains(&client) {
                // It may have been set since all were read.
                self.read(client).await?;
            }
        }
        Ok(())
    }

    async fn write(&self) -> Result<(), Failure> {
        for (client, change) in self.unwritten.all() {
            self.redis
                .write(client, &change, self.clock.now_millis())
                .await?;
            self.unwritten.settle(client, &change);
        }
        Ok(())
    }
}

impl Upheld for Shared {
    fn redis(&self) -> &RedisStore {
        &self.redis
    }

    fn wake(&self) -> Arc<Notify> {
        Arc::clone(&self.wake)
    }

    async fn told(&self, event: Event) {
        match event {
            Event::Invalidated(client) => {
                if self.read(client).await.is_err() {
                    self.to_be_read.store(true, Ordering::Release);
                }
            }
            Event::FlushedAll => {
                self.to_be_read.store(true, Ordering::Release);
                self.wake.notify_one();
            }
            Event::Up => {
                self.to_be_read.store(true, Ordering::Release);
                self.wake.notify_one();
                if !self.told.swap(true, Ordering::AcqRel) {
                    tracing::info!("Redis tells the bans of other processes");
                }
            }
            Event::Down(failure) => {
                self.told.store(false, Ordering::Release);
                tracing::warn!(%failure, "Redis is out of reach: bans of this process and of others are not shared until it is back");
            }
        }
    }

    async fn turn(&self) {
        self.unwritten.tidy(self.clock.now_millis());
        if !self.told.load(Ordering::Acquire) {
            return;
        }
        let to_be_read = self.to_be_read.swap(false, Ordering::AcqRel);
        let done = async {
            self.write().await?;
            match to_be_read {
                true => self.read_all().await,
                false => Ok(()),
            }
        };
        if let Err(failure) = done.await {
            tracing::debug!(%failure, "bans could not be shared");
            self.to_be_read.fetch_or(to_be_read, Ordering::AcqRel);
        }
    }
}
