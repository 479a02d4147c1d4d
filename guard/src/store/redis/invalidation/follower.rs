//! Follows one master: a connection with tracking switched on, made anew whenever it is lost.
//!
//! Must not know: other masters.

use std::{sync::Arc, time::Duration};

use ::redis::{Cmd, PushInfo, PushKind, Value};
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, timeout},
};

use super::{
    super::connection::{Connection, Failure, OnPush, Panel, Sentinels, Server, backoff},
    Message,
    events::{Event, Queue},
};

/// A server that hangs pushes nothing, and only shows by not answering.
const BETWEEN_PINGS: Duration = Duration::from_millis(500);

/// How often the Sentinels are asked whether the master is still the master: what the old one counts from then on is lost.
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(1);

/// Whom to follow.
#[derive(Clone)]
pub(super) enum Master {
    Server(Server),
    /// Whoever the Sentinels name.
    Named(Sentinels),
}

/// How it goes.
#[derive(Debug)]
pub(super) enum Status {
    Up,
    Down(Failure),
}

pub(super) struct Follower {
    pub(super) number: u64,
    pub(super) master: Master,
    pub(super) timeout: Duration,
    pub(super) prefix: Arc<str>,
    pub(super) events: Queue,
    pub(super) sender: mpsc::Sender<Message>,
}

impl Follower {
    /// Never ends, unless nobody listens.
    pub(super) async fn run(self) {
        let mut failures = 0;
        loop {
            let lost = Arc::new(Notify::new());
            let connected = self.within(self.connect(&lost)).await;
            let failure = match connected {
                Ok(connection) => {
                    failures = 0;
                    if self.report(Status::Up).await.is_err() {
                        return;
                    }
                    self.stay(&connection, &lost).await
                }
                Err(failure) => self.is_gone(failure),
            };
            if self.report(Status::Down(failure)).await.is_err() {
                return;
            }
            tokio::time::sleep(backoff::after(failures)).await;
            failures = failures.saturating_add(1);
        }
    }

    async fn report(&self, status: Status) -> Result<(), mpsc::error::SendError<Message>> {
        self.sender
            .send(Message::Follower(self.number, status))
            .await
    }

    async fn within<T>(
        &self,
        future: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        timeout(self.timeout, future)
            .await
            .unwrap_or(Err(Failure::TimedOut))
    }

    async fn connect(&self, lost: &Arc<Notify>) -> Result<Connection, Failure> {
        let on_push = || Some(on_push(self.events.clone(), Arc::clone(lost)));
        let connection = match &self.master {
            Master::Server(server) => Connection::open(server, on_push()).await?,
            Master::Named(sentinels) => sentinels.open_master(on_push).await?,
        };
        connection.request(&self.tracking()).await?;
        Ok(connection)
    }

    fn tracking(&self) -> Cmd {
        let mut tracking = ::redis::cmd("CLIENT");
        tracking
            .arg(&["TRACKING", "ON", "BCAST", "PREFIX"])
            .arg(&*self.prefix);
        tracking
    }

    /// Returns what ended it.
    async fn stay(&self, connection: &Connection, lost: &Notify) -> Failure {
        let ping = ::redis::cmd("PING");
        let mut panel = self.master.panel();
        let mut asked = Instant::now();
        loop {
            if timeout(BETWEEN_PINGS, lost.notified()).await.is_ok() {
                return self.is_gone(Failure::Disconnected);
            }
            match self.within(connection.request(&ping)).await {
                // To say that one may not ask is an answer.
                Ok(_) | Err(Failure::NotPermitted(_)) => {}
                Err(failure) => return self.is_gone(failure),
            }
            if let Some(panel) = &mut panel
                && asked.elapsed() >= BETWEEN_QUESTIONS
            {
                asked = Instant::now();
                // If the Sentinels can't be asked, the old master is better than none.
                if panel.have_replaced(connection.server(), self.timeout).await {
                    return Failure::ReadOnly;
                }
            }
        }
    }

    /// The Sentinels are asked no more until there is a master again.
    fn is_gone(&self, failure: Failure) -> Failure {
        if let Master::Named(sentinels) = &self.master {
            sentinels.forget_agreement();
        }
        failure
    }
}

/// What becomes of a push.
fn on_push(events: Queue, lost: Arc<Notify>) -> OnPush {
    Box::new(move |push: PushInfo| match push.kind {
        PushKind::Invalidate => push
            .data
            .into_iter()
            .for_each(|keys| invalidate(&events, keys)),
        PushKind::Disconnection => lost.notify_one(),
        _ => {}
    })
}

fn invalidate(events: &Queue, keys: Value) {
    let Value::Array(keys) = keys else {
        return events.put(Event::FlushedAll);
    };
    for key in keys {
        match key {
            Value::BulkString(key) => events.put(Event::Invalidated(key.into())),
            _ => events.put(Event::FlushedAll),
        }
    }
}

impl Master {
    fn panel(&self) -> Option<Panel> {
        match self {
            Self::Server(_) => None,
            Self::Named(sentinels) => Some(sentinels.panel()),
        }
    }

    pub(super) fn is(&self, server: &Server) -> bool {
        match self {
            Self::Server(own) => own.is_at(&server.host, server.port),
            Self::Named(_) => false,
        }
    }
}

impl Status {
    pub(super) fn failure(self) -> Option<Failure> {
        match self {
            Self::Up => None,
            Self::Down(failure) => Some(failure),
        }
    }
}
