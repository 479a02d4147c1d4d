//! A proxy that is declared: each visitor is counted and banned for himself.

use actix_web::{App, web};
use actix_web_guard::{Client, Guard, GuardHandle, SecurityConfig};

use super::nginx::Nginx;
use crate::{
    guard::Dotfiles,
    server::listen::{Listening, UnixListening, listen, listen_unix},
    support::config,
};

/// As in nginx's own documentation of its proxy module.
const USUAL: &str = "proxy_set_header Host $host;
            proxy_set_header X-Real-IP $remote_addr;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;";

/// As nginx's page on the `Forwarded` header has it, for IPv4.
const FORWARDED: &str = "proxy_set_header Forwarded \"$http_forwarded, for=$remote_addr\";";

const XFF: &str = "X-Forwarded-For";

macro_rules! whoami {
    ($config:expr) => {{
        let config: SecurityConfig = $config.clone();
        move || {
            App::new()
                .route(
                    "/whoami",
                    web::get().to(async |client: Client| client.to_string()),
                )
                .wrap(Guard::new(config.clone()))
        }
    }};
}

fn serve(config: &SecurityConfig) -> Listening {
    listen(whoami!(config))
}

fn serve_on_unix(config: &SecurityConfig) -> UnixListening {
    listen_unix(whoami!(config))
}

#[actix_web::test]
async fn visitors_are_told_apart_by_what_nginx_adds_not_by_what_they_write() {
    let config = config(|config| config.rate_limit(3).trusted_proxies(["127.0.0.1"]));
    let server = serve(&config);
    let nginx = Nginx::start(&server.address().to_string(), USUAL);
    let mut statuses = Vec::new();
    for number in 1..=4 {
        let forged = format!("203.0.113.{number}");
        let lines = [(XFF, forged.as_str()), ("X-Real-IP", forged.as_str())];
        let reply = nginx.ask("127.0.0.2", "GET /whoami", &lines).await;
        if reply.status == 200 {
            assert_eq!(reply.text(), "127.0.0.2");
        }
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
    let another = nginx.ask("127.0.0.3", "GET /whoami", &[]).await;
    assert_eq!((another.status, another.text()), (200, "127.0.0.3"));
    let v6 = nginx
        .ask("::1", "GET /whoami", &[(XFF, "203.0.113.9")])
        .await;
    assert_eq!((v6.status, v6.text()), (200, "::/64"));
}

#[actix_web::test]
async fn a_header_that_nginx_overwrites_serves_as_well() {
    let config = config(|config| {
        config
            .trusted_proxies(["loopback"])
            .client_ip_header("x-real-ip")
    });
    let server = serve(&config);
    let nginx = Nginx::start(&server.address().to_string(), USUAL);
    let forged = [("X-Real-IP", "203.0.113.9"), (XFF, "203.0.113.9")];
    let reply = nginx.ask("127.0.0.2", "GET /whoami", &forged).await;
    assert_eq!((reply.status, reply.text()), (200, "127.0.0.2"));
}

#[actix_web::test]
async fn the_standard_header_serves_as_well() {
    let config = config(|config| {
        config
            .trusted_proxies(["127.0.0.1"])
            .client_ip_header("forwarded")
    });
    let server = serve(&config);
    let nginx = Nginx::start(&server.address().to_string(), FORWARDED);
    for forged in [
        "for=203.0.113.9",
        "for=203.0.113.9;host=\"",
        "for=\"203.0.113.9\\",
        "\"",
        "for=203.0.113.9;x=\",\"",
    ] {
        let lines = [("Forwarded", forged)];
        let reply = nginx.ask("127.0.0.2", "GET /whoami", &lines).await;
        assert_eq!((reply.status, reply.text()), (200, "127.0.0.2"), "{forged}");
    }
}

#[actix_web::test]
async fn who_is_banned_is_banned_alone_also_over_a_connection_that_all_share() {
    let config = config(|config| {
        config
            .auto_ban_threshold(0)
            .detector(Dotfiles)
            .trusted_proxies(["127.0.0.1"])
    });
    let handle = GuardHandle::of(&config);
    let server = serve(&config);
    let nginx = Nginx::start(&server.address().to_string(), USUAL);
    for (from, request, expected) in [
        ("127.0.0.2", "GET /.env", 403),
        ("127.0.0.2", "GET /whoami", 403),
        ("127.0.0.3", "GET /whoami", 200),
    ] {
        assert_eq!(nginx.ask(from, request, &[]).await.status, expected);
    }
    assert!(handle.ban_of("127.0.0.2").await.unwrap().is_some());
    assert_eq!(handle.ban_of("127.0.0.1").await.unwrap(), None);
}

#[actix_web::test]
async fn nginx_over_a_unix_socket_names_the_client_when_unix_is_trusted() {
    let config = config(|config| config.rate_limit(2).trusted_proxies(["unix"]));
    let server = serve_on_unix(&config);
    let upstream = format!("unix:{}", server.path().display());
    let nginx = Nginx::start(&upstream, USUAL);
    let forged = [(XFF, "203.0.113.9")];
    for (from, expected) in [
        ("127.0.0.2", 200),
        ("127.0.0.2", 200),
        ("127.0.0.2", 429),
        ("127.0.0.3", 200),
        ("::1", 200),
    ] {
        let reply = nginx.ask(from, "GET /whoami", &forged).await;
        assert_eq!(reply.status, expected, "{from}");
    }
}
