//! Bans by hand: set, listed page by page, lifted.

use actix_web::test::TestRequest;
use actix_web_guard::{GuardHandle, SecurityConfig};
use serde_json::{Value, json};

use super::{app, json, operator};
use crate::support::{PEER, config, configure, peer, seconds, send, statuses};

fn post(body: &str) -> TestRequest {
    operator("POST", "/guard/api/bans")
        .insert_header(("content-type", "application/json"))
        .set_payload(body.to_owned())
}

/// Bans of 198.51.100.1, .2 and so on, each a minute longer than the one before.
async fn bans(config: &SecurityConfig, count: u8) {
    let handle = GuardHandle::of(config);
    for number in 1..=count {
        let reason = format!("Reason {number}");
        let client = format!("198.51.100.{number}");
        let duration = seconds(60 * u64::from(number));
        handle.ban(client, duration, &reason).await.unwrap();
    }
}

fn clients(page: &Value) -> Vec<&str> {
    let bans = page["bans"].as_array().unwrap().iter();
    bans.map(|ban| ban["client"].as_str().unwrap()).collect()
}

macro_rules! list {
    ($app:expr, $query:expr) => {{
        let path = format!("/guard/api/bans{}", $query);
        let answer = send($app, operator("GET", &path)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        json(&answer)
    }};
}

#[actix_web::test]
async fn a_ban_is_set_seen_and_lifted() {
    let (config, clock) = configure(|config| config);
    let app = app!(config);
    let body = r#"{"client":"2001:DB8::1","duration":90,"reason":" scraper "}"#;
    let set = send(&app, post(body)).await;
    assert_eq!(set.status, 201);
    let expected = json!({
        "client": "2001:db8::/64", "reason": "scraper", "by": "manual",
        "since": "2026-01-01T00:00:00.000Z", "until": "2026-01-01T00:01:30.000Z", "remaining": 90.0,
    });
    assert_eq!(json(&set), expected);
    clock.advance(seconds(30));
    let listed = list!(&app, "");
    assert_eq!(listed["bans"][0]["remaining"], 60.0);
    assert_eq!(listed["bans"][0]["reason"], "scraper");
    let banned = || crate::support::get("/").peer_addr(peer("2001:db8::99"));
    assert_eq!(send(&app, banned()).await.status, 403);

    // As browsers write it, with a raw slash, and as any address of the network.
    for (path, lifted) in [
        ("2001:db8::%2F64", true),
        ("2001:db8::/64", false),
        ("2001:db8::7", false),
    ] {
        let lift = operator("DELETE", &format!("/guard/api/bans/{path}"));
        let answer = send(&app, lift).await;
        assert_eq!(
            json(&answer),
            json!({"client": "2001:db8::/64", "lifted": lifted})
        );
    }
    assert_eq!(send(&app, banned()).await.status, 200);
    assert_eq!(list!(&app, "")["total"], 0);
}

#[actix_web::test]
async fn a_ban_of_the_guard_appears_with_its_reason() {
    let config = config(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(0)
            .auto_ban_duration(120)
    });
    let app = app!(config);
    assert_eq!(statuses(&app, &["/", "/"]).await, [200, 403]);
    let listed = list!(&app, "?by=automatic");
    assert_eq!(clients(&listed), [PEER]);
    assert_eq!(listed["bans"][0]["by"], "automatic");
    assert_eq!(listed["bans"][0]["reason"], "rate limit");
    assert_eq!(listed["bans"][0]["remaining"], 120.0);
    assert_eq!(list!(&app, "?by=manual")["total"], 0);
}

#[actix_web::test]
async fn pages_hold_what_they_say() {
    let config = config(|config| config);
    let app = app!(config);
    bans(&config, 7).await;
    let page = |page| format!("?per_page=3&page={page}");
    let first = list!(&app, page(1));
    assert_eq!(
        clients(&first),
        ["198.51.100.1", "198.51.100.2", "198.51.100.3"]
    );
    assert_eq!((&first["total"], &first["pages"]), (&json!(7), &json!(3)));
    assert_eq!(clients(&list!(&app, page(3))), ["198.51.100.7"]);
    let beyond = list!(&app, page(4));
    assert_eq!((clients(&beyond).len(), &beyond["total"]), (0, &json!(7)));
    assert_eq!(
        clients(&list!(&app, format!("?page={}", usize::MAX))).len(),
        0
    );
    assert_eq!(list!(&app, "")["per_page"], 50);
}

#[actix_web::test]
async fn a_filter_finds_parts_of_clients_and_reasons_and_any_spelling() {
    let config = config(|config| config);
    let app = app!(config);
    bans(&config, 12).await;
    let handle = GuardHandle::of(&config);
    handle
        .ban("2001:db8:1::1", seconds(9), "Ünique")
        .await
        .unwrap();
    for (filter, expected) in [
        ("100.11", vec!["198.51.100.11"]),
        ("reason%2012", vec!["198.51.100.12"]),
        ("REASON%202", vec!["198.51.100.2"]),
        ("%C3%BCnique", vec!["2001:db8:1::/64"]),
        ("2001:0DB8:0001:0:9::", vec!["2001:db8:1::/64"]),
        ("::ffff:198.51.100.3", vec!["198.51.100.3"]),
        ("nobody", vec![]),
    ] {
        let found = list!(&app, format!("?filter={filter}"));
        assert_eq!(clients(&found), expected, "{filter}");
        assert_eq!(found["total"], expected.len(), "{filter}");
    }
    assert_eq!(list!(&app, "?filter=%20")["total"], 13);
}

#[actix_web::test]
async fn what_can_not_be_is_said_in_words() {
    let config = config(|config| config);
    let app = app!(config);
    let long = format!(
        r#"{{"client":"192.0.2.1","duration":1,"reason":"{}"}}"#,
        "x".repeat(20_000)
    );
    for (body, status, words) in [
        (
            r#"{"client":"nobody","duration":60}"#,
            422,
            "\"nobody\" is not an address",
        ),
        (
            r#"{"client":"192.0.2.1","duration":0}"#,
            422,
            "from 1 second to 10 years",
        ),
        (
            r#"{"client":"192.0.2.1","duration":999999999999}"#,
            422,
            "to 10 years",
        ),
        (r#"{"client":"192.0.2.1","duration":-5}"#, 422, "-5"),
        (r#"{"client":"192.0.2.1"}"#, 422, "duration"),
        (
            r#"{"client":"192.0.2.1","duration":60,"until":1}"#,
            422,
            "until",
        ),
        ("", 422, "EOF"),
        (&long, 413, ""),
    ] {
        let answer = send(&app, post(body)).await;
        assert_eq!(answer.status, status, "{body:.60}: {answer:?}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json")
        );
        let detail = json(&answer)["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(words), "{detail}");
    }
    for (request, status) in [
        (operator("DELETE", "/guard/api/bans/nobody"), 422),
        (operator("DELETE", "/guard/api/bans/%FF"), 422),
        (operator("GET", "/guard/api/bans?per_page=501"), 422),
        (operator("GET", "/guard/api/bans?per_page=0"), 422),
        (operator("GET", "/guard/api/bans?page=0"), 422),
        (operator("GET", "/guard/api/bans?page=-1"), 400),
        (operator("GET", "/guard/api/bans?by=me"), 400),
        (operator("GET", "/guard/api/bans?colour=red"), 400),
        (operator("PUT", "/guard/api/bans"), 405),
        (operator("GET", "/guard/api/nothing"), 404),
        (operator("POST", "/guard/api/bans").set_payload("{}"), 415),
    ] {
        let answer = send(&app, request).await;
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(json(&answer)["status"], status);
    }
    assert_eq!(list!(&app, "")["total"], 0);
}

#[actix_web::test]
async fn what_can_be_read_answers_head_and_says_which_methods_there_are() {
    let config = config(|config| config);
    let app = app!(config);
    for (path, allowed) in [
        ("/guard/", "GET, HEAD"),
        ("/guard/page.js", "GET, HEAD"),
        ("/guard/api/overview", "GET, HEAD"),
        ("/guard/api/bans", "GET, HEAD, POST"),
        ("/guard/api/bans/192.0.2.1", "DELETE"),
        ("/guard/api/clients/192.0.2.1", "GET, HEAD"),
    ] {
        if allowed.contains("HEAD") {
            let [get, head] = ["GET", "HEAD"].map(|method| operator(method, path));
            let (get, head) = (send(&app, get).await, send(&app, head).await);
            assert_eq!(head.status, 200, "{path}");
            assert_eq!(head.header("content-type"), get.header("content-type"));
        }
        let other = send(&app, operator("PATCH", path)).await;
        assert_eq!(other.status, 405, "{path}");
        assert_eq!(other.header("allow"), Some(allowed), "{path}");
        assert_eq!(
            other.header("content-type"),
            Some("application/problem+json")
        );
    }
}

#[actix_web::test]
async fn where_bans_are_off_none_is_set() {
    let config = config(|config| config.enable_ip_banning(false));
    let app = app!(config);
    let answer = send(&app, post(r#"{"client":"192.0.2.1","duration":60}"#)).await;
    assert_eq!(answer.status, 409);
}
