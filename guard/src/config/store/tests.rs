use super::*;

const NONE: Features = Features {
    redis: false,
    redis_tls: false,
};
const PLAIN: Features = Features {
    redis: true,
    redis_tls: false,
};
const ALL: Features = Features {
    redis: true,
    redis_tls: true,
};

fn urls(raw: &Raw, features: Features) -> Vec<String> {
    match as_store_with(raw, features).unwrap() {
        StoreChoice::Memory => Vec::new(),
        StoreChoice::Redis(urls) => urls.iter().map(|url| url.as_str().to_owned()).collect(),
    }
}

fn message<T>(read: Result<T, Problem>) -> String {
    match read {
        Ok(_) => panic!("was accepted"),
        Err(problem) => problem.in_field("store").to_string(),
    }
}

#[test]
fn memory_needs_no_feature() {
    let read = as_store_with(&Raw::text("memory"), NONE).unwrap();
    assert_eq!(read, StoreChoice::Memory);
    assert!(from_store(&read) == Raw::text("memory"));
}

#[test]
fn one_url_or_several() {
    let one = "redis://:secret@host/1";
    assert_eq!(urls(&Raw::text(one), PLAIN), [one]);
    assert_eq!(urls(&Raw::texts([one]), PLAIN), [one]);
    let several = ["rediss://one", "redis://two:7000", one];
    assert_eq!(urls(&Raw::texts(several), ALL), several);
}

#[test]
fn a_store_is_shown_without_its_passwords() {
    let cases = [
        (
            Raw::texts(["redis://:secret@host/1"]),
            Raw::text("redis://***@host/1"),
        ),
        (
            Raw::texts(["redis://one", "rediss://user:secret@two"]),
            Raw::texts(["redis://one", "rediss://***@two"]),
        ),
    ];
    for (raw, shown) in cases {
        let store = as_store_with(&raw, ALL).unwrap();
        assert!(from_store(&store) == shown, "{store:?}");
        assert!(!format!("{store:?}").contains("secret"), "{store:?}");
    }
}

#[test]
fn features_that_are_missing_are_named() {
    let plain = Raw::text("redis://:secret@host");
    let encrypted = Raw::texts(["redis://one", "rediss://u:secret@two/0"]);
    let cases = [
        (
            &plain,
            NONE,
            "store: redis://***@host needs the cargo feature \"redis\" of actix-web-guard",
        ),
        (
            &encrypted,
            NONE,
            "store[0]: redis://one needs the cargo feature \"redis\" of actix-web-guard",
        ),
        (
            &encrypted,
            PLAIN,
            "store[1]: rediss://***@two/0 needs the cargo feature \"redis-tls\" of actix-web-guard",
        ),
    ];
    for (raw, features, expected) in cases {
        assert_eq!(message(as_store_with(raw, features)), expected);
    }
    assert_eq!(urls(&plain, PLAIN).len(), 1);
    assert_eq!(urls(&encrypted, ALL).len(), 2);
}

#[test]
fn the_features_are_those_of_the_build() {
    let read = |url| as_store(&Raw::text(url));
    assert_eq!(read("redis://host").is_ok(), cfg!(feature = "redis"));
    assert_eq!(read("rediss://host").is_ok(), cfg!(feature = "redis-tls"));
}

#[test]
fn bad_stores() {
    let list = |items: &[&str]| Raw::texts(items.iter().copied());
    let cases = [
        (
            Raw::text("memroy"),
            "store: must be \"memory\" or begin with redis:// or rediss://, not \"memroy\"",
        ),
        (
            Raw::text(""),
            "store: must be \"memory\" or begin with redis:// or rediss://, not \"\"",
        ),
        (
            Raw::text("http://user:secret@host"),
            "store: must be \"memory\" or begin with redis:// or rediss://, not \"http://***@host\"",
        ),
        (
            Raw::text("secret@host:6379"),
            "store: must be \"memory\" or begin with redis:// or rediss://, not \"***@host:6379\"",
        ),
        (
            Raw::Integer(5),
            "store: must be \"memory\", a URL or a list of URLs, not 5",
        ),
        (
            Raw::Table(vec![]),
            "store: must be \"memory\", a URL or a list of URLs, not a table",
        ),
        (list(&[]), "store: must be a list with at least one URL"),
        (
            list(&["memory"]),
            "store[0]: must begin with redis:// or rediss:// (the comma of a password is written %2C)",
        ),
        (
            list(&["redis://u:1", "secret", "secret@host"]),
            "store[1]: must begin with redis:// or rediss:// (the comma of a password is written %2C)",
        ),
        (
            list(&["redis://one", ""]),
            "store[1]: must be a list without empty items",
        ),
        (
            Raw::List(vec![Raw::Integer(5)]),
            "store[0]: must be a list of texts, not of 5",
        ),
        (
            list(&["redis://one", "redis://u:secret@two:0"]),
            "store[1]: must have a port from 1 to 65535 after its host, or none, not \"redis://***@two:0\"",
        ),
    ];
    for (raw, expected) in cases {
        assert_eq!(message(as_store_with(&raw, ALL)), expected);
    }
}

#[test]
fn prefixes() {
    let longest = "é".repeat(32);
    for prefix in ["guard:", "g", "*", "my-app/Größe:", &longest] {
        assert_eq!(as_redis_prefix(&Raw::text(prefix)).unwrap(), prefix);
    }
    let cases = [
        ("", "must not be empty"),
        (
            "my guard:",
            "must not contain spaces or control characters, as \"my guard:\" does",
        ),
        (
            "guard\n",
            "must not contain spaces or control characters, as \"guard\\u000A\" does",
        ),
        (
            "guard\0",
            "must not contain spaces or control characters, as \"guard\\u0000\" does",
        ),
        ("{guard:", "must not contain braces, as \"{guard:\" does"),
        ("guard}", "must not contain braces, as \"guard}\" does"),
        (
            &format!("{longest}:"),
            "must be at most 64 bytes long, not 65",
        ),
    ];
    for (prefix, expected) in cases {
        assert_eq!(
            message(as_redis_prefix(&Raw::text(prefix))),
            format!("store: {expected}")
        );
    }
    let number = message(as_redis_prefix(&Raw::Integer(5)));
    assert_eq!(number, "store: must be a text, not 5");
}

#[test]
fn words_read_back() {
    for windows in RedisWindows::ALL {
        assert_eq!(
            as_redis_windows(&Raw::text(windows.word())).unwrap(),
            windows
        );
    }
    for policy in StoreFailurePolicy::ALL {
        assert_eq!(
            as_failure_policy(&Raw::text(policy.word())).unwrap(),
            policy
        );
    }
    assert_eq!(
        message(as_redis_windows(&Raw::text("Shared"))),
        "store: must be one of \"shared\", \"local\", not \"Shared\""
    );
    assert_eq!(
        message(as_failure_policy(&Raw::Switch(true))),
        "store: must be one of \"local\", \"open\", \"closed\", not true"
    );
    assert_eq!(RedisWindows::default(), RedisWindows::Shared);
    assert_eq!(StoreFailurePolicy::default(), StoreFailurePolicy::Local);
}
