//! What the log says of exempt and denied requests, and of proxies.

use tracing::Level;

use super::{XFF, app, from};
use crate::{
    server::log::alone,
    support::{config, send},
};

#[test]
fn each_decision_about_a_list_is_said_with_the_field_that_made_it() {
    alone(
        &each_decision_about_a_list_is_said_with_the_field_that_made_it,
        async |log| {
            for passive in [false, true] {
                let config = config(|config| {
                    config
                        .passive(passive)
                        .exempt_ips(["198.51.100.1"])
                        .exempt_paths(["/healthz"])
                        .exempt_loopback(true)
                        .exempt_user_agents(["GoodMonitor"])
                        .denied_ips(["198.51.100.2"])
                        .banned_user_agents(["sqlmap"])
                        .trusted_proxies(["192.0.2.1"])
                });
                let app = app!(config);
                let denied = if passive { Level::INFO } else { Level::DEBUG };
                let agent = |value| [("User-Agent", value)];
                for (peer, path, lines, level, words) in [
                    (
                        "198.51.100.1",
                        "/ping",
                        &[][..],
                        Level::DEBUG,
                        ["exempt", "exempt_ips"],
                    ),
                    (
                        "198.51.100.3",
                        "/healthz",
                        &[],
                        Level::DEBUG,
                        ["exempt", "exempt_paths"],
                    ),
                    (
                        "127.0.0.1",
                        "/ping",
                        &[],
                        Level::DEBUG,
                        ["exempt", "exempt_loopback"],
                    ),
                    (
                        "198.51.100.3",
                        "/ping",
                        &agent("GoodMonitor"),
                        Level::DEBUG,
                        ["exempt", "exempt_user_agents"],
                    ),
                    (
                        "192.0.2.1",
                        "/ping",
                        &[],
                        Level::DEBUG,
                        ["exempt", "trusted_proxies"],
                    ),
                    (
                        "198.51.100.2",
                        "/ping",
                        &[],
                        denied,
                        ["denied", "denied_ips"],
                    ),
                    (
                        "198.51.100.3",
                        "/ping",
                        &agent("sqlmap"),
                        denied,
                        ["denied", "banned_user_agents"],
                    ),
                ] {
                    send(&app, from(peer, path, lines)).await;
                    let passive = format!("passive={passive}");
                    let said = log.with(level, &[words[0], words[1], &passive]);
                    assert_eq!(said.len(), 1, "{words:?} {passive}");
                    assert!(said[0].contains(peer), "{said:?}");
                }
            }
        },
    );
}

#[test]
fn proxies_that_are_not_set_up_are_told_of_once() {
    alone(&proxies_that_are_not_set_up_are_told_of_once, async |log| {
        let config = config(|config| config.trusted_proxies(["192.0.2.1"]));
        let app = app!(config);
        for _ in 0..3 {
            for peer in ["10.0.0.5", "192.168.0.7"] {
                send(&app, from(peer, "/ping", &[(XFF, "203.0.113.5")])).await;
            }
            send(&app, from("192.0.2.1", "/ping", &[(XFF, "unknown")])).await;
            send(&app, from("203.0.113.5", "/ping", &[(XFF, "203.0.113.6")])).await;
        }
        let undeclared = log.with(Level::WARN, &["trusted_proxies = [\"10.0.0.5\"]"]);
        assert_eq!(undeclared.len(), 1, "{undeclared:?}");
        let silent = log.with(Level::WARN, &["192.0.2.1", "x-forwarded-for"]);
        assert_eq!(silent.len(), 1, "{silent:?}");
        assert_eq!(log.with(Level::WARN, &[]).len(), 2);
    });
}
