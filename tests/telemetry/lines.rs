//! The lines that others act on, and how many there are under attack.

use std::time::Duration;

use actix_web_guard::Guard;
use tracing::Level;

use super::{app, probe};
use crate::{
    server::log::alone,
    support::{configure, get, peer, seconds, send},
};

const BANS: &str = "target=actix_web_guard::bans";

#[test]
fn each_ban_is_one_line_under_a_target_of_its_own() {
    alone(
        &each_ban_is_one_line_under_a_target_of_its_own,
        async |log| {
            let (config, _) =
                configure(|config| config.auto_ban_threshold(0).auto_ban_duration(10));
            let guard = Guard::new(config);
            let handle = guard.handle();
            let app = app!(guard);
            for _ in 0..9 {
                send(&app, get("/limited")).await;
            }
            let hour = Duration::from_secs(3600);
            handle
                .ban("2001:db8::7", hour, "line\nbreak")
                .await
                .unwrap();
            handle.unban("2001:db8::7").await.unwrap();
            assert_eq!(
                log.with(Level::WARN, &[BANS]),
                [
                    "message=banned client=192.0.2.10 reason=\"rate limit\" seconds=10 passive=false target=actix_web_guard::bans",
                    "message=banned by hand client=2001:db8::/64 reason=\"line\\nbreak\" seconds=3600 passive=false target=actix_web_guard::bans",
                    "message=ban lifted client=2001:db8::/64 target=actix_web_guard::bans",
                ]
            );
        },
    );
}

#[test]
fn under_attack_each_client_has_a_line_a_second_and_a_sum() {
    alone(
        &under_attack_each_client_has_a_line_a_second_and_a_sum,
        async |log| {
            let (config, clock) = configure(|config| {
                config
                    .auto_ban_threshold(1_000_000)
                    .banned_user_agents(["BadScraper"])
            });
            let app = app!(Guard::new(config));
            let denied = || get("/plain").append_header(("User-Agent", "BadScraper"));
            for _ in 0..100 {
                send(&app, probe()).await;
                send(&app, denied()).await;
                send(&app, get("/limited")).await;
            }
            assert_eq!(log.with(Level::INFO, &["message=threat "]).len(), 1);
            assert_eq!(log.with(Level::DEBUG, &["message=denied "]).len(), 1);
            assert_eq!(
                log.with(Level::DEBUG, &["message=over the limit "]).len(),
                1
            );
            assert_eq!(
                log.lines()
                    .iter()
                    .filter(|(_, line)| line.contains("more"))
                    .count(),
                0
            );

            clock.advance(seconds(1));
            send(&app, probe().peer_addr(peer("203.0.113.5"))).await;
            for (level, sum) in [
                (Level::INFO, "and 99 more: threat "),
                (Level::DEBUG, "and 99 more: denied "),
                (Level::DEBUG, "and 97 more: over the limit "),
            ] {
                let said = log.with(level, &[sum, "192.0.2.10"]);
                assert_eq!(said.len(), 1, "{sum}: {:?}", log.lines());
            }
            assert_eq!(
                log.with(Level::INFO, &["message=threat ", "203.0.113.5"])
                    .len(),
                1
            );
        },
    );
}
