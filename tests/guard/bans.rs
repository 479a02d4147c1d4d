//! Bans: exactly as long as they are meant to be, for everything, and gone without a trace.

use crate::{
    guard::{Dotfiles, app},
    support::{PEER, configure, get, peer, seconds, send, statuses},
};
use actix_web_guard::{BanSource, GuardHandle};

#[actix_web::test]
async fn requests_during_a_ban_neither_extend_it_nor_strike() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(2)
            .rate_limit_window(2)
            .auto_ban_threshold(2)
            .auto_ban_duration(4)
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/other"; 5]).await,
        [200, 200, 429, 429, 403]
    );
    for _ in 0..15 {
        clock.advance(std::time::Duration::from_millis(250));
        let answer = send(&app, get("/other")).await;
        assert_eq!(answer.status, 403);
        assert_eq!(answer.header("retry-after"), None, "no retries");
    }
    clock.advance(std::time::Duration::from_millis(250));
    assert_eq!(statuses(&app, &["/other", "/public"]).await, [200, 200]);
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other", "/other"]).await,
        [200, 429, 429, 403],
        "strikes began at zero"
    );
}

#[actix_web::test]
async fn an_unban_clears_the_strikes() {
    let (config, _clock) = configure(|config| config.auto_ban_threshold(2).detector(Dotfiles));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(statuses(&app, &["/.env"; 4]).await, [403; 4]);
    assert!(handle.ban_of(PEER).await.unwrap().is_some());
    assert!(handle.unban(PEER).await.unwrap());
    assert!(!handle.unban(PEER).await.unwrap());
    assert_eq!(
        statuses(&app, &["/.env", "/.env", "/health"]).await,
        [403, 403, 200]
    );
    assert_eq!(statuses(&app, &["/.env", "/health"]).await, [403, 403]);
    // Strikes without a ban are cleared as well.
    handle.unban(PEER).await.unwrap();
    assert_eq!(statuses(&app, &["/.env", "/.env"]).await, [403, 403]);
    handle.unban(PEER).await.unwrap();
    assert_eq!(
        statuses(&app, &["/.env", "/.env", "/health"]).await,
        [403, 403, 200]
    );
}

#[actix_web::test]
async fn an_automatic_ban_says_who_why_and_how_long() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(0)
            .auto_ban_duration(300)
            .detector(Dotfiles)
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    statuses(&app, &["/other", "/other"]).await;
    let ban = handle.ban_of(PEER).await.unwrap().unwrap();
    assert_eq!(
        (ban.client.as_str(), ban.reason.as_str(), ban.by),
        (PEER, "rate limit", BanSource::Automatic)
    );
    assert_eq!(
        (ban.remaining, ban.until.duration_since(ban.since).unwrap()),
        (seconds(300), seconds(300))
    );
    clock.advance(seconds(100));
    assert_eq!(
        handle.ban_of(PEER).await.unwrap().unwrap().remaining,
        seconds(200)
    );
    send(&app, get("/.env").peer_addr(peer("192.0.2.11"))).await;
    let ban = handle.ban_of("192.0.2.11").await.unwrap().unwrap();
    assert_eq!(ban.reason, "threat: probe (dotfile)");
}

#[actix_web::test]
async fn a_manual_ban_keeps_its_length_whatever_the_client_does() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(0)
            .auto_ban_duration(10)
            .detector(Dotfiles)
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    handle.ban(PEER, seconds(3600), "by hand").await.unwrap();
    assert_eq!(
        statuses(&app, &["/.env", "/other", "/other"]).await,
        [403; 3]
    );
    clock.advance(seconds(3599));
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
    clock.advance(seconds(1));
    assert_eq!(statuses(&app, &["/other"]).await, [200]);
}

#[actix_web::test]
async fn a_ban_hits_one_client_only() {
    let (config, _clock) = configure(|config| config.auto_ban_threshold(0).detector(Dotfiles));
    let app = app!(config);
    assert_eq!(statuses(&app, &["/.env", "/other"]).await, [403, 403]);
    let elsewhere = get("/other").peer_addr(peer("192.0.2.11"));
    assert_eq!(send(&app, elsewhere).await.status, 200);
}

#[actix_web::test]
async fn a_banned_client_reaches_nothing_inside_the_guard() {
    use actix_web::dev::Service as _;
    use std::{cell::Cell, rc::Rc};
    let reached = Rc::new(Cell::new(0));
    let count = Rc::clone(&reached);
    let (config, _clock) = configure(|config| config);
    let handle = GuardHandle::of(&config);
    let app = actix_web::test::init_service(
        actix_web::App::new()
            .service(super::public)
            .wrap_fn(move |request, next| {
                count.set(count.get() + 1);
                next.call(request)
            })
            .wrap(actix_web_guard::Guard::new(config)),
    )
    .await;
    handle.ban(PEER, seconds(60), "").await.unwrap();
    assert_eq!(
        statuses(
            &app,
            &[
                "/public",
                "/",
                "POST /public",
                "HEAD /public",
                "OPTIONS /public"
            ]
        )
        .await,
        [403; 5]
    );
    assert_eq!(reached.get(), 0);
}
