//! Who is exempt: paths, monitors by their user agent, addresses.

use actix_web_guard::GuardHandle;

use super::{XFF, app, from};
use crate::{
    guard::Dotfiles,
    support::{config, seconds, send},
};

const UA: &str = "User-Agent";
const MONITOR: &str = "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)";

#[actix_web::test]
async fn an_exempt_path_is_that_path_and_no_other() {
    let config = config(|config| {
        config
            .rate_limit(3)
            .enable_ip_banning(false)
            .exempt_paths(["/healthz"])
    });
    let app = app!(config);
    let peer = "10.0.0.2";
    for path in ["/healthz", "/healthz?x=1", "/%68ealthz"] {
        for _ in 0..10 {
            let answer = send(&app, from(peer, path, &[])).await;
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.header("ratelimit"), None, "{path}");
        }
    }
    let others = [
        "/healthzz",
        "/healthz/../ping",
        "//healthz",
        "/HEALTHZ",
        "/healthz/",
        "/healthz%2f",
    ];
    let mut statuses = Vec::new();
    for path in others {
        statuses.push(send(&app, from(peer, path, &[])).await.status.as_u16());
    }
    assert_eq!(statuses, [404, 404, 404, 429, 429, 429]);
}

#[actix_web::test]
async fn exempt_paths_are_patterns_for_any_method() {
    let config = config(|config| {
        config
            .rate_limit(1)
            .enable_ip_banning(false)
            .exempt_paths(["/static/{tail}*", "/limited"])
    });
    let app = app!(config);
    let peer = "192.0.2.20";
    for _ in 0..5 {
        assert_eq!(
            send(&app, from(peer, "/static/a/b.css", &[])).await.status,
            404
        );
        let head = from(peer, "/static/", &[]).method(actix_web::http::Method::HEAD);
        assert_eq!(send(&app, head).await.status, 404);
        assert_eq!(
            send(&app, from(peer, "/limited", &[])).await.status,
            200,
            "its own limit too"
        );
    }
    assert_eq!(
        send(&app, from(peer, "/staticadmin", &[])).await.status,
        404
    );
    assert_eq!(send(&app, from(peer, "/static", &[])).await.status, 429);
}

#[actix_web::test]
async fn who_is_banned_still_reaches_an_exempt_path() {
    let config = config(|config| config.exempt_paths(["/healthz"]));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    handle
        .ban("192.0.2.20", seconds(60), "by hand")
        .await
        .unwrap();
    assert_eq!(
        send(&app, from("192.0.2.20", "/healthz", &[])).await.status,
        200
    );
    assert_eq!(
        send(&app, from("192.0.2.20", "/ping", &[])).await.status,
        403
    );
}

#[actix_web::test]
async fn a_monitor_is_never_counted_and_its_forger_never_gets_past_detection() {
    let config = config(|config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(0)
            .detector(Dotfiles)
            .exempt_user_agents(["preset:uptime-monitors", "GoodMonitor"])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let peer = "192.0.2.39";
    for agent in [MONITOR, "goodmonitor/1.0"] {
        let lines = [(UA, agent)];
        for _ in 0..20 {
            assert_eq!(send(&app, from(peer, "/ping", &lines)).await.status, 200);
            assert_eq!(send(&app, from(peer, "/limited", &lines)).await.status, 200);
        }
        assert_eq!(send(&app, from(peer, "/.env", &lines)).await.status, 403);
        assert_eq!(send(&app, from(peer, "/ping", &lines)).await.status, 200);
    }
    assert_eq!(handle.ban_of(peer).await.unwrap(), None, "no strike");
    assert_eq!(send(&app, from(peer, "/ping", &[])).await.status, 200);
}

#[actix_web::test]
async fn an_exempt_monitor_is_not_taken_for_a_banned_bot() {
    let config = config(|config| {
        config
            .exempt_user_agents(["preset:uptime-monitors"])
            .banned_user_agents(["robot"])
    });
    let app = app!(config);
    let monitor = from("192.0.2.39", "/ping", &[(UA, MONITOR)]);
    assert_eq!(send(&app, monitor).await.status, 200);
    let robot = from("192.0.2.39", "/ping", &[(UA, "SomeRobot/1")]);
    assert_eq!(send(&app, robot).await.status, 403);
}

#[actix_web::test]
async fn what_handlers_report_of_those_that_are_exempt_is_no_strike() {
    let config = config(|config| {
        config
            .auto_ban_threshold(0)
            .exempt_ips(["198.51.100.7"])
            .exempt_user_agents(["GoodMonitor"])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    for (peer, lines) in [
        ("198.51.100.7", &[][..]),
        ("198.51.100.8", &[(UA, "GoodMonitor")]),
    ] {
        let report = from(peer, "/login", lines).method(actix_web::http::Method::POST);
        assert_eq!(send(&app, report).await.status, 401);
        assert_eq!(handle.ban_of(peer).await.unwrap(), None, "{peer}");
    }
}

#[actix_web::test]
async fn lists_match_the_address_that_a_trusted_proxy_names_and_nothing_else() {
    let proxy = "192.0.2.1";
    let config = config(|config| {
        config
            .rate_limit(1)
            .enable_ip_banning(false)
            .exempt_ips(["203.0.113.50", "127.0.0.1"])
            .trusted_proxies([proxy])
    });
    let app = app!(config);
    let exempt = [(XFF, "203.0.113.50")];
    for _ in 0..3 {
        assert_eq!(send(&app, from(proxy, "/ping", &exempt)).await.status, 200);
    }
    for forger in ["198.51.100.8", "10.0.0.5"] {
        for (forged, expected) in [("203.0.113.50", 200), ("127.0.0.1", 429)] {
            let answer = send(&app, from(forger, "/ping", &[(XFF, forged)])).await;
            assert_eq!(answer.status, expected, "{forger} {forged}");
        }
    }
}

#[actix_web::test]
async fn a_local_proxy_does_not_make_the_world_loopback() {
    let config = config(|config| {
        config
            .rate_limit(1)
            .enable_ip_banning(false)
            .exempt_loopback(true)
            .trusted_proxies(["loopback"])
    });
    let app = app!(config);
    let visitor = [(XFF, "203.0.113.1")];
    assert_eq!(
        send(&app, from("127.0.0.1", "/ping", &visitor))
            .await
            .status,
        200
    );
    assert_eq!(
        send(&app, from("127.0.0.1", "/ping", &visitor))
            .await
            .status,
        429
    );
    for _ in 0..3 {
        assert_eq!(
            send(&app, from("127.0.0.1", "/ping", &[])).await.status,
            200
        );
    }
}
