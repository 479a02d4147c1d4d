//! The links to the nodes of a Cluster, and which of them has which slot.
//!
//! Must not know: replies.

use std::{collections::HashMap, sync::Arc, time::Duration};

use super::{
    super::{
        link::{Link, Target},
        reply::Address,
        servers::Server,
    },
    slots::{Node, Topology},
};

/// A node, and the link to it.
#[derive(Clone)]
pub(super) struct LinkedNode {
    pub(super) server: Server,
    pub(super) link: Arc<Link>,
}

pub(super) struct Nodes {
    /// They are asked who the others are. There is at least one.
    seeds: Vec<Server>,
    timeout: Duration,
    linked: HashMap<Node, LinkedNode>,
    masters: Vec<LinkedNode>,
    replicas: Vec<Server>,
    /// For each slot the number of its master, counted from 1.
    owners: Box<[u16]>,
}

impl Nodes {
    pub(super) fn new(seeds: &[Server], timeout: Duration) -> Self {
        Self {
            seeds: seeds.to_vec(),
            timeout,
            linked: HashMap::new(),
            masters: Vec::new(),
            replicas: Vec::new(),
            owners: Box::default(),
        }
    }

    pub(super) fn owner(&self, slot: u16) -> Option<&LinkedNode> {
        nth(&self.masters, *self.owners.get(usize::from(slot))?)
    }

    pub(super) fn masters(&self) -> &[LinkedNode] {
        &self.masters
    }

    /// The node at an address that another node named.
    pub(super) fn at(&mut self, address: &Address, named_by: &Server) -> LinkedNode {
        let host = address.host.as_deref().unwrap_or(&named_by.host);
        self.linked_node(&(host.into(), address.port))
    }

    /// The slot moved there.
    pub(super) fn assign(&mut self, slot: u16, node: &LinkedNode) {
        let known = self
            .masters
            .iter()
            .position(|master| Arc::ptr_eq(&master.link, &node.link));
        let index = known.unwrap_or_else(|| {
            self.masters.push(node.clone());
            self.masters.len() - 1
        });
        self.set_owner(slot..=slot, index);
    }

    /// Takes over what a node says of the Cluster. Nodes that it does not mention are forgotten, unless they just failed: others
    /// may still name them.
    pub(super) fn update(&mut self, topology: &Topology) {
        let before = (
            std::mem::take(&mut self.masters),
            std::mem::take(&mut self.owners),
        );
        let masters = topology.masters();
        self.masters = masters.iter().map(|node| self.linked_node(node)).collect();
        let replicas = topology.replicas();
        self.replicas = replicas.iter().map(|node| self.server(node)).collect();
        for (slots, index) in topology.owners() {
            self.set_owner(slots, index);
        }
        self.keep_successors(&before.0, &before.1);
        let (seeds, masters) = (&self.seeds, &self.masters);
        self.linked.retain(|node, linked| {
            let is_master = |master: &LinkedNode| Arc::ptr_eq(&master.link, &linked.link);
            masters.iter().any(is_master)
                || linked.link.is_down()
                || seeds.iter().any(|seed| seed.is_at(&node.0, node.1))
        });
    }

    /// A node that has not heard of a failover yet names a master that is gone. Who is known to have its slots keeps them; should
    /// that be wrong, it says so itself.
    fn keep_successors(&mut self, masters: &[LinkedNode], owners: &[u16]) {
        let is_down = |node: &LinkedNode| node.link.is_down();
        let gone: Vec<bool> = self.masters.iter().map(is_down).collect();
        if !gone.contains(&true) {
            return;
        }
        let up = |node| (!is_down(node)).then_some(node);
        let successors: Vec<Option<&LinkedNode>> = masters.iter().map(up).collect();
        let named = self.owners.clone();
        for (slot, (named, known)) in (0..).zip(named.iter().zip(owners)) {
            let is_gone = nth(&gone, *named).is_some_and(|gone| *gone);
            if let Some(Some(successor)) = nth(&successors, *known)
                && is_gone
            {
                self.assign(slot, successor);
            }
        }
    }

    /// Who may be asked about the Cluster, the likeliest first.
    pub(super) fn informants(&mut self) -> Vec<LinkedNode> {
        let masters = self.masters.iter().map(|master| &master.server);
        let servers: Vec<Server> = masters
            .chain(&self.seeds)
            .chain(&self.replicas)
            .cloned()
            .collect();
        let mut informants: Vec<LinkedNode> = Vec::new();
        for server in servers {
            let node = self.linked_node(&(server.host, server.port));
            if !informants
                .iter()
                .any(|known| Arc::ptr_eq(&known.link, &node.link))
            {
                informants.push(node);
            }
        }
        informants
    }

    /// See [`Link::try_again`].
    pub(super) fn try_again(&self) {
        for node in self.linked.values() {
            node.link.try_again();
        }
    }

    /// Closes all connections.
    pub(super) fn close(&mut self) {
        for (_, node) in self.linked.drain() {
            node.link.close();
        }
        self.masters.clear();
    }

    fn set_owner(&mut self, slots: std::ops::RangeInclusive<u16>, index: usize) {
        if self.owners.is_empty() {
            self.owners = vec![0; 1 << 14].into();
        }
        let range = usize::from(*slots.start())..=usize::from(*slots.end());
        if let (Some(owners), Ok(number)) = (self.owners.get_mut(range), u16::try_from(index + 1)) {
            owners.fill(number);
        }
    }

    fn linked_node(&mut self, node: &Node) -> LinkedNode {
        if let Some(known) = self.linked.get(node) {
            return known.clone();
        }
        let server = self.server(node);
        let linked = LinkedNode {
            link: Link::new(Target::Server(server.clone()), self.timeout),
            server,
        };
        self.linked.insert(node.clone(), linked.clone());
        linked
    }

    fn server(&self, (host, port): &Node) -> Server {
        Server::of_cluster(&self.seeds, host, *port).unwrap_or_else(|| Server {
            host: host.clone(),
            port: *port,
            access: Arc::default(),
        })
    }
}

/// What has this number, counted from 1.
fn nth<T>(items: &[T], number: u16) -> Option<&T> {
    items.get(usize::from(number).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use redis::Value;

    use super::{
        super::super::{deadline::Deadlines, servers::Arrangement, servers::Servers},
        *,
    };

    const TIMEOUT: Duration = Duration::from_millis(400);

    fn seed() -> Server {
        let servers = Servers::parse(&["redis://127.0.0.1:1"], None, false, TIMEOUT);
        match servers.unwrap().arrangement {
            Arrangement::Single(server) => server,
            other => panic!("{other:?}"),
        }
    }

    /// One master has all slots.
    fn topology(master: u16) -> Topology {
        let node = Value::Array(vec![
            Value::BulkString(b"127.0.0.1".to_vec()),
            Value::Int(i64::from(master)),
        ]);
        let slots = Value::Array(vec![Value::Int(0), Value::Int(16_383), node]);
        Topology::read(Value::Array(vec![slots]), &seed()).unwrap()
    }

    fn owner(nodes: &Nodes) -> u16 {
        nodes.owner(7).unwrap().server.port
    }

    /// A port at which nobody listens.
    fn dead() -> u16 {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.local_addr().unwrap().port()
    }

    async fn fails(nodes: &Nodes) {
        let deadlines = Deadlines::new(TIMEOUT);
        let deadline = deadlines.begin(1).unwrap();
        let link = Arc::clone(&nodes.owner(7).unwrap().link);
        assert!(link.connection(&deadline).await.is_err());
    }

    #[tokio::test]
    async fn who_has_not_heard_of_a_failover_does_not_bring_the_dead_master_back() {
        let mut nodes = Nodes::new(&[seed()], TIMEOUT);
        let (dead, promoted, third) = (dead(), 7001, 7002);
        nodes.update(&topology(dead));
        fails(&nodes).await;
        nodes.update(&topology(dead));
        assert_eq!(owner(&nodes), dead, "nobody is known to have taken over");

        nodes.update(&topology(promoted));
        assert_eq!(owner(&nodes), promoted);
        nodes.update(&topology(dead));
        assert_eq!(owner(&nodes), promoted);
        nodes.update(&topology(third));
        assert_eq!(owner(&nodes), third, "slots move");
    }
}
