//! `guardctl bans`: bans on Redis, through the guard's own handle, so that names and values of keys are the guard's.
//!
//! Must not know: how bans are kept.

mod by_hand;
mod table;

use std::time::Duration;

use actix_web_guard::{Ban, GuardError, GuardHandle, RedisWindows, SecurityConfig, StoreState};
use futures_util::StreamExt as _;

use crate::{
    arguments::{Bans, BansCommand, Place},
    configuration::{Effective, build, read},
    failure::{Failure, Kind},
    output::print,
};

/// So many failures in a row make a guard take its store to be out of reach.
const LOOKS: usize = 3;

const SLACK: Duration = Duration::from_secs(5);

/// The last of the addresses for documentation that are asked about where all masters of a Cluster are to answer: each has bans of some.
const LAST_NOBODY: u8 = u8::MAX;

pub(crate) fn run(arguments: &Bans) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Kind::NotDone, format!("runtime: {error}")))?;
    runtime.block_on(obey(&arguments.command))
}

async fn obey(command: &BansCommand) -> Result<(), Failure> {
    match command {
        BansCommand::List { place, json } => {
            let store = BanStore::open(place)?;
            let (bans, all) = store.list().await;
            if all.is_ok() || !bans.is_empty() {
                print(&if *json {
                    table::json(&bans)?
                } else {
                    table::text(&bans)
                })?;
            }
            all
        }
        BansCommand::Show {
            address,
            place,
            json,
        } => {
            let store = BanStore::open_for(place, address).await?;
            let ban = store
                .of(address)
                .await?
                .ok_or_else(|| not_banned(address))?;
            let commands = by_hand::commands(&store.effective, &ban.client);
            print(&match json {
                true => table::json_of(&ban, &commands)?,
                false => table::text_of(&ban, &commands),
            })
        }
        BansCommand::Add {
            address,
            length,
            reason,
            place,
        } => {
            let store = BanStore::open_for(place, address).await?;
            let ban = store
                .handle
                .ban(address, *length, reason)
                .await
                .map_err(bad)?;
            let there = store.of(address).await?;
            if !there.is_some_and(|there| is_same(&there, &ban)) {
                return Err(store.out_of_reach());
            }
            print(&table::text(&[ban]))
        }
        BansCommand::Lift { address, place } => {
            let store = BanStore::open_for(place, address).await?;
            let lifted = store.handle.unban(address).await.map_err(bad)?;
            if store.of(address).await?.is_some() {
                return Err(store.out_of_reach());
            }
            match lifted {
                true => print(&format!("lifted: {address}\n")),
                false => Err(not_banned(address)),
            }
        }
    }
}

/// Where bans are.
struct BanStore {
    handle: GuardHandle,
    effective: Effective,
}

impl BanStore {
    fn open(place: &Place) -> Result<Self, Failure> {
        let config = configuration(place)?;
        let effective = Effective::of(&config)?;
        if effective.store.first() == "memory" {
            return Err(Failure::arguments(
                "store: \"memory\" is inside the server, and out of reach from here: name a Redis server by --store",
            ));
        }
        Ok(Self {
            handle: GuardHandle::of(&config),
            effective,
        })
    }

    /// Whether it answers is seen at once: a guard would make do with what it knows itself.
    async fn open_for(place: &Place, address: &str) -> Result<Self, Failure> {
        let store = Self::open(place)?;
        store.look(address).await?;
        Ok(store)
    }

    /// The bans that there are, and whether they are all.
    async fn list(&self) -> (Vec<Ban>, Result<(), Failure>) {
        let bans = self.handle.bans().collect().await;
        let last = match self.effective.redis_cluster {
            true => LAST_NOBODY,
            false => 0,
        };
        let nobodies: Vec<String> = (0..=last)
            .map(|number| format!("192.0.2.{number}"))
            .collect();
        let looks = nobodies.iter().map(|address| self.look(address));
        let looks = futures_util::future::join_all(looks).await;
        (bans, looks.into_iter().collect())
    }

    async fn of(&self, address: &str) -> Result<Option<Ban>, Failure> {
        let ban = self.handle.ban_of(address).await.map_err(bad)?;
        self.look(address).await?;
        Ok(ban)
    }

    /// # Errors
    /// If the store does not answer about an address: of a Cluster, the master that has its ban.
    async fn look(&self, address: &str) -> Result<(), Failure> {
        for _ in 0..LOOKS {
            self.handle.ban_of(address).await.map_err(bad)?;
        }
        match self.handle.store_state() {
            StoreState::Available => Ok(()),
            _ => Err(self.out_of_reach()),
        }
    }

    fn out_of_reach(&self) -> Failure {
        let url = self.effective.store.first();
        let what = match self.effective.redis_cluster {
            true => format!("a master of the Cluster of {url}"),
            false => url.to_owned(),
        };
        Failure::new(Kind::OutOfReach, format!("store: {what} is out of reach"))
    }
}

/// What the file says, if there is one, and the arguments over it.
fn configuration(place: &Place) -> Result<SecurityConfig, Failure> {
    let mut builder = match &place.config {
        Some(file) => read(Some(file))?,
        None => SecurityConfig::builder(),
    };
    if let Some(url) = &place.store {
        builder = builder.store(url);
    }
    if let Some(prefix) = &place.prefix {
        builder = builder.redis_prefix(prefix);
    }
    // Whoever counts for himself shares bans in the background: here somebody waits for them.
    build(builder.redis_windows(RedisWindows::Shared))
}

/// Whether a ban that was read is the one that was set: their times come from two looks at two clocks.
fn is_same(read: &Ban, set: &Ban) -> bool {
    let later = set.until.max(read.until);
    let apart = later.duration_since(set.until.min(read.until));
    read.by == set.by && read.reason == set.reason && apart.is_ok_and(|apart| apart < SLACK)
}

fn bad(error: GuardError) -> Failure {
    Failure::arguments(error)
}

fn not_banned(address: &str) -> Failure {
    Failure::new(Kind::NotDone, format!("address: {address:?} is not banned"))
}
