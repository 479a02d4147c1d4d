//! Who is who in a Cluster, as one of its nodes sees it.
//!
//! Must not know: how to ask.

use std::ops::RangeInclusive;

/// What a node answers to `CLUSTER NODES`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Topology {
    pub(super) nodes: Vec<Node>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) port: u16,
    pub(super) flags: Vec<String>,
    /// Of a replica.
    pub(super) master: Option<String>,
    pub(super) slots: Vec<RangeInclusive<u16>>,
}

impl Topology {
    /// None if it isn't what Redis writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let nodes = text.lines().map(Node::parse).collect::<Option<_>>()?;
        Some(Self { nodes })
    }

    pub(super) fn master_of_slot(&self, slot: u16) -> Option<&Node> {
        let mut masters = self.masters();
        masters.find(|node| node.slots.iter().any(|range| range.contains(&slot)))
    }

    /// Those that have slots.
    pub(super) fn masters(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| !node.slots.is_empty())
    }

    pub(super) fn replicas_of(&self, master: &Node) -> impl Iterator<Item = &Node> {
        let id = Some(&master.id);
        self.nodes
            .iter()
            .filter(move |node| node.master.as_ref() == id)
    }

    pub(super) fn with_port(&self, port: u16) -> Option<&Node> {
        self.nodes.iter().find(|node| node.port == port)
    }
}

impl Node {
    /// `<id> <ip>:<port>@<bus> <flags> <master> <ping> <pong> <epoch> <link> <slot>...`
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split(' ');
        let id = fields.next()?.to_owned();
        let (address, _) = fields.next()?.split_once('@')?;
        let (_, port) = address.rsplit_once(':')?;
        let flags = fields.next()?.split(',').map(str::to_owned).collect();
        let master = fields.next()?;
        Some(Self {
            id,
            port: port.parse().ok()?,
            flags,
            master: (master != "-").then(|| master.to_owned()),
            slots: fields.skip(4).filter_map(slots).collect(),
        })
    }

    pub(super) fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|has| has == flag)
    }

    /// Nobody thinks that it failed, and everybody has met it.
    pub(super) fn is_well(&self) -> bool {
        !["fail", "fail?", "handshake", "noaddr"]
            .iter()
            .any(|flag| self.has_flag(flag))
    }
}

/// `5`, `0-5460`; None for a slot on its way from or to another node (`[5->-<id>]`), which stands beside those that it has.
fn slots(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
aa 127.0.0.1:10001@20001 myself,master - 0 1426238317239 4 connected 0-5460 5462 [5->-bb]
bb 127.0.0.1:10002@20002,host master,fail? - 0 1426238316232 2 connected 5461 5463-16383
cc 127.0.0.1:10003@20003 slave aa 0 1426238317741 3 connected
";

    fn ports<'a>(nodes: impl Iterator<Item = &'a Node>) -> Vec<u16> {
        nodes.map(|node| node.port).collect()
    }

    #[test]
    fn slots_have_masters_and_masters_have_replicas() {
        let topology = Topology::parse(TEXT).unwrap();
        assert_eq!(ports(topology.masters()), [10_001, 10_002]);
        for (slot, port) in [
            (5, 10_001),
            (5461, 10_002),
            (5462, 10_001),
            (16_383, 10_002),
        ] {
            assert_eq!(topology.master_of_slot(slot).unwrap().port, port, "{slot}");
        }
        let [first, second] = [10_001, 10_002].map(|port| topology.with_port(port).unwrap());
        assert_eq!(ports(topology.replicas_of(first)), [10_003]);
        assert_eq!(ports(topology.replicas_of(second)), [] as [u16; 0]);
    }

    #[test]
    fn a_suspected_node_is_not_well() {
        let topology = Topology::parse(TEXT).unwrap();
        let well: Vec<_> = topology.nodes.iter().map(Node::is_well).collect();
        assert_eq!(well, [true, false, true]);
    }

    #[test]
    fn anything_else_is_no_topology() {
        assert_eq!(Topology::parse("aa 127.0.0.1:10001 master"), None);
    }
}
