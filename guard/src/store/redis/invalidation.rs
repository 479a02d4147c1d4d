//! The push channel: Redis says which bans changed, so that nobody goes by a ban that was lifted.
//!
//! Each master is followed over a connection of its own. The channel is up while all of them are.
//! Must not know: what bans are, what is kept of them.

mod events;
mod follower;
mod survey;

#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::Arc};

use tokio::{
    sync::{Notify, mpsc},
    task::{AbortHandle, JoinSet},
};

use super::connection::{Arrangement, Failure, Sentinels, Server, Servers};

pub(crate) use events::{Event, Events, channel};

use events::Queue;
use follower::{Follower, Master, Status};

/// What the tasks of a channel say to the one that sums up.
enum Message {
    /// From the follower of that number.
    Follower(u64, Status),
    /// The masters of the Cluster.
    Masters(Vec<Server>),
    /// No node says who the masters are.
    NoMasters(Failure),
}

/// So many messages may wait; their senders wait too.
const MESSAGES: usize = 64;

/// Follows the keys that begin with the prefix until the receiver of the events is dropped, or the future is.
pub(crate) async fn watch(servers: Arc<Servers>, prefix: String, events: Queue) {
    let (sender, mut messages) = mpsc::channel(MESSAGES);
    let lost = Arc::new(Notify::new());
    let mut channel = Channel {
        servers: Arc::clone(&servers),
        prefix: prefix.into(),
        events,
        sender: sender.clone(),
        lost: Arc::clone(&lost),
        tasks: JoinSet::new(),
        followers: HashMap::new(),
        last_number: 0,
        is_up: None,
    };
    match &servers.arrangement {
        Arrangement::Single(server) => channel.follow(Master::Server(server.clone())),
        Arrangement::Sentinel(watched) => channel.follow(Master::Named(Sentinels::new(watched))),
        Arrangement::Cluster(seeds) => {
            let survey = survey::survey(seeds.clone(), servers.timeout, lost, sender);
            channel.tasks.spawn(survey);
        }
    }
    while let Some(message) = messages.recv().await {
        if channel.take_in(message).await.is_err() {
            return;
        }
    }
}

/// The state of the channel.
struct Channel {
    servers: Arc<Servers>,
    prefix: Arc<str>,
    events: Queue,
    sender: mpsc::Sender<Message>,
    /// Tells the survey that a master is not there.
    lost: Arc<Notify>,
    /// All end with the channel.
    tasks: JoinSet<()>,
    followers: HashMap<u64, Following>,
    last_number: u64,
    /// What was said last.
    is_up: Option<bool>,
}

struct Following {
    master: Master,
    task: AbortHandle,
    is_up: bool,
}

impl Channel {
    fn follow(&mut self, master: Master) {
        self.last_number += 1;
        let follower = Follower {
            number: self.last_number,
            master: master.clone(),
            timeout: self.servers.timeout,
            prefix: Arc::clone(&self.prefix),
            events: self.events.clone(),
            sender: self.sender.clone(),
        };
        let following = Following {
            master,
            task: self.tasks.spawn(follower.run()),
            is_up: false,
        };
        self.followers.insert(self.last_number, following);
    }

    async fn take_in(&mut self, message: Message) -> Result<(), events::Closed> {
        match message {
            // One that is followed no more may have had a last word.
            Message::Follower(number, status) => match self.followers.get_mut(&number) {
                Some(following) => {
                    following.is_up = matches!(status, Status::Up);
                    self.sum_up(status.failure()).await
                }
                None => Ok(()),
            },
            Message::Masters(masters) => {
                self.follow_only(masters);
                self.sum_up(None).await
            }
            // Who follows all masters that were there learns of trouble by himself.
            Message::NoMasters(_) if !self.followers.is_empty() => Ok(()),
            Message::NoMasters(failure) => self.sum_up(Some(failure)).await,
        }
    }

    fn follow_only(&mut self, masters: Vec<Server>) {
        self.followers.retain(|_, following| {
            let stays = masters.iter().any(|master| following.master.is(master));
            if !stays {
                following.task.abort();
            }
            stays
        });
        for master in masters {
            let mut known = self.followers.values();
            if !known.any(|following| following.master.is(&master)) {
                self.follow(Master::Server(master));
            }
        }
        // Tasks that ended are kept until somebody asks.
        while self.tasks.try_join_next().is_some() {}
    }

    /// Says whether the channel is up, if that changed.
    async fn sum_up(&mut self, failure: Option<Failure>) -> Result<(), events::Closed> {
        let is_up = !self.followers.is_empty() && self.followers.values().all(|one| one.is_up);
        if failure.is_some() {
            self.lost.notify_one();
        }
        if self.is_up == Some(is_up) || (self.is_up.is_none() && !is_up && failure.is_none()) {
            return Ok(());
        }
        self.is_up = Some(is_up);
        let event = match is_up {
            true => Event::Up,
            // A master that was not there before is not followed yet.
            false => Event::Down(failure.unwrap_or(Failure::Unavailable)),
        };
        self.events.send(event).await
    }
}
