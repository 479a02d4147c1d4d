//! How it is going, as operators see it.

use actix_web_guard::GuardHandle;
use serde_json::{Value, json};

use super::{app, json, operator};
use crate::support::{PEER, config, configure, get, peer, seconds, send, statuses};

macro_rules! overview {
    ($app:expr) => {{
        let answer = send($app, operator("GET", "/guard/api/overview")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        json(&answer)
    }};
}

fn last_minute(overview: &Value) -> &Value {
    overview["last_hour"]["minutes"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
}

#[actix_web::test]
async fn requests_are_counted_by_what_became_of_them() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(3)
            .auto_ban_threshold(2)
            .denied_ips(["203.0.113.0/24"])
    });
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/"; 6]).await,
        [200, 200, 200, 429, 429, 403]
    );
    assert_eq!(statuses(&app, &["/"]).await, [403]);
    let denied = || get("/").peer_addr(peer("203.0.113.5"));
    assert_eq!(send(&app, denied()).await.status, 403);
    clock.advance(seconds(60));
    let probe = get("/.env").peer_addr(peer("198.51.100.9"));
    assert_eq!(send(&app, probe).await.status, 403);
    GuardHandle::of(&config).unban(PEER).await.unwrap();

    overview!(&app);
    let overview = overview!(&app);
    let total = &overview["last_hour"]["total"];
    // The looks of operators are not among them.
    let expected = json!({
        "exempt": 0, "admitted": 3, "limited": 2, "threat": 1, "banned": 2, "denied": 1,
        "unavailable": 0, "strikes": 4, "bans_created": 1, "bans_lifted": 1,
    });
    for (name, count) in expected.as_object().unwrap() {
        assert_eq!(&total[name], count, "{name} of {total}");
    }
    let minutes = overview["last_hour"]["minutes"].as_array().unwrap();
    assert_eq!(minutes.len(), 60);
    assert_eq!(
        (&minutes[58]["limited"], &minutes[59]["limited"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(
        (&minutes[58]["threat"], &minutes[59]["threat"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(minutes[59]["start"], "2026-01-01T00:01:00.000Z");
    assert_eq!(overview["now"], "2026-01-01T00:01:00.000Z");
    assert_eq!(overview["started"], "2026-01-01T00:00:00.000Z");
}

#[actix_web::test]
async fn top_offenders_are_shown_with_what_they_sent() {
    let config = config(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(3)
            .enable_detection(false)
    });
    let app = app!(config);
    let agent = "<img src=x onerror=alert(1)>";
    for _ in 0..6 {
        let request = get("/search?q=1").insert_header(("user-agent", agent));
        send(&app, request).await;
    }
    let other = || get("/").peer_addr(peer("198.51.100.9"));
    assert_eq!(send(&app, other()).await.status, 200);
    assert_eq!(send(&app, other()).await.status, 429);

    let overview = overview!(&app);
    let offenders = overview["offenders"].as_array().unwrap();
    assert_eq!(offenders.len(), 2);
    let worst = &offenders[0];
    assert_eq!(worst["client"], PEER);
    let counts =
        ["refused", "limited", "banned", "threat"].map(|name| worst[name].as_u64().unwrap());
    assert_eq!(counts, [5, 3, 2, 0]);
    assert_eq!(worst["user_agent"], agent);
    assert_eq!(
        (&worst["method"], &worst["path"]),
        (&json!("GET"), &json!("/search"))
    );
    assert_eq!(worst["ban"]["reason"], "rate limit");
    assert_eq!(offenders[1]["client"], "198.51.100.9");
    assert_eq!(
        (&offenders[1]["ban"], &offenders[1]["user_agent"]),
        (&Value::Null, &Value::Null)
    );
}

#[actix_web::test]
async fn long_and_broken_texts_of_senders_are_cut_and_readable() {
    let app = app!(config(|config| config.rate_limit(1)));
    let path = format!("/{}", "a".repeat(5000));
    for _ in 0..2 {
        let request = get(&path).insert_header(("user-agent", &b"broken \xff\xfe agent"[..]));
        send(&app, request).await;
    }
    let overview = overview!(&app);
    let offender = &overview["offenders"][0];
    assert_eq!(offender["path"].as_str().unwrap().len(), 200);
    assert_eq!(offender["user_agent"], "broken \u{fffd}\u{fffd} agent");
}

#[actix_web::test]
async fn what_is_switched_off_is_said() {
    let app = app!(config(|config| config));
    let on = overview!(&app);
    let expected = json!({"kind": "memory", "windows": "local", "state": "available"});
    assert_eq!(on["store"], expected);
    for name in ["passive", "rate_limiting", "banning", "detection"] {
        assert_eq!(on[name], name != "passive", "{name}");
    }
    let app = app!(config(|config| {
        config
            .passive(true)
            .enable_rate_limiting(false)
            .enable_ip_banning(false)
            .enable_detection(false)
    }));
    let off = overview!(&app);
    for name in ["passive", "rate_limiting", "banning", "detection"] {
        assert_eq!(off[name], name == "passive", "{name}");
    }
}

#[actix_web::test]
async fn in_passive_mode_it_is_counted_what_would_have_been() {
    let app = app!(config(|config| config.passive(true).rate_limit(1)));
    assert_eq!(statuses(&app, &["/", "/", "/"]).await, [200, 200, 200]);
    let overview = overview!(&app);
    assert_eq!(last_minute(&overview)["limited"], 2);
    assert_eq!(overview["offenders"][0]["limited"], 2);
}

#[actix_web::test]
async fn the_configuration_is_shown_without_secrets() {
    let config = config(|config| config.rate_limit(17).exempt_ips(["192.0.2.77"]));
    let app = app!(config);
    let answer = send(&app, operator("GET", "/guard/api/configuration")).await;
    let shown = json(&answer);
    assert_eq!(shown["fields"]["rate_limit"], 17);
    assert_eq!(shown["fields"]["exempt_ips"], json!(["192.0.2.77"]));
    assert!(
        shown["toml"]
            .as_str()
            .unwrap()
            .contains("rate_limit = 17\n")
    );
}
