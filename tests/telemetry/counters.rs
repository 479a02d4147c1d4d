//! What is counted beside requests: strikes, threats, bans, and the state of the store.

use std::time::Duration;

use actix_web_guard::Guard;

use super::{app, probe, recorder::recorded};
use crate::support::{PEER, config, configure, get, peer, request, seconds, send};

#[actix_web::test]
async fn strikes_by_what_they_are_for() {
    let config = config(|config| {
        config
            .auto_ban_threshold(100)
            .not_found_limit(1)
            .toml("strike_on_status = [401]\nstrike_reset = { after = 3600 }")
            .unwrap()
    });
    let counted = recorded(async || {
        let app = app!(Guard::new(config));
        for _ in 0..5 {
            send(&app, get("/limited")).await;
        }
        for _ in 0..3 {
            send(&app, get("/nowhere")).await;
        }
        send(&app, request("POST", "/login")).await;
        send(&app, get("/private")).await;
        send(&app, probe()).await;
    })
    .await;
    for (cause, count) in [
        ("limit", 3.0),
        ("not_found", 2.0),
        ("report", 1.0),
        ("status", 1.0),
        ("threat", 1.0),
    ] {
        let name = format!("guard_strikes_total{{cause={cause:?}}}");
        assert_eq!(counted.get(&name), Some(&count), "{cause}: {counted:?}");
    }
}

#[actix_web::test]
async fn threats_by_category_and_by_what_was_done() {
    let config = config(|config| {
        config
            .auto_ban_threshold(100)
            .toml("[detection]\nsqli = \"refuse\"\nscanner = \"log\"")
            .unwrap()
    });
    let counted = recorded(async || {
        let app = app!(Guard::new(config));
        send(&app, probe()).await;
        send(&app, get("/plain?q=1%27%20OR%20%271%27=%271%27--")).await;
        send(
            &app,
            get("/plain").append_header(("User-Agent", "sqlmap/1.7")),
        )
        .await;
    })
    .await;
    for (category, action) in [("probe", "strike"), ("sqli", "refuse"), ("scanner", "log")] {
        let name = format!("guard_threats_total{{category={category:?},action={action:?}}}");
        assert_eq!(counted.get(&name), Some(&1.0), "{counted:?}");
    }
}

#[actix_web::test]
async fn a_threat_in_a_body_is_one_of_a_request_that_was_admitted() {
    let config = config(|config| {
        config
            .toml("[detection]\nbody_bytes = 4096\nbody = \"strike\"")
            .unwrap()
    });
    let counted = recorded(async || {
        let app = app!(Guard::new(config));
        let form = request("POST", "/form")
            .append_header(("Content-Type", "application/x-www-form-urlencoded"))
            .set_payload("comment=%3Cscript%3Ealert(1)%3C/script%3E");
        assert_eq!(send(&app, form).await.status, 403);
    })
    .await;
    for name in [
        "guard_requests_total{outcome=\"admitted\",route=\"default\"}",
        "guard_threats_total{category=\"xss\",action=\"strike\"}",
        "guard_strikes_total{cause=\"threat\"}",
    ] {
        assert_eq!(counted.get(name), Some(&1.0), "{name}: {counted:?}");
    }
    assert_eq!(counted.len(), 5, "{counted:?}");
}

#[actix_web::test]
async fn bans_that_come_and_go() {
    let (config, clock) = configure(|config| config.auto_ban_threshold(0).auto_ban_duration(10));
    let counted = recorded(async || {
        let guard = Guard::new(config);
        let handle = guard.handle();
        let app = app!(guard);
        for _ in 0..5 {
            send(&app, get("/limited")).await;
        }
        for address in ["203.0.113.1", "203.0.113.2", "203.0.113.3"] {
            let hour = Duration::from_secs(3600);
            handle.ban(address, hour, "by hand").await.unwrap();
        }
        assert!(handle.unban("203.0.113.1").await.unwrap());
        assert!(!handle.unban("203.0.113.1").await.unwrap());
        // The ban of PEER ends by itself, which the next request of anybody shows.
        clock.advance(seconds(11));
        send(&app, get("/plain").peer_addr(peer("203.0.113.9"))).await;
        assert!(handle.ban_of(PEER).await.unwrap().is_none());
    })
    .await;
    for (name, count) in [
        ("guard_bans_created_total{by=\"automatic\"}", 1.0),
        ("guard_bans_created_total{by=\"manual\"}", 3.0),
        ("guard_bans_lifted_total", 1.0),
        ("guard_bans_active", 2.0),
        ("guard_hot_ban_hits_total", 2.0),
        ("guard_store_available", 1.0),
    ] {
        assert_eq!(counted.get(name), Some(&count), "{name}: {counted:?}");
    }
}

#[actix_web::test]
async fn proxies_that_name_nobody() {
    let config = config(|config| config.trusted_proxies(["198.51.100.9"]));
    let counted = recorded(async || {
        let app = app!(Guard::new(config));
        let proxied = || get("/plain").peer_addr(peer("198.51.100.9"));
        send(&app, proxied()).await;
        send(
            &app,
            proxied().append_header(("X-Forwarded-For", "unknown")),
        )
        .await;
        send(
            &app,
            proxied().append_header(("X-Forwarded-For", "203.0.113.5")),
        )
        .await;
    })
    .await;
    assert_eq!(counted.get("guard_unresolved_clients_total"), Some(&2.0));
}

#[actix_web::test]
async fn a_store_that_is_out_of_reach() {
    let (config, clock) =
        configure(|config| config.toml("store = \"redis://127.0.0.1:1/\"").unwrap());
    let counted = recorded(async || {
        let app = app!(Guard::new(config));
        for _ in 0..5 {
            send(&app, get("/plain")).await;
        }
        clock.advance(seconds(1));
        send(&app, get("/plain")).await;
    })
    .await;
    assert_eq!(counted.get("guard_store_available"), Some(&0.0));
    // Nobody asks any more after three failures.
    assert_eq!(counted.get("guard_store_seconds"), Some(&3.0));
}
