//! The `Forwarded` header of RFC 7239, as real proxies and others write it.

use super::{app, from};
use crate::support::{config, send};

const PROXY: &str = "192.0.2.1";
const FORWARDED: &str = "Forwarded";

#[actix_web::test]
async fn whom_a_forwarded_header_names() {
    let config = config(|config| {
        config
            .rate_limit(1000)
            .trusted_proxies([PROXY])
            .client_ip_header("forwarded")
    });
    let app = app!(config);
    let client = "198.51.100.7";
    let v6 = "2001:db8:cafe::/64";
    for (lines, expected) in [
        (&["for=198.51.100.7"][..], client),
        (&["For=\"198.51.100.7:4711\""], client),
        (&["proto=https;for=198.51.100.7;by=192.0.2.1"], client),
        (&["for=203.0.113.1, for=198.51.100.7"], client),
        (&["for=203.0.113.1", "for=198.51.100.7"], client),
        (&["for=\"198.51.100.7:_p1\""], client),
        (&["for=\"[2001:db8:cafe::17]:4711\""], v6),
        (&["for=\"[2001:DB8:CAFE::17]\""], v6),
        (&["host=\"a,b;for=203.0.113.9\";for=198.51.100.7"], client),
        (&["for=198.51.100.7, for=192.0.2.1"], client),
        (&["for=203.0.113.9;x=\"", "for=198.51.100.7"], client),
        (&["for=\"203.0.113.9, for=198.51.100.7"], client),
        (&["for=unknown"], PROXY),
        (&["for=203.0.113.9, for=_node7"], PROXY),
        (&["for: 198.51.100.7"], PROXY),
        (&["for=\"198.51.100.7"], PROXY),
        (&[";;,,"], PROXY),
        (&["proto=https"], PROXY),
        (&["for=198.51.100.7;for=198.51.100.8"], PROXY),
    ] {
        let lines: Vec<_> = lines.iter().map(|line| (FORWARDED, *line)).collect();
        let answer = send(&app, from(PROXY, "/ping", &lines)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.body.as_str()),
            (200, expected),
            "{lines:?}"
        );
    }
}

#[actix_web::test]
async fn only_the_header_that_was_chosen_is_read() {
    let config = config(|config| {
        config
            .trusted_proxies([PROXY])
            .client_ip_header("Forwarded")
    });
    let app = app!(config);
    let lines = [
        ("X-Forwarded-For", "203.0.113.9"),
        (FORWARDED, "for=198.51.100.7"),
    ];
    let answer = send(&app, from(PROXY, "/ping", &lines)).await;
    assert_eq!(answer.body, "198.51.100.7");
}
