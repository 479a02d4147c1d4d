use super::*;
use crate::client::Preset;

fn message<T>(read: Result<T, Problem>) -> String {
    match read {
        Ok(_) => panic!("was accepted"),
        Err(problem) => problem.in_field("field").to_string(),
    }
}

#[test]
fn lists_of_networks() {
    let read = as_networks(&Raw::texts(["10.0.0.0/8", "::1"])).unwrap();
    assert_eq!(read.entries().collect::<Vec<_>>(), ["10.0.0.0/8", "::1"]);
    assert!(as_networks(&Raw::List(vec![])).unwrap().is_empty());
    let cases = [
        (
            Raw::texts(["::1", "foo"]),
            "\"foo\" is not an address or network",
        ),
        (
            Raw::texts(["192.0.2.0/33"]),
            "\"192.0.2.0/33\" is not an address or network",
        ),
        (
            Raw::texts(["::1", " "]),
            "must be a list without empty items",
        ),
        (Raw::text("::1"), "must be a list of texts, not \"::1\""),
        (
            Raw::List(vec![Raw::Integer(5)]),
            "must be a list of texts, not of 5",
        ),
    ];
    for (raw, expected) in cases {
        assert_eq!(message(as_networks(&raw)), format!("field: {expected}"));
    }
}

#[test]
fn proxies_read_back() {
    let (networks, unix) = as_proxies(&Raw::texts([" unix ", "::1", "cloudflare"])).unwrap();
    assert!(unix && networks.has_preset(Preset::Cloudflare));
    let trust = ProxyTrust {
        networks,
        unix,
        ..ProxyTrust::nobody()
    };
    let printed = from_proxies(&trust);
    assert_eq!(printed.to_toml(), r#"["::1", "cloudflare", "unix"]"#);
    let (networks, unix) = as_proxies(&printed).unwrap();
    assert!(unix && networks == trust.networks);
}

#[test]
fn proxies_are_not_everybody() {
    for everybody in [
        &["0.0.0.0/0"][..],
        &["::/0"],
        &["0.0.0.0/1", "128.0.0.0/1"],
        &["10.0.0.1", "::ffff:0.0.0.0/96"],
    ] {
        let message = message(as_proxies(&Raw::texts(everybody.iter().copied())));
        assert!(
            message.starts_with("field: must name your proxies"),
            "{message}"
        );
    }
    assert!(as_proxies(&Raw::texts(["0.0.0.0/1"])).is_ok());
}

#[test]
fn headers_are_named_in_any_case() {
    for (text, expected) in [
        ("X-Forwarded-For", ClientIpHeader::XForwardedFor),
        ("FORWARDED", ClientIpHeader::Forwarded),
        (
            "CF-Connecting-IP",
            ClientIpHeader::Single(HeaderName::from_static("cf-connecting-ip")),
        ),
    ] {
        assert_eq!(as_client_ip_header(&Raw::text(text)).unwrap(), expected);
    }
    for (raw, expected) in [
        (Raw::text(""), "field: must not be empty"),
        (
            Raw::text("x:y"),
            "field: must be the name of a header, not \"x:y\"",
        ),
        (Raw::Integer(7), "field: must be a text, not 7"),
    ] {
        assert_eq!(message(as_client_ip_header(&raw)), expected);
    }
}

#[test]
fn lists_of_user_agents_and_paths_name_what_is_wrong() {
    let agents = Raw::texts(["curl", "preset:nobody"]);
    let complaint = message(as_user_agents(&agents));
    assert!(
        complaint.starts_with("field: \"preset:nobody\" is not a preset"),
        "{complaint}"
    );
    let paths = Raw::texts(["/health", "static"]);
    let complaint = message(as_paths(&paths));
    assert!(complaint.starts_with("field: \"static\" "), "{complaint}");
}

#[test]
fn crawlers_need_the_feature_that_verifies_them() {
    assert!(as_crawlers(&Raw::List(vec![])).unwrap().is_empty());
    let unknown = message(as_crawlers(&Raw::texts(["nobot"])));
    assert!(unknown.starts_with("field: \"nobot\" "), "{unknown}");
    let known = as_crawlers(&Raw::texts(["GoogleBot"]));
    if cfg!(feature = "verify-crawlers") {
        assert!(known.unwrap().entries().eq(["googlebot"]));
    } else {
        let message = message(known);
        assert!(message.contains("\"verify-crawlers\""), "{message}");
    }
}
