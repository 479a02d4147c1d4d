//! Which node of a Cluster has which slot.
//!
//! Must not know: connections.

use ::redis::{Cmd, Value};

use super::super::{failure::Failure, reply::known_host, servers::Server};

/// The number of slots of every Cluster.
pub(in super::super::super) const SLOTS: usize = 16_384;

/// The nodes, as one of them sees it.
#[derive(Debug, PartialEq)]
pub(in super::super::super) struct Topology {
    ranges: Vec<Range>,
}

/// Slots that one master has. `replicas` may take its place.
#[derive(Debug, PartialEq)]
struct Range {
    first: u16,
    last: u16,
    master: Node,
    replicas: Vec<Node>,
}

pub(in super::super::super) type Node = (Box<str>, u16);

impl Topology {
    /// Has the reply that [`read`](Self::read) reads.
    pub(in super::super::super) fn question() -> Cmd {
        let mut question = ::redis::cmd("CLUSTER");
        question.arg("SLOTS");
        question
    }

    /// What a node answers. A node without a host is where the node is that was asked.
    pub(in super::super::super) fn read(reply: Value, asked: &Server) -> Result<Self, Failure> {
        let Value::Array(ranges) = reply else {
            return Err(Failure::Protocol("CLUSTER SLOTS is no list".into()));
        };
        let ranges = ranges
            .into_iter()
            .map(|range| Range::read(range, &asked.host))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Failure::Protocol("CLUSTER SLOTS lists what are no slots".into()))?;
        if ranges.is_empty() {
            return Err(Failure::ClusterDown(
                format!("{asked} knows of no slots").into(),
            ));
        }
        Ok(Self { ranges })
    }

    /// The masters, each once.
    pub(in super::super::super) fn masters(&self) -> Vec<Node> {
        unique(self.ranges.iter().map(|range| &range.master))
    }

    pub(in super::super::super) fn replicas(&self) -> Vec<Node> {
        unique(self.ranges.iter().flat_map(|range| &range.replicas))
    }

    /// The number of each slot's master in [`masters`](Self::masters).
    pub(super) fn owners(&self) -> impl Iterator<Item = (std::ops::RangeInclusive<u16>, usize)> {
        let masters = self.masters();
        self.ranges.iter().filter_map(move |range| {
            let master = masters.iter().position(|master| *master == range.master)?;
            Some((range.first..=range.last, master))
        })
    }
}

impl Range {
    fn read(range: Value, asked: &str) -> Option<Self> {
        let Value::Array(parts) = range else {
            return None;
        };
        let mut parts = parts.into_iter();
        let first = slot(parts.next()?)?;
        let last = slot(parts.next()?)?;
        let master = node(parts.next()?, asked)?;
        let replicas = parts.filter_map(|replica| node(replica, asked)).collect();
        (first <= last).then_some(Self {
            first,
            last,
            master,
            replicas,
        })
    }
}

fn slot(number: Value) -> Option<u16> {
    let Value::Int(number) = number else {
        return None;
    };
    u16::try_from(number)
        .ok()
        .filter(|slot| usize::from(*slot) < SLOTS)
}

fn node(parts: Value, asked: &str) -> Option<Node> {
    let Value::Array(parts) = parts else {
        return None;
    };
    let mut parts = parts.into_iter();
    let host = match parts.next()? {
        Value::BulkString(host) => known_host(std::str::from_utf8(&host).ok()?),
        Value::Nil => None,
        _ => return None,
    };
    let Value::Int(port) = parts.next()? else {
        return None;
    };
    Some((
        host.unwrap_or_else(|| asked.into()),
        u16::try_from(port).ok()?,
    ))
}

fn unique<'a>(nodes: impl Iterator<Item = &'a Node>) -> Vec<Node> {
    let mut found: Vec<Node> = Vec::new();
    for node in nodes {
        if !found.contains(node) {
            found.push(node.clone());
        }
    }
    found
}

/// The slot of a key: of the part in its first braces, if it has any with something in them.
pub(in super::super::super) fn slot_of(key: &[u8]) -> u16 {
    crc16(hash_tag(key).unwrap_or(key)) & 0x3fff
}

fn hash_tag(key: &[u8]) -> Option<&[u8]> {
    let open = key.iter().position(|byte| *byte == b'{')?;
    let (_, rest) = key.split_at_checked(open + 1)?;
    let close = rest.iter().position(|byte| *byte == b'}')?;
    rest.get(..close).filter(|tag| !tag.is_empty())
}

/// CRC-16/XMODEM.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        let index = (crc >> 8) ^ u16::from(*byte);
        let entry = CRC16.get(usize::from(index)).copied().unwrap_or_default();
        (crc << 8) ^ entry
    })
}

const CRC16: [u16; 256] = crc16_table();

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "evaluated by the compiler"
)]
const fn crc16_table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < table.len() {
        let mut crc = (index as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            let carry = crc & 0x8000 != 0;
            crc <<= 1;
            if carry {
                crc ^= 0x1021;
            }
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Server {
        use super::super::super::servers::{Arrangement, Servers};
        let servers = Servers::parse(
            &["redis://asked:7000"],
            None,
            false,
            std::time::Duration::ZERO,
        );
        match servers.unwrap().arrangement {
            Arrangement::Single(server) => server,
            other => panic!("{other:?}"),
        }
    }

    fn topology(reply: &str) -> Result<Topology, Failure> {
        let reply = reply.replace(' ', "\r\n") + "\r\n";
        let value = ::redis::parse_redis_value(reply.as_bytes()).unwrap();
        Topology::read(value, &server())
    }

    #[test]
    fn keys_have_slots() {
        // From the specification of the Cluster, and what redis-server answers to CLUSTER KEYSLOT.
        assert_eq!(crc16(b"123456789"), 0x31c3);
        assert_eq!(slot_of(b"foo"), 12_182);
        assert_eq!(slot_of(b""), 0);
        for key in ["{user1000}.following", "{user1000}.followers", "user1000"] {
            assert_eq!(slot_of(key.as_bytes()), slot_of(b"user1000"), "{key}");
        }
        assert_eq!(slot_of(b"foo{bar}{zap}"), slot_of(b"bar"));
        assert_eq!(slot_of(b"foo{{bar}}zap"), slot_of(b"{bar"));
        // An empty tag is none, and neither is one that doesn't end.
        assert_eq!(slot_of(b"foo{}{bar}"), crc16(b"foo{}{bar}") & 0x3fff);
        assert_eq!(slot_of(b"foo{bar"), crc16(b"foo{bar") & 0x3fff);
    }

    #[test]
    fn the_reply_to_cluster_slots_names_masters_and_replicas() {
        let topology = topology(
            "*3 \
             *4 :0 :5460 *3 $1 a :7000 $2 id *2 $1 b :7001 \
             *3 :5461 :5461 *2 $-1 :7002 \
             *3 :5462 :16383 *2 $1 a :7000",
        )
        .unwrap();
        let a: Node = ("a".into(), 7000);
        let unnamed: Node = ("asked".into(), 7002);
        assert_eq!(topology.masters(), [a, unnamed]);
        assert_eq!(topology.replicas(), [("b".into(), 7001)]);
        let owners: Vec<_> = topology.owners().collect();
        assert_eq!(owners, [(0..=5460, 0), (5461..=5461, 1), (5462..=16383, 0)]);
    }

    #[test]
    fn other_replies_name_nobody() {
        for reply in [
            "*0",
            ":1",
            "$-1",
            "*1 :1",
            "*1 *0",
            "*1 *3 :0 :16384 *2 $1 a :7000",
            "*1 *3 :-1 :5 *2 $1 a :7000",
            "*1 *3 :5 :4 *2 $1 a :7000",
            "*1 *3 :0 :5 *2 $1 a :70000",
            "*1 *3 :0 :5 *1 $1 a",
            "*1 *2 :0 :5",
        ] {
            assert!(topology(reply).is_err(), "{reply}");
        }
    }
}
