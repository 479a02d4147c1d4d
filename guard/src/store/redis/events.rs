//! What Redis tells of bans, with clients instead of keys.
//!
//! Must not know: what is done about it.

use std::sync::Arc;

use tokio::task::{self, AbortHandle};

use crate::client::ClientKey;

use super::{
    connection::{Failure, Servers},
    invalidation,
    keys::Keys,
};

/// What happened.
#[derive(Debug)]
pub(in crate::store) enum Event {
    /// From now on each change is told. What happened before is not known.
    Up,
    /// The ban of a client was set, lifted, or has ended.
    Invalidated(ClientKey),
    /// Anything may have changed.
    FlushedAll,
    /// Changes are not told any more.
    Down(Failure),
}

/// The events, once somebody waits for them.
pub(in crate::store) struct Events {
    servers: Arc<Servers>,
    keys: Arc<Keys>,
    channel: Option<(invalidation::Events, AbortHandle)>,
}

impl Events {
    pub(super) fn new(servers: Arc<Servers>, keys: Arc<Keys>) -> Self {
        Self {
            servers,
            keys,
            channel: None,
        }
    }

    /// The next event; `None` if there will be none. Has to be called in one Tokio runtime.
    pub(in crate::store) async fn next(&mut self) -> Option<Event> {
        loop {
            let (events, _) = self.channel.get_or_insert_with(|| {
                let (queue, events) = invalidation::channel();
                let prefix = self.keys.bans_prefix().to_owned();
                let watch = invalidation::watch(Arc::clone(&self.servers), prefix, queue);
                (events, task::spawn(watch).abort_handle())
            });
            match events.next().await? {
                invalidation::Event::Up => return Some(Event::Up),
                invalidation::Event::FlushedAll => return Some(Event::FlushedAll),
                invalidation::Event::Down(failure) => return Some(Event::Down(failure)),
                invalidation::Event::Invalidated(key) => {
                    let name = str::from_utf8(&key).ok();
                    // Whatever else has such a key is no client's ban.
                    if let Some(client) = name.and_then(|name| self.keys.banned_client(name)) {
                        return Some(Event::Invalidated(client));
                    }
                }
            }
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let Some((_, task)) = &self.channel {
            task.abort();
        }
    }
}
