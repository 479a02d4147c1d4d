//! `X-Forwarded-For` and headers with a single address, from trusted proxies and from everybody else.

use actix_web::http::header::{HeaderName, HeaderValue};

use super::{XFF, app, from, remaining};
use crate::support::{config, send};

const PROXY: &str = "192.0.2.1";

#[actix_web::test]
async fn what_a_client_writes_to_the_left_gives_it_no_other_bucket() {
    let config = config(|config| config.rate_limit(5).trusted_proxies(["192.0.2.1/32"]));
    let app = app!(config);
    for number in 1..=10 {
        let line = format!("203.0.113.{number}, 198.51.100.7");
        let answer = send(&app, from(PROXY, "/ping", &[(XFF, &line)])).await;
        let expected = if number <= 5 { 200 } else { 429 };
        assert_eq!(answer.status, expected, "{line}");
    }
    let written = send(&app, from(PROXY, "/ping", &[(XFF, "203.0.113.1")])).await;
    assert_eq!(written.status, 200);
    assert_eq!(remaining(&written), 4, "it was never charged");
}

#[actix_web::test]
async fn the_walk_goes_from_the_right_past_trusted_addresses_and_no_further() {
    let config = config(|config| {
        config
            .rate_limit(1000)
            .trusted_proxies([PROXY, "198.51.100.0/24", "2001:db8:cf::/48"])
    });
    let app = app!(config);
    let many = "203.0.113.66, ".repeat(499) + "203.0.113.8";
    for (peer, lines, expected) in [
        (
            PROXY,
            &[(XFF, "203.0.113.200, 203.0.113.5, 198.51.100.20")][..],
            "203.0.113.5",
        ),
        (
            PROXY,
            &[(XFF, "203.0.113.200"), (XFF, "203.0.113.6")],
            "203.0.113.6",
        ),
        (
            PROXY,
            &[(XFF, "203.0.113.7"), (XFF, "198.51.100.20, ,"), (XFF, "")],
            "203.0.113.7",
        ),
        (PROXY, &[(XFF, &many)], "203.0.113.8"),
        (
            "2001:db8:cf::1",
            &[(XFF, "2001:DB8:5::1")],
            "2001:db8:5::/64",
        ),
        (
            "198.51.100.9",
            &[(XFF, "\"[2001:db8:6::1]:443\"")],
            "2001:db8:6::/64",
        ),
        (PROXY, &[(XFF, "::ffff:203.0.113.9")], "203.0.113.9"),
        (PROXY, &[(XFF, "fe80::1%eth0")], "fe80::/64"),
        ("203.0.113.77", &[(XFF, "203.0.113.5")], "203.0.113.77"),
    ] {
        let answer = send(&app, from(peer, "/ping", lines)).await;
        assert_eq!(answer.body, expected, "{lines:?}");
    }
}

#[actix_web::test]
async fn with_trust_for_one_of_two_proxies_the_other_is_the_client() {
    let config = config(|config| config.trusted_proxies([PROXY]));
    let app = app!(config);
    let line = "203.0.113.200, 203.0.113.5, 198.51.100.20";
    let answer = send(&app, from(PROXY, "/ping", &[(XFF, line)])).await;
    assert_eq!(answer.body, "198.51.100.20");
}

#[actix_web::test]
async fn no_bytes_in_the_header_are_an_error_of_the_server() {
    let config = config(|config| config.rate_limit(2).trusted_proxies([PROXY]));
    let app = app!(config);
    let odd: [&[u8]; 12] = [
        b"unknown",
        b"-",
        b"_hidden",
        b"999.1.1.1",
        b"198.51.100",
        b"${1+1}",
        b"198.51.100.7 OR 1=1",
        &[b'a'; 8000],
        b"\xFF",
        b"",
        b"203.0.113.9, unknown",
        b"203.0.113.9, \xFF",
    ];
    for line in odd {
        for name in ["x-forwarded-for", "forwarded", "x-real-ip"] {
            let mut request = from(PROXY, "/ping", &[]).to_request();
            request.headers_mut().append(
                HeaderName::from_static(name),
                HeaderValue::from_bytes(line).unwrap(),
            );
            let response = actix_web::test::call_service(&app, request).await;
            assert_eq!(response.status(), 200);
            let body = actix_web::test::read_body(response).await;
            assert_eq!(body, PROXY, "never what stands to the left");
        }
    }
    // Nothing was counted for the proxy, nor for anybody else.
    let client = send(&app, from(PROXY, "/ping", &[(XFF, "203.0.113.9")])).await;
    assert_eq!(remaining(&client), 1);
}

#[actix_web::test]
async fn a_header_with_one_address_names_the_client_as_it_stands() {
    let config = config(|config| {
        config
            .rate_limit(1000)
            .trusted_proxies(["192.0.2.0/24", "2001:db8:cf::/48"])
            .client_ip_header("CF-Connecting-IP")
    });
    let app = app!(config);
    let header = "cf-connecting-ip";
    let nobody = "192.0.2.8";
    for (peer, lines, expected) in [
        (
            "192.0.2.8",
            &[(header, "203.0.113.5"), (XFF, "203.0.113.77, 203.0.113.5")][..],
            "203.0.113.5",
        ),
        ("192.0.2.8", &[(header, "192.0.2.77")], "192.0.2.77"),
        (
            "2001:db8:cf::1",
            &[(header, "2001:db8:5::1")],
            "2001:db8:5::/64",
        ),
        ("192.0.2.8", &[(header, " 203.0.113.5:80 ")], "203.0.113.5"),
        ("192.0.2.8", &[], nobody),
        ("192.0.2.8", &[(XFF, "203.0.113.77")], nobody),
        (
            "192.0.2.8",
            &[(header, "203.0.113.5"), (header, "203.0.113.6")],
            nobody,
        ),
        ("192.0.2.8", &[(header, "203.0.113.5, 203.0.113.6")], nobody),
        ("192.0.2.8", &[(header, "abc")], nobody),
        ("198.51.100.9", &[(header, "203.0.113.5")], "198.51.100.9"),
    ] {
        let answer = send(&app, from(peer, "/ping", lines)).await;
        assert_eq!(answer.body, expected, "{lines:?}");
    }
    // Pseudo IPv4: the address that the header names is the client; the other header is not read.
    let pseudo = [
        (header, "240.1.2.3"),
        ("CF-Connecting-IPv6", "2001:db8:6::1"),
    ];
    let answer = send(&app, from("192.0.2.8", "/ping", &pseudo)).await;
    assert_eq!(answer.body, "240.1.2.3");
}

#[actix_web::test]
async fn the_cloudflare_preset_trusts_its_networks_and_reads_its_header() {
    let config = config(|config| config.trusted_proxies(["cloudflare"]));
    let printed = config.to_string();
    assert!(
        printed.contains("trusted_proxies = [\"cloudflare\"]"),
        "{printed}"
    );
    assert!(
        printed.contains("client_ip_header = \"cf-connecting-ip\""),
        "{printed}"
    );
    let app = app!(config);
    let named = [
        ("CF-Connecting-IP", "203.0.113.5"),
        (XFF, "203.0.113.6, 203.0.113.7"),
    ];
    for (peer, expected) in [
        ("173.245.48.1", "203.0.113.5"),
        ("2606:4700::1", "203.0.113.5"),
        ("198.51.100.9", "198.51.100.9"),
    ] {
        let answer = send(&app, from(peer, "/ping", &named)).await;
        assert_eq!(answer.body, expected, "{peer}");
    }
}

#[actix_web::test]
async fn the_cloudflare_preset_does_not_choose_against_what_was_said() {
    let config = config(|config| {
        config
            .client_ip_header("x-forwarded-for")
            .trusted_proxies(["cloudflare"])
    });
    let app = app!(config);
    let named = [("CF-Connecting-IP", "203.0.113.5"), (XFF, "203.0.113.6")];
    let answer = send(&app, from("173.245.48.1", "/ping", &named)).await;
    assert_eq!(answer.body, "203.0.113.6");
}

#[actix_web::test]
async fn presets_of_addresses_near_by() {
    let config = config(|config| config.trusted_proxies(["loopback", "private"]));
    let app = app!(config);
    for (peer, expected) in [
        ("127.0.0.2", "203.0.113.6"),
        ("::1", "203.0.113.6"),
        ("10.1.2.3", "203.0.113.6"),
        ("172.31.0.1", "203.0.113.6"),
        ("192.168.1.1", "203.0.113.6"),
        ("fd00::1", "203.0.113.6"),
        ("172.32.0.1", "172.32.0.1"),
    ] {
        let answer = send(&app, from(peer, "/ping", &[(XFF, "203.0.113.6")])).await;
        assert_eq!(answer.body, expected, "{peer}");
    }
}

#[actix_web::test]
async fn every_spelling_that_a_proxy_may_use_is_one_client() {
    let config = config(|config| config.rate_limit(3).trusted_proxies([PROXY]));
    let app = app!(config);
    let spellings = [
        "2001:db8:0:1::5",
        "2001:0DB8:0000:0001:0:0:0:6",
        "[2001:db8:0:1::7]:443",
        "2001:db8:0:1:ffff::8",
    ];
    let mut statuses = Vec::new();
    for spelling in spellings {
        let answer = send(&app, from(PROXY, "/ping", &[(XFF, spelling)])).await;
        statuses.push(answer.status.as_u16());
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
}
