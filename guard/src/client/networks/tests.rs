use std::{io::Write, path::PathBuf};

use proptest::prelude::*;

use super::*;

/// A file that is gone when the test is over.
struct TemporaryFile {
    path: PathBuf,
}

impl TemporaryFile {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("actix-web-guard-{}-{name}", std::process::id());
        let file = Self {
            path: std::env::temp_dir().join(name),
        };
        file.write(text);
        file
    }

    fn write(&self, text: &str) {
        let mut file = std::fs::File::create(&self.path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn entry(&self) -> String {
        format!("file:{}", self.path.display())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn networks(items: &[&str]) -> Networks {
    Networks::parse(items).unwrap()
}

fn printed(items: &[&str]) -> Vec<String> {
    networks(items).entries().collect()
}

#[test]
fn an_entry_covers_its_addresses_and_no_others() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "192.0.2.1",
            &["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"],
            &["192.0.2.2", "::1"],
        ),
        (
            "192.0.2.0/24",
            &["192.0.2.0", "192.0.2.255", "::ffff:192.0.2.7"],
            &["192.0.1.255", "192.0.3.0"],
        ),
        ("192.0.2.77/24", &["192.0.2.1"], &["192.0.3.1"]),
        (
            "0.0.0.0/0",
            &["0.0.0.0", "255.255.255.255"],
            &["::", "2001:db8::1"],
        ),
        (
            "::/0",
            &["::", "2001:db8::1"],
            &["192.0.2.1", "::ffff:192.0.2.1"],
        ),
        (
            "::ffff:192.0.2.1",
            &["192.0.2.1", "::ffff:192.0.2.1"],
            &["192.0.2.2"],
        ),
        (
            "::ffff:192.0.2.0/120",
            &["192.0.2.9", "::ffff:192.0.2.9"],
            &["192.0.3.9"],
        ),
        (
            "::ffff:0:0/96",
            &["192.0.2.9", "::ffff:198.51.100.1"],
            &["2001:db8::1"],
        ),
        (
            "2001:DB8::/32",
            &["2001:db8::1", "2001:0db8:ffff::"],
            &["2001:db9::", "192.0.2.1"],
        ),
        ("2001:db8::1/128", &["2001:db8:0:0::1"], &["2001:db8::2"]),
        (
            "  198.51.100.0/31 ",
            &["198.51.100.0", "198.51.100.1"],
            &["198.51.100.2"],
        ),
    ];
    for (entry, inside, outside) in cases {
        let networks = networks(&[entry]);
        for address in *inside {
            assert!(
                networks.contains(address.parse().unwrap()),
                "{entry} {address}"
            );
        }
        for address in *outside {
            assert!(
                !networks.contains(address.parse().unwrap()),
                "{entry} {address}"
            );
        }
    }
}

#[test]
fn what_is_not_an_address_or_network_is_named() {
    let bad = [
        "",
        " ",
        "foo",
        "192.0.2",
        "192.0.2.256",
        "192.0.2.0/33",
        "192.0.2.0/",
        "192.0.2.0/-1",
        "192.0.2.0/255.255.255.0",
        "2001:db8::/129",
        "::ffff:192.0.2.0/129",
        "fe80::1%eth0",
        "[::1]",
        "192.0.2.1:80",
        "010.0.0.1",
        "192.0.2.0/24/8",
    ];
    for entry in bad {
        let error = Networks::parse(["192.0.2.1", entry]).unwrap_err();
        assert_eq!(error, NetworkError::not_a_network(entry.trim()));
        assert_eq!(
            error.to_string(),
            format!("{:?} is not an address or network", entry.trim())
        );
    }
}

#[test]
fn entries_are_printed_as_they_are_matched() {
    assert_eq!(
        printed(&[
            "10.1.2.3/8",
            "::ffff:192.0.2.1",
            "2001:DB8::1/64",
            "::1",
            "192.0.2.1/32"
        ]),
        [
            "10.0.0.0/8",
            "192.0.2.1",
            "2001:db8::/64",
            "::1",
            "192.0.2.1"
        ],
    );
}

#[test]
fn printed_entries_are_the_same_set() {
    let set = networks(&["10.1.2.3/8", "::ffff:192.0.2.0/120", "::1"]);
    let again = Networks::parse(set.entries()).unwrap();
    assert_eq!(again, set);
}

#[test]
fn the_empty_set_contains_nothing() {
    let empty = Networks::default();
    assert!(empty.is_empty());
    assert!(!empty.contains("192.0.2.1".parse().unwrap()));
    assert_eq!(empty, networks(&[]));
    assert!(!networks(&["::1"]).is_empty());
}

#[test]
fn presets_cover_what_they_are_named_after() {
    let cases: &[(&str, usize, &[&str], &[&str])] = &[
        (
            "cloudflare",
            22,
            &[
                "173.245.48.1",
                "104.16.0.0",
                "104.27.255.255",
                "131.0.75.255",
                "2606:4700::1111",
                "2a06:98c7:ffff::",
            ],
            &["104.28.0.0", "1.1.1.1", "127.0.0.1", "2a06:98c8::", "::1"],
        ),
        (
            "loopback",
            2,
            &["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"],
            &["128.0.0.0", "10.0.0.1", "::2", "::"],
        ),
        (
            "private",
            6,
            &[
                "10.0.0.1",
                "172.16.0.0",
                "172.31.255.255",
                "192.168.1.1",
                "169.254.1.1",
                "fd00::1",
                "fe80::1",
            ],
            &[
                "127.0.0.1",
                "::1",
                "172.32.0.0",
                "100.64.0.1",
                "192.169.0.0",
                "fec0::1",
                "2001:db8::1",
            ],
        ),
    ];
    for (name, count, inside, outside) in cases {
        let preset = Preset::named(name).unwrap();
        assert_eq!(preset.networks().len(), *count);
        let networks = networks(&[name]);
        assert!(networks.has_preset(preset));
        assert_eq!(networks.entries().collect::<Vec<_>>(), [*name]);
        for address in *inside {
            assert!(
                networks.contains(address.parse().unwrap()),
                "{name} {address}"
            );
        }
        for address in *outside {
            assert!(
                !networks.contains(address.parse().unwrap()),
                "{name} {address}"
            );
        }
    }
}

#[test]
fn a_preset_is_there_only_if_it_is_named() {
    let all = [Preset::Cloudflare, Preset::Loopback, Preset::Private];
    for (items, named) in [
        (&[" loopback ", "private"][..], &all[1..]),
        (&["127.0.0.0/8", "::1"][..], &[]),
        (&["::1", "cloudflare"][..], &all[..1]),
    ] {
        let networks = networks(items);
        for preset in all {
            assert_eq!(
                networks.has_preset(preset),
                named.contains(&preset),
                "{items:?}"
            );
        }
    }
}

#[test]
fn files_are_read_again_and_their_entries_printed_as_written() {
    let file = TemporaryFile::new("reread", "192.0.2.1 # one\r\n");
    let items = ["::1".to_owned(), file.entry(), "private".to_owned()];
    let before = Networks::parse(&items).unwrap();
    assert_eq!(before.entries().collect::<Vec<_>>(), items);
    assert!(before.contains("192.0.2.1".parse().unwrap()));

    file.write("198.51.100.0/24\n");
    let after = before.reread().unwrap();
    assert_eq!(after, before);
    for (address, in_before, in_after) in [
        ("192.0.2.1", true, false),
        ("198.51.100.9", false, true),
        ("::1", true, true),
        ("10.0.0.1", true, true),
    ] {
        let address = address.parse().unwrap();
        assert_eq!(before.contains(address), in_before, "{address}");
        assert_eq!(after.contains(address), in_after, "{address}");
    }

    file.write("# nothing\n");
    assert_eq!(
        before.reread(),
        Err(NetworkError::NoEntries {
            entry: file.entry()
        })
    );
}

#[test]
fn without_files_reading_again_shares_everything() {
    let networks = networks(&["192.0.2.0/24", "::1", "private"]);
    let again = networks.reread().unwrap();
    assert!(Arc::ptr_eq(&again.ipv4, &networks.ipv4));
    assert!(Arc::ptr_eq(&again.ipv6, &networks.ipv6));
}

#[test]
fn what_is_wrong_with_a_file_is_said_after_its_entry() {
    let bad = TemporaryFile::new("bad", &format!("::1\n\n{}\n", "x".repeat(300)));
    let empty = TemporaryFile::new("empty", "");
    let shown = "x".repeat(80);
    let missing = format!("{}.missing", empty.entry());
    let no_such_file = std::fs::File::open(missing.trim_start_matches("file:")).unwrap_err();
    for (entry, rest) in [
        (
            bad.entry(),
            format!("line 3: \"{shown}\" is not an address or network"),
        ),
        (empty.entry(), "has no entries".to_owned()),
        (missing, format!("cannot be read: {no_such_file}")),
    ] {
        let error = Networks::parse(["::1", &entry]).unwrap_err();
        assert_eq!(error.to_string(), format!("{entry:?} {rest}"));
        let marked = error.message(|text| format!("<{text}>"));
        assert!(marked.starts_with(&format!("<{entry}> ")), "{marked}");
        assert!(!marked.contains('"'), "{marked}");
    }
}

/// Pseudo-random numbers, always the same.
fn numbers() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

#[test]
fn a_hundred_thousand_networks_cover_what_a_linear_scan_finds() {
    let mut numbers = numbers();
    let mut next = || numbers.next().unwrap();
    let nets: Vec<IpNet> = (0..100_000)
        .map(|index| {
            let bits = next();
            if index % 4 == 0 {
                let address =
                    Ipv6Addr::from_bits((0x2001 << 112) | (u128::from(bits as u32) << 80));
                Ipv6Net::new(address, 40 + (bits >> 59) as u8)
                    .unwrap()
                    .trunc()
                    .into()
            } else {
                let prefix = 11 + ((bits >> 32) % 22) as u8;
                Ipv4Net::new(Ipv4Addr::from_bits(bits as u32), prefix)
                    .unwrap()
                    .trunc()
                    .into()
            }
        })
        .collect();
    let networks = Networks::parse(nets.iter().map(ToString::to_string)).unwrap();
    assert_eq!(networks.entries().count(), nets.len());
    let mut found = 0;
    for index in 0..200 {
        let bits = next();
        let address: IpAddr = if index % 4 == 0 {
            Ipv6Addr::from_bits((0x2001 << 112) | (u128::from(bits) << 48)).into()
        } else {
            Ipv4Addr::from_bits(bits as u32).into()
        };
        let expected = nets.iter().any(|net| net.contains(&address));
        assert_eq!(networks.contains(address), expected, "{address}");
        found += usize::from(expected);
    }
    assert!(
        (20..180).contains(&found),
        "both answers must occur: {found}"
    );
}

/// Few different bits, so that networks touch, nest and meet the addresses.
fn address() -> impl Strategy<Value = IpAddr> {
    let ends = || {
        prop_oneof![
            Just(0_u8),
            Just(1),
            Just(127),
            Just(128),
            Just(254),
            Just(255)
        ]
    };
    prop_oneof![
        [ends(), ends(), ends(), ends()].prop_map(IpAddr::from),
        (ends(), ends(), any::<bool>()).prop_map(|(first, last, mapped)| {
            let mut bytes = [0; 16];
            bytes[15] = last;
            bytes[if mapped { 12 } else { 0 }] = first;
            if mapped {
                bytes[10] = 255;
                bytes[11] = 255;
            }
            IpAddr::from(bytes)
        }),
    ]
}

fn network() -> impl Strategy<Value = IpNet> {
    (address(), any::<prop::sample::Index>()).prop_map(|(address, index)| {
        let longest = if address.is_ipv4() { 32 } else { 128 };
        IpNet::new(address, index.index(longest + 1) as u8).unwrap()
    })
}

/// What the entry covers, without the library's help.
fn covers(network: &IpNet, address: IpAddr) -> bool {
    let network = parse_network(&network.to_string()).unwrap();
    match (network, address.to_canonical()) {
        (IpNet::V4(network), IpAddr::V4(address)) => {
            let host_bits = 32 - u32::from(network.prefix_len());
            let shifted = |address: Ipv4Addr| u64::from(address.to_bits()) >> host_bits;
            shifted(network.addr()) == shifted(address)
        }
        (IpNet::V6(network), IpAddr::V6(address)) => {
            let host_bits = 128 - u32::from(network.prefix_len());
            let shifted = |address: Ipv6Addr| address.to_bits().checked_shr(host_bits).unwrap_or(0);
            shifted(network.addr()) == shifted(address)
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn a_set_covers_what_one_of_its_entries_covers(
        nets in prop::collection::vec(network(), 0..12),
        addresses in prop::collection::vec(address(), 1..12),
    ) {
        let networks = Networks::parse(nets.iter().map(ToString::to_string)).unwrap();
        for address in addresses {
            let expected = nets.iter().any(|net| covers(net, address));
            prop_assert_eq!(networks.contains(address), expected, "{} {:?}", address, nets);
        }
    }
}
