//! Trusted proxies that name nobody: served, never counted, never banned.

use actix_web_guard::GuardHandle;

use super::{XFF, app, from, remaining};
use crate::{
    guard::Dotfiles,
    support::{config, configure, seconds, send},
};

const PROXY: &str = "192.0.2.1";

#[actix_web::test]
async fn a_proxy_is_never_struck_or_banned_for_what_comes_through_it() {
    let config = config(|config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(0)
            .detector(Dotfiles)
            .trusted_proxies([PROXY])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    for lines in [&[][..], &[(XFF, "unknown")]] {
        for _ in 0..5 {
            // Detection still refuses.
            assert_eq!(send(&app, from(PROXY, "/.env", lines)).await.status, 403);
            assert_eq!(send(&app, from(PROXY, "/ping", lines)).await.status, 200);
            assert_eq!(send(&app, from(PROXY, "/limited", lines)).await.status, 200);
        }
    }
    assert_eq!(handle.ban_of(PROXY).await.unwrap(), None);
    let client = send(&app, from(PROXY, "/ping", &[(XFF, "198.51.100.7")])).await;
    assert_eq!((client.status.as_u16(), remaining(&client)), (200, 1));
    // Neither does a handler's report strike it.
    let report = from(PROXY, "/login", &[]).method(actix_web::http::Method::POST);
    assert_eq!(send(&app, report).await.status, 401);
    assert_eq!(handle.ban_of(PROXY).await.unwrap(), None);
}

#[actix_web::test]
async fn those_behind_a_proxy_are_struck_each_for_himself() {
    let config = config(|config| {
        config
            .auto_ban_threshold(0)
            .detector(Dotfiles)
            .trusted_proxies([PROXY])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let attacker = [(XFF, "198.51.100.7")];
    assert_eq!(
        send(&app, from(PROXY, "/.env", &attacker)).await.status,
        403
    );
    assert_eq!(
        send(&app, from(PROXY, "/ping", &attacker)).await.status,
        403
    );
    for lines in [&[(XFF, "198.51.100.8")][..], &[]] {
        assert_eq!(send(&app, from(PROXY, "/ping", lines)).await.status, 200);
    }
    assert!(handle.ban_of("198.51.100.7").await.unwrap().is_some());
    assert_eq!(handle.ban_of(PROXY).await.unwrap(), None);
}

#[actix_web::test]
async fn a_ban_by_hand_does_not_shut_a_trusted_proxy_out() {
    let config = config(|config| config.trusted_proxies([PROXY]));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    handle.ban(PROXY, seconds(60), "by mistake").await.unwrap();
    for lines in [&[][..], &[(XFF, "198.51.100.7")]] {
        assert_eq!(send(&app, from(PROXY, "/ping", lines)).await.status, 200);
    }
}

#[actix_web::test]
async fn infrastructure_limit_is_one_for_each_proxy_and_nobodys_strike() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(50)
            .auto_ban_threshold(0)
            .infrastructure_limit(3)
            .trusted_proxies([PROXY, "192.0.2.2"])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    for proxy in [PROXY, "192.0.2.2"] {
        let mut statuses = Vec::new();
        for path in ["/ping", "/limited", "/ping", "/ping"] {
            statuses.push(send(&app, from(proxy, path, &[])).await.status.as_u16());
        }
        assert_eq!(statuses, [200, 200, 200, 429], "{proxy}");
        assert_eq!(handle.ban_of(proxy).await.unwrap(), None);
    }
    let refused = send(&app, from(PROXY, "/ping", &[])).await;
    assert!(refused.header("retry-after").is_some());
    assert_eq!(
        refused.header("ratelimit-policy"),
        Some("\"infrastructure\";q=3;w=60")
    );
    let client = send(&app, from(PROXY, "/ping", &[(XFF, "198.51.100.7")])).await;
    assert_eq!(remaining(&client), 49);
    clock.advance(seconds(60));
    assert_eq!(send(&app, from(PROXY, "/ping", &[])).await.status, 200);
}

#[actix_web::test]
async fn all_hops_trusted_name_nobody_the_same_on_every_call() {
    let config = config(|config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(0)
            .trusted_proxies([PROXY, "198.51.100.0/24"])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    for _ in 0..10 {
        let line = [(XFF, "198.51.100.21, 198.51.100.20")];
        let answer = send(&app, from(PROXY, "/ping", &line)).await;
        assert_eq!((answer.status.as_u16(), answer.body.as_str()), (200, PROXY));
    }
    for address in ["198.51.100.21", "198.51.100.20", PROXY] {
        assert_eq!(handle.ban_of(address).await.unwrap(), None);
    }
}
