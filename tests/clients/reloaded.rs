//! Files of addresses, and what a reload makes of them.

use std::{fs, path::PathBuf};

use actix_web_guard::{GuardError, GuardHandle, SecurityConfig};

use super::{XFF, app, from};
use crate::support::{config, send};

/// A file of its own for a test, gone with it.
struct List(PathBuf);

impl List {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("actix-web-guard-{name}-{}", std::process::id());
        let list = Self(std::env::temp_dir().join(name));
        list.write(text);
        list
    }

    fn write(&self, text: &str) {
        fs::write(&self.0, text).unwrap();
    }

    fn entry(&self) -> String {
        format!("file:{}", self.0.display())
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // It may be gone already: a test removes it.
        drop(fs::remove_file(&self.0));
    }
}

#[actix_web::test]
async fn a_list_in_a_file_is_read_again_on_reload() {
    let list = List::new(
        "proxies",
        "# edges\n192.0.2.1\r\n\n198.51.100.0/24 # east\n",
    );
    let config = config(|config| config.trusted_proxies([list.entry()]));
    let printed = config.to_string();
    assert!(
        printed.contains(&format!("trusted_proxies = [\"{}\"]", list.entry())),
        "{printed}"
    );
    let handle = GuardHandle::of(&config);
    let app = app!(config.clone());
    let whom = async |peer| {
        let request = from(peer, "/ping", &[(XFF, "203.0.113.5")]);
        send(&app, request).await.body
    };
    assert_eq!(whom("192.0.2.1").await, "203.0.113.5");
    assert_eq!(whom("198.51.100.77").await, "203.0.113.5");
    assert_eq!(whom("192.0.2.2").await, "192.0.2.2");

    list.write("192.0.2.2\n");
    handle.reload(&config).unwrap();
    assert_eq!(whom("192.0.2.1").await, "192.0.2.1");
    assert_eq!(whom("192.0.2.2").await, "203.0.113.5");
}

#[actix_web::test]
async fn a_list_that_cannot_be_read_any_more_leaves_the_last_good_one_in_force() {
    let list = List::new("lost", "192.0.2.1\n");
    let config = config(|config| config.trusted_proxies([list.entry()]));
    let handle = GuardHandle::of(&config);
    let app = app!(config.clone());
    let damage: [&dyn Fn(); 4] = [
        &|| list.write("192.0.2.2\nnonsense\n"),
        &|| list.write(""),
        &|| list.write("0.0.0.0/0\n"),
        &|| fs::remove_file(&list.0).unwrap(),
    ];
    for damage in damage {
        damage();
        let error = handle.reload(&config).unwrap_err();
        assert!(matches!(error, GuardError::Config(_)), "{error}");
        assert!(
            error.to_string().starts_with("trusted_proxies: "),
            "{error}"
        );
        for (peer, expected) in [("192.0.2.1", "203.0.113.5"), ("192.0.2.2", "192.0.2.2")] {
            let request = from(peer, "/ping", &[(XFF, "203.0.113.5")]);
            assert_eq!(send(&app, request).await.body, expected);
        }
    }
}

#[actix_web::test]
async fn lists_in_files_serve_for_those_that_are_exempt_and_denied_too() {
    let (exempt, denied) = (
        List::new("exempt", "192.0.2.1\n"),
        List::new("denied", "192.0.2.0/24\n"),
    );
    let config = config(|config| {
        config
            .exempt_ips([exempt.entry()])
            .denied_ips([denied.entry()])
    });
    let app = app!(config);
    for (peer, expected) in [
        ("192.0.2.1", 200),
        ("192.0.2.2", 403),
        ("198.51.100.1", 200),
    ] {
        assert_eq!(send(&app, from(peer, "/ping", &[])).await.status, expected);
    }
}

#[test]
fn an_error_in_a_file_names_the_line() {
    let list = List::new("wrong", "192.0.2.1\n\nfoo\n");
    let error = SecurityConfig::builder()
        .denied_ips([list.entry()])
        .build()
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("denied_ips: "), "{error}");
    assert!(
        error.contains("line 3") && error.contains("\"foo\""),
        "{error}"
    );
}
