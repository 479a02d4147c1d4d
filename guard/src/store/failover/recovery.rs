//! What the upkeep does: takes in what Redis tells, looks whether Redis is back, writes what could not be written.
//!
//! Must not know: how requests are decided.

use std::sync::{Arc, atomic::Ordering};

use tokio::sync::Notify;

use crate::{
    decision::Store as _,
    store::{
        redis::{Event, RedisStore},
        upkeep::Upheld,
        writing::write_all,
    },
};

use super::Shared;

impl Upheld for Shared {
    fn redis(&self) -> &RedisStore {
        &self.redis
    }

    fn wake(&self) -> Arc<Notify> {
        Arc::clone(&self.wake)
    }

    async fn told(&self, event: Event) {
        match event {
            Event::Invalidated(client) => self.hot.forget(client),
            Event::FlushedAll => self.hot.forget_all(),
            Event::Up => {
                // What changed before is not known.
                self.hot.doubt_all();
                self.hot.set_told(true);
            }
            Event::Down(failure) => {
                self.hot.set_told(false);
                tracing::warn!(%failure, "Redis does not tell changes of bans at present: a lifted ban may bite for 5 seconds more");
            }
        }
    }

    async fn turn(&self) {
        if !self.breaker.is_open() {
            self.write().await;
        } else if self.is_due() {
            self.look().await;
        }
    }

    fn tidy(&self) {
        self.hot.tidy();
        let is_banned = |client| self.local.hot_ban(client).is_some();
        self.unwritten.tidy(is_banned);
    }
}

impl Shared {
    /// Whether it is time for a look.
    fn is_due(&self) -> bool {
        let waits = self.waits.load(Ordering::Relaxed);
        self.waits.store(waits.saturating_sub(1), Ordering::Relaxed);
        waits == 0
    }

    /// Looks whether Redis is back.
    async fn look(&self) {
        let client = self.trouble().client;
        if self.redis.probe(client).await.is_ok() && self.write().await {
            // Bans that were lifted or ran out meanwhile are asked for again.
            self.hot.doubt_all();
            self.trouble().cause = None;
            self.breaker.close();
            tracing::warn!("the store is back");
        }
    }

    /// Writes what was decided of bans; whether all of it is.
    pub(super) async fn write(&self) -> bool {
        // From now on Redis is asked.
        let written = |client| {
            self.local.unban_now(client);
        };
        let all = write_all(&self.unwritten, &self.redis, &*self.clock, written).await;
        if let Err(failure) = &all {
            tracing::debug!(%failure, "changes of bans could not be written");
        }
        all.is_ok()
    }
}
