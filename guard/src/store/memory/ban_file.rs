//! The ban file: bans that outlive the process.
//!
//! A JSON document, replaced as a whole and atomically by a thread of its own, so that no request waits for the disk.
//! Must not know: requests.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender},
    },
    thread::JoinHandle,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::{
    bans::{BanRecord, BanSource},
    client::ClientKey,
};

use super::Shared;

/// Keeps a file up to date with the bans of a store.
#[derive(Debug)]
pub(super) struct BanFile {
    /// `None` once the writer is to end.
    signal: Option<SyncSender<()>>,
    writer: Option<JoinHandle<()>>,
}

/// A ban in the file, on the wall clock: `since` and `until` are Unix milliseconds.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    client: String,
    reason: String,
    since: u64,
    until: u64,
    by: String,
}

impl Entry {
    /// How long the ban is still in force. A wall clock that has not been set yet, as on a machine without a battery, makes no ban longer than it
    /// was.
    fn left_millis(&self, wall: u64) -> u64 {
        self.until.saturating_sub(wall.max(self.since))
    }
}

impl BanFile {
    /// Takes over the bans of the file and keeps it from now on. Nothing about the file is fatal: a damaged one is set
    /// aside under a name that ends in `.damaged`.
    pub(super) fn open(path: PathBuf, shared: &Arc<Shared>) -> Self {
        match load(&path) {
            Ok(entries) => adopt(entries, shared),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => set_aside(&path, &error),
        }
        // One signal may wait while one is being served: more would ask for the same.
        let (signal, signals) = mpsc::sync_channel(1);
        let shared = Arc::clone(shared);
        let writer = std::thread::Builder::new()
            .name("ban-file".to_owned())
            .spawn(move || keep(&path, &shared, &signals));
        let writer = writer
            .inspect_err(|error| tracing::error!(%error, "the ban file is not kept: its thread does not start"))
            .ok();
        Self {
            signal: Some(signal),
            writer,
        }
    }

    /// Says that the bans changed.
    pub(super) fn changed(&self) {
        if let Some(signal) = &self.signal {
            // Full: the writer has not yet looked, and will see this change too.
            signal.try_send(()).ok();
        }
    }
}

/// Waits until the last change is on the disk.
impl Drop for BanFile {
    fn drop(&mut self) {
        self.signal = None;
        if let Some(writer) = self.writer.take() {
            writer.join().ok();
        }
    }
}

fn keep(path: &Path, shared: &Shared, signals: &Receiver<()>) {
    while signals.recv().is_ok() {
        if let Err(error) = save(path, shared) {
            tracing::error!(path = %path.display(), %error, "the ban file could not be written");
        }
    }
}

fn load(path: &Path) -> io::Result<Vec<Entry>> {
    let text = fs::read(path)?;
    serde_json::from_slice(&text).map_err(io::Error::other)
}

fn save(path: &Path, shared: &Shared) -> io::Result<()> {
    let (now, wall) = (shared.clock.now_millis(), shared.clock.wall());
    let entries: Vec<Entry> = shared
        .records()
        .into_iter()
        .map(|(client, ban)| {
            let ban = ban.to_ban(client, now, wall);
            Entry {
                client: ban.client,
                reason: ban.reason,
                since: unix_millis(ban.since),
                until: unix_millis(ban.until),
                by: ban.by.as_str().to_owned(),
            }
        })
        .collect();
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = File::create(&beside)?;
    serde_json::to_writer_pretty(&mut file, &entries)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

fn adopt(entries: Vec<Entry>, shared: &Shared) {
    let (now, wall) = (shared.clock.now_millis(), unix_millis(shared.clock.wall()));
    for entry in entries {
        let Some(client) = client_of(&entry.client) else {
            tracing::warn!(client = ?entry.client, "the ban file names what is no address: left out");
            continue;
        };
        let left = entry.left_millis(wall);
        if left == 0 {
            continue;
        }
        let record = BanRecord {
            since_millis: now.saturating_sub(wall.saturating_sub(entry.since)),
            until_millis: now.saturating_add(left),
            reason: entry.reason.into(),
            by: if entry.by == BanSource::Manual.as_str() {
                BanSource::Manual
            } else {
                BanSource::Automatic
            },
        };
        shared.set_ban(client, record);
    }
    shared.make_room_for_bans();
}

/// The key as the file has it: the prefix of an IPv6 network is that of the time when it was banned.
fn client_of(text: &str) -> Option<ClientKey> {
    let prefix = match text.split_once('/') {
        Some((_, prefix)) => prefix.parse().ok().filter(|prefix| *prefix <= 128)?,
        None => 128,
    };
    ClientKey::parse(text, prefix)
}

fn set_aside(path: &Path, error: &io::Error) {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".damaged");
    let moved = fs::rename(path, &aside);
    tracing::error!(
        path = %path.display(),
        %error,
        set_aside = moved.is_ok(),
        "the ban file cannot be read: starting without its bans"
    );
}

fn unix_millis(time: SystemTime) -> u64 {
    crate::clock::millis(time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests;
