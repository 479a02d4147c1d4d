//! Local windows, shared bans: windows and strikes are this process's, and no request waits for Redis. Bans are in memory as well; new
//! ones are written to Redis behind the answer, and those of other processes come from there.
//!
//! Must not know: connections, scripts, names of keys.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use tokio::sync::Notify;

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    clock::Clock,
    decision::{Answer, Decision, Hit, Outcome, Store, StoreState},
};

#[cfg(feature = "admin")]
use crate::decision::{LogHit, Standing};

use super::{
    MemoryStore,
    redis::{Event, Failure, RedisStore},
    unwritten::{Change, Unwritten},
    upkeep::{self, Upheld},
    writing::write_all,
};

/// After so many failures in a row bans are not shared. One may be the trouble of one connection.
const FAILURES: u32 = 2;

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
    /// How often in a row bans could not be written or read.
    failures: AtomicU32,
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
            failures: AtomicU32::new(0),
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
            self.shared.note_ban(hit.client, ban, length, false);
        }
        answer
    }

    fn hot_ban(&self, client: ClientKey) -> Option<BanSource> {
        self.shared.memory.hot_ban(client)
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        self.shared.memory.clear_strikes(client)
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        let replaces = self.shared.memory.hot_ban(client).is_some();
        let answer = self.shared.memory.ban(client, duration_millis, reason);
        if let Some(ban) = self.shared.memory.in_force(client, BanRecord::clone) {
            self.shared
                .note_ban(client, &ban, duration_millis, replaces);
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

    #[cfg(feature = "admin")]
    fn standing(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
        strike_ttl_millis: u64,
    ) -> Answer<Standing> {
        self.shared.memory.standing(client, logs, strike_ttl_millis)
    }

    #[cfg(feature = "admin")]
    fn redis_cli(&self, client: ClientKey, _logs: &[LogHit<'_>]) -> Vec<String> {
        self.shared.redis.redis_cli_of_ban(client)
    }

    #[cfg(feature = "metrics")]
    fn active_bans(&self) -> Option<usize> {
        self.shared.memory.active_bans()
    }

    fn state(&self) -> StoreState {
        let told = self.shared.told.load(Ordering::Acquire);
        let failures = self.shared.failures.load(Ordering::Acquire);
        match told && failures < FAILURES {
            true => StoreState::Available,
            false => StoreState::Unavailable,
        }
    }
}

impl Shared {
    fn note_ban(&self, client: ClientKey, ban: &BanRecord, left_millis: u64, replaces: bool) {
        let change = Change::banned(ban, self.clock.now_millis(), left_millis);
        self.note(client, change.in_place_of(replaces));
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

    /// Writes this process's changes.
    async fn write(&self) -> Result<(), Failure> {
        let changes = self.unwritten.all();
        let (redis, clock) = (&self.redis, &*self.clock);
        write_all(&self.unwritten, &changes, redis, clock, |_| ()).await
    }

    /// Writes this process's changes and takes over others'.
    async fn share(&self) -> Result<(), Failure> {
        self.write().await?;
        if self.to_be_read.swap(false, Ordering::AcqRel)
            && let Err(failure) = self.read_all().await
        {
            self.to_be_read.store(true, Ordering::Release);
            return Err(failure);
        }
        Ok(())
    }

    /// Says so when bans are not shared any more, or are again.
    fn say(&self, shared: Result<(), Failure>) {
        match shared {
            Ok(()) if self.failures.swap(0, Ordering::AcqRel) >= FAILURES => {
                tracing::warn!("bans of this process and of others are shared again");
            }
            Ok(()) => {}
            Err(failure) => {
                tracing::debug!(%failure, "bans could not be shared");
                if self.failures.fetch_add(1, Ordering::AcqRel) + 1 == FAILURES {
                    tracing::warn!(%failure, "Redis fails: bans of this process and of others are not shared until it is well again");
                }
            }
        }
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
                self.redis.try_again();
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
        if self.told.load(Ordering::Acquire) {
            self.say(self.share().await);
        } else if let Err(failure) = self.write().await {
            // If only one master of a Cluster is gone, the others have been told what is theirs.
            tracing::debug!(%failure, "bans could not be written");
        }
    }

    fn tidy(&self) {
        let is_banned = |client| self.memory.hot_ban(client).is_some();
        self.unwritten.tidy(is_banned);
    }
}
