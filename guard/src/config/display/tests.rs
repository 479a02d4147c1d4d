use std::time::Duration;

use actix_web::http::Method;
use proptest::prelude::*;

use crate::config::{
    HeaderStyle, RedisWindows, RouteOverride, SecurityConfig, SecurityConfigBuilder,
    StoreFailurePolicy, StrikeReset, settings::Settings,
};

const DEFAULTS: &str = r#"rate_limit = 50
rate_limit_window = 60
auto_ban_threshold = 5
auto_ban_duration = 300
enable_rate_limiting = true
enable_ip_banning = true
enable_detection = true
passive = false
count_rejected = true
strike_reset = "clean_request"
strike_ttl = 300
strike_interval = 0
strike_on_status = []
# not_found_limit = none
exempt_ips = []
exempt_user_agents = []
exempt_paths = []
exempt_loopback = false
exempt_crawlers = []
banned_user_agents = []
denied_ips = []
trusted_proxies = []
client_ip_header = "x-forwarded-for"
# infrastructure_limit = none
ipv6_prefix = 64
store = "memory"
# redis_sentinel_master = none
redis_prefix = "guard:"
redis_cluster = false
redis_timeout_ms = 250
redis_windows = "shared"
on_store_failure = "local"
max_clients = 1000000
max_bans = 100000
# ban_file = none
ban_cache_entries = 10000
rate_limit_headers = "draft"

[detection]
probe = "strike"
traversal = "strike"
sqli = "strike"
xss = "strike"
command = "strike"
scanner = "strike"
cross_site = "refuse"
headers = ["user-agent", "referer"]
exempt_paths = []
silenced_rules = []
body_bytes = 0
body = "refuse"
# routes = none
"#;

#[test]
fn all_defaults_are_printed() {
    assert_eq!(SecurityConfig::default().to_string(), DEFAULTS);
    assert_eq!(format!("{:?}", SecurityConfig::default()), DEFAULTS);
    assert_eq!(
        SecurityConfig::builder().build().unwrap().to_string(),
        DEFAULTS
    );
}

#[test]
fn routes_and_resets_are_printed_as_toml() {
    let config = SecurityConfig::builder()
        .strike_reset(StrikeReset::After(Duration::from_secs(3600)))
        .exempt_ips(["10.1.2.3/8", "::1"])
        .route(RouteOverride::new("/a", 1, 2))
        .route(RouteOverride::new("/b", 3, 4).method(Method::POST))
        .build()
        .unwrap();
    let printed = config.to_string();
    for line in [
        "strike_reset = { after = 3600 }\n",
        "strike_ttl = 3600\n",
        "exempt_ips = [\"10.0.0.0/8\", \"::1\"]\n",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let routes = "\n[[routes]]\npattern = \"/a\"\nrequests = 1\nwindow = 2\n\
                  \n[[routes]]\npattern = \"/b\"\nmethod = \"POST\"\nrequests = 3\nwindow = 4\n";
    assert!(printed.ends_with(routes), "{printed}");
}

/// Fails to compile when a field is added that this comparison does not know.
fn assert_equal(left: &Settings, right: &Settings) {
    let Settings {
        global,
        auto_ban_threshold,
        auto_ban_duration,
        enable_rate_limiting,
        enable_ip_banning,
        enable_detection,
        passive,
        count_rejected,
        strike_reset,
        strike_ttl,
        strike_interval,
        routes,
        exempt_ips,
        exempt_user_agents,
        exempt_paths,
        exempt_loopback,
        exempt_crawlers,
        #[cfg(feature = "verify-crawlers")]
            crawler_name_servers: _,
        banned_user_agents,
        denied_ips,
        proxy_trust,
        infrastructure_limit,
        key_by: _,
        ipv6_prefix,
        store,
        redis_sentinel_master,
        redis_prefix,
        redis_cluster,
        redis_timeout,
        redis_windows,
        on_store_failure,
        max_clients,
        max_bans,
        ban_file,
        ban_cache_entries,
        rate_limit_headers,
        strike_on_status,
        not_found_limit,
        detection,
        detectors: _,
        on_refusal: _,
        clock: _,
    } = left;
    assert_eq!(*global, right.global);
    assert_eq!(*auto_ban_threshold, right.auto_ban_threshold);
    assert_eq!(*auto_ban_duration, right.auto_ban_duration);
    assert_eq!(*enable_rate_limiting, right.enable_rate_limiting);
    assert_eq!(*enable_ip_banning, right.enable_ip_banning);
    assert_eq!(*enable_detection, right.enable_detection);
    assert_eq!(*passive, right.passive);
    assert_eq!(*count_rejected, right.count_rejected);
    assert_eq!(*strike_reset, right.strike_reset);
    assert_eq!(*strike_ttl, right.strike_ttl);
    assert_eq!(*strike_interval, right.strike_interval);
    assert_eq!(*routes, right.routes);
    assert_eq!(*exempt_ips, right.exempt_ips);
    assert_eq!(*exempt_user_agents, right.exempt_user_agents);
    assert_eq!(*exempt_paths, right.exempt_paths);
    assert_eq!(*exempt_loopback, right.exempt_loopback);
    assert_eq!(*exempt_crawlers, right.exempt_crawlers);
    assert_eq!(*banned_user_agents, right.banned_user_agents);
    assert_eq!(*proxy_trust, right.proxy_trust);
    assert_eq!(*infrastructure_limit, right.infrastructure_limit);
    assert_eq!(*denied_ips, right.denied_ips);
    assert_eq!(*ipv6_prefix, right.ipv6_prefix);
    assert_eq!(*store, right.store);
    assert_eq!(*redis_sentinel_master, right.redis_sentinel_master);
    assert_eq!(*redis_prefix, right.redis_prefix);
    assert_eq!(*redis_cluster, right.redis_cluster);
    assert_eq!(*redis_timeout, right.redis_timeout);
    assert_eq!(*redis_windows, right.redis_windows);
    assert_eq!(*on_store_failure, right.on_store_failure);
    assert_eq!(*max_clients, right.max_clients);
    assert_eq!(*max_bans, right.max_bans);
    assert_eq!(*ban_file, right.ban_file);
    assert_eq!(*ban_cache_entries, right.ban_cache_entries);
    assert_eq!(*rate_limit_headers, right.rate_limit_headers);
    assert_eq!(*strike_on_status, right.strike_on_status);
    assert_eq!(*not_found_limit, right.not_found_limit);
    assert_eq!(*detection, right.detection);
}

fn numbers() -> impl Strategy<Value = SecurityConfigBuilder> {
    (
        1..=1_000_000_000_i64,
        1..=31_622_400_i64,
        0..=1_000_000_i64,
        90_000..=315_360_000_i64,
        proptest::option::of(100_000_000..=315_360_000_i64),
        0..=86_400_i64,
        1..=128_i64,
        1..=100_000_000_i64,
        1..=10_000_000_i64,
    )
        .prop_map(
            |(limit, window, threshold, ban, ttl, interval, prefix, clients, bans)| {
                let builder = SecurityConfig::builder()
                    .rate_limit(limit)
                    .rate_limit_window(window)
                    .auto_ban_threshold(threshold)
                    .auto_ban_duration(ban)
                    .strike_interval(interval)
                    .ipv6_prefix(prefix)
                    .max_clients(clients)
                    .max_bans(bans);
                match ttl {
                    Some(ttl) => builder.strike_ttl(ttl),
                    None => builder,
                }
            },
        )
}

fn switches() -> impl Strategy<Value = [bool; 6]> {
    any::<[bool; 6]>()
}

fn networks() -> impl Strategy<Value = Vec<String>> {
    let network =
        (any::<std::net::IpAddr>(), 0..=32_u8).prop_map(|(address, prefix)| match prefix {
            0 => address.to_string(),
            prefix => format!("{address}/{prefix}"),
        });
    proptest::collection::vec(network, 0..4)
}

fn routes() -> impl Strategy<Value = Vec<RouteOverride>> {
    let method = proptest::option::of(prop_oneof![Just(Method::GET), Just(Method::TRACE)]);
    let route = (
        "/[^{}*]{0,8}",
        method,
        1..=1_000_000_000_u32,
        1..=31_622_400_u64,
    );
    proptest::collection::vec(route, 0..4).prop_map(|routes| {
        let number = |(index, (pattern, method, requests, window))| {
            let route = RouteOverride::new(format!("{pattern}/{index}"), requests, window);
            match method {
                Some(method) => route.method(method),
                None => route,
            }
        };
        routes.into_iter().enumerate().map(number).collect()
    })
}

/// Exempt and banned user agents, exempt paths, trusted proxies, a header, and a limit for proxies.
type Clients = (
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Option<String>,
    Option<i64>,
);

fn clients() -> impl Strategy<Value = Clients> {
    let agents = || {
        let agent = prop_oneof![
            "[^\\p{White_Space}].{0,8}",
            Just("preset:search-crawlers".to_owned()),
            Just("preset:uptime-monitors".to_owned()),
        ];
        let agent = agent.prop_filter("no preset that there is not", |agent| {
            !agent.starts_with("preset:")
                || agent.ends_with("-monitors")
                || agent.ends_with("-crawlers")
        });
        proptest::collection::vec(agent, 0..4)
    };
    let proxy = prop_oneof![
        any::<std::net::IpAddr>().prop_map(|address| address.to_string()),
        Just("unix".to_owned()),
        Just("cloudflare".to_owned()),
        Just("private".to_owned()),
    ];
    (
        agents(),
        agents(),
        proptest::collection::vec("/[^{}*]{0,8}(/\\{id\\})?", 0..4),
        proptest::collection::vec(proxy, 0..4),
        proptest::option::of("[A-Za-z][A-Za-z-]{0,12}"),
        proptest::option::of(1..=1_000_000_000_i64),
    )
}

fn with_clients(builder: SecurityConfigBuilder, clients: Clients) -> SecurityConfigBuilder {
    let (exempt, banned, paths, proxies, header, limit) = clients;
    let mut builder = builder
        .exempt_user_agents(exempt)
        .banned_user_agents(banned)
        .exempt_paths(paths);
    // A header that nobody is believed in is refused.
    if let Some(header) = header.filter(|_| !proxies.is_empty()) {
        builder = builder.client_ip_header(header);
    }
    if let Some(limit) = limit {
        builder = builder.infrastructure_limit(limit);
    }
    builder.trusted_proxies(proxies)
}

fn words() -> impl Strategy<Value = (StrikeReset, HeaderStyle, Option<String>)> {
    let reset = prop_oneof![
        Just(StrikeReset::CleanRequest),
        (90_000..=99_999_999_u64).prop_map(|after| StrikeReset::After(Duration::from_secs(after))),
    ];
    let style = proptest::sample::select(HeaderStyle::ALL.to_vec());
    (
        reset,
        style,
        proptest::option::of(any::<String>().prop_filter("a path", |path| !path.is_empty())),
    )
}

/// Prefix, timeout, cached bans, and words.
type Redis = (String, i64, i64, RedisWindows, StoreFailurePolicy);

fn redis() -> impl Strategy<Value = Redis> {
    (
        "[^{}\\p{White_Space}\\p{Cc}]{1,16}",
        1..=10_000_i64,
        1..=10_000_000_i64,
        proptest::sample::select(RedisWindows::ALL.to_vec()),
        proptest::sample::select(StoreFailurePolicy::ALL.to_vec()),
    )
}

fn with_redis(builder: SecurityConfigBuilder, redis: Redis) -> SecurityConfigBuilder {
    let (prefix, timeout, cached, windows, policy) = redis;
    builder
        .redis_prefix(prefix)
        .redis_timeout_ms(timeout)
        .ban_cache_entries(cached)
        .redis_windows(windows)
        .on_store_failure(policy)
}

#[derive(Clone, Debug)]
enum Servers {
    None,
    Single(String),
    Sentinels(Vec<String>, String),
    Cluster(Vec<String>),
}

fn with_servers(builder: SecurityConfigBuilder, servers: Servers) -> SecurityConfigBuilder {
    match servers {
        Servers::None => builder,
        Servers::Single(url) => builder.store(url),
        Servers::Sentinels(urls, master) => builder.redis_urls(urls).redis_sentinel_master(master),
        Servers::Cluster(urls) => builder.redis_urls(urls).redis_cluster(true),
    }
}

/// Without the feature, the store is memory.
fn servers() -> impl Strategy<Value = Servers> {
    let url = || "redis://([a-z0-9._-]{1,9}|\\[2001:db8::[0-9a-f]{1,4}\\])(:[1-9][0-9]{0,3})?";
    let urls = || proptest::collection::vec(url(), 1..4);
    if !cfg!(feature = "redis") {
        return Just(Servers::None).boxed();
    }
    prop_oneof![
        Just(Servers::None),
        (url(), 0..16).prop_map(|(url, database)| Servers::Single(format!("{url}/{database}"))),
        (urls(), "[A-Za-z0-9._-]{1,9}").prop_map(|(urls, name)| Servers::Sentinels(urls, name)),
        urls().prop_map(Servers::Cluster),
    ]
    .boxed()
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_equal(
        numbers in numbers(),
        switches in switches(),
        exempt in networks(),
        denied in networks(),
        clients in clients(),
        routes in routes(),
        (reset, style, ban_file) in words(),
        redis in redis(),
        servers in servers(),
    ) {
        let [limiting, banning, detection, passive, rejected, loopback] = switches;
        let builder = numbers
            .enable_rate_limiting(limiting)
            .enable_ip_banning(banning)
            .enable_detection(detection)
            .passive(passive)
            .count_rejected(rejected)
            .exempt_loopback(loopback)
            .exempt_ips(exempt)
            .denied_ips(denied)
            .strike_reset(reset)
            .rate_limit_headers(style);
        let builder = with_clients(with_redis(builder, redis), clients);
        let builder = routes.into_iter().fold(builder, SecurityConfigBuilder::route);
        // A Redis store and the file exclude each other.
        let builder = match ban_file {
            Some(path) => builder.ban_file(path),
            None => with_servers(builder, servers),
        };
        let config = builder.build().unwrap();
        let printed = config.to_string();
        let again = SecurityConfig::from_toml(&printed).unwrap();
        assert_equal(config.settings(), again.settings());
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn no_text_makes_loading_panic(text in any::<String>()) {
        if let Err(error) = SecurityConfig::from_toml(&text) {
            prop_assert_eq!(error.to_string().lines().count(), 1);
        }
    }
}
