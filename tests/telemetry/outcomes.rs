//! Each request counts once, under what became of it and the route that decided.

use actix_web::test::TestRequest;
use actix_web_guard::{Guard, SecurityConfig};

use super::{
    app, preflight, probe,
    recorder::{of, recorded},
};
use crate::support::{config, get, peer, send};

/// The requests of a guard with a configuration, each once, by outcome and route.
async fn check(config: SecurityConfig, requests: Vec<TestRequest>, expected: &[(&str, &str, u32)]) {
    let sent = f64::from(u32::try_from(requests.len()).unwrap());
    let counted = recorded(async || {
        let app = app!(Guard::new(config));
        for request in requests {
            send(&app, request).await;
        }
    })
    .await;
    let counted = of(&counted, "guard_requests_total");
    let expected = expected.iter().map(|(outcome, route, count)| {
        let labels = format!("outcome={outcome:?},route={route:?}");
        (labels, f64::from(*count))
    });
    assert_eq!(counted, expected.collect());
    assert_eq!(counted.values().sum::<f64>(), sent);
}

fn times(times: usize, path: &str) -> Vec<TestRequest> {
    (0..times).map(|_| get(path)).collect()
}

#[actix_web::test]
async fn in_the_global_window() {
    let limited = config(|config| config.rate_limit(3));
    let mut requests = times(2, "/plain");
    requests.extend(times(3, "/nowhere"));
    let expected = [("admitted", "default", 3), ("limited", "default", 2)];
    check(limited, requests, &expected).await;
}

#[actix_web::test]
async fn at_a_limited_route() {
    let expected = [("admitted", "/limited", 2), ("limited", "/limited", 3)];
    check(config(|config| config), times(5, "/limited"), &expected).await;
    let paths = ["/items/1", "/items/2", "/items/3"];
    let expected = [
        ("admitted", "/items/{id}", 2),
        ("limited", "/items/{id}", 1),
    ];
    let requests = paths.map(get).into_iter().collect();
    check(config(|config| config), requests, &expected).await;
}

#[actix_web::test]
async fn at_a_route_by_key_that_counts_in_the_global_window_as_well() {
    let requests = ["/keyed/a", "/keyed/a", "/keyed/b"].map(get);
    let expected = [
        ("admitted", "/keyed/{name}", 2),
        ("limited", "/keyed/{name}", 1),
    ];
    check(config(|config| config), requests.into(), &expected).await;
}

#[actix_web::test]
async fn in_a_scope_under_the_pattern_that_lies_deepest() {
    let requests = ["/scope/plain", "/scope/plain", "/scope/items/1"].map(get);
    let expected = [("admitted", "/scope", 1), ("limited", "/scope", 2)];
    check(config(|config| config), requests.into(), &expected).await;
    let requests = times(3, "/scope/items/1");
    let expected = [
        ("admitted", "/scope/items/{id}", 1),
        ("limited", "/scope/items/{id}", 2),
    ];
    check(config(|config| config), requests, &expected).await;
}

#[actix_web::test]
async fn at_a_route_that_the_configuration_limits() {
    let limited = config(|config| {
        config
            .toml("[[routes]]\npattern = \"/plain\"\nrequests = 1\nwindow = 60\n")
            .unwrap()
    });
    let expected = [("admitted", "/plain", 1), ("limited", "/plain", 1)];
    check(limited, times(2, "/plain"), &expected).await;
}

#[actix_web::test]
async fn of_a_banned_client() {
    let strict = config(|config| config.auto_ban_threshold(0));
    let mut requests = times(4, "/limited");
    requests.extend(times(2, "/free"));
    let expected = [
        ("admitted", "/limited", 2),
        ("banned", "/limited", 1),
        ("banned", "default", 3),
    ];
    check(strict, requests, &expected).await;
}

#[actix_web::test]
async fn of_those_who_are_exempt_and_denied() {
    let lists = config(|config| {
        config
            .exempt_paths(["/plain"])
            .denied_ips(["203.0.113.0/24"])
            .banned_user_agents(["BadScraper"])
    });
    let requests = vec![
        get("/plain"),
        get("/free"),
        get("/limited").peer_addr(peer("203.0.113.5")),
        get("/free").append_header(("User-Agent", "BadScraper/1")),
    ];
    let expected = [("exempt", "default", 2), ("denied", "default", 2)];
    check(lists, requests, &expected).await;
}

#[actix_web::test]
async fn of_threats() {
    let refusing = |line: &'static str| config(move |config| config.toml(line).unwrap());
    for action in ["strike", "refuse"] {
        let line = match action {
            "strike" => "",
            _ => "[detection]\nprobe = \"refuse\"",
        };
        let expected = [("threat", "default", 2)];
        check(refusing(line), vec![probe(), probe()], &expected).await;
    }
    let logging = refusing("[detection]\nprobe = \"log\"");
    check(logging, vec![probe()], &[("admitted", "default", 1)]).await;
}

#[actix_web::test]
async fn of_preflights_and_proxies() {
    let expected = [("admitted", "preflight", 2)];
    check(
        config(|config| config),
        vec![preflight(), preflight()],
        &expected,
    )
    .await;
    let proxy = || get("/plain").peer_addr(peer("198.51.100.9"));
    let trusting = config(|config| config.trusted_proxies(["198.51.100.9"]));
    let expected = [("exempt", "infrastructure", 2)];
    check(trusting, vec![proxy(), proxy()], &expected).await;
    let limiting = config(|config| {
        config
            .trusted_proxies(["198.51.100.9"])
            .infrastructure_limit(1)
    });
    let expected = [
        ("admitted", "infrastructure", 1),
        ("limited", "infrastructure", 1),
    ];
    check(limiting, vec![proxy(), proxy()], &expected).await;
}

#[actix_web::test]
async fn in_passive_mode_what_would_have_become_of_it() {
    let passive = config(|config| config.passive(true).auto_ban_threshold(1));
    let expected = [
        ("admitted", "/limited", 2),
        ("limited", "/limited", 1),
        ("banned", "/limited", 1),
        ("banned", "default", 1),
    ];
    check(passive, times(5, "/limited"), &expected).await;
}

#[actix_web::test]
async fn while_the_store_is_out_of_reach() {
    let closed = config(|config| {
        config
            .toml("store = \"redis://127.0.0.1:1/\"\non_store_failure = \"closed\"\n")
            .unwrap()
    });
    let mut requests = times(2, "/plain");
    requests.extend(times(2, "/limited"));
    let expected = [
        ("unavailable", "default", 2),
        ("unavailable", "/limited", 2),
    ];
    check(closed, requests, &expected).await;
}
