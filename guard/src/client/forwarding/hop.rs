//! One hop: an address as people and proxies write it, in any header.
//!
//! The port and the obfuscated port are those of [RFC 7239, section 6](https://www.rfc-editor.org/rfc/rfc7239#section-6),
//! zones those of [RFC 4007, section 11](https://www.rfc-editor.org/rfc/rfc4007#section-11) in the characters that
//! [RFC 6874](https://www.rfc-editor.org/rfc/rfc6874#section-2) leaves them.
//!
//! Must not know: which header the hop is from, or what stands beside it.

use std::net::{IpAddr, Ipv4Addr};

/// Reads a hop that may stand in blanks and in one pair of double quotes.
pub(super) fn read(hop: &[u8]) -> Option<IpAddr> {
    read_trimmed(trim_blanks(hop))
}

/// The same of a hop without blanks.
#[inline]
pub(super) fn read_trimmed(hop: &[u8]) -> Option<IpAddr> {
    let hop = match hop {
        [b'"', quoted @ .., b'"'] => quoted,
        bare => bare,
    };
    parse_bytes(hop)
}

/// Reads an address that is not known to be text.
#[inline]
pub(super) fn parse_bytes(address: &[u8]) -> Option<IpAddr> {
    // Nearly every hop is one with nothing around it.
    match dotted(address) {
        Some(address) => Some(IpAddr::V4(address)),
        None => parse_adorned(std::str::from_utf8(address).ok()?),
    }
}

/// An IPv4 address in its only spelling.
#[inline]
fn dotted(address: &[u8]) -> Option<Ipv4Addr> {
    let (first, rest) = octet(address)?;
    let (second, rest) = octet(rest.strip_prefix(b".")?)?;
    let (third, rest) = octet(rest.strip_prefix(b".")?)?;
    let (fourth, rest) = octet(rest.strip_prefix(b".")?)?;
    rest.is_empty()
        .then(|| Ipv4Addr::new(first, second, third, fourth))
}

/// A number up to 255 without leading zeros, and what follows it.
#[inline]
fn octet(text: &[u8]) -> Option<(u8, &[u8])> {
    let digit = |byte: u8| u16::from(byte - b'0');
    let (number, rest) = match text {
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', rest @ ..] => {
            (digit(*a) * 100 + digit(*b) * 10 + digit(*c), rest)
        }
        [a @ b'1'..=b'9', b @ b'0'..=b'9', rest @ ..] => (digit(*a) * 10 + digit(*b), rest),
        [a @ b'0'..=b'9', rest @ ..] => (digit(*a), rest),
        _ => return None,
    };
    Some((u8::try_from(number).ok()?, rest))
}

/// Reads an address in any spelling, with or without brackets, port and zone. IPv4-mapped IPv6 is IPv4.
///
/// The last group of an IPv6 address without brackets is never a port: `2001:db8::1:80` is an address.
pub(in crate::client) fn parse_address(text: &str) -> Option<IpAddr> {
    parse_bytes(text.as_bytes())
}

/// The same of what is no IPv4 address alone.
fn parse_adorned(text: &str) -> Option<IpAddr> {
    let address: IpAddr = without_zone(without_port(text)?).parse().ok()?;
    Some(address.to_canonical())
}

/// The address without brackets and port; `None` if the brackets are not closed or something else follows them.
fn without_port(text: &str) -> Option<&str> {
    if let Some(bracketed) = text.strip_prefix('[') {
        let (address, after) = bracketed.split_once(']')?;
        let complete = after.is_empty() || after.strip_prefix(':').is_some_and(is_port);
        return complete.then_some(address);
    }
    match text.split_once(':') {
        Some((address, port)) if is_port(port) => Some(address),
        _ => Some(text),
    }
}

/// A zone that is none is left where it is, and makes the address unreadable.
fn without_zone(text: &str) -> &str {
    match text.split_once('%') {
        Some((address, zone)) if is_zone(zone) => address,
        _ => text,
    }
}

fn is_port(text: &str) -> bool {
    match text.strip_prefix('_') {
        Some(obfuscated) => {
            !obfuscated.is_empty() && obfuscated.bytes().all(|byte| is_word(byte, b"._-"))
        }
        None => matches!(text.len(), 1..=5) && text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

fn is_zone(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| is_word(byte, b"-._~%"))
}

fn is_word(byte: u8, marks: &[u8]) -> bool {
    byte.is_ascii_alphanumeric() || marks.contains(&byte)
}

/// Without spaces and tabs at the ends: the optional whitespace of
/// [RFC 9110, section 5.6.3](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.3).
pub(super) fn trim_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ipv4_addresses_are_those_of_the_standard_library(
            any in "[0-9.]{0,17}",
            near in "[0-2]?[0-9]{1,2}(\\.[0-2]?[0-9]{1,2}){3}",
            odd in ".{0,6}",
        ) {
            for text in [any, near, odd] {
                prop_assert_eq!(dotted(text.as_bytes()), text.parse().ok(), "{}", text);
            }
        }
    }

    #[test]
    fn every_spelling_of_an_address_is_read() {
        let v4 = "198.51.100.7";
        let v6 = "2001:db8:cafe::17";
        for (hop, expected) in [
            ("198.51.100.7", v4),
            (" \t198.51.100.7\t ", v4),
            ("198.51.100.7:4711", v4),
            ("198.51.100.7:0", v4),
            ("198.51.100.7:_p1", v4),
            ("198.51.100.7:_a.B-9_", v4),
            ("\"198.51.100.7\"", v4),
            (" \"198.51.100.7:4711\" ", v4),
            ("[198.51.100.7]", v4),
            ("[198.51.100.7]:80", v4),
            ("198.51.100.7%1", v4),
            ("198.51.100.7%1:80", v4),
            ("::ffff:198.51.100.7", v4),
            ("::FFFF:c633:6407", v4),
            ("[::ffff:198.51.100.7]:443", v4),
            ("2001:db8:cafe::17", v6),
            ("2001:0DB8:CAFE:0:0:0:0:17", v6),
            ("[2001:db8:cafe::17]", v6),
            ("[2001:db8:cafe::17]:4711", v6),
            ("[2001:db8:cafe::17]:_p1", v6),
            ("\"[2001:db8:cafe::17]:4711\"", v6),
            ("2001:db8:cafe::17%eth0", v6),
            ("[2001:db8:cafe::17%25eth0]:80", v6),
            ("2001:db8::1:80", "2001:db8::1:80"),
        ] {
            let expected = expected.parse().unwrap();
            assert_eq!(read(hop.as_bytes()), Some(expected), "{hop}");
        }
    }

    #[test]
    fn what_is_no_address_is_unreadable() {
        for hop in [
            "",
            " ",
            "\"",
            "\"\"",
            "unknown",
            "_hidden",
            "-",
            "198.51.100",
            "999.1.1.1",
            "0198.51.100.7",
            "${1+1}",
            "198.51.100.7 OR 1=1",
            "198.51.100.7\n",
            "198.51.100.7:",
            "198.51.100.7:+80",
            "198.51.100.7:123456",
            "198.51.100.7:_",
            "198.51.100.7:_p 1",
            "198.51.100.7:80:80",
            "198.51.100.7%",
            "198.51.100.7% OR 1=1",
            "198.51.100.7, 198.51.100.8",
            "198.51.100.0/24",
            "\"198.51.100.7",
            "198.51.100.7\"",
            "\"\"198.51.100.7\"\"",
            "\" 198.51.100.7 \"",
            "[2001:db8::1",
            "2001:db8::1]",
            "[[2001:db8::1]]",
            "[2001:db8::1]80",
            "[2001:db8::1]:",
            "[2001:db8::1]:http",
            "2001:db8::1%",
            "2001:db8::1%eth0:80",
            "2001:db8:::1",
        ] {
            assert_eq!(read(hop.as_bytes()), None, "{hop}");
        }
    }

    #[test]
    fn what_is_no_text_is_unreadable() {
        for hop in [
            b"\xFF".as_slice(),
            b"198.51.100.7\xFF",
            b"2001:db8::1%\xC3",
            b"198.51.100.7\0",
        ] {
            assert_eq!(read(hop), None, "{hop:?}");
        }
    }
}
