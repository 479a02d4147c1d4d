//! `trusted_proxies` was forgotten: nobody can lock everybody out.

use actix_web::{App, web};
use actix_web_guard::{Guard, GuardHandle};
use futures_util::StreamExt as _;
use tracing::Level;

use super::nginx::Nginx;
use crate::{
    guard::Dotfiles,
    server::{listen::listen, log::alone},
    support::{configure, seconds},
};

/// What nearly every tutorial has.
const USUAL: &str = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";

#[test]
fn one_attacker_bans_nobody_and_one_warning_says_which_line_to_add() {
    alone(
        &one_attacker_bans_nobody_and_one_warning_says_which_line_to_add,
        async |log| {
            let (config, clock) = configure(|config| {
                config
                    .rate_limit(5)
                    .auto_ban_threshold(0)
                    .detector(Dotfiles)
            });
            let handle = GuardHandle::of(&config);
            let server = listen(move || {
                App::new()
                    .route("/", web::get().to(async || "hello"))
                    .wrap(Guard::new(config.clone()))
            });
            let nginx = Nginx::start(&server.address().to_string(), USUAL);
            for _ in 0..20 {
                let probe = nginx.ask("127.0.0.2", "GET /.env", &[]).await;
                assert_eq!(probe.status, 403, "a threat is refused");
                let hammered = nginx.ask("127.0.0.2", "GET /", &[]).await;
                assert!([200, 429].contains(&hammered.status));
            }
            assert_eq!(handle.bans().count().await, 0);
            // The others share his limit, but only as long as the window lasts.
            clock.advance(seconds(61));
            for _ in 0..5 {
                let other = nginx.ask("127.0.0.3", "GET /", &[]).await;
                assert_eq!(other.status, 200);
            }
            let warnings = log.with(Level::WARN, &["trusted_proxies = [\"127.0.0.1\"]"]);
            assert_eq!(warnings.len(), 1, "{warnings:?}");
        },
    );
}
