//! A Redis Cluster: three masters with a replica each.
//!
//! Must not know: how a process is started.

mod create;
mod resharding;
mod topology;

use topology::Topology;

use crate::{Builder, Server, settings::Mode, wait};

const MASTERS: usize = 3;
const NODES: usize = 2 * MASTERS;
const SLOTS: usize = 16_384;

/// Six nodes, of which three are masters. A master that is killed has a successor after about two seconds.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Server>,
}

impl Cluster {
    /// Starts all nodes, and returns when each one sees a complete Cluster.
    #[must_use = "servers end when they are dropped"]
    pub fn start() -> Self {
        Self::start_nodes(&Builder::of_mode(Mode::ClusterNode))
    }

    /// For tests in which no node fails: on a machine under load none is taken for failed because it is slow.
    #[must_use = "servers end when they are dropped"]
    pub fn start_without_failover() -> Self {
        let node = Builder::of_mode(Mode::ClusterNode);
        Self::start_nodes(&node.config("cluster-node-timeout", "60000"))
    }

    /// All nodes have the same password.
    #[must_use = "servers end when they are dropped"]
    pub fn start_with_password(password: &str) -> Self {
        Self::start_nodes(&Builder::of_mode(Mode::ClusterNode).password(password))
    }

    fn start_nodes(builder: &Builder) -> Self {
        let nodes = (0..NODES).map(|_| builder.clone().start()).collect();
        let cluster = Self { nodes };
        create::create(&cluster);
        cluster.wait_until_complete();
        cluster
    }

    /// Where the nodes are.
    #[must_use]
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(Server::url).collect()
    }

    /// The nodes. At the start, the first three are the masters.
    #[must_use]
    pub fn nodes(&self) -> &[Server] {
        &self.nodes
    }

    /// One node.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[must_use]
    pub fn node(&self, index: usize) -> &Server {
        &self.nodes[index]
    }

    /// The nodes that have slots, as the first node that is up sees it.
    ///
    /// # Panics
    ///
    /// If no node answers.
    #[must_use]
    pub fn masters(&self) -> Vec<&Server> {
        let topology = self.topology();
        self.servers(topology.masters())
    }

    /// The replicas of a master, as the first node that is up sees it.
    ///
    /// # Panics
    ///
    /// If no node answers.
    #[must_use]
    pub fn replicas_of(&self, master: &Server) -> Vec<&Server> {
        let topology = self.topology();
        let master = topology
            .with_port(master.port())
            .expect("a node of this Cluster");
        self.servers(topology.replicas_of(master))
    }

    /// The slot of a key.
    ///
    /// # Panics
    ///
    /// If no node answers.
    #[must_use]
    pub fn key_slot(&self, key: &str) -> u16 {
        self.answering_node()
            .query(&["CLUSTER", "KEYSLOT", key])
            .unwrap_or_else(|error| panic!("the slot of {key:?}: {error}"))
    }

    /// The master of a slot, as the first node that is up sees it.
    ///
    /// # Panics
    ///
    /// If no node answers.
    #[must_use]
    pub fn master_of_slot(&self, slot: u16) -> &Server {
        self.master_in(&self.topology(), slot)
            .unwrap_or_else(|what| panic!("there is not {what}"))
    }

    /// The master of a key, as the first node that is up sees it.
    ///
    /// # Panics
    ///
    /// If no node answers.
    #[must_use]
    pub fn master_of_key(&self, key: &str) -> &Server {
        self.master_of_slot(self.key_slot(key))
    }

    /// Kills the master of a key, and says which it was. The others haven't noticed yet:
    /// [`wait_for_promotion`](Self::wait_for_promotion).
    pub fn kill_master_of(&self, key: &str) -> &Server {
        let master = self.master_of_key(key);
        master.kill();
        master
    }

    /// Waits until all nodes that are up name the same master for a key, it is up, too, and the Cluster is in order.
    ///
    /// # Panics
    ///
    /// If that doesn't come to be.
    pub fn wait_for_promotion(&self, key: &str) -> &Server {
        let slot = self.key_slot(key);
        wait::until_ok(|| {
            let master = self.agreed_master_of_slot(slot)?;
            master
                .is_up()
                .then_some(master)
                .ok_or_else(|| format!("a successor of {}", master.url()))
        })
    }

    /// Waits until every node is up and sees all slots served, and a replica in sync for each master: after a start, and
    /// when nodes have come back.
    ///
    /// # Panics
    ///
    /// If that doesn't come to be.
    pub fn wait_until_complete(&self) {
        wait::until_ok(|| self.nodes.iter().try_for_each(create::check_completeness));
    }

    fn agreed_master_of_slot(&self, slot: u16) -> Result<&Server, String> {
        let mut named = Vec::new();
        for node in self.answering() {
            named.push(self.master_in(&create::check_state(node)?, slot)?);
        }
        let Some(master) = named.pop() else {
            return Err("a node that is up".to_owned());
        };
        let agreed = named.iter().all(|other| other.port() == master.port());
        agreed
            .then_some(master)
            .ok_or_else(|| format!("the nodes to agree on slot {slot}"))
    }

    fn master_in(&self, topology: &Topology, slot: u16) -> Result<&Server, String> {
        let node = topology.master_of_slot(slot);
        node.and_then(|node| self.servers([node]).pop())
            .ok_or_else(|| format!("a master of slot {slot}"))
    }

    fn servers<'a>(&self, nodes: impl IntoIterator<Item = &'a topology::Node>) -> Vec<&Server> {
        nodes
            .into_iter()
            .filter_map(|node| self.nodes.iter().find(|server| server.port() == node.port))
            .collect()
    }

    fn topology(&self) -> Topology {
        ask(self.answering_node()).unwrap_or_else(|what| panic!("no answer from {what}"))
    }

    fn answering_node(&self) -> &Server {
        self.answering().next().expect("a node is up")
    }

    fn answering(&self) -> impl Iterator<Item = &Server> {
        self.nodes.iter().filter(|node| node.is_up())
    }
}

/// What a node knows of the Cluster.
fn ask(node: &Server) -> Result<Topology, String> {
    let answer: Result<String, _> = node.query(&["CLUSTER", "NODES"]);
    let text = answer.map_err(|error| format!("{}: {error}", node.url()))?;
    Topology::parse(&text).ok_or(text)
}

/// What the others call a node.
fn id(node: &Server) -> String {
    node.query(&["CLUSTER", "MYID"])
        .unwrap_or_else(|error| panic!("the id of {}: {error}", node.url()))
}
