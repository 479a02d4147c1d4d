//! The handle: bans by hand, lists, reloads.

use std::time::Duration;

use actix_web::{App, ResponseError as _, test::init_service, web};
use actix_web_guard::{BanSource, Guard, GuardError, GuardHandle, RefusalError, SecurityConfig};
use futures_util::StreamExt as _;

use crate::{
    guard::app,
    support::{PEER, configure, get, peer, request, seconds, send, statuses},
};

#[actix_web::test]
async fn bans_are_listed_the_one_that_ends_soonest_first() {
    let (config, clock) = configure(|config| config);
    let handle = GuardHandle::of(&config);
    handle
        .ban("203.0.113.1", seconds(300), "one")
        .await
        .unwrap();
    handle
        .ban("2001:db8::1", seconds(100), "two")
        .await
        .unwrap();
    let ban = handle
        .ban("203.0.113.3", seconds(200), "three")
        .await
        .unwrap();
    assert_eq!(
        (ban.client.as_str(), ban.reason.as_str(), ban.by),
        ("203.0.113.3", "three", BanSource::Manual)
    );
    let listed: Vec<String> = handle.bans().map(|ban| ban.client).collect().await;
    assert_eq!(listed, ["2001:db8::/64", "203.0.113.3", "203.0.113.1"]);
    clock.advance(seconds(200));
    let listed: Vec<String> = handle.bans().map(|ban| ban.client).collect().await;
    assert_eq!(
        listed,
        ["203.0.113.1"],
        "bans that are over are gone without any other event"
    );
}

#[actix_web::test]
async fn calls_that_make_no_sense_are_errors_that_say_what() {
    let (config, _clock) = configure(|config| config);
    let handle = GuardHandle::of(&config);
    for (address, duration, message) in [
        ("nobody", 60, "address: \"nobody\" is not an address"),
        (
            "203.0.113.0/24",
            60,
            "address: \"203.0.113.0/24\" is not an address",
        ),
        (
            "203.0.113.1",
            0,
            "duration: a ban lasts from 1 second to 10 years, not 0ns",
        ),
        (
            "203.0.113.1",
            315_360_001,
            "duration: a ban lasts from 1 second to 10 years, not 315360001s",
        ),
    ] {
        let error = handle
            .ban(address, seconds(duration), "")
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(
        handle.unban("nobody").await,
        Err(GuardError::InvalidAddress("nobody".to_owned()))
    );
    assert!(handle.ban_of("").await.is_err());
    let longest = handle
        .ban("203.0.113.1", seconds(315_360_000), "")
        .await
        .unwrap();
    assert_eq!(longest.remaining, seconds(315_360_000));
}

#[actix_web::test]
async fn handlers_may_answer_with_the_errors() {
    async fn lift(guard: GuardHandle, address: web::Path<String>) -> Result<String, GuardError> {
        let lifted = guard.unban(address.as_str()).await?;
        Ok(lifted.to_string())
    }
    let (config, _clock) = configure(|config| config);
    let app = init_service(
        App::new()
            .wrap(Guard::new(config))
            .route("/lift/{address}", web::post().to(lift)),
    )
    .await;
    for (address, status, text) in [
        ("203.0.113.1", 200, "false"),
        ("nobody", 422, "address: \"nobody\" is not an address"),
    ] {
        let answer = send(&app, request("POST", &format!("/lift/{address}"))).await;
        assert_eq!(
            (answer.status.as_u16(), answer.body.as_str()),
            (status, text)
        );
    }
    assert_eq!(GuardError::BanningDisabled.status_code(), 409);
    assert_eq!(GuardError::NoGuard.status_code(), 500);
}

/// What compiles here may be awaited in tasks of other runtimes, and go through `?` into anybody's error.
#[actix_web::test]
async fn the_handle_is_for_any_thread_and_errors_are_errors() {
    fn any_thread<T: Send>(value: T) -> T {
        value
    }
    fn is_error<T: std::error::Error + 'static>() {}
    is_error::<RefusalError>();
    is_error::<GuardError>();

    let (config, _clock) = configure(|config| config);
    let handle = GuardHandle::of(&config);
    any_thread(handle.ban(PEER, seconds(60), "")).await.unwrap();
    let bans: Vec<_> = any_thread(handle.bans()).collect().await;
    assert_eq!(bans.len(), 1);
    assert!(any_thread(handle.ban_of(PEER)).await.unwrap().is_some());
    assert!(any_thread(handle.unban(PEER)).await.unwrap());
}

#[actix_web::test]
async fn with_banning_off_a_ban_is_an_error() {
    let (config, _clock) = configure(|config| config.enable_ip_banning(false));
    let handle = GuardHandle::of(&config);
    assert_eq!(
        handle.ban(PEER, seconds(60), "").await,
        Err(GuardError::BanningDisabled)
    );
}

#[actix_web::test]
async fn every_clone_of_a_configuration_is_the_same_guard() {
    let (config, _clock) = configure(|config| config.rate_limit(2).auto_ban_threshold(0));
    let handle = Guard::new(config.clone()).handle();
    let (one, two) = (app!(config.clone()), app!(config.clone()));
    assert_eq!(statuses(&one, &["/other"]).await, [200]);
    assert_eq!(statuses(&two, &["/other", "/other"]).await, [200, 403]);
    assert_eq!(statuses(&one, &["/other"]).await, [403]);
    assert!(handle.ban_of(PEER).await.unwrap().is_some());
    assert!(GuardHandle::of(&config).unban(PEER).await.unwrap());
    assert_eq!(statuses(&one, &["/other"]).await, [200]);
}

#[actix_web::test]
async fn a_reload_holds_for_windows_that_are_running() {
    let (config, clock) = configure(|config| config.rate_limit(2).enable_ip_banning(false));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let with = |limit: i64| {
        SecurityConfig::builder()
            .rate_limit(limit)
            .enable_ip_banning(false)
            .clock(clock.clone())
            .build()
            .unwrap()
    };
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200, 200, 429]
    );
    handle.reload(&with(5)).unwrap();
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200, 200, 429],
        "three were recorded"
    );
    handle.reload(&with(1)).unwrap();
    let answer = send(&app, get("/other")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("ratelimit-policy")),
        (429, Some("\"default\";q=1;w=60"))
    );
}

#[actix_web::test]
async fn a_ban_from_before_the_prefix_was_changed_is_found_and_lifted_by_its_network() {
    let (config, clock) = configure(|config| config);
    let handle = GuardHandle::of(&config);
    let ban = handle
        .ban("2001:db8:1:2::7", seconds(60), "")
        .await
        .unwrap();
    let wider = SecurityConfig::builder().ipv6_prefix(56).clock(clock);
    handle.reload(&wider.build().unwrap()).unwrap();
    assert_eq!(handle.ban_of(&ban.client).await, Ok(Some(ban.clone())));
    assert_eq!(handle.ban_of("2001:db8:1:2::7").await, Ok(None));
    assert_eq!(handle.unban(&ban.client).await, Ok(true));
    assert!(handle.bans().collect::<Vec<_>>().await.is_empty());
    // Nobody is looked up under it any more.
    assert!(handle.ban(&ban.client, seconds(60), "").await.is_err());
}

#[actix_web::test]
async fn a_reload_changes_routes_and_lists_too() {
    let (config, clock) = configure(|config| config);
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public"]).await,
        [200, 200, 429]
    );
    let changed = SecurityConfig::builder()
        .toml("denied_ips = [\"203.0.113.0/24\"]\n[[routes]]\npattern = \"/public\"\nrequests = 9\nwindow = 60\n")
        .unwrap()
        .clock(clock)
        .build()
        .unwrap();
    handle.reload(&changed).unwrap();
    assert_eq!(statuses(&app, &["/public"]).await, [200]);
    assert_eq!(
        send(&app, get("/public").peer_addr(peer("203.0.113.7")))
            .await
            .status,
        403
    );
}

#[actix_web::test]
async fn a_reload_that_cannot_be_changes_nothing() {
    let (config, clock) = configure(|config| config.rate_limit(1).enable_ip_banning(false));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let other_clock = SecurityConfig::builder().rate_limit(9).build().unwrap();
    assert_eq!(
        handle.reload(&other_clock),
        Err(GuardError::FixedAtStart("clock"))
    );
    let other_bound = SecurityConfig::builder()
        .rate_limit(9)
        .max_bans(7)
        .clock(clock)
        .build()
        .unwrap();
    assert_eq!(
        handle.reload(&other_bound).unwrap_err().to_string(),
        "max_bans: can't be changed by a reload: restart"
    );
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
}

#[actix_web::test]
async fn the_handle_works_from_other_threads() {
    let (config, _clock) = configure(|config| config);
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let elsewhere = handle.clone();
    std::thread::spawn(move || {
        actix_web::rt::System::new()
            .block_on(async { elsewhere.ban(PEER, Duration::from_secs(60), "").await })
            .unwrap();
    })
    .join()
    .unwrap();
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
}

#[actix_web::test]
async fn a_ban_file_keeps_bans_over_a_restart() {
    let path =
        std::env::temp_dir().join(format!("actix-web-guard-bans-{}.json", std::process::id()));
    let make = || {
        let (config, _clock) = configure(|config| config.ban_file(&path));
        config
    };
    {
        let config = make();
        GuardHandle::of(&config)
            .ban(PEER, seconds(60), "kept")
            .await
            .unwrap();
    }
    let config = make();
    let ban = GuardHandle::of(&config)
        .ban_of(PEER)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (ban.reason.as_str(), ban.by, ban.remaining),
        ("kept", BanSource::Manual, seconds(60))
    );
    drop(config);
    std::fs::remove_file(&path).unwrap();
}
