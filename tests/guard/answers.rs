//! Answers: statuses, headers, bodies, and the hook that replaces them.

use actix_web::{App, HttpResponse, guard, http::StatusCode, web};
use actix_web_guard::{
    Guard, GuardHandle, HeaderStyle, Refusal, RefusalError, RefusalKind, rate_limit,
};

use crate::{
    guard::{Dotfiles, app},
    support::{Answer, PEER, configure, get, parse, seconds, send},
};

fn limit_fields(answer: &Answer) -> Vec<(String, String)> {
    let mut fields: Vec<_> = answer
        .headers
        .iter()
        .filter(|(name, _)| name.as_str().contains("ratelimit"))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    fields.sort();
    fields
}

fn owned(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[actix_web::test]
async fn what_is_admitted_says_how_the_quota_stands() {
    let (config, clock) = configure(|config| config);
    let app = app!(config);
    let answer = send(&app, get("/other")).await;
    assert_eq!(
        limit_fields(&answer),
        owned(&[
            ("ratelimit", r#""default";r=49;t=60"#),
            ("ratelimit-policy", r#""default";q=50;w=60"#)
        ])
    );
    clock.advance(seconds(10));
    let answer = send(&app, get("/other")).await;
    assert_eq!(answer.header("ratelimit"), Some(r#""default";r=48;t=50"#));
    let answer = send(&app, get("/public")).await;
    assert_eq!(
        limit_fields(&answer),
        owned(&[
            ("ratelimit", r#""/public";r=1;t=60"#),
            ("ratelimit-policy", r#""/public";q=2;w=60"#)
        ])
    );
    assert_eq!(limit_fields(&send(&app, get("/health")).await), []);
}

#[actix_web::test]
async fn over_the_limit() {
    let (config, _clock) = configure(|config| config.rate_limit(1));
    let app = app!(config);
    send(&app, get("/other")).await;
    let answer = send(&app, get("/other")).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer.header("retry-after"), Some("60"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(answer.header("ratelimit"), Some(r#""default";r=0;t=60"#));
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        body["type"],
        "https://iana.org/assignments/http-problem-types#quota-exceeded"
    );
    assert_eq!(body["status"], 429);
    assert_eq!(body["violated-policies"], serde_json::json!(["default"]));
    assert!(body["title"].is_string());
}

#[actix_web::test]
async fn banned_denied_and_caught_look_alike() {
    let (config, _clock) =
        configure(|config| config.detector(Dotfiles).denied_ips(["203.0.113.0/24"]));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let caught = send(&app, get("/.env")).await;
    let denied = send(
        &app,
        get("/other").peer_addr(crate::support::peer("203.0.113.1")),
    )
    .await;
    handle
        .ban(PEER, seconds(60), "secret reason")
        .await
        .unwrap();
    let banned = send(&app, get("/other")).await;
    for answer in [caught, denied, banned] {
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        assert_eq!(
            (answer.header("retry-after"), limit_fields(&answer)),
            (None, Vec::new())
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(
            answer.body,
            r#"{"type":"about:blank","title":"Forbidden","status":403}"#
        );
        assert!(serde_json::from_str::<serde_json::Value>(&answer.body).is_ok());
    }
}

#[actix_web::test]
async fn the_request_that_brings_the_ban_is_answered_403() {
    let (config, _clock) = configure(|config| config.rate_limit(1).auto_ban_threshold(0));
    let app = app!(config);
    send(&app, get("/other")).await;
    let answer = send(&app, get("/other")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("retry-after")),
        (403, None)
    );
}

#[actix_web::test]
async fn styles_of_headers() {
    let legacy = [
        ("x-ratelimit-limit", "50"),
        ("x-ratelimit-remaining", "49"),
        ("x-ratelimit-reset", "60"),
    ];
    let draft = [
        ("ratelimit", r#""default";r=49;t=60"#),
        ("ratelimit-policy", r#""default";q=50;w=60"#),
    ];
    for (style, expected) in [
        (HeaderStyle::Draft, owned(&draft)),
        (HeaderStyle::Legacy, owned(&legacy)),
        (
            HeaderStyle::Both,
            owned(&[draft.as_slice(), legacy.as_slice()].concat()),
        ),
        (HeaderStyle::Off, Vec::new()),
    ] {
        let (config, _clock) = configure(|config| config.rate_limit_headers(style));
        let app = app!(config);
        assert_eq!(
            limit_fields(&send(&app, get("/other")).await),
            expected,
            "{style:?}"
        );
    }
}

#[actix_web::test]
async fn a_refused_head_has_no_body() {
    let (config, _clock) = configure(|config| config.rate_limit(1).auto_ban_threshold(9));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    send(&app, get("/other")).await;
    let answer = send(&app, parse("HEAD /nothing")).await;
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (429, ""));
    assert_eq!(answer.header("retry-after"), Some("60"));
    handle.ban(PEER, seconds(60), "").await.unwrap();
    let answer = send(&app, parse("HEAD /other")).await;
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (403, ""));
}

fn custom(refusal: &Refusal) -> HttpResponse {
    let (wait, client) = (refusal.retry_after(), refusal.client().to_string());
    let policies: Vec<&str> = refusal.violated_policies().collect();
    let status = if refusal.kind() == RefusalKind::RateLimited {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::NOT_FOUND
    };
    HttpResponse::build(status)
        .insert_header(("cache-control", "public"))
        .body(format!(
            "{client} {wait:?} {policies:?} {}",
            refusal.status()
        ))
}

#[actix_web::test]
async fn a_hook_replaces_any_refusal() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(9)
            .detector(Dotfiles)
            .on_refusal(custom)
    });
    let app = app!(config);
    send(&app, get("/other")).await;
    let answer = send(&app, get("/other")).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        answer.body,
        "192.0.2.10 Some(60s) [\"\\\"default\\\"\"] 429 Too Many Requests"
    );
    assert_eq!(
        (answer.header("retry-after"), answer.header("cache-control")),
        (Some("60"), Some("no-store"))
    );
    for path in ["/public", "/public"] {
        assert_eq!(send(&app, get(path)).await.status, 200);
    }
    assert_eq!(
        send(&app, get("/public")).await.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "at a route"
    );
    let answer = send(&app, get("/.env")).await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (StatusCode::NOT_FOUND, "192.0.2.10 None [] 403 Forbidden")
    );
}

#[actix_web::test]
async fn a_refusal_that_travels_as_an_error_carries_the_same_response() {
    #[rate_limit(requests = 1, window = 60)]
    #[actix_web::get("/shared")]
    async fn limited() -> &'static str {
        "limited"
    }
    let (config, _clock) = configure(|config| config.rate_limit(1).enable_ip_banning(false));
    let plain = web::resource("/shared")
        .guard(guard::Header("v", "2"))
        .to(HttpResponse::Ok);
    let app = actix_web::test::init_service(
        App::new()
            .service(plain)
            .service(limited)
            .wrap(Guard::new(config)),
    )
    .await;
    let v2 = || get("/shared").insert_header(("v", "2"));
    assert_eq!(send(&app, v2()).await.status, 200);
    let as_error = send(&app, v2()).await;
    assert!(as_error.as_error);
    assert_eq!(send(&app, get("/shared")).await.status, 200);
    let as_response = send(&app, get("/shared")).await;
    assert!(!as_response.as_error);
    let without_name = |text: &str| text.replace("default", "NAME").replace("/shared", "NAME");
    assert_eq!(
        without_name(&as_error.body),
        without_name(&as_response.body)
    );
    let fields = |answer: &Answer| {
        let mut fields: Vec<_> = answer
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), without_name(value.to_str().unwrap())))
            .collect();
        fields.sort();
        fields
    };
    assert_eq!(fields(&as_error), fields(&as_response));

    let head = v2().method(actix_web::http::Method::HEAD);
    let answer = send(&app, head).await;
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (429, ""));

    let error = actix_web::dev::Service::call(&app, v2().to_request())
        .await
        .err()
        .unwrap();
    let refusal = error.as_error::<RefusalError>().unwrap().refusal();
    assert_eq!(refusal.kind(), RefusalKind::RateLimited);
}
