//! Who a request is taken to be, and who is exempt or denied.

use actix_web::{Responder, get as get_route, test::TestRequest};
use actix_web_guard::{Client, Guard, GuardHandle};

use crate::{
    guard::{Dotfiles, app},
    support::{configure, get, peer, seconds, send},
};

macro_rules! statuses_of {
    ($app:expr, $($address:expr => $path:expr),+ $(,)?) => {
        [$(send(&$app, get($path).peer_addr(peer($address))).await.status.as_u16()),+]
    };
}

#[actix_web::test]
async fn hosts_of_one_ipv6_network_share_windows_and_bans() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(5)
            .auto_ban_threshold(0)
            .detector(Dotfiles)
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses_of!(app, "2001:db8:aa:bb::1" => "/other", "2001:db8:aa:bb::2" => "/other", "2001:db8:aa:bb::3" => "/other",
            "2001:db8:aa:bb:1::4" => "/other", "2001:db8:aa:bb:ffff::5" => "/other", "2001:db8:aa:bb::6" => "/other",
            "2001:db8:aa:bc::1" => "/other"),
        [200, 200, 200, 200, 200, 403, 200]
    );
    assert_eq!(
        statuses_of!(app, "2001:db8:cc:dd::1" => "/.env", "2001:db8:cc:dd:ffff::2" => "/", "2001:db8:cc:de::1" => "/"),
        [403, 403, 404]
    );
    assert!(handle.unban("2001:0DB8:00CC:00DD:0:0:0:99").await.unwrap());
    assert_eq!(
        statuses_of!(app, "2001:db8:cc:dd::1" => "/", "2001:db8:cc:dd:ffff::2" => "/"),
        [404, 404]
    );
    let listed = handle.ban_of("2001:db8:aa:bb::77").await.unwrap().unwrap();
    assert_eq!(listed.client, "2001:db8:aa:bb::/64");
    assert!(
        handle.ban_of(&listed.client).await.unwrap().is_some(),
        "as it is listed"
    );
}

#[actix_web::test]
async fn ipv4_mapped_addresses_are_ipv4() {
    let (config, _clock) = configure(|config| config.rate_limit(2).enable_ip_banning(false));
    let app = app!(config);
    assert_eq!(
        statuses_of!(app, "203.0.113.9" => "/other", "::ffff:203.0.113.9" => "/other", "203.0.113.9" => "/other"),
        [200, 200, 429]
    );
}

#[actix_web::test]
async fn exempt_addresses_are_served_whatever_they_do() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(5)
            .auto_ban_threshold(0)
            .detector(Dotfiles)
            .exempt_ips([
                "198.51.100.0/24",
                "2001:db8:7::/48",
                "203.0.113.9",
                "2001:db8:ff:1::77",
            ])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    for address in [
        "198.51.100.7",
        "2001:db8:7:1::5",
        "203.0.113.9",
        "::ffff:203.0.113.9",
    ] {
        for _ in 0..20 {
            assert_eq!(
                statuses_of!(app, address => "/other", address => "/public"),
                [200, 200],
                "{address}"
            );
        }
        assert_eq!(
            statuses_of!(app, address => "/.env", address => "/other"),
            [404, 200],
            "{address}"
        );
        assert_eq!(handle.ban_of(address).await.unwrap(), None);
    }
    handle
        .ban("198.51.100.8", seconds(60), "by hand")
        .await
        .unwrap();
    assert_eq!(statuses_of!(app, "198.51.100.8" => "/other"), [200]);
    // The list matches the address, the ban its network.
    assert_eq!(
        statuses_of!(app, "2001:db8:ff:1::1" => "/.env", "2001:db8:ff:1::1" => "/other", "2001:db8:ff:1::77" => "/other"),
        [403, 403, 200]
    );
}

#[actix_web::test]
async fn exempt_answers_have_no_rate_limit_fields() {
    let (config, _clock) = configure(|config| config.exempt_ips(["192.0.2.0/24"]));
    let app = app!(config);
    assert_eq!(send(&app, get("/other")).await.header("ratelimit"), None);
    assert_eq!(send(&app, get("/public")).await.header("ratelimit"), None);
}

#[actix_web::test]
async fn denied_addresses_are_refused_and_nothing_is_counted_against_them() {
    let (config, _clock) = configure(|config| {
        config
            .auto_ban_threshold(0)
            .denied_ips(["203.0.113.0/24"])
            .exempt_ips(["203.0.113.5"])
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses_of!(app, "203.0.113.1" => "/other", "203.0.113.1" => "/public", "203.0.113.1" => "/health"),
        [403; 3]
    );
    assert_eq!(
        statuses_of!(app, "203.0.113.5" => "/other"),
        [200],
        "exempt goes before denied"
    );
    assert_eq!(handle.ban_of("203.0.113.1").await.unwrap(), None);
}

#[actix_web::test]
async fn loopback_is_exempt_only_when_asked_for_and_only_without_a_forwarding_header() {
    let (config, _clock) = configure(|config| config.rate_limit(1).enable_ip_banning(false));
    let app = app!(config);
    assert_eq!(
        statuses_of!(app, "127.0.0.1" => "/other", "127.0.0.1" => "/other"),
        [200, 429]
    );

    let (config, _clock) = configure(|config| {
        config
            .rate_limit(1)
            .enable_ip_banning(false)
            .exempt_loopback(true)
    });
    let app = app!(config);
    assert_eq!(
        statuses_of!(app, "127.0.0.1" => "/other", "127.0.0.1" => "/other", "::1" => "/other", "::1" => "/other"),
        [200; 4]
    );
    let forwarded = || {
        get("/other")
            .peer_addr(peer("127.0.0.1"))
            .insert_header(("x-forwarded-for", "203.0.113.1"))
    };
    assert_eq!(send(&app, forwarded()).await.status, 200);
    assert_eq!(send(&app, forwarded()).await.status, 429);
}

#[actix_web::test]
async fn headers_do_not_make_somebody_else_of_a_client() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(5)
            .enable_ip_banning(false)
            .exempt_ips(["203.0.113.50"])
    });
    let app = app!(config);
    let names = [
        "x-forwarded-for",
        "x-real-ip",
        "forwarded",
        "cf-connecting-ip",
        "true-client-ip",
        "x-client-ip",
    ];
    let mut seen = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let value = if *name == "forwarded" {
            "for=203.0.113.50".to_owned()
        } else {
            format!("203.0.113.{}", 50 + index)
        };
        let request = get("/other")
            .peer_addr(peer("198.51.100.7"))
            .insert_header((*name, value));
        seen.push(send(&app, request).await.status.as_u16());
    }
    assert_eq!(seen, [200, 200, 200, 200, 200, 429]);
}

#[actix_web::test]
async fn a_proxy_that_nobody_declared_is_limited_but_never_banned() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(2)
            .auto_ban_threshold(0)
            .detector(Dotfiles)
    });
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    let forwarded = |path: &str| {
        get(path)
            .peer_addr(peer("10.0.0.5"))
            .insert_header(("x-forwarded-for", "203.0.113.1"))
    };
    for (path, expected) in [
        ("/.env", 403),
        ("/other", 200),
        ("/other", 200),
        ("/other", 429),
        ("/.env", 403),
        ("/public", 200),
    ] {
        assert_eq!(send(&app, forwarded(path)).await.status, expected, "{path}");
    }
    assert_eq!(handle.ban_of("10.0.0.5").await.unwrap(), None);
    // Without the header it is a client like any other.
    assert_eq!(
        statuses_of!(app, "10.0.0.6" => "/.env", "10.0.0.6" => "/other"),
        [403, 403]
    );
}

#[actix_web::test]
async fn a_ban_that_a_local_address_earned_does_not_hit_those_behind_its_proxy() {
    let (config, _clock) = configure(|config| config.auto_ban_threshold(0).detector(Dotfiles));
    let handle = GuardHandle::of(&config);
    let app = app!(config);
    assert_eq!(
        statuses_of!(app, "127.0.0.1" => "/.env", "127.0.0.1" => "/other"),
        [403, 403]
    );
    let forwarded = || {
        get("/other")
            .peer_addr(peer("127.0.0.1"))
            .insert_header(("x-forwarded-for", "203.0.113.1"))
    };
    assert_eq!(send(&app, forwarded()).await.status, 200);
    handle
        .ban("127.0.0.1", seconds(60), "by hand")
        .await
        .unwrap();
    assert_eq!(
        send(&app, forwarded()).await.status,
        403,
        "somebody wants it so"
    );
}

#[actix_web::test]
async fn requests_without_an_address_share_one_client_that_is_never_banned() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(3)
            .auto_ban_threshold(0)
            .exempt_loopback(true)
            .detector(Dotfiles)
    });
    let app = app!(config);
    let request = |path: &str, forwarded: &str| {
        let request = TestRequest::with_uri(path);
        if forwarded.is_empty() {
            request
        } else {
            request.insert_header(("x-forwarded-for", forwarded))
        }
    };
    for (path, forwarded, expected) in [
        ("/.env", "", 403),
        ("/other", "", 200),
        ("/other", "203.0.113.1", 200),
        ("/other", "203.0.113.2", 200),
        ("/other", "203.0.113.3", 429),
        ("/.env", "127.0.0.1", 403),
        ("/public", "", 200),
    ] {
        assert_eq!(
            send(&app, request(path, forwarded)).await.status,
            expected,
            "{path} {forwarded}"
        );
    }
}

#[get_route("/whoami")]
async fn whoami(client: Client) -> impl Responder {
    format!("{client} {:?}", client.address())
}

#[actix_web::test]
async fn handlers_learn_who_is_asking() {
    let (config, _clock) = configure(|config| config);
    let app = actix_web::test::init_service(
        actix_web::App::new()
            .service(whoami)
            .wrap(Guard::new(config)),
    )
    .await;
    for (address, expected) in [
        ("203.0.113.9", "203.0.113.9 Some(203.0.113.9)"),
        ("::ffff:203.0.113.9", "203.0.113.9 Some(203.0.113.9)"),
        ("2001:db8:1:2::3", "2001:db8:1:2::/64 Some(2001:db8:1:2::3)"),
    ] {
        assert_eq!(
            send(&app, get("/whoami").peer_addr(peer(address)))
                .await
                .body,
            expected
        );
    }
    assert_eq!(
        send(&app, TestRequest::with_uri("/whoami")).await.body,
        "unknown None"
    );
}

#[actix_web::test]
async fn without_a_guard_the_extractors_fail() {
    let app = actix_web::test::init_service(actix_web::App::new().service(whoami).route(
        "/handle",
        actix_web::web::get().to(|_: GuardHandle| async { "never" }),
    ))
    .await;
    for path in ["/whoami", "/handle"] {
        assert_eq!(send(&app, get(path)).await.status, 500);
    }
}
