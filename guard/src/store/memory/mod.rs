//! The memory store: everything in this process, nothing to install. It is its own hot ban cache.
//!
//! Must not know: requests, responses, routes' patterns.

mod ban_file;
mod ends;
mod held;
mod log;
mod shard;
mod shared;
mod stamps;
#[cfg(feature = "admin")]
mod standing;
mod strikes;

#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Arc};

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    clock::Clock,
    decision::{Answer, Decision, Hit, Store},
};

#[cfg(feature = "admin")]
use crate::decision::{LogHit, Standing};

use ban_file::BanFile;
use shared::Shared;

/// What a [`MemoryStore`] is made with.
#[derive(Clone, Debug)]
pub(crate) struct MemoryStoreOptions {
    /// Most windows, over all clients and routes.
    pub(crate) max_clients: usize,
    /// Most bans; when there are more, the one that ends soonest goes.
    pub(crate) max_bans: usize,
    /// Where bans outlive the process.
    pub(crate) ban_file: Option<PathBuf>,
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct MemoryStore {
    shared: Arc<Shared>,
    file: Option<BanFile>,
}

impl MemoryStore {
    pub(crate) fn new(options: &MemoryStoreOptions, clock: Arc<dyn Clock>) -> Self {
        let shared = Arc::new(Shared::new(options.max_clients, options.max_bans, clock));
        let file = options
            .ban_file
            .clone()
            .map(|path| BanFile::open(path, &shared));
        Self { shared, file }
    }

    /// See [`Store::ban`].
    pub(super) fn ban_now(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Ban {
        let now = self.shared.clock.now_millis();
        let record = BanRecord {
            since_millis: now,
            until_millis: now.saturating_add(duration_millis),
            reason: reason.into(),
            by: BanSource::Manual,
        };
        let ban = record.to_ban(client, now, self.shared.clock.wall());
        self.set_ban(client, record);
        ban
    }

    /// See [`Store::unban`].
    pub(super) fn unban_now(&self, client: ClientKey) -> bool {
        let lifted = self.shared.lift_ban(client);
        if lifted {
            self.bans_changed();
        }
        lifted
    }

    /// What is read of the ban of a client.
    #[cfg(feature = "redis")]
    pub(super) fn in_force<T>(
        &self,
        client: ClientKey,
        read: impl FnOnce(&BanRecord) -> T,
    ) -> Option<T> {
        self.shared.in_force(client, read)
    }

    /// See [`Store::bans`].
    pub(super) fn bans_now(&self) -> Vec<Ban> {
        let (now, wall) = (self.shared.clock.now_millis(), self.shared.clock.wall());
        let mut bans: Vec<Ban> = self
            .shared
            .records()
            .into_iter()
            .map(|(client, ban)| ban.to_ban(client, now, wall))
            .collect();
        bans.sort_by_key(|ban| ban.remaining);
        bans
    }

    /// Takes over a ban of another store, of which so much is left.
    #[cfg(feature = "redis")]
    pub(super) fn adopt(&self, client: ClientKey, ban: &BanRecord, left_millis: u64) {
        let record = ban.on_clock(self.shared.clock.now_millis(), left_millis);
        self.set_ban(client, record);
    }

    /// Everybody who is banned.
    #[cfg(feature = "redis")]
    pub(super) fn banned(&self) -> Vec<ClientKey> {
        let records = self.shared.records().into_iter();
        records.map(|(client, _)| client).collect()
    }

    fn set_ban(&self, client: ClientKey, record: BanRecord) {
        self.shared.set_ban(client, record);
        self.shared.make_room_for_bans();
        self.bans_changed();
    }

    /// Entries in a log.
    #[cfg(test)]
    pub(crate) fn log_length(
        &self,
        key: crate::decision::LogKey,
        quotas: &[crate::decision::Quota],
    ) -> usize {
        self.shared.log_length(key, quotas)
    }

    fn bans_changed(&self) {
        if let Some(file) = &self.file {
            file.changed();
        }
    }
}

impl Store for MemoryStore {
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision> {
        let decision = self.shared.decide(hit);
        if decision.newly_banned {
            self.shared.make_room_for_bans();
            self.bans_changed();
        }
        Answer::Ready(decision)
    }

    #[inline]
    fn hot_ban(&self, client: ClientKey) -> Option<BanSource> {
        self.shared.in_force(client, |ban| ban.by)
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        let hash = self.shared.client_hash(client);
        self.shared
            .shard(self.shared.shard_of(hash))
            .clear_strikes(hash, client);
        Answer::Ready(())
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        Answer::Ready(self.ban_now(client, duration_millis, reason))
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        Answer::Ready(self.unban_now(client))
    }

    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>> {
        let (now, wall) = (self.shared.clock.now_millis(), self.shared.clock.wall());
        Answer::Ready(
            self.shared
                .in_force(client, |ban| ban.to_ban(client, now, wall)),
        )
    }

    fn bans(&self) -> Answer<Vec<Ban>> {
        Answer::Ready(self.bans_now())
    }

    #[cfg(feature = "admin")]
    fn standing(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
        _strike_ttl_millis: u64,
    ) -> Answer<Standing> {
        Answer::Ready(self.shared.standing(client, logs))
    }

    #[cfg(feature = "metrics")]
    fn active_bans(&self) -> Option<usize> {
        Some(self.shared.active_bans())
    }
}
