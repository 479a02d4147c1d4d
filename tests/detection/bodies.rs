//! Bodies: left alone, or looked at while they pass.

use actix_web::{http::header, test::TestRequest, web::Bytes};
use actix_web_guard::GuardHandle;

use super::{app, config};
use crate::support::{PEER, get, request, send};

const LOOK: &str = "auto_ban_threshold = 0\n[detection]\nbody_bytes = 1024";

fn post(path: &str, content_type: &str, body: impl Into<Bytes>) -> TestRequest {
    request("POST", path)
        .insert_header((header::CONTENT_TYPE, content_type))
        .set_payload(body)
}

#[actix_web::test]
async fn bodies_are_left_alone_unless_asked_for() {
    let config = config!("auto_ban_threshold = 0");
    let app = app!(config);
    let answer = send(&app, post("/form", "text/plain", "this is very bad")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.body.as_str()),
        (200, "this is very bad")
    );
}

#[actix_web::test]
async fn what_is_found_in_a_body_is_refused_and_no_strike() {
    let config = config!(LOOK);
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    for (content_type, body) in [
        ("text/markdown", "this is very bad"),
        ("application/x-www-form-urlencoded", "a=b&c=very+bad"),
        (
            "application/json; charset=utf-8",
            r#"{"a": ["very\u0020bad"]}"#,
        ),
    ] {
        for path in ["/form", "/upload"] {
            let answer = send(&app, post(path, content_type, body)).await;
            assert_eq!(answer.status, 403, "{content_type} {path}");
            assert_eq!(
                answer.header("content-type"),
                Some("application/problem+json")
            );
        }
    }
    assert_eq!(handle.ban_of(PEER).await.unwrap(), None);
    assert_eq!(send(&app, get("/search")).await.status, 200);
}

#[actix_web::test]
async fn it_is_a_strike_where_the_configuration_says_so() {
    let config = config!(format!("{LOOK}\nbody = \"strike\""));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let bad = || post("/form", "text/plain", "very bad");
    assert_eq!(send(&app, bad()).await.status, 403);
    let ban = handle.ban_of(PEER).await.unwrap().unwrap();
    assert_eq!(ban.reason, "threat: xss (own.body)");
}

#[actix_web::test]
async fn ordinary_and_unreadable_bodies_pass_unchanged() {
    let config = config!(LOOK);
    let app = app!(config);
    let large = vec![b'a'; 1 << 20];
    for (content_type, body) in [
        ("text/plain", &b"good"[..]),
        ("text/plain", &large),
        ("application/json", br#"{"a": 1, "#),
        // Of these kinds nothing is looked at.
        ("application/octet-stream", b"very bad"),
        ("multipart/form-data; boundary=x", b"very bad"),
        ("image/png", b"very bad"),
    ] {
        let answer = send(&app, post("/upload", content_type, body.to_vec())).await;
        let expected = body.len().to_string();
        assert_eq!(
            (answer.status.as_u16(), answer.body),
            (200, expected),
            "{content_type}"
        );
    }
    let compressed =
        post("/upload", "text/plain", "very bad").insert_header(("content-encoding", "gzip"));
    assert_ne!(send(&app, compressed).await.status, 403);
}

#[actix_web::test]
async fn only_the_beginning_is_looked_at() {
    let config = config!(LOOK);
    let app = app!(config);
    let late = format!("{}very bad", "a".repeat(1024));
    assert_eq!(
        send(&app, post("/upload", "text/plain", late)).await.status,
        200
    );
    let early = format!("very bad{}", "a".repeat(1 << 20));
    assert_eq!(
        send(&app, post("/upload", "text/plain", early))
            .await
            .status,
        403
    );
}

#[actix_web::test]
async fn routes_with_detection_off_take_any_body_and_so_does_passive() {
    let config = config!(LOOK);
    let app = app!(config);
    let answer = send(&app, post("/posts", "text/plain", "very bad")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.body.as_str()),
        (200, "very bad")
    );

    let config = config!(format!("passive = true\n{LOOK}"));
    let app = app!(config);
    let answer = send(&app, post("/form", "text/plain", "very bad")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.body.as_str()),
        (200, "very bad")
    );
}
