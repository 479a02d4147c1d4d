use std::path::PathBuf;

use crate::config::{SecurityConfig, Settings};

use super::*;

fn toml_error(text: &str) -> String {
    SecurityConfig::from_toml(text).unwrap_err().to_string()
}

fn env(variables: &[(&str, &str)]) -> Result<SecurityConfig, ConfigError> {
    SecurityConfig::builder()
        .env_from(variables.iter().copied())?
        .build()
}

fn env_error(name: &str, value: &str) -> String {
    env(&[(name, value)]).unwrap_err().to_string()
}

/// A file of this test's own, removed when it goes out of scope.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str, content: &[u8]) -> Self {
        let name = format!("guard-config-{}-{name}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn an_empty_text_means_the_defaults() {
    let config = SecurityConfig::from_toml("").unwrap();
    assert_eq!(config.to_string(), SecurityConfig::default().to_string());
    let config = SecurityConfig::from_toml("# nothing\n").unwrap();
    assert_eq!(config.to_string(), SecurityConfig::default().to_string());
}

#[test]
fn unknown_fields_are_refused_with_a_suggestion() {
    let cases = [
        (
            "rate_limt = 5",
            "rate_limt: unknown field; did you mean rate_limit?",
        ),
        (
            "trusted_proxy = []",
            "trusted_proxy: unknown field; did you mean trusted_proxies?",
        ),
        (
            "stores = \"memory\"",
            "stores: unknown field; did you mean store?",
        ),
        ("[route]", "route: unknown field; did you mean routes?"),
        ("key_by = \"address\"", "key_by: unknown field"),
        ("bananas = 5", "bananas: unknown field"),
        (
            "Rate_Limit = 5",
            "Rate_Limit: unknown field; did you mean rate_limit?",
        ),
        ("\"a\\nb\" = 5", "a\\u000Ab: unknown field"),
        ("[guard]\nrate_limit = 5", "guard: unknown field"),
        (
            "[[routes]]\npatern = \"/\"",
            "routes[0].patern: unknown field; did you mean pattern?",
        ),
        (
            "strike_reset = { aftr = 5 }",
            "strike_reset.aftr: unknown field; did you mean after?",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(toml_error(text), expected);
    }
}

#[test]
fn what_is_not_toml_is_reported_with_its_place() {
    let cases = [
        ("rate_limit = ", "toml: line 1, column 14: "),
        ("passive = true\nrate_limit 5", "toml: line 2, column 12: "),
        (
            "passive = true\npassive = true",
            "toml: line 2, column 1: duplicate key",
        ),
        ("store = redis://:secret@host", "toml: line 1, column 9: "),
        ("store = \"redis://:secret@host", "toml: line 1, column "),
        ("ban_file = \"ä\" x", "toml: line 1, column 16: "),
    ];
    for (text, expected) in cases {
        let error = toml_error(text);
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn files() {
    let good = TestFile::new("good", b"rate_limit = 7\n");
    let config = SecurityConfig::from_file(&good.0).unwrap();
    assert_eq!(config.settings().global.requests, 7);

    let bad_value = TestFile::new("value", b"rate_limit = 0\n");
    let error = SecurityConfig::from_file(&bad_value.0).unwrap_err();
    assert_eq!(error.to_string(), "rate_limit: must be at least 1, not 0");

    let not_unicode = TestFile::new("unicode", b"rate_limit = \xff\n");
    let not_toml = TestFile::new("syntax", b"\nrate_limit =\n");
    let missing = PathBuf::from("/nowhere/guard.toml");
    let cases = [
        (&not_unicode.0, ": cannot be read: "),
        (&not_toml.0, ": line 2, column "),
        (&missing, ": cannot be read: "),
    ];
    for (path, reason) in cases {
        let error = SecurityConfig::from_file(path).unwrap_err();
        let expected = format!("toml: {}{reason}", path.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert_eq!(error.field(), "toml");
    }
}

#[test]
fn the_environment_goes_over_the_file_that_it_names() {
    let file = TestFile::new("environment", b"rate_limit = 7\nmax_bans = 8\n");
    let variables = vec![
        ("GUARD_RATE_LIMIT".into(), "9".into()),
        ("GUARD_CONFIG".into(), file.0.clone().into_os_string()),
    ];
    let config = SecurityConfig::builder()
        .environment(variables)
        .unwrap()
        .build()
        .unwrap();
    let settings = config.settings();
    assert_eq!((settings.global.requests, settings.max_bans), (9, 8));
    assert_eq!(config.environment_overrides(), ["rate_limit"]);

    let nothing = SecurityConfig::builder()
        .environment(vec![])
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(nothing.to_string(), SecurityConfig::default().to_string());

    let empty = vec![("GUARD_CONFIG".into(), OsString::new())];
    let error = SecurityConfig::builder().environment(empty).unwrap_err();
    assert_eq!(
        error.to_string(),
        "GUARD_CONFIG: must be the path of a file, not \"\""
    );
}

#[test]
fn variables_set_fields() {
    let config = env(&[
        ("GUARD_RATE_LIMIT", "7"),
        ("GUARD_RATE_LIMIT_WINDOW", "5m"),
        ("GUARD_AUTO_BAN_DURATION", "1d"),
        ("GUARD_PASSIVE", "On"),
        ("GUARD_EXEMPT_IPS", "10.0.0.0/8, ::1"),
        ("GUARD_STRIKE_RESET", "after=1h"),
        ("GUARD_BAN_FILE", "/var/lib/my bans.json"),
        ("GUARD_RATE_LIMIT_HEADERS", "legacy"),
        ("GUARD_TRUSTED_PROXIES", ""),
        ("GUARD_STORE", "memory"),
        ("GUARD_REDIS_PREFIX", "app:"),
        ("GUARD_REDIS_CLUSTER", "no"),
        ("GUARD_REDIS_TIMEOUT_MS", "100"),
        ("GUARD_REDIS_WINDOWS", "local"),
        ("GUARD_ON_STORE_FAILURE", "closed"),
        ("GUARD_BAN_CACHE_ENTRIES", "7"),
    ])
    .unwrap();
    let expected = SecurityConfig::from_toml(
        "rate_limit = 7\nrate_limit_window = 300\nauto_ban_duration = 86400\npassive = true\n\
         exempt_ips = [\"10.0.0.0/8\", \"::1\"]\nstrike_reset = { after = 3600 }\n\
         ban_file = \"/var/lib/my bans.json\"\nrate_limit_headers = \"legacy\"\n\
         redis_prefix = \"app:\"\nredis_timeout_ms = 100\nredis_windows = \"local\"\n\
         on_store_failure = \"closed\"\nban_cache_entries = 7",
    )
    .unwrap();
    assert_eq!(config.to_string(), expected.to_string());
}

#[test]
fn a_list_in_the_environment_replaces_the_list_of_the_file() {
    let built = |value: &str| {
        let builder = SecurityConfig::builder()
            .toml("exempt_ips = [\"10.0.0.0/8\"]")
            .unwrap();
        let builder = builder.env_from([("GUARD_EXEMPT_IPS", value)]).unwrap();
        builder.build().unwrap().settings().exempt_ips.clone()
    };
    assert_eq!(
        built("192.0.2.1").entries().collect::<Vec<_>>(),
        ["192.0.2.1"]
    );
    assert!(built("").is_empty());
    assert!(built("  ").is_empty());
}

#[test]
fn unknown_variables_are_refused_with_a_suggestion() {
    let cases = [
        (
            "GUARD_RATE_LIMTI",
            "GUARD_RATE_LIMTI: unknown variable; did you mean GUARD_RATE_LIMIT?",
        ),
        (
            "GUARD_STORES",
            "GUARD_STORES: unknown variable; did you mean GUARD_STORE?",
        ),
        (
            "GUARD_CONFIGS",
            "GUARD_CONFIGS: unknown variable; did you mean GUARD_CONFIG?",
        ),
        (
            "GUARD_PORTS",
            "GUARD_PORTS: unknown variable; did you mean GUARD_STORE?",
        ),
        ("GUARD_rate_limit", "GUARD_rate_limit: unknown variable"),
        (
            "GUARD_REDIS_PORT",
            "GUARD_REDIS_PORT: unknown variable; did you mean GUARD_REDIS_PREFIX?",
        ),
        (
            "GUARD_REDIS_PORT_TCP",
            "GUARD_REDIS_PORT_TCP: unknown variable; did you mean GUARD_REDIS_PREFIX?",
        ),
        (
            "GUARD_REDIS_PORT_6379_TCP_HOST",
            "GUARD_REDIS_PORT_6379_TCP_HOST: unknown variable",
        ),
        ("GUARD_", "GUARD_: unknown variable"),
        (
            "GUARD_SOMETHING_ELSE_ALTOGETHER",
            "GUARD_SOMETHING_ELSE_ALTOGETHER: unknown variable",
        ),
    ];
    for (name, expected) in cases {
        let error = env_error(name, "redis://:secret@host");
        assert!(
            error.starts_with(expected.split(';').next().unwrap()),
            "{error}"
        );
        assert!(!error.contains("secret"), "{error}");
        if name != "GUARD_PORTS" {
            assert_eq!(error, expected);
        }
    }
}

#[test]
fn variables_of_kubernetes_and_of_others_are_left_alone() {
    let config = env(&[
        ("GUARD_PORT", "tcp://10.0.0.1:80"),
        ("GUARD_PORT_80_TCP", "tcp://10.0.0.1:80"),
        ("GUARD_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("GUARD_SERVICE_HOST", "10.0.0.1"),
        ("GUARD_SERVICE_PORT", "80"),
        ("GUARD_SERVICE_PORT_HTTP", "80"),
        ("GUARD_REDIS_SERVICE_HOST", "10.0.0.2"),
        ("GUARD_REDIS_SERVICE_PORT", "6379"),
        ("GUARD_REDIS_SERVICE_PORT_REDIS", "6379"),
        ("GUARD_REDIS_PORT", "tcp://10.0.0.2:6379"),
        ("GUARD_REDIS_PORT_6379_TCP", "tcp://10.0.0.2:6379"),
        ("GUARD_REDIS_PORT_6379_TCP_PROTO", "tcp"),
        ("GUARD_REDIS_PORT_6379_TCP_PORT", "6379"),
        ("GUARD_REDIS_PORT_6379_TCP_ADDR", "10.0.0.2"),
        ("GUARD_STORE_PORT_53_UDP", "udp://10.0.0.3:53"),
        ("GUARD_CONFIG", "/etc/guard.toml"),
        ("guard_rate_limit", "5"),
        ("GUARDIAN", "5"),
        ("MY_GUARD_RATE_LIMIT", "5"),
        ("", ""),
    ])
    .unwrap();
    assert_eq!(config.to_string(), SecurityConfig::default().to_string());
    assert!(config.environment_overrides().is_empty());
}

#[test]
fn bad_variables_name_field_and_variable() {
    let cases = [
        (
            "GUARD_RATE_LIMIT",
            "abc",
            "rate_limit: GUARD_RATE_LIMIT must be a whole number, not \"abc\"",
        ),
        (
            "GUARD_RATE_LIMIT",
            "",
            "rate_limit: GUARD_RATE_LIMIT must be a whole number, not \"\"",
        ),
        (
            "GUARD_RATE_LIMIT",
            "0",
            "rate_limit: GUARD_RATE_LIMIT must be at least 1, not 0",
        ),
        (
            "GUARD_PASSIVE",
            "maybe",
            "passive: GUARD_PASSIVE must be true or false, not \"maybe\"",
        ),
        (
            "GUARD_EXEMPT_IPS",
            "::1,foo",
            "exempt_ips: GUARD_EXEMPT_IPS: \"foo\" is not an address or network",
        ),
        (
            "GUARD_EXEMPT_IPS",
            "::1,,::2",
            "exempt_ips: GUARD_EXEMPT_IPS must be a list without empty items",
        ),
        (
            "GUARD_DENIED_IPS",
            ",",
            "denied_ips: GUARD_DENIED_IPS must be a list without empty items",
        ),
        (
            "GUARD_STRIKE_RESET",
            "after=0",
            "strike_reset.after: GUARD_STRIKE_RESET must be at least 1 second, not 0",
        ),
        (
            "GUARD_ROUTES",
            "/a",
            "routes: GUARD_ROUTES: can only be set in the file",
        ),
        (
            "GUARD_ROUTES",
            "",
            "routes: GUARD_ROUTES: can only be set in the file",
        ),
        (
            "GUARD_BAN_FILE",
            "",
            "ban_file: GUARD_BAN_FILE must be a path, not \"\"",
        ),
        (
            "GUARD_DETECTION",
            "x",
            "detection: GUARD_DETECTION: can only be set in the file",
        ),
        (
            "GUARD_TRUSTED_PROXIES",
            "::1,nginx",
            "trusted_proxies: GUARD_TRUSTED_PROXIES: \"nginx\" is not an address or network",
        ),
        (
            "GUARD_STORE",
            "redis://:secret@host:x",
            "store: GUARD_STORE must have a port from 1 to 65535 after its host, or none, \
             not \"redis://***@host:***\"",
        ),
        (
            "GUARD_STORE",
            "",
            "store: GUARD_STORE must be \"memory\" or begin with redis:// or rediss://, not \"\"",
        ),
        (
            "GUARD_STORE",
            "memory,redis://host",
            "store[0]: GUARD_STORE must begin with redis:// or rediss:// \
             (the comma of a password is written %2C)",
        ),
        (
            "GUARD_STORE",
            "redis://:sec,ret@host",
            "store[0]: GUARD_STORE must have a host, as in redis://user:password@host:6379/0 \
             (special characters of the password percent-encoded), not \"redis://:***\"",
        ),
        (
            "GUARD_REDIS_SENTINEL_MASTER",
            "",
            "redis_sentinel_master: GUARD_REDIS_SENTINEL_MASTER must not be empty",
        ),
        (
            "GUARD_REDIS_SENTINEL_MASTER",
            "mymaster",
            "redis_sentinel_master: GUARD_REDIS_SENTINEL_MASTER: needs a Redis store, but store is \"memory\"",
        ),
        (
            "GUARD_REDIS_CLUSTER",
            "yes",
            "redis_cluster: GUARD_REDIS_CLUSTER: needs a Redis store, but store is \"memory\"",
        ),
        (
            "GUARD_REDIS_PREFIX",
            "{guard}:",
            "redis_prefix: GUARD_REDIS_PREFIX must not contain braces, as \"{guard}:\" does",
        ),
        (
            "GUARD_REDIS_WINDOWS",
            "global",
            "redis_windows: GUARD_REDIS_WINDOWS must be one of \"shared\", \"local\", not \"global\"",
        ),
        (
            "GUARD_ON_STORE_FAILURE",
            "close",
            "on_store_failure: GUARD_ON_STORE_FAILURE must be one of \"local\", \"open\", \"closed\", not \"close\"",
        ),
        (
            "GUARD_MAX_BANS",
            "redis://:secret@host",
            "max_bans: GUARD_MAX_BANS must be a whole number, not \"redis://***@host\"",
        ),
    ];
    for (name, value, expected) in cases {
        assert_eq!(env_error(name, value), expected);
    }
}

#[cfg(unix)]
#[test]
fn variables_that_are_not_unicode_are_named_without_their_value() {
    use std::os::unix::ffi::OsStringExt;
    let bytes = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let build = |name: &[u8], value: &[u8]| {
        SecurityConfig::builder()
            .env_from([(bytes(name), bytes(value))])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        build(b"GUARD_RATE_LIMIT", b"sec\xffret"),
        "rate_limit: GUARD_RATE_LIMIT must be Unicode text"
    );
    assert_eq!(
        build(b"GUARD_\xff", b"5"),
        "GUARD_\u{fffd}: unknown variable"
    );
}

#[test]
fn errors_do_not_depend_on_the_order_of_the_environment() {
    let [one, other] = [("GUARD_RATE_LIMIT", "0"), ("GUARD_MAX_BANS", "0")];
    let first = env(&[one, other]).unwrap_err();
    assert_eq!(first, env(&[other, one]).unwrap_err());
    assert_eq!(first.field(), "max_bans");
}

#[test]
fn the_last_of_several_values_of_one_variable_counts() {
    let config = env(&[("GUARD_RATE_LIMIT", "9"), ("GUARD_RATE_LIMIT", "8")]).unwrap();
    assert_eq!(config.settings().global.requests, 8);
    assert_eq!(Settings::default().global.requests, 50);
}

#[cfg(not(feature = "redis"))]
#[test]
fn redis_needs_its_feature() {
    let url = "redis://:secret@host";
    let needs = "redis://***@host needs the cargo feature \"redis\" of actix-web-guard";
    assert_eq!(
        toml_error(&format!("store = \"{url}\"")),
        format!("store: {needs}")
    );
    assert_eq!(
        env_error("GUARD_STORE", url),
        format!("store: GUARD_STORE: {needs}")
    );
    let built = SecurityConfig::builder().store(url).build();
    assert_eq!(built.unwrap_err().to_string(), format!("store: {needs}"));
}

#[cfg(feature = "redis")]
mod redis {
    use super::*;

    #[test]
    fn stores_from_toml_environment_and_code_are_the_same() {
        let one = "redis://:secret@one/1";
        let same = [
            SecurityConfig::from_toml(&format!("store = \"{one}\"")),
            SecurityConfig::from_toml(&format!("store = [\"{one}\"]")),
            env(&[("GUARD_STORE", one)]),
            SecurityConfig::builder().store(one).build(),
            SecurityConfig::builder().redis_urls([one]).build(),
        ];
        let same = same.map(Result::unwrap);
        for config in &same {
            assert_eq!(config.settings(), same[0].settings());
            assert!(
                config
                    .to_string()
                    .contains("\nstore = \"redis://***@one/1\"\n"),
                "{config}"
            );
        }
    }

    #[test]
    fn several_servers_from_toml_environment_and_code_are_the_same() {
        let master = "mymaster";
        let same = [
            SecurityConfig::from_toml(
                "store = [\"redis://one\", \"redis://u:secret@two:1\"]\n\
                 redis_sentinel_master = \"mymaster\"",
            ),
            env(&[
                ("GUARD_STORE", "redis://one, redis://u:secret@two:1"),
                ("GUARD_REDIS_SENTINEL_MASTER", master),
            ]),
            SecurityConfig::builder()
                .redis_urls(["redis://one", "redis://u:secret@two:1"])
                .redis_sentinel_master(master)
                .build(),
        ];
        let same = same.map(Result::unwrap);
        for config in &same {
            assert_eq!(config.settings(), same[0].settings());
            let printed = config.to_string();
            let lines = "\nstore = [\"redis://one\", \"redis://***@two:1\"]\n\
                         redis_sentinel_master = \"mymaster\"\n";
            assert!(printed.contains(lines), "{printed}");
        }
    }

    #[test]
    fn a_store_whose_password_is_hidden_cannot_be_loaded_again() {
        let config = SecurityConfig::builder().store("redis://:secret@host");
        let printed = config.build().unwrap().to_string();
        let error = toml_error(&printed);
        assert!(
            error.starts_with("store: must have a password beside its user"),
            "{error}"
        );
        assert!(error.ends_with("not \"redis://***@host\""), "{error}");
    }

    #[test]
    fn a_variable_is_blamed_for_what_it_breaks_beside_the_file() {
        let with_store = |toml: &str, variable: (&str, &str)| {
            let builder = SecurityConfig::builder().toml(toml).unwrap();
            let built = builder.env_from([variable]).unwrap().build();
            built.unwrap_err().to_string()
        };
        assert_eq!(
            with_store("", ("GUARD_STORE", "redis://one,redis://two")),
            "store: GUARD_STORE must be one URL, not 2, unless redis_sentinel_master or redis_cluster is set"
        );
        assert_eq!(
            with_store(
                "redis_cluster = true",
                ("GUARD_STORE", "redis://one,redis://:secret@two/1")
            ),
            "store[1]: GUARD_STORE must not have a database, as redis://***@two/1 has, \
             with redis_cluster: a Cluster has none but 0"
        );
        assert_eq!(
            with_store(
                "store = \"redis://one\"",
                ("GUARD_BAN_FILE", "/tmp/bans.json")
            ),
            "ban_file: GUARD_BAN_FILE must not be set with a Redis store, which keeps the bans itself"
        );
    }
}
