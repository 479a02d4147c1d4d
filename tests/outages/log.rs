//! What an outage says in the log: each change once.

use std::time::Instant;

use redis_servers::Server;
use tracing::Level;

use super::{
    faults::{Fault, Place},
    site::{Site, until},
};
use crate::{
    server::log::{Log, alone},
    support::seconds,
};

const OUT_OF_REACH: &str = "the store is out of reach";
const BACK: &str = "the store is back";
const NOT_TOLD: &str = "does not tell changes of bans";

fn count(log: &Log, words: &str) -> usize {
    log.with(Level::WARN, &[words]).len()
}

#[test]
fn each_change_of_the_state_is_one_warning() {
    alone(&each_change_of_the_state_is_one_warning, async |log| {
        let server = Server::start();
        let site = Site::start(&server.url(), |config| config.rate_limit(1000));
        for round in 1..=3 {
            server.kill();
            site.notices().await;
            site.statuses("192.0.2.1", 20).await;
            until("the other warning", seconds(2), async || {
                count(&log, NOT_TOLD) == round
            })
            .await;
            server.restart();
            site.recovers().await;
            site.statuses("192.0.2.1", 20).await;
            assert_eq!(count(&log, OUT_OF_REACH), round, "{:?}", log.lines());
            assert_eq!(count(&log, BACK), round, "{:?}", log.lines());
        }
        let warnings = log.with(Level::WARN, &[]);
        assert_eq!(warnings.len(), 9, "{warnings:?}");
        assert_eq!(log.with(Level::ERROR, &[]), [""; 0]);
    });
}

#[test]
fn a_server_that_is_not_there_at_the_start_is_said_without_any_request() {
    alone(
        &a_server_that_is_not_there_at_the_start_is_said_without_any_request,
        async |log| {
            let server = Server::start();
            server.kill();
            let _site = Site::start(&server.url(), |config| config);
            until("the warning", seconds(2), async || {
                count(&log, NOT_TOLD) == 1
            })
            .await;
            let line = &log.with(Level::WARN, &[NOT_TOLD])[0];
            assert!(line.contains("cannot be reached"), "{line}");
        },
    );
}

#[test]
fn the_warning_says_what_is_wrong_and_never_a_password() {
    alone(
        &the_warning_says_what_is_wrong_and_never_a_password,
        async |log| {
            for (fault, says) in [
                (Fault::NoScripts, "does not permit"),
                (Fault::OtherPassword, "refuses the password"),
                (Fault::Full, "maxmemory"),
                (Fault::ReadOnly, "read-only replica"),
            ] {
                let mut place = Place::new();
                place.befall(fault);
                let site = Site::start(&place.url(), |config| config);
                site.notices().await;
                let lines = log.with(Level::WARN, &[OUT_OF_REACH, says]);
                assert_eq!(lines.len(), 1, "{fault:?}: {:?}", log.lines());
            }
            for (_, line) in log.lines() {
                assert!(!line.contains("password%20"), "{line}");
                assert!(!line.contains("the password\""), "{line}");
            }
        },
    );
}

/// The channel for bans looks with a PING twice a second whether it is still there.
#[test]
fn a_user_that_may_not_ping_is_told_changes_all_the_same() {
    alone(
        &a_user_that_may_not_ping_is_told_changes_all_the_same,
        async |log| {
            let server = Server::builder()
                .acl_user("guard", "secret", "~* &* +@all -ping")
                .start();
            let site = Site::start(&server.url_as("guard", "secret"), |config| config);
            until("a second PING was refused", seconds(4), async || {
                let refused = server.info("cmdstat_ping");
                refused.is_some_and(|calls| calls.contains("rejected_calls=2,"))
            })
            .await;
            assert_eq!(count(&log, NOT_TOLD), 0, "{:?}", log.lines());
            site.remembers_ban(&server, "192.0.2.1").await;
        },
    );
}

/// What looks whether Redis is back can't foresee everything: here it may do what decisions may not.
#[test]
fn a_server_that_only_seems_to_be_back_is_tried_more_and_more_seldom() {
    alone(
        &a_server_that_only_seems_to_be_back_is_tried_more_and_more_seldom,
        async |log| {
            let rules = "~guard:probe* ~guard:banned* &* +@all";
            let server = Server::builder().acl_user("guard", "secret", rules).start();
            let url = server.url_as("guard", "secret");
            let site = Site::start(&url, |config| config.rate_limit(1000));
            let begun = Instant::now();
            while begun.elapsed() < seconds(2) {
                site.status("192.0.2.1").await;
            }
            // After 0, 1/2, and 1 second and a half.
            let said = count(&log, OUT_OF_REACH);
            assert!((2..=4).contains(&said), "{:?}", log.lines());
            server.command(&["ACL", "SETUSER", "guard", "allkeys"]);
            until("the store is available for good", seconds(6), async || {
                site.status("192.0.2.1").await;
                site.is_available()
            })
            .await;
        },
    );
}
