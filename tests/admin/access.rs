//! Operators get in, whatever the guard thinks of their address; nobody else does.

use actix_web::{App, HttpResponse, test::init_service, web};
use actix_web_guard::{Guard, GuardHandle, SecurityConfig, admin, admin::Auth, rate_limit};

use super::{app, json, operator, operators};
use crate::support::{Answer, PEER, config, configure, get, parse, peer, seconds, send, statuses};

/// Bans [`PEER`].
async fn ban(config: &SecurityConfig) {
    let handle = GuardHandle::of(config);
    handle.ban(PEER, seconds(3600), "test").await.unwrap();
}

fn is_challenge(answer: &Answer) -> bool {
    answer.status == 401
        && answer
            .header("www-authenticate")
            .is_some_and(|challenge| challenge.starts_with("Basic "))
}

#[actix_web::test]
async fn without_a_proof_there_is_nothing_to_see() {
    let app = app!(config(|config| config));
    for path in [
        "/guard",
        "/guard/",
        "/guard/page.css",
        "/guard/api/overview",
        "/guard/api/bans",
        "/guard/nowhere",
        "DELETE /guard/api/bans/192.0.2.1",
        "POST /guard/api/bans",
    ] {
        let answer = send(&app, parse(path)).await;
        assert!(is_challenge(&answer), "{path}: {answer:?}");
        assert_eq!(json(&answer)["status"], 401, "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[actix_web::test]
async fn a_page_is_told_that_it_has_to_log_in_anew_without_the_browser_asking() {
    let app = app!(config(|config| config));
    let basic = r#"Basic realm="guard", charset="UTF-8""#;
    for (destination, expected) in [
        ("document", basic),
        ("style", basic),
        ("empty", r#"Bearer realm="guard""#),
    ] {
        let request = get("/guard/api/overview").insert_header(("sec-fetch-dest", destination));
        let answer = send(&app, request).await;
        assert_eq!(answer.status, 401);
        assert_eq!(
            answer.header("www-authenticate"),
            Some(expected),
            "{destination}"
        );
    }
}

#[actix_web::test]
async fn browsers_and_scripts_get_in_with_the_token() {
    let app = app!(config(|config| config));
    let basic = "Basic OmI3WXBkMFFXbkwya1o4c1Q=";
    for credentials in [basic, "Bearer b7Ypd0QWnL2kZ8sT"] {
        let request = get("/guard/api/overview").insert_header(("authorization", credentials));
        assert_eq!(send(&app, request).await.status, 200, "{credentials}");
    }
    for credentials in ["Bearer b7Ypd0QWnL2kZ8sS", "Basic Og==", "nonsense"] {
        let request = get("/guard/api/overview").insert_header(("authorization", credentials));
        assert!(is_challenge(&send(&app, request).await), "{credentials}");
    }
}

#[actix_web::test]
async fn an_operator_who_is_banned_gets_in_and_lifts_his_own_ban() {
    let config = config(|config| config);
    let app = app!(config);
    ban(&config).await;
    assert_eq!(statuses(&app, &["/", "/guarded"]).await, [403, 403]);

    // His browser has to be told to ask for the password.
    assert!(is_challenge(&send(&app, get("/guard/")).await));
    let wrong = get("/guard/").insert_header(("authorization", "Bearer of bad news"));
    assert!(is_challenge(&send(&app, wrong).await));
    assert_eq!(
        send(&app, operator("GET", "/guard/api/bans")).await.status,
        200
    );
    let path = format!("/guard/api/bans/{PEER}");
    assert_eq!(send(&app, operator("DELETE", &path)).await.status, 200);
    assert_eq!(statuses(&app, &["/"]).await, [200]);
}

#[actix_web::test]
async fn what_operators_do_counts_nowhere() {
    let config = config(|config| config.rate_limit(2).auto_ban_threshold(0));
    let app = app!(config);
    for _ in 0..20 {
        let answer = send(&app, operator("GET", "/guard/api/overview")).await;
        assert_eq!(answer.status, 200);
    }
    assert_eq!(statuses(&app, &["/", "/"]).await, [200, 200]);
    // Over the limit: a stranger is asked for the password in place of 429.
    let config = self::config(|config| config.rate_limit(1));
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/", "/", "/guard/"]).await,
        [200, 429, 401]
    );
    assert_eq!(
        send(&app, operator("GET", "/guard/api/bans")).await.status,
        200
    );
}

#[actix_web::test]
async fn what_an_operator_writes_is_no_attack() {
    let app = app!(config(|config| config.auto_ban_threshold(0)));
    let path = "/guard/api/bans?filter=%3Cscript%3Ealert(1)%3C/script%3E";
    assert_eq!(send(&app, operator("GET", path)).await.status, 200);
    let by_stranger = path.replacen("/guard/", "/", 1);
    assert_eq!(statuses(&app, &[&by_stranger]).await, [403]);
}

#[actix_web::test]
async fn guessing_has_a_window_of_its_own() {
    let (config, clock) = configure(|config| config.rate_limit(1000));
    let app = app!(config);
    let guess = || get("/guard/").insert_header(("authorization", "Bearer of bad news"));
    for _ in 0..10 {
        assert_eq!(send(&app, guess()).await.status, 401);
    }
    let locked = send(&app, guess()).await;
    assert_eq!(
        (locked.status.as_u16(), locked.header("retry-after")),
        (429, Some("60"))
    );
    // Not even the right token is looked at now, and others are.
    let right = operator("GET", "/guard/api/overview");
    assert_eq!(send(&app, right).await.status, 429);
    let elsewhere = operator("GET", "/guard/api/overview").peer_addr(peer("198.51.100.7"));
    assert_eq!(send(&app, elsewhere).await.status, 200);
    clock.advance(seconds(60));
    assert_eq!(
        send(&app, operator("GET", "/guard/api/bans")).await.status,
        200
    );
}

#[actix_web::test]
async fn a_banned_guesser_is_told_no_more_than_that_he_is_banned() {
    let config = config(|config| config);
    let app = app!(config);
    ban(&config).await;
    let guess = || get("/guard/").insert_header(("authorization", "Bearer of bad news"));
    for _ in 0..10 {
        assert_eq!(send(&app, guess()).await.status, 401);
    }
    assert_eq!(send(&app, guess()).await.status, 403);
    assert_eq!(send(&app, operator("GET", "/guard/")).await.status, 403);
}

#[actix_web::test]
async fn a_proof_opens_only_the_scope() {
    #[rate_limit(requests = 1, window = 60)]
    #[actix_web::get("/other/guard/thing")]
    async fn limited() -> HttpResponse {
        HttpResponse::Ok().finish()
    }
    let config = config(|config| config.rate_limit(1).auto_ban_threshold(100));
    let app = init_service(
        App::new()
            .service(admin::scope("/guard", operators()))
            .service(limited)
            .wrap(Guard::new(config.clone())),
    )
    .await;
    // The path has the scope's in it, and leads elsewhere: nobody is asked for a password, and a proof is worth nothing.
    let path = "/other/guard/thing";
    assert_eq!(statuses(&app, &["/", "/"]).await, [404, 429]);
    assert_eq!(statuses(&app, &[path, path, path]).await, [200, 429, 429]);
    assert_eq!(send(&app, operator("GET", path)).await.status, 429);
    GuardHandle::of(&config)
        .ban(PEER, seconds(60), "test")
        .await
        .unwrap();
    assert_eq!(statuses(&app, &[path]).await, [403]);
    assert_eq!(send(&app, operator("GET", path)).await.status, 403);
    assert_eq!(send(&app, operator("GET", "/guard/")).await.status, 200);
}

#[actix_web::test]
async fn a_stranger_over_the_limit_is_asked_also_where_routes_have_limits() {
    #[rate_limit(requests = 1, window = 60)]
    #[actix_web::get("/limited")]
    async fn limited() -> HttpResponse {
        HttpResponse::Ok().finish()
    }
    let app = init_service(
        App::new()
            .service(admin::scope("/guard", operators()))
            .service(limited)
            .default_service(web::to(HttpResponse::Ok))
            .wrap(Guard::new(config(|config| config.rate_limit(1)))),
    )
    .await;
    assert_eq!(statuses(&app, &["/", "/"]).await, [200, 429]);
    for _ in 0..3 {
        assert!(is_challenge(&send(&app, get("/guard/")).await));
    }
}

#[actix_web::test]
async fn mounted_where_probes_look_it_is_no_probe() {
    let app = init_service(
        App::new()
            .service(admin::scope("/phpmyadmin", operators()))
            .default_service(web::to(HttpResponse::Ok))
            .wrap(Guard::new(config(|config| config))),
    )
    .await;
    for path in ["/phpmyadmin", "/phpmyadmin/", "/phpmyadmin/api/bans"] {
        assert!(is_challenge(&send(&app, get(path)).await), "{path}");
        assert_ne!(
            send(&app, operator("GET", path)).await.status,
            403,
            "{path}"
        );
    }
    assert_eq!(
        statuses(&app, &["/pma/", "/phpmyadmin2/"]).await,
        [403, 403]
    );
}

#[actix_web::test]
async fn inside_other_scopes_too() {
    let config = config(|config| config);
    let app = init_service(
        App::new()
            .service(web::scope("/internal").service(admin::scope("/guard", operators())))
            .wrap(Guard::new(config.clone())),
    )
    .await;
    ban(&config).await;
    assert!(is_challenge(&send(&app, get("/internal/guard/")).await));
    let path = "/internal/guard/api/overview";
    assert_eq!(send(&app, operator("GET", path)).await.status, 200);
}

#[actix_web::test]
async fn lists_of_those_who_are_never_served_come_first() {
    let denied = config(|config| config.denied_ips([PEER]));
    let app = app!(denied);
    assert_eq!(send(&app, operator("GET", "/guard/")).await.status, 403);
    // Who is exempt proves who he is all the same.
    let app = app!(config(|config| config.exempt_ips([PEER])));
    assert!(is_challenge(&send(&app, get("/guard/api/bans")).await));
    assert_eq!(
        send(&app, operator("GET", "/guard/api/bans")).await.status,
        200
    );
}

#[actix_web::test]
async fn a_closure_decides_as_well() {
    let config = config(|config| config);
    let by_header = Auth::check(|request| {
        let user = request.headers().get("x-verified-user");
        user.is_some_and(|user| user == "operator")
    });
    let app = app!(config, by_header);
    ban(&config).await;
    let request = get("/guard/api/overview").insert_header(("x-verified-user", "operator"));
    assert_eq!(send(&app, request).await.status, 200);
    GuardHandle::of(&config).unban(PEER).await.unwrap();
    let refused = send(&app, get("/guard/api/overview")).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.header("www-authenticate"), None);
}

#[actix_web::test]
async fn without_a_guard_around_it_nothing_is_shown() {
    let app = init_service(App::new().service(admin::scope("/guard", operators()))).await;
    let answer = send(&app, operator("GET", "/guard/api/overview")).await;
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (500, ""));
}

#[actix_web::test]
async fn answers_can_be_framed_kept_or_sniffed_by_nobody() {
    let app = app!(config(|config| config));
    for path in ["/guard/", "/guard/api/overview", "/guard/nowhere"] {
        let answer = send(&app, operator("GET", path)).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; "),
            "{path}: {policy}"
        );
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
    }
}

#[actix_web::test]
async fn the_page_is_at_the_path_with_a_slash() {
    let app = app!(config(|config| config));
    let answer = send(&app, operator("GET", "/guard")).await;
    assert_eq!(answer.status, 308);
    assert_eq!(answer.header("location"), Some("./guard/"));
    let page = send(&app, operator("GET", "/guard/")).await;
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.body.contains("<html lang=\"en\""), "{}", page.body);
}
