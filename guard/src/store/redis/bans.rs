//! Bans on Redis: set, lifted, read and listed.
//!
//! Must not know: who is banned for what, what is done about a failure.

use std::{collections::HashSet, future::Future, sync::Arc};

use ::redis::{Value, cmd};
use tokio::task::JoinSet;

use crate::{
    bans::{Ban, BanSource},
    client::ClientKey,
    store::unwritten::Change,
};

use super::{
    connection::{Connections, Failure, Master, Script},
    keys::Keys,
    reply::{self, StandingBan},
    script,
    store::RedisStore,
};

/// Keys that a server looks at before it answers `SCAN`: few enough that nobody else waits for it.
const KEYS_PER_SCAN: usize = 1000;

/// Bans that are read together: round trips take longer than reading.
const READS_AT_ONCE: usize = 256;

/// Which ban that is there a new one replaces.
#[derive(Clone, Copy)]
enum Replace {
    Any,
    /// One that ends before the new one does.
    Shorter,
}

impl RedisStore {
    /// Bans a client by hand, in place of a ban that is there.
    pub(in crate::store) fn ban(
        &self,
        client: ClientKey,
        duration_millis: u64,
        reason: &str,
    ) -> impl Future<Output = Result<Ban, Failure>> + Send + use<> {
        let call = self.set(
            client,
            duration_millis,
            reason,
            BanSource::Manual,
            Replace::Any,
        );
        let reason = reason.to_owned();
        async move {
            let reply = call.await?;
            Ok(reply::new_ban(&reason, duration_millis, &reply)?.to_ban(client))
        }
    }

    fn set(
        &self,
        client: ClientKey,
        duration_millis: u64,
        reason: &str,
        by: BanSource,
        replace: Replace,
    ) -> impl Future<Output = Result<Value, Failure>> + Send + use<> {
        let (ban, strikes) = (self.keys.ban(client), self.keys.strikes(client));
        let duration = duration_millis.min(script::LONGEST_MILLIS).to_string();
        let replace: &[u8] = match replace {
            Replace::Any => b"any",
            Replace::Shorter => b"shorter",
        };
        self.connections.eval(
            &self.scripts.ban,
            &[ban.as_bytes(), strikes.as_bytes()],
            &[
                script::reason(reason).as_bytes(),
                duration.as_bytes(),
                by.as_str().as_bytes(),
                replace,
            ],
        )
    }

    /// Lifts a ban and clears the strikes; whether there was a ban.
    pub(in crate::store) fn unban(
        &self,
        client: ClientKey,
    ) -> impl Future<Output = Result<bool, Failure>> + Send + use<> {
        let (ban, strikes) = (self.keys.ban(client), self.keys.strikes(client));
        let keys = [ban.as_bytes(), strikes.as_bytes()];
        let call = self.connections.eval(&self.scripts.unban, &keys, &[]);
        async move { Ok(reply::lifted(&call.await?)?) }
    }

    /// The ban of a client.
    pub(in crate::store) fn ban_of(
        &self,
        client: ClientKey,
    ) -> impl Future<Output = Result<Option<Ban>, Failure>> + Send + use<> {
        let call = self.standing_ban(client);
        async move { Ok(call.await?.map(|ban| ban.to_ban(client))) }
    }

    /// The ban of a client, as the server has it.
    pub(in crate::store) fn standing_ban(
        &self,
        client: ClientKey,
    ) -> impl Future<Output = Result<Option<StandingBan>, Failure>> + Send + use<> {
        self.reader().read(client)
    }

    /// All bans, the one that ends soonest first; and a failure if in a Cluster those of a master are missing.
    pub(in crate::store) fn bans(
        &self,
    ) -> impl Future<Output = Result<(Vec<Ban>, Option<Failure>), Failure>> + Send + use<> {
        let reader = self.reader();
        async move {
            let (standing, missing) = reader.read_in_reach().await?;
            let bans = standing.into_iter();
            let mut bans: Vec<Ban> = bans.map(|(client, ban)| ban.to_ban(client)).collect();
            bans.sort_by_key(|ban| ban.remaining);
            Ok((bans, missing))
        }
    }

    /// All bans, as the servers have them.
    pub(in crate::store) fn standing_bans(
        &self,
    ) -> impl Future<Output = Result<Vec<(ClientKey, StandingBan)>, Failure>> + Send + use<> {
        let reader = self.reader();
        async move { reader.read_all().await }
    }

    /// Writes what was decided of a ban at a time when it could not be written. A ban shortens one that is there only if it came in its
    /// place.
    pub(in crate::store) fn write(
        &self,
        client: ClientKey,
        change: &Change,
        now_millis: u64,
    ) -> impl Future<Output = Result<(), Failure>> + Send + use<> {
        let (lifted, banned) = match change {
            Change::Lifted => (Some(self.unban(client)), None),
            Change::Banned {
                ends_millis,
                reason,
                by,
                replaces,
            } => {
                let left = ends_millis.saturating_sub(now_millis);
                let replace = match replaces {
                    true => Replace::Any,
                    false => Replace::Shorter,
                };
                let set = || self.set(client, left, reason, *by, replace);
                let is_over = left == 0;
                (
                    // The one in whose place it came must not be in force again.
                    (is_over && *replaces).then(|| self.unban(client)),
                    (!is_over).then(set),
                )
            }
        };
        async move {
            if let Some(lifted) = lifted {
                lifted.await?;
            }
            if let Some(banned) = banned {
                banned.await?;
            }
            Ok(())
        }
    }

    fn reader(&self) -> Reader {
        Reader {
            connections: self.connections.clone(),
            script: Arc::clone(&self.scripts.ban_of),
            keys: Arc::clone(&self.keys),
        }
    }
}

/// Reads bans.
struct Reader {
    connections: Connections,
    script: Arc<Script>,
    keys: Arc<Keys>,
}

impl Reader {
    fn read(
        &self,
        client: ClientKey,
    ) -> impl Future<Output = Result<Option<StandingBan>, Failure>> + Send + use<> {
        let key = self.keys.ban(client);
        let call = self.connections.eval(&self.script, &[key.as_bytes()], &[]);
        async move { Ok(reply::ban(&call.await?)?) }
    }

    async fn read_all(&self) -> Result<Vec<(ClientKey, StandingBan)>, Failure> {
        match self.read_in_reach().await? {
            (bans, None) => Ok(bans),
            (_, Some(failure)) => Err(failure),
        }
    }

    /// What the masters have that can be asked, and why others can't. There is one at least that can.
    async fn read_in_reach(
        &self,
    ) -> Result<(Vec<(ClientKey, StandingBan)>, Option<Failure>), Failure> {
        let mut clients = HashSet::new();
        let (mut missing, mut reached) = (None, 0);
        for master in self.connections.masters().await? {
            match self.scan(&master, &mut clients).await {
                Ok(()) => reached += 1,
                Err(failure) => missing = Some(failure),
            }
        }
        if let (Some(failure), 0) = (&missing, reached) {
            return Err(failure.clone());
        }
        let clients: Vec<ClientKey> = clients.into_iter().collect();
        let mut bans = Vec::with_capacity(clients.len());
        for some in clients.chunks(READS_AT_ONCE) {
            self.read_some(some, &mut bans).await?;
        }
        Ok((bans, missing))
    }

    async fn read_some(
        &self,
        clients: &[ClientKey],
        bans: &mut Vec<(ClientKey, StandingBan)>,
    ) -> Result<(), Failure> {
        let mut reads = JoinSet::new();
        for &client in clients {
            let read = self.read(client);
            reads.spawn(async move { (client, read.await) });
        }
        while let Some(read) = reads.join_next().await {
            let (client, ban) = read.map_err(|error| Failure::other(error.to_string()))?;
            bans.extend(ban?.map(|ban| (client, ban)));
        }
        Ok(())
    }

    /// Finds everybody who has a ban on a master.
    async fn scan(&self, master: &Master, clients: &mut HashSet<ClientKey>) -> Result<(), Failure> {
        let mut cursor = b"0".to_vec();
        loop {
            let mut command = cmd("SCAN");
            command
                .arg(&cursor)
                .arg("MATCH")
                .arg(self.keys.bans_pattern());
            command.arg("COUNT").arg(KEYS_PER_SCAN);
            let reply = self.connections.command_on(master, command).await?;
            let (next, names) = reply::scanned(reply)?;
            for name in names {
                clients.extend(self.keys.banned_client(&name));
            }
            if next == b"0" {
                return Ok(());
            }
            cursor = next;
        }
    }
}
