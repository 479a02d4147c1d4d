use super::*;

fn trust(proxies: &[&str]) -> ProxyTrust {
    ProxyTrust {
        networks: Networks::parse(proxies).unwrap(),
        ..ProxyTrust::nobody()
    }
}

fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(
            HeaderName::from_static(name),
            HeaderValue::from_str(value).unwrap(),
        );
    }
    headers
}

fn client(peer: &str, trust: &ProxyTrust, lines: &[(&'static str, &str)]) -> Client {
    identify(Some(peer.parse().unwrap()), &headers(lines), trust, 64, 0)
}

const XFF: &str = "x-forwarded-for";

#[test]
fn a_peer_that_is_not_trusted_is_the_client_whatever_it_sends() {
    let nobody = ProxyTrust::nobody();
    for name in [
        XFF,
        "x-real-ip",
        "forwarded",
        "cf-connecting-ip",
        "true-client-ip",
        "x-client-ip",
    ] {
        let client = client("198.51.100.7", &nobody, &[(name, "203.0.113.50")]);
        assert_eq!(client.to_string(), "198.51.100.7", "{name}");
        assert!(client.can_be_struck(), "{name}");
    }
    for peer in ["100.63.255.255", "100.128.0.0", "101.64.0.1"] {
        let client = client(peer, &nobody, &[(XFF, "203.0.113.50")]);
        assert!(client.can_be_struck(), "{peer}");
    }
    let mapped = client("::ffff:198.51.100.7", &nobody, &[]);
    assert_eq!(mapped, client("198.51.100.7", &nobody, &[]));
}

#[test]
fn a_local_peer_that_forwards_is_a_proxy_nobody_declared_and_is_never_struck() {
    let elsewhere = trust(&["192.0.2.1"]);
    for peer in [
        "127.0.0.1",
        "10.0.0.5",
        "192.168.1.1",
        "172.16.0.1",
        "169.254.1.1",
        "100.64.0.1",
        "100.127.255.255",
        "::1",
        "fd00::1",
        "fe80::1",
    ] {
        let forwarding = client(peer, &elsewhere, &[(XFF, "203.0.113.50")]);
        assert_eq!(forwarding.address(), Some(peer.parse().unwrap()), "{peer}");
        assert_eq!(forwarding.role(), Role::UndeclaredProxy, "{peer}");
        assert!(!forwarding.can_be_struck(), "{peer}");
        assert!(client(peer, &elsewhere, &[]).can_be_struck(), "{peer}");
    }
}

#[test]
fn the_configured_header_gives_a_local_proxy_away_as_the_usual_ones_do() {
    let fly = ProxyTrust {
        header: ClientIpHeader::of(HeaderName::from_static("fly-client-ip")),
        ..trust(&["192.0.2.1"])
    };
    let role = |name| client("10.0.0.5", &fly, &[(name, "203.0.113.5")]).role();
    for name in ["fly-client-ip", XFF, "forwarded", "x-real-ip"] {
        assert_eq!(role(name), Role::UndeclaredProxy, "{name}");
    }
    assert_eq!(role("true-client-ip"), Role::Client);
}

#[test]
fn a_trusted_peer_names_the_client() {
    let proxies = trust(&["192.0.2.1", "198.51.100.0/24"]);
    for (peer, line, expected) in [
        ("192.0.2.1", "203.0.113.1, 203.0.113.7", "203.0.113.7"),
        (
            "192.0.2.1",
            "203.0.113.200, 203.0.113.5, 198.51.100.20",
            "203.0.113.5",
        ),
        ("::ffff:192.0.2.1", "203.0.113.7:4711", "203.0.113.7"),
        (
            "192.0.2.1",
            "[2001:db8:cafe::17]:4711",
            "2001:db8:cafe::/64",
        ),
    ] {
        let client = client(peer, &proxies, &[(XFF, line)]);
        assert_eq!(client.to_string(), expected, "{line}");
        assert!(client.can_be_struck(), "{line}");
    }
}

#[test]
fn a_trusted_peer_that_names_nobody_is_infrastructure_and_never_struck() {
    let proxies = trust(&["192.0.2.1", "198.51.100.0/24"]);
    for lines in [
        &[][..],
        &[(XFF, "unknown")],
        &[(XFF, "203.0.113.9, _hidden")],
        &[(XFF, "198.51.100.21, 198.51.100.20")],
        &[("x-real-ip", "203.0.113.9")],
    ] {
        let client = client("192.0.2.1", &proxies, lines);
        assert_eq!(client.role(), Role::Infrastructure, "{lines:?}");
        assert_eq!(client.to_string(), "192.0.2.1", "{lines:?}");
        assert!(!client.can_be_struck(), "{lines:?}");
    }
}

#[test]
fn without_a_peer_there_is_one_client_that_is_never_struck_unless_unix_sockets_are_trusted() {
    let forwarded = headers(&[(XFF, "203.0.113.7")]);
    let unknown = identify(None, &forwarded, &ProxyTrust::nobody(), 64, 0);
    assert_eq!(unknown.to_string(), "unknown");
    assert_eq!(unknown.address(), None);
    assert!(!unknown.can_be_struck());

    let unix = ProxyTrust {
        unix: true,
        ..ProxyTrust::nobody()
    };
    let named = identify(None, &forwarded, &unix, 64, 0);
    assert_eq!(named.to_string(), "203.0.113.7");
    assert!(named.can_be_struck());
    let silent = identify(None, &headers(&[]), &unix, 64, 0);
    assert_eq!(silent.role(), Role::Infrastructure);
    assert_eq!(silent.address(), None);
}

#[test]
fn loopback_is_direct_only_without_a_forwarding_header() {
    let (nobody, loopback) = (ProxyTrust::nobody(), trust(&["127.0.0.1", "::1"]));
    for trust in [&nobody, &loopback] {
        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(client(peer, trust, &[]).is_direct_loopback(), "{peer}");
            let forwarding = client(peer, trust, &[(XFF, "127.0.0.1")]);
            assert!(!forwarding.is_direct_loopback(), "{peer}");
        }
    }
    assert!(!client("10.0.0.1", &nobody, &[]).is_direct_loopback());
    let elsewhere = trust(&["192.0.2.1"]);
    let named = client("192.0.2.1", &elsewhere, &[(XFF, "127.0.0.1")]);
    assert_eq!(named.to_string(), "127.0.0.1");
    assert!(!named.is_direct_loopback());
}
