//! Making a Cluster of nodes that don't know each other, and telling when it is one.
//!
//! Must not know: what happens to the Cluster later.

use std::fmt::Debug;

use super::{
    Cluster, MASTERS, NODES, SLOTS, ask, id,
    topology::{Node, Topology},
};
use crate::{Server, wait};

/// Deals out the slots, introduces all nodes to each other, and gives each master its replica: the first half of the nodes
/// are masters. Not by `redis-cli --cluster create`, which sleeps for seconds, and is a package of its own on some systems.
pub(super) fn create(cluster: &Cluster) {
    let (masters, replicas) = cluster.nodes.split_at(MASTERS);
    for (index, master) in masters.iter().enumerate() {
        deal_slots(master, index);
    }
    introduce(&cluster.nodes);
    wait::until_ok(|| cluster.nodes.iter().try_for_each(check_acquaintances));
    for (master, replica) in masters.iter().zip(replicas) {
        replica.command(&["CLUSTER", "REPLICATE", &id(master)]);
    }
}

fn deal_slots(master: &Server, index: usize) {
    // Else the masters would have to settle later who of them goes first.
    master.command(&["CLUSTER", "SET-CONFIG-EPOCH", &(index + 1).to_string()]);
    let slots: Vec<String> = (index * SLOTS / MASTERS..(index + 1) * SLOTS / MASTERS)
        .map(|slot| slot.to_string())
        .collect();
    // ADDSLOTSRANGE came with Redis 7.
    let mut command = vec!["CLUSTER", "ADDSLOTS"];
    command.extend(slots.iter().map(String::as_str));
    master.command(&command);
}

/// Each meets each: gossip would do the rest, but takes its time.
fn introduce(nodes: &[Server]) {
    for (index, node) in nodes.iter().enumerate() {
        for earlier in &nodes[..index] {
            let port = earlier.port().to_string();
            node.command(&["CLUSTER", "MEET", "127.0.0.1", &port]);
        }
    }
}

fn check_acquaintances(node: &Server) -> Result<(), String> {
    let topology = ask(node)?;
    let known = topology.nodes.iter().filter(|node| node.is_well()).count();
    (known == NODES)
        .then_some(())
        .ok_or_else(|| format!("{} to know all nodes: {topology:?}", node.url()))
}

/// Whether a node sees all slots served, and a replica for each master.
pub(super) fn check_completeness(node: &Server) -> Result<(), String> {
    let topology = check_state(node)?;
    let complete = topology.nodes.len() == NODES
        && topology.nodes.iter().all(Node::is_well)
        && topology.masters().count() == MASTERS
        && topology
            .masters()
            .all(|master| topology.replicas_of(master).count() == 1);
    if !complete {
        return Err(format!("{} to know all: {topology:?}", node.url()));
    }
    let own = topology.with_port(node.port());
    match own.and_then(|own| own.master.as_ref()) {
        Some(_) => node.check_link(),
        None => Ok(()),
    }
}

/// Whether a node takes the Cluster to be in order, with what it knows of it.
pub(super) fn check_state(node: &Server) -> Result<Topology, String> {
    let wrong = |what: &dyn Debug| format!("{} to be in order: {what:?}", node.url());
    let info: String = node
        .query(&["CLUSTER", "INFO"])
        .map_err(|error| wrong(&error))?;
    if info.lines().any(|line| line == "cluster_state:ok") {
        ask(node)
    } else {
        Err(wrong(&info))
    }
}
