//! What the upkeep does: takes in what Redis tells, looks whether Redis is back, writes what could not be written.
//!
//! Must not know: how requests are decided.

use std::sync::Arc;

use tokio::{sync::Notify, task::JoinSet};

use crate::{
    client::ClientKey,
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
        self.write(|client| !self.is_out(client)).await;
        let parts = self.parts.out().into_iter();
        let due = parts.filter(|part| self.parts.is_due(*part));
        // All at once: a master that hangs is not to keep others from being found.
        let mut looks: JoinSet<(usize, bool)> = due.map(|part| self.look(part)).collect();
        while let Some(look) = looks.join_next().await {
            if let Ok((part, true)) = look {
                self.answers(part).await;
            }
        }
    }

    fn tidy(&self) {
        self.hot.tidy();
        let is_banned = |client| self.local.hot_ban(client).is_some();
        self.unwritten.tidy(is_banned);
    }
}

impl Shared {
    /// Looks whether a part of the store answers.
    fn look(&self, part: usize) -> impl Future<Output = (usize, bool)> + Send + use<> {
        let probe = self.redis.probe(self.parts.key(part).as_deref());
        async move { (part, probe.await.is_ok()) }
    }

    /// A part that was out of reach answers. It is back when what it missed is written.
    async fn answers(&self, part: usize) {
        let is_of_part = |client| self.redis.part_of(client) == part;
        if self.write(is_of_part).await {
            // Bans that were lifted or ran out meanwhile are asked for again.
            self.hot.doubt_all();
            self.parts.is_back(part);
            if !self.parts.any_is_out() {
                tracing::warn!("the store is back");
            }
        }
    }

    /// Writes what was decided of the bans of some clients; whether all of it is.
    pub(super) async fn write(&self, concerns: impl Fn(ClientKey) -> bool) -> bool {
        if self.unwritten.is_empty() {
            return true;
        }
        let changes = self.unwritten.all().into_iter();
        let changes: Vec<_> = changes.filter(|(client, _)| concerns(*client)).collect();
        // From now on Redis is asked.
        let written = |client| {
            self.local.unban_now(client);
        };
        let (redis, clock) = (&self.redis, &*self.clock);
        let all = write_all(&self.unwritten, &changes, redis, clock, written).await;
        if let Err(failure) = &all {
            tracing::debug!(%failure, "changes of bans could not be written");
        }
        all.is_ok()
    }
}
