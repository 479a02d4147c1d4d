use std::time::Duration;

use actix_web::http::Method;

use super::*;
use crate::config::{RedisWindows, StoreFailurePolicy};
#[cfg(feature = "redis")]
use crate::config::{redis_url::RedisUrl, store::StoreChoice};
use crate::detect::{Action, Category};

#[derive(Debug)]
struct StoppedClock;

impl Clock for StoppedClock {
    fn now_millis(&self) -> u64 {
        7
    }
}

/// Without the feature there are none to be set.
const CRAWLERS: &[&str] = if cfg!(feature = "verify-crawlers") {
    &["googlebot"]
} else {
    &[]
};

/// Every setter but those that name Redis servers, with a value that is not the default.
fn all_set() -> SecurityConfigBuilder {
    SecurityConfig::builder()
        .rate_limit(51)
        .rate_limit_window(61)
        .auto_ban_threshold(6)
        .auto_ban_duration(301)
        .enable_rate_limiting(false)
        .enable_ip_banning(false)
        .enable_detection(false)
        .passive(true)
        .count_rejected(false)
        .strike_reset(StrikeReset::After(Duration::from_secs(100)))
        .strike_ttl(101)
        .strike_interval(1)
        .strike_on_status([401, 403])
        .not_found_limit(53)
        .detection(Category::Sqli, Action::Log)
        .detection_cross_site(Action::Strike)
        .detection_headers(["X-Custom"])
        .detection_exempt_paths(["/posts/{id}"])
        .detection_body_bytes(54)
        .detection_body(Action::Log)
        .route(RouteOverride::new("/login", 5, 62).method(Method::POST))
        .exempt_ips(["10.0.0.0/8"])
        .exempt_user_agents(["preset:uptime-monitors"])
        .exempt_paths(["/health"])
        .exempt_loopback(true)
        .exempt_crawlers(CRAWLERS.iter().copied())
        .banned_user_agents(["sqlmap"])
        .denied_ips(vec![String::from("::1")])
        .trusted_proxies(["192.0.2.1", "unix"])
        .client_ip_header("Forwarded")
        .infrastructure_limit(52)
        .ipv6_prefix(56)
        .max_clients(1001)
        .max_bans(1002)
        .ban_file("/var/lib/guard/bans.json")
        .rate_limit_headers(HeaderStyle::Both)
        .redis_prefix("app:")
        .redis_timeout_ms(251)
        .redis_windows(RedisWindows::Local)
        .on_store_failure(StoreFailurePolicy::Open)
        .ban_cache_entries(1003)
}

/// The fields that name Redis servers.
const SERVERS: [&str; 3] = ["store", "redis_sentinel_master", "redis_cluster"];

#[test]
fn every_available_field_has_a_setter_that_sets_it() {
    let config = all_set().build().unwrap();
    let settings = config.settings();
    let default = crate::config::Settings::default();
    let unchanged: Vec<_> = fields()
        .filter(|field| field.show(settings) == field.show(&default))
        .map(|field| field.name)
        .collect();
    let mut expected = SERVERS.to_vec();
    if CRAWLERS.is_empty() {
        expected.insert(0, "exempt_crawlers");
    }
    assert_eq!(unchanged, expected);

    assert_eq!(
        (settings.global.requests, settings.global.window_millis),
        (51, 61_000)
    );
    assert_eq!(settings.auto_ban_threshold, 6);
    assert_eq!(settings.auto_ban_duration, Duration::from_secs(301));
    assert_eq!(settings.strike_ttl, Duration::from_secs(101));
    assert_eq!(settings.strike_interval, Duration::from_secs(1));
    assert_eq!(
        settings.routes,
        [RouteOverride::new("/login", 5, 62).method(Method::POST)]
    );
    let detection = &settings.detection.detection;
    assert_eq!(detection.action(Category::Sqli), Action::Log);
    assert_eq!(detection.action(Category::Xss), Action::Strike);
    assert_eq!(
        (detection.cross_site, detection.body),
        (Action::Strike, Action::Log)
    );
    assert_eq!(
        (detection.headers.as_slice(), detection.body_bytes),
        (
            &[actix_web::http::header::HeaderName::from_static("x-custom")][..],
            54
        )
    );
    assert!(settings.detection.exempt_paths.matches("/posts/7"));
    assert_eq!(settings.strike_on_status, [401, 403]);
    assert!(settings.exempt_ips.contains("10.1.1.1".parse().unwrap()));
    assert!(settings.denied_ips.contains("::1".parse().unwrap()));
    assert_eq!(
        settings.ban_file.as_deref(),
        Some("/var/lib/guard/bans.json".as_ref())
    );
    assert_eq!((settings.max_clients, settings.max_bans), (1001, 1002));
    assert_eq!(settings.redis_prefix, "app:");
    assert_eq!(settings.redis_timeout, Duration::from_millis(251));
    assert_eq!(settings.redis_windows, RedisWindows::Local);
    assert_eq!(settings.on_store_failure, StoreFailurePolicy::Open);
    assert_eq!(settings.ban_cache_entries, 1003);
}

#[cfg(feature = "redis")]
#[test]
fn the_setters_that_name_servers_set_them() {
    let urls = ["redis://:secret@one", "redis://two:7000"];
    let sentinels = SecurityConfig::builder()
        .redis_urls(urls)
        .redis_sentinel_master("mymaster")
        .build()
        .unwrap();
    let settings = sentinels.settings();
    assert_eq!(settings.redis_sentinel_master.as_deref(), Some("mymaster"));
    let StoreChoice::Redis(given) = &settings.store else {
        panic!("{settings:?}");
    };
    assert!(given.iter().map(RedisUrl::as_str).eq(urls));

    let cluster = SecurityConfig::builder()
        .store("memory")
        .store("redis://one")
        .redis_cluster(true)
        .build()
        .unwrap();
    assert!(cluster.settings().redis_cluster);
    assert!(matches!(&cluster.settings().store, StoreChoice::Redis(urls) if urls.len() == 1));
}

#[test]
fn later_calls_override_earlier_ones_even_bad_ones() {
    let config = SecurityConfig::builder()
        .rate_limit(0)
        .toml("rate_limit = 2\nmax_bans = 2")
        .unwrap()
        .env_from([("GUARD_RATE_LIMIT", "3"), ("GUARD_PASSIVE", "yes")])
        .unwrap()
        .rate_limit(4)
        .build()
        .unwrap();
    let settings = config.settings();
    assert_eq!(
        (
            settings.global.requests,
            settings.max_bans,
            settings.passive
        ),
        (4, 2, true)
    );
    assert_eq!(config.environment_overrides(), ["passive"]);
}

#[test]
fn the_environment_overrides_are_known() {
    let config = SecurityConfig::builder()
        .toml("rate_limit = 2")
        .unwrap()
        .env_from([
            ("GUARD_MAX_BANS", "3"),
            ("GUARD_RATE_LIMIT", "3"),
            ("GUARD_STORE", "memory"),
        ])
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(
        config.environment_overrides(),
        ["rate_limit", "store", "max_bans"]
    );
    assert!(SecurityConfig::default().environment_overrides().is_empty());
}

#[test]
fn routes_add_up_and_a_text_replaces_them() {
    let text = "[[routes]]\npattern = \"/b\"\nrequests = 1\nwindow = 1";
    let config = SecurityConfig::builder()
        .route(RouteOverride::new("/a", 1, 1))
        .toml(text)
        .unwrap()
        .route(RouteOverride::new("/c", 1, 1))
        .route(RouteOverride::new("/d", 1, 1))
        .build()
        .unwrap();
    let patterns: Vec<_> = config
        .settings()
        .routes
        .iter()
        .map(|route| route.pattern.clone())
        .collect();
    assert_eq!(patterns, ["/b", "/c", "/d"]);
}

#[test]
fn routes_from_code_are_checked() {
    let cases = [
        (
            RouteOverride::new("login", 1, 1),
            "routes[0].pattern: must begin with \"/\", not \"login\"",
        ),
        (
            RouteOverride::new("/", 0, 1),
            "routes[0].requests: must be at least 1, not 0",
        ),
        (
            RouteOverride::new("/", u32::MAX, 1),
            "routes[0].requests: must be at most 1000000000, not 4294967295",
        ),
        (
            RouteOverride::new("/", 1, 0),
            "routes[0].window: must be at least 1 second, not 0",
        ),
        (
            RouteOverride::new("/", 1, 31_622_401),
            "routes[0].window: must be at most 31622400 seconds, not 31622401",
        ),
    ];
    for (route, expected) in cases {
        let error = SecurityConfig::builder().route(route).build().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let endless = RouteOverride::new("/", 1, u64::MAX);
    let error = SecurityConfig::builder()
        .route(endless)
        .build()
        .unwrap_err();
    assert_eq!(error.field(), "routes[0].window");
}

#[test]
fn a_reset_in_fractions_of_seconds_is_refused() {
    let reset = StrikeReset::After(Duration::from_millis(1500));
    let error = SecurityConfig::builder()
        .strike_reset(reset)
        .build()
        .unwrap_err();
    assert_eq!(error.field(), "strike_reset.after");
    assert!(error.to_string().ends_with("not 1.5s"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_path_that_could_not_be_printed_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let path = std::ffi::OsString::from_vec(vec![b'/', 0xff]);
    let error = SecurityConfig::builder()
        .ban_file(path)
        .build()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("ban_file: must be a path, not"),
        "{error}"
    );
}

#[test]
fn rules_across_fields_blame_the_one_that_was_set() {
    let builder = SecurityConfig::builder()
        .auto_ban_duration(60)
        .strike_interval(60);
    assert_eq!(
        builder.build().unwrap_err().to_string(),
        "strike_interval: must be shorter than strike_ttl (60 seconds), not 60"
    );
    let builder = SecurityConfig::builder()
        .env_from([("GUARD_STRIKE_INTERVAL", "5m")])
        .unwrap();
    assert_eq!(
        builder.build().unwrap_err().to_string(),
        "strike_interval: GUARD_STRIKE_INTERVAL must be shorter than strike_ttl (300 seconds), not 300"
    );
    let builder = SecurityConfig::builder()
        .strike_reset(StrikeReset::After(Duration::from_secs(3600)))
        .strike_ttl(60);
    assert_eq!(builder.build().unwrap_err().field(), "strike_ttl");
}

#[test]
fn a_ban_file_without_bans_is_fine() {
    let builder = SecurityConfig::builder()
        .enable_ip_banning(false)
        .ban_file("/nowhere/at/all");
    assert!(builder.build().is_ok());
}

#[test]
fn what_only_code_can_give_arrives() {
    let config = SecurityConfig::builder()
        .clock(Arc::new(StoppedClock))
        .on_refusal(|_| HttpResponse::ImATeapot().finish())
        .build()
        .unwrap();
    assert_eq!(config.settings().clock.now_millis(), 7);
    assert!(config.settings().on_refusal.is_some());
    assert!(SecurityConfig::default().settings().on_refusal.is_none());
}

#[test]
fn debug_shows_names_and_no_values() {
    let builder = SecurityConfig::builder().store("redis://:secret@host");
    let debug = format!("{builder:?}");
    assert!(debug.contains("store"), "{debug}");
    assert!(!debug.contains("secret"), "{debug}");
}
