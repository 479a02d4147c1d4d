//! The global window by something else than the address.

use std::borrow::Cow;

use actix_web::{App, dev::ServiceRequest, guard, test, web};
use actix_web_guard::{Guard, GuardHandle, RouteLimit};

use super::{app, from, remaining};
use crate::{
    guard::Dotfiles,
    support::{config, send},
};

const KEY: &str = "X-Api-Key";

fn api_key(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    let key = request.headers().get(KEY)?.to_str().ok()?;
    Some(Cow::Borrowed(key))
}

#[actix_web::test]
async fn each_key_has_a_window_of_its_own_wherever_it_comes_from() {
    let config = config(|config| config.rate_limit(2).key_by(api_key));
    let app = app!(config);
    let mut statuses = Vec::new();
    for (peer, key) in [
        ("192.0.2.1", "alice"),
        ("192.0.2.2", "alice"),
        ("192.0.2.3", "alice"),
        ("192.0.2.3", "bob"),
        ("192.0.2.3", "192.0.2.4"),
    ] {
        let answer = send(&app, from(peer, "/ping", &[(KEY, key)])).await;
        statuses.push(answer.status.as_u16());
    }
    assert_eq!(statuses, [200, 200, 429, 200, 200]);
    // Without a key it is the address that counts, and no key is an address.
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(
            send(&app, from("192.0.2.4", "/ping", &[]))
                .await
                .status
                .as_u16(),
        );
    }
    assert_eq!(statuses, [200, 200, 429]);
}

#[actix_web::test]
async fn strikes_and_bans_stay_with_the_address() {
    let config = config(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(1)
            .detector(Dotfiles)
            .key_by(api_key)
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let (peer, alice, bob) = ("192.0.2.1", [(KEY, "alice")], [(KEY, "bob")]);
    assert_eq!(send(&app, from(peer, "/ping", &alice)).await.status, 200);
    assert_eq!(send(&app, from(peer, "/ping", &alice)).await.status, 429);
    assert_eq!(send(&app, from(peer, "/.env", &bob)).await.status, 403);
    assert!(handle.ban_of(peer).await.unwrap().is_some());
    assert_eq!(send(&app, from(peer, "/ping", &bob)).await.status, 403);
    let elsewhere = send(&app, from("192.0.2.2", "/ping", &bob)).await;
    assert_eq!(elsewhere.status, 200);
}

#[actix_web::test]
async fn limited_routes_count_as_they_say() {
    let config = config(|config| {
        config
            .rate_limit(1)
            .enable_ip_banning(false)
            .key_by(api_key)
    });
    let app = app!(config);
    let mut statuses = Vec::new();
    for key in ["alice", "bob", "carol"] {
        let answer = send(&app, from("192.0.2.1", "/limited", &[(KEY, key)])).await;
        statuses.push(answer.status.as_u16());
    }
    assert_eq!(statuses, [200, 200, 429], "by the address");
    let global = send(&app, from("192.0.2.1", "/ping", &[(KEY, "alice")])).await;
    assert_eq!((global.status.as_u16(), remaining(&global)), (200, 0));
}

/// Where a route has to be asked whether it limits the request, the global window counts when the request is out of reach.
#[actix_web::test]
async fn the_key_counts_also_where_the_route_is_asked_first() {
    let config = config(|config| {
        config
            .rate_limit(2)
            .enable_ip_banning(false)
            .key_by(api_key)
    });
    let limited = web::resource("/x")
        .guard(guard::Header("x-kind", "limited"))
        .wrap(RouteLimit::new(1, 60))
        .to(async || "limited");
    let plain = web::resource("/x").to(async || "plain");
    let app = App::new()
        .service(limited)
        .service(plain)
        .wrap(Guard::new(config));
    let app = test::init_service(app).await;
    for key in ["alice", "bob"] {
        let mut statuses = Vec::new();
        for peer in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
            let answer = send(&app, from(peer, "/x", &[(KEY, key)])).await;
            statuses.push(answer.status.as_u16());
        }
        assert_eq!(statuses, [200, 200, 429], "{key}");
    }
}
