//! Detectors: what they see, and what a flag leads to.

use std::sync::{Arc, Mutex};

use actix_web::http::header::HeaderValue;
use actix_web_guard::{
    GuardHandle,
    detect::{Detector, RequestFacts, Threat},
};

use crate::{
    guard::{Dotfiles, app},
    support::{PEER, configure, get, parse, seconds, send, statuses},
};

/// Notes what it is shown.
#[derive(Clone, Debug, Default)]
struct Witness(Arc<Mutex<Vec<String>>>);

impl Detector for Witness {
    fn inspect(&self, request: &RequestFacts<'_>) -> Option<Threat> {
        let mut forwarded = Vec::new();
        request.each_header("x-many", &mut |value| forwarded.push(value.to_vec()));
        let agent = request.header("User-Agent").map(<[u8]>::to_vec);
        let line = format!(
            "{} {} {} {agent:?} {forwarded:?}",
            request.method, request.path, request.query
        );
        self.0.lock().unwrap().push(line);
        None
    }
}

#[actix_web::test]
async fn a_detector_sees_the_request_as_it_was_sent() {
    let witness = Witness::default();
    let (config, _clock) = configure(|config| config.detector(witness.clone()));
    let app = app!(config);
    let request = parse("DELETE /%2eenv?q=%27")
        .insert_header(("user-agent", HeaderValue::from_bytes(&[0xE9]).unwrap()))
        .append_header(("x-many", "1"))
        .append_header(("x-many", "2"));
    send(&app, request).await;
    assert_eq!(
        *witness.0.lock().unwrap(),
        ["DELETE /%2eenv q=%27 Some([233]) [[49], [50]]"]
    );
}

#[actix_web::test]
async fn a_flagged_request_is_refused_before_the_handler_and_is_not_counted_in_a_window() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(9)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(
        statuses(
            &app,
            &["/.env", "/.env", "/.env", "/other", "/other", "/other"]
        )
        .await,
        [403, 403, 403, 200, 200, 429]
    );
    let answer = send(&app, get("/.env")).await;
    assert_eq!(
        (answer.header("retry-after"), answer.header("ratelimit")),
        (None, None)
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
}

#[actix_web::test]
async fn detection_can_be_switched_off() {
    let (config, _clock) = configure(|config| {
        config
            .auto_ban_threshold(0)
            .enable_detection(false)
            .detector(Dotfiles)
    });
    let app = app!(config);
    assert_eq!(statuses(&app, &["/.env", "/.env"]).await, [404, 404]);
}

#[actix_web::test]
async fn who_is_banned_is_not_looked_at() {
    let witness = Witness::default();
    let (config, _clock) = configure(|config| config.detector(witness.clone()));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    handle.ban(PEER, seconds(60), "").await.unwrap();
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
    assert!(witness.0.lock().unwrap().is_empty());
}
