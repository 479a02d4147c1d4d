//! Strikes: both kinds of violation feed one counter, and the one that exceeds the threshold bans.

use crate::{
    guard::{Dotfiles, app},
    support::{configure, get, parse, seconds, send, statuses},
};
use actix_web::{App, HttpResponse, test::init_service, web};
use actix_web_guard::{Guard, StrikeReset};

#[actix_web::test]
async fn strikes_up_to_the_threshold_are_refused_and_the_next_one_bans() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(5)
            .auto_ban_duration(300)
    });
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/other"; 9]).await,
        [200, 200, 429, 429, 429, 429, 429, 403, 403]
    );
    assert_eq!(
        statuses(&app, &["/public", "/health", "/nothing", "POST /login"]).await,
        [403; 4],
        "everywhere"
    );
    clock.advance(seconds(299));
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
    clock.advance(seconds(1));
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200, 200, 429]
    );
}

#[actix_web::test]
async fn a_threshold_of_zero_bans_at_the_first() {
    let (config, _clock) = configure(|config| config.rate_limit(1).auto_ban_threshold(0));
    let app = app!(config);
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 403]);
}

#[actix_web::test]
async fn threats_and_violations_of_limits_count_together() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(3)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(
        statuses(
            &app,
            &[
                "/other",
                "/other",
                "/.env",
                "/other",
                "/.git/config",
                "/public"
            ]
        )
        .await,
        [200, 429, 403, 429, 403, 403]
    );
}

#[actix_web::test]
async fn reports_of_handlers_count_too() {
    let (config, _clock) = configure(|config| config.auto_ban_threshold(2));
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["POST /login"; 4]).await,
        [401, 401, 401, 403]
    );
}

#[actix_web::test]
async fn one_request_is_at_most_one_strike() {
    let (config, _clock) = configure(|config| config.auto_ban_threshold(1));
    let app = app!(config);
    let answer = send(&app, parse("POST /login").insert_header(("x-times", "5"))).await;
    assert_eq!(answer.header("x-banned"), Some("false"));
    let answer = send(&app, parse("POST /login")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("x-banned")),
        (401, Some("true"))
    );
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
}

#[actix_web::test]
async fn a_clean_request_resets_the_streak() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(1)
            .rate_limit_window(10)
            .auto_ban_threshold(2)
    });
    let app = app!(config);
    for _ in 0..5 {
        assert_eq!(
            statuses(&app, &["/other", "/other", "/other"]).await,
            [200, 429, 429]
        );
        clock.advance(seconds(10));
    }
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other", "/other"]).await,
        [200, 429, 429, 403]
    );
}

#[actix_web::test]
async fn a_clean_request_on_a_limited_route_resets_the_streak() {
    let (config, _clock) = configure(|config| config.rate_limit(1).auto_ban_threshold(2));
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other", "/public"]).await,
        [200, 429, 429, 200]
    );
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [429, 429, 403]
    );
}

#[actix_web::test]
async fn what_is_not_clean_does_not_reset() {
    let preflight = || {
        parse("OPTIONS /other")
            .insert_header(("origin", "https://app.example"))
            .insert_header(("access-control-request-method", "GET"))
    };
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(3)
            .auto_ban_threshold(3)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/.env", "/health"]).await,
        [403, 200],
        "an exempt route"
    );
    assert_eq!(send(&app, preflight()).await.status, 404, "a preflight");
    assert_eq!(
        statuses(&app, &["POST /login", "/.env", "/.env"]).await,
        [401, 403, 403],
        "a request with a report"
    );
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
}

#[actix_web::test]
async fn a_404_is_clean_and_no_strike() {
    let (config, _clock) = configure(|config| config.rate_limit(10).auto_ban_threshold(0));
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/a1", "/a2", "DELETE /dav/1", "/favicon.ico"]).await,
        [404; 4]
    );
}

#[actix_web::test]
async fn a_tally_can_outlast_clean_requests() {
    let reset = StrikeReset::After(std::time::Duration::from_secs(100));
    let (config, clock) = configure(|config| {
        config
            .auto_ban_threshold(2)
            .strike_reset(reset)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/.env", "/other", "/.env", "/other"]).await,
        [403, 200, 403, 200]
    );
    clock.advance(seconds(99));
    assert_eq!(statuses(&app, &["/.env", "/other"]).await, [403, 403]);

    let (config, clock) = configure(|config| {
        config
            .auto_ban_threshold(1)
            .strike_reset(reset)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(statuses(&app, &["/.env"]).await, [403]);
    clock.advance(seconds(100));
    assert_eq!(statuses(&app, &["/.env", "/other"]).await, [403, 200]);
}

#[actix_web::test]
async fn a_streak_is_forgotten_after_its_time() {
    let (config, clock) = configure(|config| {
        config
            .auto_ban_threshold(1)
            .strike_ttl(60)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(statuses(&app, &["/.env"]).await, [403]);
    clock.advance(seconds(60));
    assert_eq!(statuses(&app, &["/.env"]).await, [403]);
    clock.advance(seconds(59));
    assert_eq!(statuses(&app, &["/.env", "/other"]).await, [403, 403]);
}

#[actix_web::test]
async fn strikes_within_the_interval_are_one() {
    let (config, clock) = configure(|config| {
        config
            .auto_ban_threshold(1)
            .strike_interval(10)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(statuses(&app, &["/.env"; 20]).await, [403; 20]);
    assert_eq!(statuses(&app, &["/health"]).await, [200], "not banned");
    clock.advance(seconds(10));
    assert_eq!(statuses(&app, &["/.env", "/health"]).await, [403, 403]);
}

#[actix_web::test]
async fn preflights_have_a_window_of_their_own_and_never_strike() {
    let preflight = || {
        get("/other")
            .method(actix_web::http::Method::OPTIONS)
            .insert_header(("origin", "https://app.example"))
            .insert_header(("access-control-request-method", "POST"))
    };
    let (config, _clock) = configure(|config| config.rate_limit(2).auto_ban_threshold(0));
    let handle = actix_web_guard::GuardHandle::of(&config);
    let app = app!(config);
    for expected in [404, 404, 429, 429, 429] {
        assert_eq!(send(&app, preflight()).await.status, expected);
    }
    assert_eq!(
        statuses(&app, &["/other", "/public", "/public"]).await,
        [200; 3],
        "no counter has moved"
    );
    assert_eq!(
        statuses(&app, &["OPTIONS /other"]).await,
        [404],
        "plain OPTIONS are counted like anything else"
    );
    assert_eq!(statuses(&app, &["OPTIONS /other"]).await, [403]);
    assert_eq!(
        send(&app, preflight()).await.status,
        403,
        "refused when banned"
    );
    handle.unban(crate::support::PEER).await.unwrap();
    assert_eq!(send(&app, preflight()).await.status, 429);
}

/// Any page has its visitors' browsers send them: what they are answered bans nobody either.
#[actix_web::test]
async fn neither_answers_nor_threats_in_preflights_are_strikes() {
    let preflight = |path| {
        get(path)
            .method(actix_web::http::Method::OPTIONS)
            .insert_header(("origin", "https://elsewhere.example"))
            .insert_header(("access-control-request-method", "POST"))
    };
    for has_windows in [true, false] {
        let (config, _clock) = configure(|config| {
            config
                .enable_rate_limiting(has_windows)
                .auto_ban_threshold(0)
                .strike_on_status([401])
                .not_found_limit(1)
                .detector(Dotfiles)
        });
        let app = App::new()
            .route("/account", web::to(HttpResponse::Unauthorized))
            .route("/", web::get().to(HttpResponse::Ok))
            .wrap(Guard::new(config));
        let app = init_service(app).await;
        let requests = ["/account", "/account", "/none", "/none", "/none", "/.env"];
        for (path, expected) in requests.into_iter().zip([401, 401, 404, 404, 404, 403]) {
            assert_eq!(send(&app, preflight(path)).await.status, expected, "{path}");
        }
        assert_eq!(
            statuses(&app, &["/", "OPTIONS /account", "/"]).await,
            [200, 401, 403],
            "without the headers of a preflight it is a request like any other"
        );
    }
}

#[actix_web::test]
async fn with_banning_off_nobody_is_struck() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(0)
            .enable_ip_banning(false)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(
        statuses(
            &app,
            &["/other", "/other", "/.env", "/other", "POST /login"]
        )
        .await,
        [200, 429, 403, 429, 429]
    );
    assert_eq!(statuses(&app, &["/public"]).await, [200]);
}
