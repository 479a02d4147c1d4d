use std::collections::HashSet;

use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    super::{ClientIpHeader, named_client},
    *,
};

fn hops(line: &str) -> Vec<Option<String>> {
    hops_from_right(line.as_bytes())
        .map(|hop| hop.map(|address| address.to_string()))
        .collect()
}

#[test]
fn elements_say_for_whom() {
    let v4 = "198.51.100.7";
    let v6 = "2001:db8:cafe::17";
    for (element, client) in [
        ("for=198.51.100.7", v4),
        ("FOR=198.51.100.7", v4),
        (r#"For="198.51.100.7:4711""#, v4),
        (r#"for="198.51.100.7:_p1""#, v4),
        ("proto=https;for=198.51.100.7;by=192.0.2.1", v4),
        ("proto=https; for=198.51.100.7 ;\tby=192.0.2.1", v4),
        (";;for=198.51.100.7;", v4),
        (r#"host="a,b;for=203.0.113.9";for=198.51.100.7"#, v4),
        (r#"host="a\",b;for=203.0.113.9";for=198.51.100.7"#, v4),
        (r#"host="a\\";for=198.51.100.7"#, v4),
        (r#"host="";for=198.51.100.7"#, v4),
        (r#"for="1\98.51.100.\7""#, v4),
        ("by=_a;by=_b;for=198.51.100.7", v4),
        (r#"for="[2001:db8:cafe::17]:4711""#, v6),
        (r#"for="[2001:db8:cafe::17]""#, v6),
        (r#"for="2001:db8:cafe::17%eth0""#, v6),
        ("for=198.51.100.7:80", v4),
        ("for=2001:db8:cafe::17", v6),
        ("for=[2001:db8:cafe::17]:4711", v6),
        ("for=198.51.100.7;host=a.example:8080", v4),
    ] {
        assert_eq!(hops(element), [Some(client.to_owned())], "{element}");
    }
}

#[test]
fn other_elements_are_unreadable() {
    for element in [
        "for=unknown",
        "for=_node7",
        r#"for="_node7:80""#,
        "for: 198.51.100.7",
        "for = 198.51.100.7",
        "for=",
        r#"for="""#,
        "for",
        "for;for=198.51.100.7",
        "198.51.100.7",
        "=198.51.100.7",
        "fo r=198.51.100.7",
        r#"for="198.51.100.7"#,
        r#"for=198.51.100.7""#,
        r#"for="198.51.100.7\""#,
        r#"for="198.51.100.7" x"#,
        r#"for="198.51.100.7"x=y"#,
        r#"for=" 198.51.100.7 ""#,
        r#"for="\"198.51.100.7\"""#,
        "for='198.51.100.7'",
        "for=198.51.100.7 OR 1=1",
        "for=198.51.100.7;for=198.51.100.7",
        "for=198.51.100.7;For=unknown",
        "proto=https",
        ";;",
        "for=198.51.100.7;proto",
        "for=198.51.100.7;proto=",
        "for=198.51.100.7;path=/a",
        "for=198.51.100.7;x=\"\u{1}\"",
        "for=198.51.100.7;x=\"\\\u{7f}\"",
    ] {
        assert_eq!(hops(element), [None], "{element}");
    }
}

#[test]
fn elements_are_given_from_the_right_without_empty_ones() {
    let hop = |address: &str| Some(address.to_owned());
    for (line, expected) in [
        (
            "for=203.0.113.1, for=198.51.100.7",
            vec![hop("198.51.100.7"), hop("203.0.113.1")],
        ),
        (
            ",for=203.0.113.1,\t, for=unknown ,",
            vec![None, hop("203.0.113.1")],
        ),
        (";;,,", vec![None]),
        ("", vec![]),
        (" , ,", vec![]),
        (
            r#"for=", for=198.51.100.7;x="a,\"b", for=192.0.2.1"#,
            vec![hop("192.0.2.1"), hop("198.51.100.7"), None],
        ),
        (r#"for=203.0.113.1, for="198.51.100.7"#, vec![None]),
    ] {
        assert_eq!(hops(line), expected, "{line}");
    }
}

/// An element as a proxy may write it, and whom it names.
#[derive(Clone, Debug)]
struct Element {
    text: String,
    client: Option<IpAddr>,
    trusted: bool,
}

fn element() -> impl Strategy<Value = Element> {
    let pairs = vec(other_pair(), 0..3);
    (
        for_pair(),
        pairs,
        any::<prop::sample::Index>(),
        blanks(),
        any::<bool>(),
    )
        .prop_map(|((pair, client), mut pairs, place, blanks, trusted)| {
            pairs.insert(place.index(pairs.len() + 1), pair);
            let text = pairs.join(&format!("{blanks};{blanks}"));
            Element {
                text,
                client,
                trusted,
            }
        })
}

fn for_pair() -> impl Strategy<Value = (String, Option<IpAddr>)> {
    let name = "[Ff][Oo][Rr]";
    let value = node().prop_flat_map(|(node, client)| (value(node), Just(client)));
    (name, value).prop_map(|(name, (value, client))| (format!("{name}={value}"), client))
}

fn node() -> impl Strategy<Value = (String, Option<IpAddr>)> {
    let port = prop_oneof![
        Just(String::new()),
        any::<u16>().prop_map(|port| format!(":{port}")),
        ":_[A-Za-z0-9._-]{1,6}",
    ];
    let name = prop_oneof![
        8 => any::<IpAddr>().prop_map(|address| (bracketed(address), Some(address.to_canonical()))),
        1 => "unknown|_[A-Za-z0-9._-]{1,6}".prop_map(|name| (name, None)),
    ];
    (name, port).prop_map(|((name, client), port)| (name + &port, client))
}

fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

fn other_pair() -> impl Strategy<Value = String> {
    let token = "[!#$%&'*+.^_`|~A-Za-z0-9-]{1,6}".boxed();
    let content = r#"[ -~\t\u{e9}]{0,8}|,for=203\.0\.113\.9|";for=x"#;
    let value = prop_oneof![token.clone(), content.prop_flat_map(quoted)];
    (token, value)
        .prop_filter("not for", |(name, _)| !name.eq_ignore_ascii_case("for"))
        .prop_map(|(name, value)| format!("{name}={value}"))
}

/// In quotes or, as it is allowed here for every node, without.
fn value(content: String) -> impl Strategy<Value = String> {
    prop_oneof![Just(content.clone()), quoted(content)]
}

/// A quoted string in which some characters that need no backslash have one.
fn quoted(content: String) -> impl Strategy<Value = String> {
    let length = content.chars().count();
    vec(any::<bool>(), length).prop_map(move |escaped| {
        let mut text = String::from('"');
        for (char, escaped) in content.chars().zip(escaped) {
            if escaped || "\"\\".contains(char) {
                text.push('\\');
            }
            text.push(char);
        }
        text + "\""
    })
}

fn blanks() -> impl Strategy<Value = &'static str> {
    select(vec!["", " ", "\t", "  "])
}

proptest! {
    #[test]
    fn what_proxies_write_is_what_is_read(
        lines in vec(vec(element(), 0..4), 0..3),
        blanks in blanks(),
        empty in select(vec!["", ",", " , ,"]),
    ) {
        let trusted: HashSet<_> = lines
            .iter()
            .flatten()
            .filter(|element| element.trusted)
            .filter_map(|element| element.client)
            .collect();
        let expected = lines
            .iter()
            .flatten()
            .rev()
            .map(|element| element.client)
            .find(|client| client.is_none_or(|client| !trusted.contains(&client)))
            .flatten();

        let written: Vec<_> = lines
            .iter()
            .map(|elements| {
                let texts: Vec<_> = elements.iter().map(|element| element.text.as_str()).collect();
                texts.join(&format!("{empty}{blanks},{blanks}")) + empty
            })
            .collect();
        let named = named_client(
            &ClientIpHeader::Forwarded,
            written.iter().map(String::as_bytes),
            |address| trusted.contains(&address),
        );
        prop_assert_eq!(named, expected, "{:?}", written);
    }
}
