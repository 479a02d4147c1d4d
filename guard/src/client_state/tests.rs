use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use actix_web::http::Method;

use super::*;
use crate::{
    GuardHandle, RouteOverride, SecurityConfig, clock::ManualClock, config::SecurityConfigBuilder,
    route::sample,
};

/// Who sends the requests of the sample.
const CLIENT: ClientKey = ClientKey::V4(Ipv4Addr::new(192, 0, 2, 1));
const OTHER: ClientKey = ClientKey::V4(Ipv4Addr::new(192, 0, 2, 2));

fn build(
    configure: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder,
) -> (SecurityConfig, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new());
    let builder = SecurityConfig::builder().clock(clock.clone());
    (configure(builder).build().unwrap(), clock)
}

async fn state(config: &SecurityConfig, client: ClientKey) -> ClientState {
    client_state(&Engine::of(config), client).await
}

/// A window in short: name, pattern, methods, used of how many.
fn short(window: &ClientWindow) -> String {
    let pattern = window.pattern.as_deref().unwrap_or("-");
    let (name, methods) = (&window.name, window.methods.join(" "));
    let (used, requests) = (window.used, window.quota.requests);
    assert_eq!(used + window.remaining, requests);
    format!("{name} {pattern} [{methods}] {used}/{requests}")
}

async fn windows(config: &SecurityConfig, client: ClientKey) -> Vec<String> {
    let state = state(config, client).await;
    state.windows.iter().map(short).collect()
}

async fn send(config: &SecurityConfig, requests: &[(&str, &str)]) {
    sample::look_after(config, requests, async || ()).await;
}

#[actix_web::test]
async fn of_whoever_never_came_there_is_the_global_window_only() {
    let (config, _) = build(|config| config.rate_limit(9).rate_limit_window(30));
    send(&config, &[("GET", "/v1/items/7"), ("GET", "/plain")]).await;
    let expected = ClientState {
        strikes: 0,
        strike_limit: 5,
        strikes_left_millis: None,
        windows: vec![ClientWindow {
            name: "default".to_owned(),
            pattern: None,
            methods: Vec::new(),
            quota: Quota {
                requests: 9,
                window_millis: 30_000,
            },
            used: 0,
            remaining: 9,
            reset_millis: 30_000,
        }],
        redis_cli: Vec::new(),
    };
    assert_eq!(state(&config, OTHER).await, expected);
}

#[actix_web::test]
async fn windows_in_which_something_is_recorded_are_told() {
    let (config, clock) = build(|config| {
        config
            .not_found_limit(20)
            .route(RouteOverride::new("/plain", 30, 60))
            .route(RouteOverride::new("/search", 40, 60).method(Method::POST))
    });
    send(
        &config,
        &[
            ("GET", "/v1/items/7"),
            ("GET", "/v1/items/8"),
            ("GET", "/v1/health"),
            ("POST", "/v1/editor"),
            ("GET", "/search"),
            ("POST", "/search"),
            ("HEAD", "/plain"),
            ("GET", "/plain"),
            ("PURGE", "/plain"),
        ],
    )
    .await;
    clock.advance(Duration::from_millis(2500));
    let expected = [
        "default - [] 1/50",
        "/plain /plain [GET] 2/30",
        "/plain /plain [OTHER] 1/30",
        "/search /search [] 1/7",
        "sustained /search [] 1/20",
        "/search /search [POST] 1/40",
        "/v1/items/{id} /v1/items/{id} [GET] 2/5",
    ];
    assert_eq!(windows(&config, CLIENT).await, expected);
    let resets = state(&config, CLIENT).await.windows;
    let resets: Vec<u64> = resets.iter().map(|window| window.reset_millis).collect();
    assert_eq!(
        resets,
        [57_500, 57_500, 57_500, 7500, 57_500, 57_500, 57_500]
    );
    assert_eq!(windows(&config, OTHER).await, ["default - [] 0/50"]);
    // What is over is left out.
    clock.advance(Duration::from_secs(60));
    assert_eq!(windows(&config, CLIENT).await, ["default - [] 0/50"]);
}

#[actix_web::test]
async fn where_a_key_function_gave_nothing_the_client_was_counted_by_its_address() {
    let (config, _) = build(|config| config.key_by(sample::user));
    send(&config, &[("POST", "/v1/upload"), ("GET", "/plain")]).await;
    let expected = ["default - [] 2/50", "uploads /v1/upload [POST] 1/5"];
    assert_eq!(windows(&config, CLIENT).await, expected);
}

#[actix_web::test]
async fn strikes_are_told_until_they_are_forgotten() {
    let (config, clock) =
        build(|config| config.rate_limit(1).auto_ban_threshold(2).strike_ttl(100));
    let strikes = async || {
        let state = state(&config, CLIENT).await;
        (state.strikes, state.strike_limit, state.strikes_left_millis)
    };
    send(&config, &[("GET", "/plain"); 3]).await;
    assert_eq!(strikes().await, (2, 2, Some(100_000)));
    clock.advance(Duration::from_secs(30));
    assert_eq!(strikes().await, (2, 2, Some(70_000)));
    send(&config, &[("GET", "/plain")]).await;
    // Banned: both strikes and the window that was tripped are gone.
    assert_eq!(strikes().await, (0, 2, None));
    assert_eq!(windows(&config, CLIENT).await, ["default - [] 0/1"]);
}

#[actix_web::test]
async fn another_configuration_in_force_reads_what_was_recorded() {
    let (config, _) = build(|config| config);
    let requests = [
        ("GET", "/v1/items/7"),
        ("GET", "/search"),
        ("GET", "/plain"),
    ];
    send(&config, &requests).await;
    let change = |configure: fn(SecurityConfigBuilder) -> SecurityConfigBuilder| {
        let clock = config.settings().clock.clone();
        let changed = configure(SecurityConfig::builder()).clock(clock);
        let changed = changed.build().unwrap();
        GuardHandle::of(&config).reload(&changed).unwrap();
    };
    change(|config| {
        config
            .rate_limit(8)
            .route(RouteOverride::new("/search", 4, 60))
    });
    let expected = [
        "default - [] 1/8",
        "/search /search [] 1/4",
        "/v1/items/{id} /v1/items/{id} [GET] 1/5",
    ];
    assert_eq!(windows(&config, CLIENT).await, expected);
    change(|config| config.enable_rate_limiting(false));
    assert!(windows(&config, CLIENT).await.is_empty());
}

#[actix_web::test]
async fn in_passive_mode_it_is_what_passive_mode_counts() {
    let (config, _) = build(|config| config.rate_limit(1).passive(true));
    send(&config, &[("GET", "/plain"); 3]).await;
    let state = state(&config, CLIENT).await;
    assert_eq!((state.strikes, state.windows[0].used), (2, 1));
}

#[cfg(feature = "redis")]
#[actix_web::test]
async fn on_redis_the_lines_to_paste_name_what_is_told() {
    let server = redis_servers::Server::start();
    for (passive, prefix) in [(false, "guard:"), (true, "guard:passive:")] {
        let config = SecurityConfig::builder()
            .store(server.url())
            .redis_timeout_ms(5000)
            .rate_limit(1)
            .passive(passive);
        let config = config.build().unwrap();
        let requests = [("GET", "/v1/items/7"), ("GET", "/plain"), ("GET", "/plain")];
        send(&config, &requests).await;
        let state = state(&config, CLIENT).await;
        let told: Vec<String> = state.windows.iter().map(short).collect();
        let expected = [
            "default - [] 1/1",
            "/v1/items/{id} /v1/items/{id} [GET] 1/5",
        ];
        assert_eq!(
            (told, state.strikes),
            (expected.map(str::to_owned).into(), 1)
        );
        let left = state.strikes_left_millis.unwrap();
        assert!((200_000..=300_000).contains(&left), "{left}");
        let named = |line: &String| line.split('\'').nth(1).unwrap().to_owned();
        for line in &state.redis_cli {
            let there = server.command(&["EXISTS", &named(line)]);
            let is_ban = line.contains("banned_ips");
            assert_eq!(there, redis::Value::Int(i64::from(!is_ban)), "{line}");
            assert!(named(line).starts_with(prefix), "{line}");
        }
        let logs = state
            .redis_cli
            .iter()
            .filter(|line| line.contains("ZRANGE"));
        let logs: Vec<String> = logs.map(named).collect();
        let global = format!("{prefix}rate_limit:rate:192.0.2.1");
        assert_eq!(logs[0], global);
        assert!(logs[1].starts_with(&format!("{global}:/v1/items/:id=")));
        assert_eq!(logs.len(), 2);
    }
}
