use proptest::{collection::vec, prelude::*, sample::select};

use super::*;

fn header(name: &'static str) -> ClientIpHeader {
    ClientIpHeader::of(HeaderName::from_static(name))
}

/// The client that the lines name if these addresses are trusted.
fn named(name: &'static str, lines: &[&[u8]], trusted: &[&str]) -> Option<String> {
    let is_trusted = |address: IpAddr| trusted.contains(&address.to_string().as_str());
    named_client(&header(name), lines.iter().copied(), is_trusted)
        .map(|address| address.to_string())
}

#[track_caller]
fn assert_named(name: &'static str, lines: &[&str], trusted: &[&str], expected: Option<&str>) {
    let bytes: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
    let named = named(name, &bytes, trusted);
    assert_eq!(named.as_deref(), expected, "{name}: {lines:?}");
}

#[test]
fn a_header_is_known_by_its_name() {
    assert_eq!(header("x-forwarded-for"), ClientIpHeader::XForwardedFor);
    assert_eq!(header("forwarded"), ClientIpHeader::Forwarded);
    let single = ClientIpHeader::Single(HeaderName::from_static("cf-connecting-ip"));
    assert_eq!(header("cf-connecting-ip"), single);
    for name in [
        "x-forwarded-for",
        "forwarded",
        "cf-connecting-ip",
        "x-real-ip",
    ] {
        assert_eq!(header(name).name().as_str(), name);
    }
}

#[test]
fn the_rightmost_address_of_x_forwarded_for_is_the_client() {
    for i in 1..=10 {
        let line = format!("203.0.113.{i}, 198.51.100.7");
        assert_named("x-forwarded-for", &[&line], &[], Some("198.51.100.7"));
    }
    let cases: &[(&[&str], &str)] = &[
        (&["203.0.113.1"], "203.0.113.1"),
        (&["203.0.113.1", "198.51.100.7"], "198.51.100.7"),
        (&["203.0.113.1,198.51.100.7,, ,"], "198.51.100.7"),
        (&["198.51.100.7", "", ", ,\t"], "198.51.100.7"),
        (&["unknown, 198.51.100.7:4711"], "198.51.100.7"),
        (&["\"", "x\", \"[2001:DB8::17]:80\""], "2001:db8::17"),
        (&["::ffff:198.51.100.7"], "198.51.100.7"),
    ];
    for (lines, client) in cases {
        assert_named("x-forwarded-for", lines, &[], Some(client));
    }
}

#[test]
fn the_rightmost_element_of_forwarded_is_the_client() {
    let cases: &[(&[&str], Option<&str>)] = &[
        (&["for=203.0.113.1, for=198.51.100.7"], Some("198.51.100.7")),
        (
            &["for=203.0.113.1", "for=198.51.100.7"],
            Some("198.51.100.7"),
        ),
        (
            &["for=203.0.113.1", "for=192.0.2.1", ""],
            Some("203.0.113.1"),
        ),
        (&["for=203.0.113.1", "proto=https"], None),
    ];
    for (lines, client) in cases {
        assert_named("forwarded", lines, &["192.0.2.1"], *client);
    }
}

#[test]
fn trusted_addresses_are_walked_past() {
    let header = "203.0.113.200, 203.0.113.5, 198.51.100.20";
    let cases: &[(&[&str], &[&str], Option<&str>)] = &[
        (&[header], &["198.51.100.20"], Some("203.0.113.5")),
        (&[header], &[], Some("198.51.100.20")),
        (
            &["203.0.113.5, ::ffff:198.51.100.20"],
            &["198.51.100.20"],
            Some("203.0.113.5"),
        ),
        (
            &["203.0.113.5", "198.51.100.20", ""],
            &["198.51.100.20"],
            Some("203.0.113.5"),
        ),
        (
            &["198.51.100.21, 198.51.100.20"],
            &["198.51.100.20", "198.51.100.21"],
            None,
        ),
    ];
    for (lines, trusted, client) in cases {
        assert_named("x-forwarded-for", lines, trusted, *client);
    }
}

#[test]
fn five_hundred_entries_are_a_list_like_others() {
    let trusted = vec!["198.51.100.20"; 499].join(", ");
    let line = format!("203.0.113.5, {trusted}");
    assert_named(
        "x-forwarded-for",
        &[&line],
        &["198.51.100.20"],
        Some("203.0.113.5"),
    );
    let line = line.replace("203", "for=203").replace(", ", ", for=");
    assert_named(
        "forwarded",
        &[&line],
        &["198.51.100.20"],
        Some("203.0.113.5"),
    );
}

#[test]
fn an_unreadable_hop_ends_the_walk() {
    let long = "a".repeat(8192);
    for hop in [
        "unknown",
        "-",
        "_hidden",
        "999.1.1.1",
        "198.51.100",
        "${1+1}",
        "198.51.100.7 OR 1=1",
        &long,
    ] {
        for left in ["", "203.0.113.9, ", "203.0.113.10, "] {
            let line = format!("{left}{hop}");
            assert_named("x-forwarded-for", &[&line], &[], None);
            let line = format!("{line}, 192.0.2.1");
            assert_named("x-forwarded-for", &[&line], &["192.0.2.1"], None);
        }
        assert_named("x-forwarded-for", &["203.0.113.9", hop], &[], None);
        assert_named("cf-connecting-ip", &[hop], &[], None);
        let element = format!("for=203.0.113.9, for=\"{hop}\"");
        assert_named("forwarded", &[&element], &[], None);
    }
    for name in ["x-forwarded-for", "forwarded", "cf-connecting-ip"] {
        assert_eq!(named(name, &[b"203.0.113.9,\xFF"], &[]), None, "{name}");
        assert_eq!(named(name, &[b"for=203.0.113.9,for=\xFF"], &[]), None);
        assert_named(name, &[""], &[], None);
        assert_named(name, &[], &[], None);
    }
}

#[test]
fn a_single_address_is_the_client_even_if_trusted() {
    let cases: &[(&[&str], Option<&str>)] = &[
        (&["203.0.113.5"], Some("203.0.113.5")),
        (&[" 203.0.113.5:80 "], Some("203.0.113.5")),
        (&["2001:db8:5::1"], Some("2001:db8:5::1")),
        (&["192.0.2.8"], Some("192.0.2.8")),
        (&["::ffff:240.1.2.3"], Some("240.1.2.3")),
        (&["203.0.113.5", "203.0.113.6"], None),
        (&["203.0.113.5", "203.0.113.5"], None),
        (&["203.0.113.5", ""], None),
        (&["203.0.113.5, 203.0.113.6"], None),
        (&["203.0.113.5,"], None),
        (&["for=203.0.113.5"], None),
        (&["abc"], None),
    ];
    for (lines, client) in cases {
        assert_named("cf-connecting-ip", lines, &["192.0.2.8"], *client);
    }
}

#[test]
fn only_quoted_pairs_cost_an_allocation() {
    let allocations = |name, line: &str| {
        let header = header(name);
        let lines = [line.as_bytes()];
        let read = || assert!(named_client(&header, lines.into_iter(), |_| false).is_some());
        allocation_counter::measure(read).count_total
    };
    for (name, line, expected) in [
        ("x-forwarded-for", "203.0.113.1, \"198.51.100.7:80\"", 0),
        ("forwarded", r#"for=_a, for="[2001:db8::1%eth0]:80""#, 0),
        ("forwarded", r#"host="a\"b";for=198.51.100.7"#, 0),
        ("forwarded", r#"for="198.51.100.\7""#, 1),
        ("cf-connecting-ip", "2001:db8::1", 0),
    ] {
        assert_eq!(allocations(name, line), expected, "{line}");
    }
}

/// Bytes as an attacker would choose them: pieces of the grammar, addresses, and anything else.
fn hostile_line() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"for=",
        b"For=",
        b"by=",
        b"x=",
        b"\"",
        b"\\",
        b"\\\"",
        b",",
        b", ",
        b";",
        b"=",
        b"[",
        b"]",
        b":80",
        b"%",
        b" ",
        b"203.0.113.8",
        b"203.0.113.9",
        b"192.0.2.1",
        b"2001:db8::1",
        b"::ffff:1.2.3.4",
        b"unknown",
        b"_p1",
    ];
    let piece = prop_oneof![
        8 => select(pieces).prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 0..4),
    ];
    vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

fn slices(lines: &[Vec<u8>]) -> Vec<&[u8]> {
    lines.iter().map(Vec::as_slice).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn no_address_is_invented(lines in vec(hostile_line(), 0..4), trusted: bool) {
        properties::assert_nothing_is_invented(&slices(&lines), |_| trusted);
    }

    #[test]
    fn what_stands_left_is_powerless(lines in vec(hostile_line(), 0..4), client: IpAddr) {
        let proxy = IpAddr::from([192, 0, 2, 1]);
        let client = client.to_canonical();
        prop_assume!(client != proxy);
        properties::assert_what_stands_left_is_powerless(&slices(&lines), client, proxy);
    }

    #[test]
    fn any_bytes_at_all_are_endured(lines in vec(vec(any::<u8>(), 0..64), 0..3)) {
        properties::assert_nothing_is_invented(&slices(&lines), |_| true);
    }
}
