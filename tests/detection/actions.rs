//! What is done about a finding: a strike, a refusal, a line in the log, nothing.

use actix_web_guard::GuardHandle;

use super::{BAD, app, config};
use crate::support::{PEER, get, send, statuses};

#[actix_web::test]
async fn by_default_a_finding_is_refused_and_a_strike() {
    let config = config!("auto_ban_threshold = 1");
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses(&app, &[BAD, "/very-bad/x", "/search"]).await,
        [403; 3]
    );
    let ban = handle.ban_of(PEER).await.unwrap().unwrap();
    assert_eq!(ban.reason, "threat: probe (own.path)");
}

#[actix_web::test]
async fn refused_without_a_strike_or_only_said_or_nothing() {
    for (action, expected) in [("refuse", 403), ("log", 200), ("off", 200)] {
        let config = config!(format!(
            "auto_ban_threshold = 0\n[detection]\nsqli = {action:?}"
        ));
        let handle = GuardHandle::of(&config);
        let app = app!(config);
        assert_eq!(statuses(&app, &[BAD, BAD]).await, [expected; 2], "{action}");
        assert_eq!(handle.ban_of(PEER).await.unwrap(), None, "{action}");
        // Other categories do as before.
        assert_eq!(statuses(&app, &["/very-bad", "/search"]).await, [403; 2]);
    }
}

#[actix_web::test]
async fn a_silenced_rule_finds_nothing() {
    let config = config!("[detection]\nsilenced_rules = [\"own.query\"]");
    let app = app!(config);
    assert_eq!(statuses(&app, &[BAD, "/very-bad"]).await, [200, 403]);
}

#[actix_web::test]
async fn with_detection_off_nothing_is_looked_at() {
    let config = config!("enable_detection = false");
    let app = app!(config);
    assert_eq!(statuses(&app, &[BAD, "/very-bad"]).await, [200, 404]);
}

#[actix_web::test]
async fn a_visitor_whom_another_site_made_send_it_is_refused_and_not_struck() {
    let config = config!("auto_ban_threshold = 0");
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let request = |site| get(BAD).insert_header(("Sec-Fetch-Site", site));
    for _ in 0..3 {
        assert_eq!(send(&app, request("cross-site")).await.status, 403);
    }
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
    assert_eq!(send(&app, get("/search")).await.status, 200);
    assert_eq!(send(&app, request("same-origin")).await.status, 403);
    assert!(handle.ban_of(PEER).await.unwrap().is_some());
}

#[actix_web::test]
async fn passive_says_it_and_serves() {
    let config = config!("passive = true\nauto_ban_threshold = 0");
    let app = app!(config);
    assert_eq!(statuses(&app, &[BAD, BAD, "/search"]).await, [200; 3]);
}
