//! The link to one server: a connection that is made when it is first needed, and anew when it is lost.
//!
//! Must not know: Clusters, scripts.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use ::redis::Cmd;
use tokio::sync::watch;

use super::{
    backoff,
    connect::Connection,
    deadline::{Deadline, Expired},
    failure::Failure,
    reply::Reply,
    sentinel::Sentinels,
    servers::Server,
};

/// For so long after the next attempt was due a failure says something of the server.
const LATELY: Duration = Duration::from_secs(5);

/// Where a link leads.
pub(super) enum Target {
    Server(Server),
    /// The master that the Sentinels name at the time.
    Master(Sentinels),
}

pub(super) struct Link {
    target: Target,
    timeout: Duration,
    state: Mutex<State>,
    /// Attempts in a row that led to nothing: no connection, or one that never gave an answer of use.
    failures: AtomicU32,
    /// Agreements of Sentinels that were heard of.
    agreements: AtomicU64,
}

enum State {
    /// The next call connects.
    Idle,
    /// An attempt is under way, for all who call meanwhile.
    Connecting(Attempt),
    Connected(Arc<Connection>),
    /// The last attempt failed; the next one is due then.
    Waiting(Instant),
    /// Nobody will call any more.
    Closed,
}

/// What becomes of the attempt, once it is known.
type Attempt = watch::Receiver<Option<Result<Arc<Connection>, Failure>>>;

/// How a command is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Plain,
    /// For a key that the node is about to get.
    Asking,
}

impl Link {
    pub(super) fn new(target: Target, timeout: Duration) -> Arc<Self> {
        Arc::new(Self {
            target,
            timeout,
            state: Mutex::new(State::Idle),
            failures: AtomicU32::new(0),
            agreements: AtomicU64::new(0),
        })
    }

    /// Sends a command and waits for the reply.
    pub(super) async fn call(
        self: &Arc<Self>,
        command: &Cmd,
        deadline: &Deadline,
    ) -> Result<Reply, Failure> {
        let connection = self.connection(deadline).await?;
        self.send(&connection, command, Manner::Plain, deadline)
            .await
    }

    /// The connection. As long as there is none, nothing was sent.
    pub(super) async fn connection(
        self: &Arc<Self>,
        deadline: &Deadline,
    ) -> Result<Arc<Connection>, Failure> {
        match self.connected_or_connecting()? {
            Ok(connection) => Ok(connection),
            // Elsewhere, so that calls that find a connection don't carry its size about.
            Err(attempt) => Box::pin(self.outcome(attempt, deadline)).await,
        }
    }

    async fn outcome(
        &self,
        attempt: Attempt,
        deadline: &Deadline,
    ) -> Result<Arc<Connection>, Failure> {
        match deadline.limit(outcome(attempt)).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => {
                self.attempt_died();
                Err(Failure::Disconnected)
            }
            Err(Expired) => Err(Failure::TimedOut),
        }
    }

    fn connected_or_connecting(
        self: &Arc<Self>,
    ) -> Result<Result<Arc<Connection>, Attempt>, Failure> {
        let mut state = self.state();
        match &*state {
            State::Connected(connection) if !connection.is_over() && !self.is_left(connection) => {
                return Ok(Ok(Arc::clone(connection)));
            }
            State::Connecting(attempt) => return Ok(Err(attempt.clone())),
            State::Connected(connection) => *state = self.after(connection.answers()),
            State::Idle | State::Waiting(_) | State::Closed => {}
        }
        match &*state {
            State::Waiting(until) if Instant::now() < *until => return Err(Failure::Unavailable),
            State::Closed => return Err(Failure::Unavailable),
            _ => {}
        }
        let (result, attempt) = watch::channel(None);
        *state = State::Connecting(attempt.clone());
        drop(state);
        // A task of its own, because the caller may give up and others still wait.
        tokio::spawn(Arc::clone(self).attempt(result));
        Ok(Err(attempt))
    }

    /// Whether the connection leads to a server that is the master no more.
    #[inline]
    fn is_left(&self, connection: &Connection) -> bool {
        match &self.target {
            Target::Server(_) => false,
            Target::Master(sentinels) => sentinels.have_left(connection.server(), &self.agreements),
        }
    }

    async fn attempt(
        self: Arc<Self>,
        result: watch::Sender<Option<Result<Arc<Connection>, Failure>>>,
    ) {
        let opened = tokio::time::timeout(self.timeout, self.target.open())
            .await
            .unwrap_or(Err(Failure::TimedOut))
            .map(Arc::new);
        let mut state = self.state();
        if matches!(*state, State::Closed) {
            return;
        }
        *state = match &opened {
            Ok(connection) => State::Connected(Arc::clone(connection)),
            Err(_) => self.after(0),
        };
        drop(state);
        result.send_replace(Some(opened));
    }

    /// The task of the attempt has gone, with its runtime or in a panic.
    fn attempt_died(&self) {
        let mut state = self.state();
        if let State::Connecting(attempt) = &*state
            && attempt.has_changed().is_err()
        {
            *state = self.after(0);
        }
    }

    /// Sends a command over the connection and waits for the reply.
    pub(super) async fn send(
        &self,
        connection: &Arc<Connection>,
        command: &Cmd,
        manner: Manner,
        deadline: &Deadline,
    ) -> Result<Reply, Failure> {
        let answers = connection.answers();
        let sent = async {
            match manner {
                Manner::Plain => connection.send(command).await,
                Manner::Asking => Box::pin(connection.send_asking(command)).await,
            }
        };
        let reply = match deadline.limit(sent).await {
            Ok(reply) => reply.and_then(Reply::of),
            Err(Expired) => {
                // Replies come in order, so if none came in all this time, none is likely to come over this connection. Nor may
                // one come over the next: who has waited once and has another question is not to wait again.
                if connection.answers() == answers {
                    self.give_up(connection, 0);
                }
                return Err(Failure::TimedOut);
            }
        };
        match &reply {
            Ok(_) => self.succeeded(),
            Err(failure) if failure.ends_connection() => {
                // A server that answers, but with such a reply, is no better than none.
                let useful = match failure {
                    Failure::Disconnected => connection.answers(),
                    _ => 0,
                };
                self.give_up(connection, useful);
            }
            Err(_) => {}
        }
        reply
    }

    fn succeeded(&self) {
        if self.failures.load(Ordering::Relaxed) != 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }

    fn give_up(&self, connection: &Arc<Connection>, answers: u64) {
        let mut state = self.state();
        if let State::Connected(current) = &*state
            && Arc::ptr_eq(current, connection)
        {
            *state = self.after(answers);
        }
    }

    /// What follows a connection that gave so many answers: one that was of use is made anew at once.
    fn after(&self, answers: u64) -> State {
        if answers > 0 && self.failures.load(Ordering::Relaxed) == 0 {
            return State::Idle;
        }
        let failures = self
            .failures
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1);
        State::Waiting(Instant::now() + backoff::after(failures))
    }

    /// Whether the last attempt failed, and not long ago.
    pub(super) fn is_down(&self) -> bool {
        match &*self.state() {
            State::Connected(connection) => connection.is_over(),
            State::Idle | State::Connecting(_) => self.failures.load(Ordering::Relaxed) > 0,
            State::Waiting(until) => until.elapsed() < LATELY,
            State::Closed => true,
        }
    }

    /// The server has been found: the next call connects, however short ago the last attempt was.
    pub(super) fn try_again(&self) {
        self.failures.store(0, Ordering::Relaxed);
        let mut state = self.state();
        if matches!(*state, State::Waiting(_)) {
            *state = State::Idle;
        }
    }

    /// Closes the connection, for good.
    pub(super) fn close(&self) {
        *self.state() = State::Closed;
    }

    /// No code that holds the lock panics; should it ever, the state is still one of those there are.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Target {
    async fn open(&self) -> Result<Connection, Failure> {
        match self {
            Self::Server(server) => Connection::open(server, None).await,
            Self::Master(sentinels) => sentinels.open_master(|| None).await,
        }
    }
}

/// The outcome of an attempt; `None` if nobody makes it any more.
async fn outcome(mut attempt: Attempt) -> Option<Result<Arc<Connection>, Failure>> {
    let known = attempt.wait_for(Option::is_some).await.ok()?;
    known.clone()
}
