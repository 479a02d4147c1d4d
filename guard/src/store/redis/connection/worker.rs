//! The connections of one thread in one runtime.
//!
//! A connection is driven by the runtime of those who use it: waking a task of another thread costs half as much again as the
//! whole call.
//! Must not know: other workers.

use std::sync::Arc;

use ::redis::{Cmd, Value};

use super::{
    cluster::{self, Cluster},
    deadline::{Deadline, Deadlines},
    failure::Failure,
    link::{Link, Target},
    reply::Reply,
    script::{self, Script},
    sentinel::Sentinels,
    servers::{Arrangement, Servers},
};

/// Calls that may be under way at once. More are an outage, not a load.
const MOST_CALLS: usize = 10_000;

pub(super) struct Worker {
    route: Route,
    deadlines: Arc<Deadlines>,
}

enum Route {
    /// A server of its own, or the master that Sentinels name.
    One(Arc<Link>),
    Cluster(Arc<Cluster>),
}

/// A master, as [`Worker::masters`] names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Master {
    /// `None` where there is only one.
    node: Option<cluster::Node>,
}

impl Worker {
    /// For the current thread and runtime. Connects to nobody yet.
    pub(super) fn new(servers: &Servers) -> Arc<Self> {
        let deadlines = Arc::new(Deadlines::new(servers.timeout));
        let route = match &servers.arrangement {
            Arrangement::Single(server) => {
                Route::One(Link::new(Target::Server(server.clone()), servers.timeout))
            }
            Arrangement::Sentinel(watched) => {
                let sentinels = Sentinels::new(watched);
                Route::One(Link::new(Target::Master(sentinels), servers.timeout))
            }
            Arrangement::Cluster(seeds) => {
                Route::Cluster(Cluster::new(seeds, servers.timeout, Arc::clone(&deadlines)))
            }
        };
        Arc::new(Self { route, deadlines })
    }

    /// Calls a script.
    pub(super) async fn eval(&self, script: &Script, by_hash: &Cmd) -> Result<Value, Failure> {
        let deadline = self.begin()?;
        match self.route.call(by_hash, &deadline).await? {
            Reply::NoScript => {
                let by_text = script.by_text(by_hash);
                let reply = Box::pin(self.route.call(&by_text, &deadline)).await?;
                reply.value()
            }
            reply => reply.value(),
        }
    }

    /// Sends a command to the master that has its first argument.
    pub(super) async fn command(&self, command: &Cmd) -> Result<Value, Failure> {
        let deadline = self.begin()?;
        self.route.call(command, &deadline).await?.value()
    }

    /// Sends a command to one master.
    pub(super) async fn command_on(
        &self,
        master: &Master,
        command: &Cmd,
    ) -> Result<Value, Failure> {
        let deadline = self.begin()?;
        let reply = match (&self.route, &master.node) {
            (Route::One(link), _) => link.call(command, &deadline).await?,
            (Route::Cluster(cluster), Some(node)) => {
                cluster.call_node(node, command, &deadline).await?
            }
            (Route::Cluster(cluster), None) => cluster.call(0, command, &deadline).await?,
        };
        reply.value()
    }

    /// All masters.
    pub(super) async fn masters(&self) -> Result<Vec<Master>, Failure> {
        let deadline = self.begin()?;
        match &self.route {
            Route::One(_) => Ok(vec![Master { node: None }]),
            Route::Cluster(cluster) => {
                let nodes = cluster.masters(&deadline).await?;
                Ok(nodes
                    .into_iter()
                    .map(|node| Master { node: Some(node) })
                    .collect())
            }
        }
    }

    /// Its runtime has gone.
    pub(super) fn is_over(&self) -> bool {
        self.deadlines.are_over()
    }

    /// See [`Link::try_again`].
    pub(super) fn try_again(&self) {
        match &self.route {
            Route::One(link) => link.try_again(),
            Route::Cluster(cluster) => cluster.try_again(),
        }
    }

    /// Closes the connections, for good.
    pub(super) fn close(&self) {
        match &self.route {
            Route::One(link) => link.close(),
            Route::Cluster(cluster) => cluster.close(),
        }
    }

    fn begin(&self) -> Result<Deadline, Failure> {
        self.deadlines.begin(MOST_CALLS).ok_or(Failure::Busy)
    }
}

impl Route {
    async fn call(&self, command: &Cmd, deadline: &Deadline) -> Result<Reply, Failure> {
        match self {
            Self::One(link) => link.call(command, deadline).await,
            Self::Cluster(cluster) => {
                let slot = cluster::slot_of(script::first_key(command));
                // Elsewhere, so that calls to one server don't carry its size about.
                Box::pin(cluster.call(slot, command, deadline)).await
            }
        }
    }
}
