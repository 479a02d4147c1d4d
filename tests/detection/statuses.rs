//! Answers that are strikes.

use actix_web_guard::GuardHandle;

use super::{app, config};
use crate::support::{PEER, seconds, statuses};

#[actix_web::test]
async fn a_status_that_is_named_is_a_strike_and_others_are_not() {
    let config = config!("auto_ban_threshold = 2\nstrike_on_status = [401, 403]");
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let requests = ["/status/401", "/status/500", "/status/404", "/status/403"];
    assert_eq!(statuses(&app, &requests).await, [401, 500, 404, 403]);
    // 500 and 404 were clean: the strike before them is gone.
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
    let requests = ["/status/401", "/status/401", "/status/200"];
    assert_eq!(statuses(&app, &requests).await, [401, 401, 403]);
    let ban = handle.ban_of(PEER).await.unwrap().unwrap();
    assert_eq!(ban.reason, "status 401");
}

#[actix_web::test]
async fn by_default_no_status_is_a_strike() {
    let config = config!("auto_ban_threshold = 0");
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/status/401", "/status/403", "/nowhere"]).await,
        [401, 403, 404]
    );
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
}

#[actix_web::test]
async fn answers_with_404_have_a_limit_of_their_own() {
    let (config, clock) =
        crate::support::configure(|config| config.auto_ban_threshold(0).not_found_limit(3));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/a", "/b", "/search", "/c"]).await,
        [404, 404, 200, 404]
    );
    clock.advance(seconds(60));
    assert_eq!(statuses(&app, &["/a", "/b", "/c"]).await, [404; 3]);
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
    assert_eq!(statuses(&app, &["/d", "/search"]).await, [404, 403]);
    assert!(handle.ban_of(PEER).await.unwrap().is_some());
}

#[actix_web::test]
async fn strikes_for_answers_with_404_add_up() {
    let (config, _clock) =
        crate::support::configure(|config| config.auto_ban_threshold(2).not_found_limit(1));
    let app = app!(config);
    let requests = ["/a", "/b", "/c", "/d", "/search"];
    assert_eq!(statuses(&app, &requests).await, [404, 404, 404, 404, 403]);
}

#[actix_web::test]
async fn who_is_exempt_is_not_struck_for_an_answer_either() {
    let (config, _clock) = crate::support::configure(|config| {
        config
            .auto_ban_threshold(0)
            .strike_on_status([401])
            .not_found_limit(1)
            .exempt_ips([PEER])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/status/401", "/a", "/b", "/c"]).await,
        [401, 404, 404, 404]
    );
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
}
