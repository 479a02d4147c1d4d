use super::*;
use crate::{
    clock::Clock,
    config::{
        HeaderStyle, SecurityConfig, SecurityConfigBuilder, redis_url::RedisUrl, settings::Draft,
        store::StoreChoice,
    },
};

/// All fields but `detection`, which is a table, with their defaults as TOML prints them.
const DEFAULTS: [(&str, Option<&str>); 38] = [
    ("rate_limit", Some("50")),
    ("rate_limit_window", Some("60")),
    ("auto_ban_threshold", Some("5")),
    ("auto_ban_duration", Some("300")),
    ("enable_rate_limiting", Some("true")),
    ("enable_ip_banning", Some("true")),
    ("enable_detection", Some("true")),
    ("passive", Some("false")),
    ("count_rejected", Some("true")),
    ("strike_reset", Some("\"clean_request\"")),
    ("strike_ttl", Some("300")),
    ("strike_interval", Some("0")),
    ("strike_on_status", Some("[]")),
    ("not_found_limit", None),
    ("exempt_ips", Some("[]")),
    ("exempt_user_agents", Some("[]")),
    ("exempt_paths", Some("[]")),
    ("exempt_loopback", Some("false")),
    ("exempt_crawlers", Some("[]")),
    ("banned_user_agents", Some("[]")),
    ("denied_ips", Some("[]")),
    ("trusted_proxies", Some("[]")),
    ("client_ip_header", Some("\"x-forwarded-for\"")),
    ("infrastructure_limit", None),
    ("ipv6_prefix", Some("64")),
    ("store", Some("\"memory\"")),
    ("redis_sentinel_master", None),
    ("redis_prefix", Some("\"guard:\"")),
    ("redis_cluster", Some("false")),
    ("redis_timeout_ms", Some("250")),
    ("redis_windows", Some("\"shared\"")),
    ("on_store_failure", Some("\"local\"")),
    ("ban_cache_entries", Some("10000")),
    ("max_clients", Some("1000000")),
    ("max_bans", Some("100000")),
    ("ban_file", None),
    ("rate_limit_headers", Some("\"draft\"")),
    ("routes", None),
];

#[test]
fn every_field_has_its_documented_default() {
    let settings = Draft::default().resolve();
    for (name, expected) in &DEFAULTS {
        let shown = find(name).unwrap().show(&settings);
        assert_eq!(
            shown.map(|raw| raw.to_toml()).as_deref(),
            *expected,
            "{name}"
        );
    }
}

#[test]
fn the_table_holds_each_documented_field_once() {
    let mut names: Vec<_> = fields().map(|field| field.name).collect();
    let mut documented: Vec<_> = DEFAULTS.iter().map(|entry| entry.0).collect();
    documented.push("detection");
    names.sort_unstable();
    documented.sort_unstable();
    assert_eq!(names, documented);
}

#[test]
fn defaults_are_accepted_and_change_nothing() {
    for field in fields() {
        let Some(default) = field.show(&Settings::default()) else {
            continue;
        };
        let mut draft = Draft::default();
        field.apply(&mut draft, &default).unwrap();
        let settings = draft.resolve();
        for other in fields() {
            assert!(other.show(&settings) == other.show(&Settings::default()));
        }
    }
}

#[test]
fn variables_are_named_after_fields() {
    assert_eq!(find("rate_limit").unwrap().variable(), "GUARD_RATE_LIMIT");
    assert!(find("RATE_LIMIT").is_none());
    assert!(find("key_by").is_none());
}

#[derive(Debug)]
struct OtherClock;

impl Clock for OtherClock {
    fn now_millis(&self) -> u64 {
        0
    }
}

#[test]
fn settings_are_equal_if_everything_comparable_is() {
    let settings = |builder: SecurityConfigBuilder| Arc::clone(builder.build().unwrap().settings());
    let plain = SecurityConfig::builder;
    let hooked = || plain().on_refusal(|_| actix_web::HttpResponse::ImATeapot().finish());
    assert_eq!(settings(plain()), settings(plain().rate_limit(50)));
    assert_eq!(settings(hooked()), settings(hooked()));
    let different = [
        plain().rate_limit(51),
        plain().exempt_ips(["::1"]),
        plain().trusted_proxies(["unix"]),
        plain().key_by(|_| None),
        plain().strike_ttl(301),
        plain().rate_limit_headers(HeaderStyle::Off),
        plain().redis_timeout_ms(251),
        hooked(),
        plain().clock(Arc::new(OtherClock)),
    ];
    for builder in different {
        assert_ne!(settings(builder), settings(plain()));
    }
}

#[test]
fn settings_with_other_passwords_are_not_equal() {
    let with_password = |password: &str| {
        let url = RedisUrl::parse(&format!("redis://:{password}@host")).unwrap();
        Settings {
            store: StoreChoice::Redis(vec![url]),
            ..Settings::default()
        }
    };
    assert_eq!(with_password("one"), with_password("one"));
    assert_ne!(with_password("one"), with_password("two"));
}
