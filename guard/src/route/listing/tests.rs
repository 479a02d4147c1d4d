use std::thread;

use actix_web::http::Method;

use super::*;
use crate::{RouteOverride, SecurityConfig, config::SecurityConfigBuilder, route::sample};

/// A row in short: pattern, methods, where from, limits.
type Short = (String, String, LimitOrigin, String);

fn short(route: &ListedRoute) -> Short {
    let whole = if route.pattern_is_whole { "" } else { "…" };
    let pattern = route.pattern.as_deref().unwrap_or("-");
    let limit = |limit: &ListedLimit| {
        let seconds = limit.window_millis / 1000;
        let (name, requests, by) = (&limit.name, limit.requests, limit.counted_by);
        format!("{name} {requests}/{seconds}s by {by}")
    };
    let limits: Vec<String> = route.limits.iter().map(limit).collect();
    (
        format!("{whole}{pattern}"),
        route.methods.join(" "),
        route.from,
        limits.join(", "),
    )
}

fn row(pattern: &str, methods: &str, from: LimitOrigin, limits: &str) -> Short {
    (
        pattern.to_owned(),
        methods.to_owned(),
        from,
        limits.to_owned(),
    )
}

fn build(configure: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder) -> SecurityConfig {
    configure(SecurityConfig::builder()).build().unwrap()
}

fn listed(config: &SecurityConfig) -> Vec<ListedRoute> {
    let engine = Engine::of(config);
    listed_routes(&engine, &engine.settings())
}

/// All rows but the general ones, after these requests.
async fn rows_after(config: &SecurityConfig, requests: &[(&str, &str)]) -> Vec<Short> {
    let look = async || listed(config);
    let rows = sample::look_after(config, requests, look).await;
    let of_routes = rows.iter().filter(|row| row.from != LimitOrigin::Global);
    of_routes.map(short).collect()
}

const GLOBAL: &str = "default 50/60s by address";
const EVERYTHING: [(&str, &str); 5] = [
    ("GET", "/v1/items/7"),
    ("GET", "/v1/health"),
    ("POST", "/v1/editor"),
    ("POST", "/v1/upload"),
    ("GET", "/search"),
];

#[test]
fn the_general_windows_come_first_as_far_as_there_are_any() {
    let rows =
        |config: &SecurityConfig| -> Vec<Short> { listed(config).iter().map(short).collect() };
    let general = |methods, limits| row("-", methods, LimitOrigin::Global, limits);
    assert_eq!(
        rows(&build(|config| config.rate_limit(9))),
        [
            general("", "default 9/60s by address"),
            general("OPTIONS", "preflight 9/60s by address"),
        ]
    );
    let all = build(|config| {
        config
            .rate_limit_window(30)
            .key_by(sample::user)
            .infrastructure_limit(500)
            .not_found_limit(20)
            .route(RouteOverride::new("/a", 1, 1))
    });
    assert_eq!(
        rows(&all),
        [
            general("", "default 50/30s by key_by"),
            general("OPTIONS", "preflight 50/30s by address"),
            general("", "infrastructure 500/30s by address"),
            general("", "not-found 20/30s by address"),
            row("/a", "", LimitOrigin::Configuration, "/a 1/1s by address"),
        ]
    );
}

#[actix_web::test]
async fn before_the_first_request_a_route_is_known_by_the_end_of_its_pattern() {
    let config = SecurityConfig::default();
    let uploads = format!("uploads 5/60s by keys::user, {GLOBAL}");
    let expected = [
        row(
            "…-",
            "",
            LimitOrigin::Wrap,
            " 7/10s by address, sustained 20/60s by address",
        ),
        row("…/editor", "POST PUT", LimitOrigin::Annotation, GLOBAL),
        row("…/health", "GET", LimitOrigin::Annotation, ""),
        row(
            "…/items/{id}",
            "GET",
            LimitOrigin::Annotation,
            "/items/{id} 5/60s by address",
        ),
        row("…/upload", "POST", LimitOrigin::Annotation, &uploads),
    ];
    assert_eq!(rows_after(&config, &[]).await, expected);
}

#[actix_web::test]
async fn a_route_that_was_met_has_its_whole_pattern_and_the_limits_in_force() {
    let config = SecurityConfig::default();
    let uploads = format!("uploads 5/60s by keys::user, {GLOBAL}");
    let expected = [
        row(
            "/search",
            "",
            LimitOrigin::Wrap,
            "/search 7/10s by address, sustained 20/60s by address",
        ),
        row("/v1/editor", "POST PUT", LimitOrigin::Annotation, GLOBAL),
        row("/v1/health", "GET", LimitOrigin::Annotation, ""),
        row(
            "/v1/items/{id}",
            "GET",
            LimitOrigin::Annotation,
            "/v1/items/{id} 5/60s by address",
        ),
        row("/v1/upload", "POST", LimitOrigin::Annotation, &uploads),
    ];
    assert_eq!(rows_after(&config, &EVERYTHING).await, expected);
    let routes = sample::look_after(&config, &EVERYTHING, async || listed(&config)).await;
    let with = |which: fn(&ListedRoute) -> bool| -> Vec<_> {
        let routes = routes.iter().filter(|route| which(route));
        routes.map(|route| route.handler).collect()
    };
    assert_eq!(with(|route| route.exempt), [Some("app::health")]);
    assert_eq!(with(|route| !route.detection), [Some("app::editor")]);
    assert_eq!(with(|route| route.from == LimitOrigin::Wrap), [None]);
}

#[actix_web::test]
async fn what_another_worker_has_met_is_known_here() {
    let config = SecurityConfig::default();
    let there = config.clone();
    let worker = thread::spawn(move || {
        actix_web::rt::System::new().block_on(async {
            sample::look_after(&there, &EVERYTHING, async || ()).await;
        });
    });
    worker.join().unwrap();
    let here = rows_after(&config, &[]).await;
    let patterns: Vec<&str> = here.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(
        patterns,
        [
            "/search",
            "/v1/editor",
            "/v1/health",
            "/v1/items/{id}",
            "/v1/upload"
        ]
    );
}

#[actix_web::test]
async fn routes_of_two_sockets_are_listed_once() {
    let config = SecurityConfig::default();
    let rows = sample::look_after(&config, &EVERYTHING, async || {
        rows_after(&config, &[]).await
    });
    assert_eq!(rows.await.len(), EVERYTHING.len());
    // Also those that nobody has met.
    let config = SecurityConfig::default();
    let rows = sample::look_after(&config, &[], async || rows_after(&config, &[]).await);
    assert_eq!(rows.await.len(), EVERYTHING.len());
}

#[actix_web::test]
async fn a_route_that_another_guard_has_met_is_not_known_for_it() {
    let (one, other) = (SecurityConfig::default(), build(|config| config));
    let rows = sample::look_after(&one, &EVERYTHING, async || {
        let of_other = listed(&other);
        of_other
            .iter()
            .filter(|row| row.from != LimitOrigin::Global)
            .count()
    });
    assert_eq!(rows.await, 0);
}

#[actix_web::test]
async fn entries_of_the_configuration_take_the_place_of_what_they_override() {
    let config = build(|config| {
        config
            // By its pattern with or without the regular expressions.
            .route(RouteOverride::new(r"/v1/items/{id:\d+}", 1, 10))
            .route(RouteOverride::new("/v1/health", 2, 10).method(Method::GET))
            // A handler's methods are one.
            .route(RouteOverride::new("/v1/editor", 3, 10).method(Method::PUT))
            // For another method than the handler's.
            .route(RouteOverride::new("/v1/upload", 4, 10).method(Method::GET))
            .route(RouteOverride::new("/search", 5, 10).method(Method::POST))
            .route(RouteOverride::new("/plain", 6, 10))
    });
    let from = LimitOrigin::Configuration;
    let uploads = format!("uploads 5/60s by keys::user, {GLOBAL}");
    let expected = [
        row("/plain", "", from, "/plain 6/10s by address"),
        row(
            "/search",
            "",
            LimitOrigin::Wrap,
            "/search 7/10s by address, sustained 20/60s by address",
        ),
        row("/search", "POST", from, "/search 5/10s by address"),
        row(
            "/v1/editor",
            "POST PUT",
            from,
            "/v1/editor 3/10s by address",
        ),
        row("/v1/health", "GET", from, "/v1/health 2/10s by address"),
        row(
            "/v1/items/{id}",
            "GET",
            from,
            "/v1/items/{id} 1/10s by address",
        ),
        row("/v1/upload", "GET", from, "/v1/upload 4/10s by address"),
        row("/v1/upload", "POST", LimitOrigin::Annotation, &uploads),
    ];
    assert_eq!(rows_after(&config, &EVERYTHING).await, expected);
    let routes = listed(&config);
    let health = routes
        .iter()
        .find(|route| route.handler == Some("app::health"));
    assert!(!health.unwrap().exempt);
}

#[actix_web::test]
async fn an_entry_for_all_methods_overrides_a_limit_by_hand_besides_those_for_one() {
    let config = build(|config| {
        config
            .route(RouteOverride::new("/search", 1, 10))
            .route(RouteOverride::new("/search", 2, 10).method(Method::HEAD))
    });
    let from = LimitOrigin::Configuration;
    let rows = rows_after(&config, &[("GET", "/search")]).await;
    let search: Vec<&Short> = rows.iter().filter(|row| row.0 == "/search").collect();
    assert_eq!(
        search,
        [
            &row("/search", "", from, "/search 1/10s by address"),
            &row("/search", "HEAD", from, "/search 2/10s by address"),
        ]
    );
}

#[actix_web::test]
async fn another_configuration_in_force_shows_at_once() {
    let config = SecurityConfig::default();
    rows_after(&config, &EVERYTHING).await;
    let changed = build(|config| config.route(RouteOverride::new("/search", 1, 10)));
    crate::GuardHandle::of(&config).reload(&changed).unwrap();
    let rows = listed(&config);
    let search = rows
        .iter()
        .find(|route| route.pattern.as_deref() == Some("/search"));
    assert_eq!(search.unwrap().from, LimitOrigin::Configuration);
}
