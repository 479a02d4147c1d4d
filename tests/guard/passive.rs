//! Passive mode: everything is decided and logged, nothing is refused, and enforcing starts with a clean slate.

use actix_web::{App, test::init_service, web};
use actix_web_guard::{Guard, GuardHandle, RouteLimit, SecurityConfig, StrikeReset};

use crate::{
    guard::{Dotfiles, app},
    support::{PEER, configure, get, parse, seconds, send, statuses},
};

/// An enforcing guard refuses a violation, so that nothing comes after it.
#[actix_web::test]
async fn a_violation_that_is_served_is_one_strike_whatever_comes_of_it() {
    for path in ["POST /login", "POST /.login", "POST /limited"] {
        let (config, _clock) = configure(|config| {
            config
                .rate_limit(1)
                .auto_ban_threshold(2)
                .strike_on_status([401])
                .strike_reset(StrikeReset::After(seconds(3600)))
                .passive(true)
                .detector(Dotfiles)
        });
        let handle = GuardHandle::of(&config);
        for reports in ["0", "1"] {
            let app = init_service(
                App::new()
                    .service(web::resource(["/login", "/.login"]).to(crate::guard::fail_login))
                    .service(
                        web::resource("/limited")
                            .wrap(RouteLimit::new(1, 60))
                            .to(crate::guard::fail_login),
                    )
                    .wrap(Guard::new(config.clone())),
            )
            .await;
            // Threats are strikes from the first on; of limits it is the second request.
            let mut strikes = 0;
            while handle.ban_of(PEER).await.unwrap().is_none() {
                let request = parse(path).insert_header(("x-times", reports));
                assert_eq!(send(&app, request).await.status, 401);
                strikes += 1;
            }
            assert_eq!(strikes, 3, "{path}, {reports} reports");
            handle.unban(PEER).await.unwrap();
        }
    }
}

#[actix_web::test]
async fn nothing_is_refused_and_bans_are_listed() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(1)
            .passive(true)
            .detector(Dotfiles)
            .denied_ips(["203.0.113.0/24"])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(
            &app,
            &[
                "/other", "/other", "/.env", "/other", "/public", "/public", "/public"
            ]
        )
        .await,
        [200, 200, 404, 200, 200, 200, 200]
    );
    assert!(
        handle.ban_of(PEER).await.unwrap().is_some(),
        "what would have happened"
    );
    let denied = get("/other").peer_addr(crate::support::peer("203.0.113.1"));
    assert_eq!(send(&app, denied).await.status, 200);
}

#[actix_web::test]
async fn limits_that_are_not_enforced_are_not_told() {
    let (config, _clock) = configure(|config| config.passive(true));
    let app = app!(config);
    for path in ["/other", "/public"] {
        assert_eq!(send(&app, get(path)).await.header("ratelimit"), None);
    }
}

#[actix_web::test]
async fn bans_of_passive_mode_are_not_those_of_enforcing() {
    let (config, clock) =
        configure(|config| config.rate_limit(1).auto_ban_threshold(0).passive(true));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200; 3]
    );
    let enforcing = SecurityConfig::builder()
        .rate_limit(1)
        .auto_ban_threshold(0)
        .clock(clock)
        .build()
        .unwrap();
    handle.reload(&enforcing).unwrap();
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 403]);
}
