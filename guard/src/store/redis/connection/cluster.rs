//! A Cluster: each key lives on one of its nodes, and nodes come, go and hand slots on.
//!
//! Nothing is sent twice unless a node said that it did not do it. A call whose connection is lost has failed: the node may
//! have counted it.
//! Must not know: what is called.

mod nodes;
mod slots;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use ::redis::Cmd;
use tokio::{sync::watch, task::JoinSet};

use super::{
    deadline::{Deadline, Deadlines, Expired},
    failure::Failure,
    link::Manner,
    reply::Reply,
    servers::Server,
};

use nodes::{LinkedNode, Nodes};
pub(in super::super) use slots::{Node, SLOTS, Topology, slot_of};

/// A slot that is handed on may lead a call here and there, but not for ever.
const DETOURS: usize = 6;

/// How long a call waits that found its keys on both sides of a move.
const PAUSE: Duration = Duration::from_millis(10);

/// So many nodes are asked at once who is in the Cluster.
const ASKED_AT_ONCE: usize = 4;

/// A Cluster that is in trouble is not asked more often than this.
const BETWEEN_REFRESHES: Duration = Duration::from_millis(100);

pub(super) struct Cluster {
    nodes: Mutex<Nodes>,
    refresh: Mutex<Refresh>,
    /// Why the last refresh found nobody.
    trouble: Mutex<Option<Failure>>,
    /// Where to begin with asking: not always with the same nodes, which may be those that are dead.
    turn: AtomicUsize,
    deadlines: Arc<Deadlines>,
}

/// One refresh at a time.
enum Refresh {
    Done(Option<Instant>),
    UnderWay(watch::Receiver<()>),
}

impl Cluster {
    pub(super) fn new(seeds: &[Server], timeout: Duration, deadlines: Arc<Deadlines>) -> Arc<Self> {
        Arc::new(Self {
            nodes: Mutex::new(Nodes::new(seeds, timeout)),
            refresh: Mutex::new(Refresh::Done(None)),
            trouble: Mutex::new(None),
            turn: AtomicUsize::new(0),
            deadlines,
        })
    }

    /// Sends a command to the node that has the slot.
    pub(super) async fn call(
        self: &Arc<Self>,
        slot: u16,
        command: &Cmd,
        deadline: &Deadline,
    ) -> Result<Reply, Failure> {
        let mut node = self.owner(slot, deadline).await?;
        let mut manner = Manner::Plain;
        let (mut replaced, mut is_moving) = (false, false);
        let mut detours = 0;
        while detours < DETOURS {
            let connection = match node.link.connection(deadline).await {
                Ok(connection) => connection,
                // Nothing was sent, so the call may still go to a replica that has taken over.
                Err(failure) if replaced => return Err(failure),
                Err(failure) => {
                    replaced = true;
                    detours += 1;
                    manner = Manner::Plain;
                    node = self.successor(slot, &node, failure, deadline).await?;
                    continue;
                }
            };
            let sent = node.link.send(&connection, command, manner, deadline).await;
            manner = Manner::Plain;
            match sent {
                Ok(Reply::Moved(address)) => {
                    detours += 1;
                    let new = self.nodes().at(&address, &node.server);
                    self.nodes().assign(slot, &new);
                    self.refresh_soon();
                    node = new;
                }
                Ok(Reply::Ask(address)) => {
                    detours += 1;
                    node = self.nodes().at(&address, &node.server);
                    manner = Manner::Asking;
                }
                // The time went by in waiting, whatever the call was about when it was over.
                Err(Failure::TimedOut) if is_moving => return Err(Failure::Moving),
                Err(Failure::Moving) => {
                    is_moving = true;
                    // No detour: there is nothing but to wait, which the deadline ends.
                    self.pause(deadline).await?;
                    node = self.owner(slot, deadline).await?;
                }
                Ok(reply) => return Ok(reply),
                Err(failure) => {
                    if failure.is_outage() {
                        self.refresh_soon();
                    }
                    return Err(failure);
                }
            }
        }
        Err(Failure::Moving)
    }

    /// Sends a command to one master.
    pub(super) async fn call_node(
        self: &Arc<Self>,
        (host, port): &Node,
        command: &Cmd,
        deadline: &Deadline,
    ) -> Result<Reply, Failure> {
        let master = self
            .nodes()
            .masters()
            .iter()
            .find(|master| master.server.is_at(host, *port))
            .cloned();
        match master {
            Some(master) => master.link.call(command, deadline).await,
            None => Err(Failure::Moving),
        }
    }

    /// The masters, freshly asked for.
    pub(super) async fn masters(
        self: &Arc<Self>,
        deadline: &Deadline,
    ) -> Result<Vec<Node>, Failure> {
        self.refreshed(deadline).await?;
        let nodes = self.nodes();
        let masters = nodes.masters().iter().map(|master| &master.server);
        let masters: Vec<Node> = masters
            .map(|server| (server.host.clone(), server.port))
            .collect();
        drop(nodes);
        if masters.is_empty() {
            return Err(self.nobody("no node answers"));
        }
        Ok(masters)
    }

    /// See [`Link::try_again`](super::link::Link::try_again).
    pub(super) fn try_again(&self) {
        self.nodes().try_again();
    }

    pub(super) fn close(&self) {
        self.nodes().close();
    }

    async fn owner(
        self: &Arc<Self>,
        slot: u16,
        deadline: &Deadline,
    ) -> Result<LinkedNode, Failure> {
        if let Some(owner) = self.nodes().owner(slot) {
            return Ok(owner.clone());
        }
        self.refreshed(deadline).await?;
        let owner = self.nodes().owner(slot).cloned();
        owner.ok_or_else(|| self.nobody("no node has the slot"))
    }

    /// Why there is no node to ask.
    fn nobody(&self, otherwise: &str) -> Failure {
        let trouble = self.trouble().clone();
        trouble.unwrap_or_else(|| Failure::ClusterDown(otherwise.into()))
    }

    /// Who has the slot instead of a node that cannot be reached.
    async fn successor(
        self: &Arc<Self>,
        slot: u16,
        unreachable: &LinkedNode,
        failure: Failure,
        deadline: &Deadline,
    ) -> Result<LinkedNode, Failure> {
        self.refreshed(deadline).await?;
        match self.nodes().owner(slot) {
            Some(owner) if !Arc::ptr_eq(&owner.link, &unreachable.link) => Ok(owner.clone()),
            _ => Err(failure),
        }
    }

    async fn pause(&self, deadline: &Deadline) -> Result<(), Failure> {
        let paused = deadline.limit(tokio::time::sleep(PAUSE)).await;
        paused.map_err(|Expired| Failure::Moving)
    }

    /// Waits until the nodes were asked, unless they were just now.
    async fn refreshed(self: &Arc<Self>, deadline: &Deadline) -> Result<(), Failure> {
        if let Some(mut done) = self.refresh_soon() {
            // An error means that the task has ended, and so it has.
            let waited = deadline.limit(done.changed()).await;
            waited.map_err(|Expired| Failure::TimedOut)?.ok();
        }
        Ok(())
    }

    /// Has the nodes asked who is in the Cluster, unless they were just now.
    fn refresh_soon(self: &Arc<Self>) -> Option<watch::Receiver<()>> {
        let mut refresh = self.refresh();
        match &*refresh {
            // A sender that has gone without a word was dropped with its runtime, or in a panic.
            Refresh::UnderWay(done) if done.has_changed().is_ok() => return Some(done.clone()),
            Refresh::Done(Some(last)) if last.elapsed() < BETWEEN_REFRESHES => return None,
            Refresh::UnderWay(_) | Refresh::Done(_) => {}
        }
        let (finished, done) = watch::channel(());
        *refresh = Refresh::UnderWay(done.clone());
        let cluster = Arc::clone(self);
        tokio::spawn(async move {
            let asked = cluster.ask().await;
            *cluster.trouble() = asked.err();
            *cluster.refresh() = Refresh::Done(Some(Instant::now()));
            finished.send_replace(());
        });
        Some(done)
    }

    /// Asks some nodes at once, and the others if none of those answers.
    async fn ask(&self) -> Result<(), Failure> {
        let mut informants = self.nodes().informants();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let first = turn % informants.len().max(1);
        informants.rotate_left(first);
        let mut failure = Failure::Unavailable;
        for some in informants.chunks(ASKED_AT_ONCE) {
            let deadline = self.deadlines.begin(usize::MAX).map(Arc::new);
            let deadline = deadline.ok_or(Failure::Busy)?;
            let mut answers: JoinSet<Result<Topology, Failure>> = some
                .iter()
                .map(|node| topology(node.clone(), Arc::clone(&deadline)))
                .collect();
            while let Some(answer) = answers.join_next().await {
                match answer.unwrap_or(Err(Failure::Disconnected)) {
                    Ok(topology) => {
                        self.nodes().update(&topology);
                        return Ok(());
                    }
                    Err(error) => failure = error,
                }
            }
        }
        Err(failure)
    }

    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refresh(&self) -> MutexGuard<'_, Refresh> {
        self.refresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trouble(&self) -> MutexGuard<'_, Option<Failure>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a node says of the Cluster.
async fn topology(node: LinkedNode, deadline: Arc<Deadline>) -> Result<Topology, Failure> {
    let reply = node.link.call(&Topology::question(), &deadline).await?;
    Topology::read(reply.value()?, &node.server)
}
