//! Who is denied: addresses and user agents.

use actix_web_guard::{GuardHandle, SecurityConfig};

use super::{Line, XFF, app, from};
use crate::{
    guard::Dotfiles,
    support::{config, send},
};

const UA: &str = "User-Agent";

#[actix_web::test]
async fn banned_user_agents_are_refused_in_any_case_and_nothing_is_counted() {
    let config = config(|config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(0)
            .banned_user_agents(["sqlmap", "Bad Bot/"])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let peer = "192.0.2.39";
    for agent in ["sqlmap/1.7", "Mozilla/5.0 SQLMap", "x bad bot/2"] {
        for path in ["/ping", "/limited", "/nowhere"] {
            let answer = send(&app, from(peer, path, &[(UA, agent)])).await;
            assert_eq!(answer.status, 403, "{agent}");
            assert_eq!(answer.header("retry-after"), None);
        }
    }
    assert_eq!(handle.ban_of(peer).await.unwrap(), None);
    let others: [&[Line<'_>]; 3] = [&[], &[(UA, "")], &[(UA, "Bad Bot")]];
    for lines in others.iter().take(2) {
        assert_eq!(send(&app, from(peer, "/ping", lines)).await.status, 200);
    }
    let third = send(&app, from(peer, "/limited", others[2])).await;
    assert_eq!(third.status, 200);
}

#[actix_web::test]
async fn a_banned_agent_is_refused_also_when_it_comes_through_a_proxy() {
    let proxy = "192.0.2.1";
    let config = config(|config| {
        config
            .banned_user_agents(["scraper"])
            .trusted_proxies([proxy])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    for lines in [
        &[(UA, "scraper")][..],
        &[(UA, "scraper"), (XFF, "203.0.113.9")],
    ] {
        assert_eq!(send(&app, from(proxy, "/ping", lines)).await.status, 403);
    }
    for address in [proxy, "203.0.113.9"] {
        assert_eq!(handle.ban_of(address).await.unwrap(), None);
        let named = [(XFF, address)];
        assert_eq!(send(&app, from(proxy, "/ping", &named)).await.status, 200);
    }
}

#[actix_web::test]
async fn a_denied_address_is_denied_behind_a_proxy_too() {
    let proxy = "192.0.2.1";
    let config = config(|config| {
        config
            .denied_ips(["203.0.113.0/24", "2001:db8:dead::5"])
            .trusted_proxies([proxy])
    });
    let app = app!(config);
    for (named, expected) in [
        ("203.0.113.9", 403),
        ("::ffff:203.0.113.9", 403),
        ("2001:db8:dead::5", 403),
        ("2001:db8:dead::6", 200),
        ("198.51.100.1", 200),
    ] {
        let answer = send(&app, from(proxy, "/ping", &[(XFF, named)])).await;
        assert_eq!(answer.status, expected, "{named}");
    }
}

#[actix_web::test]
async fn exempt_goes_before_denied() {
    let config = config(|config| {
        config
            .detector(Dotfiles)
            .exempt_ips(["198.51.100.0/24"])
            .denied_ips(["198.51.100.7"])
            .banned_user_agents(["sqlmap"])
    });
    let app = app!(config);
    for agent in ["sqlmap", "other"] {
        let answer = send(&app, from("198.51.100.7", "/ping", &[(UA, agent)])).await;
        assert_eq!(answer.status, 200, "{agent}");
    }
    let elsewhere = from("198.51.101.7", "/ping", &[(UA, "sqlmap")]);
    assert_eq!(send(&app, elsewhere).await.status, 403);
}

#[actix_web::test]
async fn passive_serves_whom_it_would_deny() {
    let config = config(|config| {
        config
            .passive(true)
            .denied_ips(["198.51.100.7"])
            .banned_user_agents(["sqlmap"])
    });
    let app = app!(config);
    assert_eq!(
        send(&app, from("198.51.100.7", "/ping", &[])).await.status,
        200
    );
    let agent = from("198.51.100.8", "/ping", &[(UA, "sqlmap")]);
    assert_eq!(send(&app, agent).await.status, 200);
}

#[test]
fn what_is_no_entry_stops_the_start_with_the_field_and_the_value() {
    let cases = [
        (
            "denied_ips = [\"foo\"]",
            "denied_ips: \"foo\" is not an address or network",
        ),
        (
            "trusted_proxies = [\"192.0.2.1\", \"nginx\"]",
            "trusted_proxies: \"nginx\" is not an address or network",
        ),
        (
            "trusted_proxies = [\"0.0.0.0/0\"]",
            "trusted_proxies: must name your proxies, not everybody",
        ),
        (
            "trusted_proxies = [\"::/1\", \"8000::/1\"]",
            "trusted_proxies: must name your proxies, not everybody",
        ),
        (
            "exempt_ips = [\"unix\"]",
            "exempt_ips: \"unix\" is not an address or network",
        ),
        (
            "banned_user_agents = [\" \"]",
            "banned_user_agents: must be a list without empty items",
        ),
        (
            "exempt_user_agents = [\"preset:monitors\"]",
            "exempt_user_agents: \"preset:monitors\" ",
        ),
        ("exempt_paths = [\"health\"]", "exempt_paths: \"health\" "),
        (
            "exempt_paths = [\"/static/*\"]",
            "exempt_paths: \"/static/*\" ",
        ),
        (
            "client_ip_header = \"x real ip\"",
            "client_ip_header: must ",
        ),
        (
            "client_ip_header = \"x-real-ip\"",
            "client_ip_header: is read only from trusted_proxies",
        ),
        (
            "infrastructure_limit = 0",
            "infrastructure_limit: must be at least 1, not 0",
        ),
        (
            "trusted_proxies = [\"file:/does/not/exist\"]",
            "trusted_proxies: \"file:/does/not/exist\" ",
        ),
        (
            "exempt_crawlers = [\"nobot\"]",
            "exempt_crawlers: \"nobot\" ",
        ),
    ];
    for (toml, expected) in cases {
        let error = SecurityConfig::from_toml(toml).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{toml}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
