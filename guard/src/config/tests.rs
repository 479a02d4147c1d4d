use super::*;

/// Fields with bounds, with the least and the greatest value, and the setter.
type Bounded = (
    &'static str,
    i64,
    i64,
    fn(SecurityConfigBuilder, i64) -> SecurityConfigBuilder,
);

const BOUNDED: [Bounded; 11] = [
    (
        "rate_limit",
        1,
        1_000_000_000,
        SecurityConfigBuilder::rate_limit,
    ),
    (
        "rate_limit_window",
        1,
        31_622_400,
        SecurityConfigBuilder::rate_limit_window,
    ),
    (
        "auto_ban_threshold",
        0,
        1_000_000,
        SecurityConfigBuilder::auto_ban_threshold,
    ),
    (
        "auto_ban_duration",
        1,
        315_360_000,
        SecurityConfigBuilder::auto_ban_duration,
    ),
    (
        "strike_ttl",
        1,
        315_360_000,
        SecurityConfigBuilder::strike_ttl,
    ),
    (
        "strike_interval",
        0,
        86_400,
        SecurityConfigBuilder::strike_interval,
    ),
    ("ipv6_prefix", 1, 128, SecurityConfigBuilder::ipv6_prefix),
    (
        "max_clients",
        1,
        100_000_000,
        SecurityConfigBuilder::max_clients,
    ),
    ("max_bans", 1, 10_000_000, SecurityConfigBuilder::max_bans),
    (
        "redis_timeout_ms",
        1,
        10_000,
        SecurityConfigBuilder::redis_timeout_ms,
    ),
    (
        "ban_cache_entries",
        1,
        10_000_000,
        SecurityConfigBuilder::ban_cache_entries,
    ),
];

/// Strikes live long enough for every interval.
fn base(field: &str) -> SecurityConfigBuilder {
    match field {
        "strike_interval" => SecurityConfig::builder().strike_ttl(86_401),
        _ => SecurityConfig::builder(),
    }
}

fn variable(field: &str) -> String {
    format!("GUARD_{}", field.to_uppercase())
}

/// One value from all three sources: code, TOML, environment.
fn from_everywhere(bounded: &Bounded, value: i64) -> [Result<SecurityConfig, ConfigError>; 3] {
    let (field, _, _, setter) = bounded;
    [
        setter(base(field), value).build(),
        base(field)
            .toml(&format!("{field} = {value}"))
            .and_then(SecurityConfigBuilder::build),
        base(field)
            .env_from([(variable(field), value.to_string())])
            .and_then(SecurityConfigBuilder::build),
    ]
}

#[test]
fn bounds_are_within() {
    for bounded in &BOUNDED {
        let (field, min, max, _) = *bounded;
        for value in [min, max] {
            for config in from_everywhere(bounded, value) {
                let line = format!("{field} = {value}\n");
                assert!(config.unwrap().to_string().contains(&line), "{line}");
            }
        }
    }
}

#[test]
fn beyond_the_bounds_everything_is_refused() {
    for bounded in &BOUNDED {
        let (field, min, max, _) = *bounded;
        let cases = [
            (min - 1, "at least"),
            (-1, "at least"),
            (i64::MIN, "at least"),
            (max + 1, "at most"),
            (i64::MAX, "at most"),
        ];
        for (value, what) in cases {
            let [code, toml, env] =
                from_everywhere(bounded, value).map(|config| config.unwrap_err().to_string());
            let start = format!("{field}: must be {what} ");
            assert!(
                code.starts_with(&start) && code.ends_with(&format!(", not {value}")),
                "{code}"
            );
            assert_eq!(code, toml);
            assert_eq!(
                env,
                code.replacen("must", &format!("{} must", variable(field)), 1)
            );
        }
    }
}

#[test]
fn numbers_of_other_types_are_refused() {
    let values = [
        "\"many\"",
        "true",
        "1.5",
        "nan",
        "inf",
        "[]",
        "[1]",
        "{ a = 1 }",
        "2026-01-01",
        "9223372036854775808",
        "-99999999999999999999999999",
        "999999999999999999999999999999999999999999999",
    ];
    for (field, ..) in BOUNDED {
        for value in values {
            let error = SecurityConfig::from_toml(&format!("{field} = {value}"))
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(&format!("{field}: must be ")), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        for value in [
            "",
            "many",
            "true",
            "1.5",
            "0x10",
            "1_000",
            "99999999999999999999",
            "1e3",
        ] {
            let error = SecurityConfig::builder()
                .env_from([(variable(field), value)])
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with(&format!("{field}: {} must be ", variable(field))),
                "{error}"
            );
        }
    }
}

#[test]
fn fields_of_other_types_refuse_numbers_and_texts() {
    let switches = [
        "enable_rate_limiting",
        "enable_ip_banning",
        "enable_detection",
        "passive",
        "count_rejected",
        "exempt_loopback",
        "redis_cluster",
    ];
    for field in switches {
        for value in ["1", "\"true\"", "[]", "1.0"] {
            let error = SecurityConfig::from_toml(&format!("{field} = {value}")).unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("{field}: must be true or false, not ")),
                "{error}"
            );
        }
    }
    for field in [
        "strike_reset",
        "exempt_ips",
        "denied_ips",
        "ban_file",
        "rate_limit_headers",
        "routes",
        "store",
        "redis_sentinel_master",
        "redis_prefix",
        "redis_windows",
        "on_store_failure",
    ] {
        for value in ["5", "true", "\"\"", "1.5", "[5]", "{ x = 1 }"] {
            let error = SecurityConfig::from_toml(&format!("{field} = {value}")).unwrap_err();
            assert!(error.to_string().starts_with(field), "{error}");
        }
    }
}

#[test]
fn secrets_never_show() {
    for field in fields::fields() {
        for value in [
            "\"redis://:secret@host\"",
            "[\"redis://user:secret@host\"]",
            "[\"redis://secret@host\", \"x\"]",
        ] {
            match SecurityConfig::from_toml(&format!("{} = {value}", field.name)) {
                Err(error) => {
                    assert!(!format!("{error}{error:?}").contains("secret"), "{error:?}");
                }
                Ok(config) if field.name == "store" => {
                    assert!(
                        !format!("{config}{config:?}").contains("secret"),
                        "{config}"
                    );
                }
                // These take any text, and are no place for a secret.
                Ok(_) => assert!(
                    [
                        "ban_file",
                        "redis_prefix",
                        "exempt_user_agents",
                        "banned_user_agents"
                    ]
                    .contains(&field.name)
                ),
            }
        }
    }
}

#[test]
fn clones_are_one_guard_and_equal_configurations_are_not() {
    let config = SecurityConfig::default();
    let clone = config.clone();
    assert!(std::ptr::eq(config.inner_engine(), clone.inner_engine()));
    assert!(Arc::ptr_eq(config.settings(), clone.settings()));
    let other = SecurityConfig::default();
    assert!(!std::ptr::eq(config.inner_engine(), other.inner_engine()));
}

#[test]
fn durations_take_units_everywhere() {
    for (field, ..) in BOUNDED {
        let takes_units = matches!(
            field,
            "rate_limit_window" | "auto_ban_duration" | "strike_ttl" | "strike_interval"
        );
        let from_toml = base(field)
            .toml(&format!("{field} = \"1h\""))
            .and_then(SecurityConfigBuilder::build);
        let from_env = base(field)
            .env_from([(variable(field), "1h")])
            .and_then(SecurityConfigBuilder::build);
        for config in [from_toml, from_env] {
            match config {
                Ok(config) => assert!(
                    takes_units && config.to_string().contains(&format!("{field} = 3600\n")),
                    "{field}"
                ),
                Err(error) => assert!(!takes_units, "{error}"),
            }
        }
    }
}
