//! What holds of [`named_client`] whatever a header's lines hold, as assertions: property tests and fuzzing share them.
//!
//! Must not know: how the lines came about, or how they are read.

use std::net::IpAddr;

use actix_web::http::header::HeaderName;

use super::{ClientIpHeader, named_client};

/// Of `0000:0000:0000:0000:0000:ffff:255.255.255.255`.
const LONGEST_ADDRESS: usize = 45;

/// A walk gives an address that stands in one of the lines, or none. The same for each that it asks about.
pub(crate) fn assert_nothing_is_invented(lines: &[&[u8]], is_trusted: impl Fn(IpAddr) -> bool) {
    let single = ClientIpHeader::of(HeaderName::from_static("cf-connecting-ip"));
    for header in [
        ClientIpHeader::XForwardedFor,
        ClientIpHeader::Forwarded,
        single,
    ] {
        let found = named_client(&header, lines.iter().copied(), |address| {
            assert_stands_in(lines, address);
            is_trusted(address)
        });
        if let Some(address) = found {
            assert_stands_in(lines, address);
        }
    }
}

fn assert_stands_in(lines: &[&[u8]], address: IpAddr) {
    assert_eq!(address, address.to_canonical());
    let stands = lines.iter().any(|line| stands_in(line, address));
    assert!(stands, "{address} is in none of {lines:?}");
}

/// Whether some spelling of the address begins where letters and marks of addresses begin. A backslash may stand before
/// each of its characters.
fn stands_in(line: &[u8], address: IpAddr) -> bool {
    let text: String = line
        .iter()
        .filter(|byte| **byte != b'\\')
        .map(|byte| char::from(*byte))
        .collect();
    text.split(|char: char| !char.is_ascii_hexdigit() && !":.".contains(char))
        .any(|run| begins_with(run, address))
}

fn begins_with(run: &str, address: IpAddr) -> bool {
    (2..=LONGEST_ADDRESS)
        .filter_map(|length| run.get(..length)?.parse().ok())
        .any(|read: IpAddr| read.to_canonical() == address)
}

/// What a trusted proxy appends says who the client is, whatever stands to the left of it: in the same line, after a
/// comma, or in lines before it.
pub(crate) fn assert_what_stands_left_is_powerless(left: &[&[u8]], client: IpAddr, proxy: IpAddr) {
    for hops in appended_to_x_forwarded_for(client, proxy) {
        assert_names(&ClientIpHeader::XForwardedFor, left, &hops, client, proxy);
    }
    for hops in appended_to_forwarded(client, proxy) {
        assert_names(&ClientIpHeader::Forwarded, left, &hops, client, proxy);
    }
}

fn assert_names(
    header: &ClientIpHeader,
    left: &[&[u8]],
    appended: &str,
    client: IpAddr,
    proxy: IpAddr,
) {
    let separate = left.iter().copied().chain([appended.as_bytes()]);
    let (last, before) = match left {
        [before @ .., last] => (*last, before),
        [] => (b"".as_slice(), left),
    };
    let joined = [last, b", ", appended.as_bytes()].concat();
    let joined = before.iter().copied().chain([joined.as_slice()]);

    let named = named_client(header, separate, |address| address == proxy);
    assert_eq!(named, Some(client), "{left:?} and a line {appended:?}");
    let named = named_client(header, joined, |address| address == proxy);
    assert_eq!(named, Some(client), "{left:?} and in its line {appended:?}");
}

fn appended_to_x_forwarded_for(client: IpAddr, proxy: IpAddr) -> [String; 4] {
    [
        format!("{client}"),
        format!("{client}, {proxy}"),
        format!("{client},, {} ,", with_port(proxy)),
        format!("\"{}\"", with_port(client)),
    ]
}

fn appended_to_forwarded(client: IpAddr, proxy: IpAddr) -> [String; 6] {
    let (client_node, proxy_node) = (with_port(client), with_port(proxy));
    [
        format!("for={client}"),
        format!("For=\"{client_node}\";proto=https"),
        format!("host=\"a,b;for=203.0.113.9\";for={client_node}"),
        format!(r#"host="a\",\\";for="{client_node}";by="\"""#),
        format!("for={client}, for={proxy}"),
        format!(r#"by="\\";for={client};x="\"\\\"", for="{proxy_node}";x="\\\",\"","#),
    ]
}

fn with_port(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => format!("{address}:4711"),
        IpAddr::V6(address) => format!("[{address}]:4711"),
    }
}
