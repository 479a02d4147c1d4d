//! Whatever bytes come in: the answer is that of the application without a guard, and each request counts once.

use actix_web::{App, HttpResponse, web};
use actix_web_guard::{
    Client, Guard, SecurityConfig,
    detect::{Detector, RequestFacts, Threat},
    rate_limit,
};
use tracing::Level;

use super::{
    client::Reply,
    listen::{Listening, listen},
    log::alone,
};
use crate::support::{config, configure, seconds};

/// Targets of requests, as they are written into the request line.
const TARGETS: [&str; 19] = [
    "/%ff",
    "/%C0%AE",
    "/%E4%BD",
    "/%",
    "/%zz",
    "/%1",
    "/a%00b",
    "/%F0%9F%92%A9",
    "/\u{1f4a9}",
    "/?q=%ff",
    "/?%ff=1",
    "/limited/%ff",
    "/limited/%F0%9F%92%A9?%ff",
    "/limited/a%2Fb",
    "/..;/\"'<>{}|",
    "/x%0d%0aBANNED%20203.0.113.50",
    "//",
    "*",
    "http://elsewhere.example/",
];

/// Header lines.
const HEADERS: [&[u8]; 15] = [
    b"User-Agent: \xe9",
    b"User-Agent: \x1b[31mred\x1b[0m",
    b"User-Agent: a \"quoted\"\tagent\\",
    b"User-Agent:",
    b"Cookie: a=\xc2",
    b"Origin: \x80",
    b"Referer: http://\xf0\x9f\x92\xa9.example/",
    b"X-Forwarded-For: \xff",
    b"X-Forwarded-For: 203.0.113.50, \"\xc3\x28\", unknown",
    b"Forwarded: for=\"[::1\";by=\x80",
    b"X-Real-IP: \xe9",
    b"Accept-Encoding: \xe9",
    b"Authorization: Basic \xff\xfe",
    b"X-Nul: a\0b",
    b"\xe9: 1",
];

/// Looks at everything that a detector may look at.
#[derive(Debug)]
struct Curious;

impl Detector for Curious {
    fn inspect(&self, request: &RequestFacts<'_>) -> Option<Threat> {
        let mut seen = request.path.len() + request.query.len() + request.method.len();
        for name in ["user-agent", "cookie", "x-forwarded-for", "referer"] {
            request.each_header(name, &mut |value| seen += value.len());
        }
        assert!(seen > 0);
        let is_flagged = request.path.contains("BANNED") || request.header("x-flag").is_some();
        // As careless as a detector of the application may be: what it decodes, it repeats.
        let path = request
            .path
            .replace("%0d%0a", "\r\n")
            .replace("%1b", "\x1b");
        is_flagged.then(|| Threat::new("odd", format!("path {path}")))
    }
}

#[rate_limit(requests = 1000, window = 60)]
#[actix_web::get("/limited/{name}")]
async fn limited(name: web::Path<String>) -> HttpResponse {
    HttpResponse::Ok().body(name.into_inner().len().to_string())
}

fn routes(config: &mut web::ServiceConfig) {
    config
        .service(limited)
        .route("/", web::get().to(async || "root"));
}

fn guarded(config: SecurityConfig) -> Listening {
    listen(move || {
        let whoami = web::get().to(async |client: Client| client.to_string());
        App::new()
            .configure(routes)
            .route("/whoami", whoami)
            .wrap(Guard::new(config.clone()))
    })
}

fn lines(target: &str, header: &[u8]) -> Vec<u8> {
    let start = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n");
    [start.as_bytes(), header, b"\r\n\r\n"].concat()
}

fn odd_requests() -> Vec<Vec<u8>> {
    let targets = TARGETS.iter().map(|target| lines(target, b"X-Odd: 0"));
    let headers = HEADERS.iter().map(|header| lines("/", header));
    targets.chain(headers).collect()
}

/// The answer to an odd request, and to a plain one on the same connection where that is still open.
async fn ask_both(server: &Listening, request: &[u8]) -> (Reply, Option<Reply>) {
    let mut connection = server.connect().await;
    connection.send(request).await;
    let reply = connection.reply("GET /").await;
    if reply.closes() {
        connection.assert_closes().await;
        return (reply, None);
    }
    let next = connection.ask("GET /", &[]).await;
    connection.assert_in_step();
    (reply, Some(next))
}

#[actix_web::test]
async fn odd_requests_are_answered_as_without_a_guard_and_count_once() {
    let config = config(|config| config.rate_limit(1000));
    let server = guarded(config);
    let bare = listen(|| App::new().configure(routes));
    let (mut global, mut route, mut reached) = (1000, 1000, 0);
    for request in odd_requests() {
        let text = String::from_utf8_lossy(&request).into_owned();
        let (with, next) = ask_both(&server, &request).await;
        let (without, next_without) = ask_both(&bare, &request).await;
        assert_eq!(
            (with.status, &with.body),
            (without.status, &without.body),
            "{text}"
        );
        assert!(
            [200, 400, 404].contains(&with.status),
            "{}: {text}",
            with.status
        );
        let connections = (next.is_some(), next_without.is_some());
        assert_eq!(connections.0, connections.1, "{text}");
        // What the parser turns away never reaches the application.
        if let Some(remaining) = with.remaining() {
            let window = if text.starts_with("GET /limited/") {
                &mut route
            } else {
                &mut global
            };
            *window -= 1;
            reached += 1;
            assert_eq!(remaining, *window, "{text}");
        }
        if let Some(next) = next {
            global -= 1;
            assert_eq!((next.status, next.text()), (200, "root"), "{text}");
            assert_eq!(next.remaining(), Some(global), "{text}");
        }
    }
    assert!(
        reached > 20,
        "only {reached} odd requests reached the guard"
    );
    // The one worker that has seen it all is alive, and nobody else has been made up.
    assert_eq!(server.ask("GET /whoami", &[]).await.text(), "127.0.0.1");
}

#[test]
fn every_event_is_one_line_whatever_the_request_holds() {
    alone(
        &every_event_is_one_line_whatever_the_request_holds,
        async |log| {
            let (config, clock) = configure(|config| {
                config
                    .rate_limit(1)
                    .auto_ban_threshold(1000)
                    .detector(Curious)
            });
            let server = guarded(config);
            let flagged = TARGETS
                .iter()
                .map(|target| lines(target, b"X-Flag: \x80\t\"1\""));
            let flagged: Vec<_> = flagged.collect();
            let mut refused = 0;
            for request in odd_requests().iter().chain(&flagged) {
                // More than one in a second would be summed up.
                clock.advance(seconds(1));
                let mut connection = server.connect().await;
                connection.send(request).await;
                let reply = connection.reply("GET /").await;
                assert!(reply.status < 500);
                assert_eq!(reply.header("banned"), None);
                refused += usize::from(reply.status == 403);
            }
            assert!(refused >= 15, "{refused}");
            let threats = log.with(Level::INFO, &["threat"]);
            assert_eq!(threats.len(), refused);
            for (_, line) in log.lines() {
                assert!(!line.contains(char::is_control), "{line:?}");
            }
        },
    );
}

#[test]
fn a_ban_for_an_odd_request_is_one_line() {
    alone(&a_ban_for_an_odd_request_is_one_line, async |log| {
        let config = config(|config| config.auto_ban_threshold(0).detector(Curious));
        let server = guarded(config);
        let path = "GET /x%0d%0aBANNED%20203.0.113.50%1b%5B31m";
        assert_eq!(server.ask(path, &[]).await.status, 403);
        assert_eq!(server.ask("GET /", &[]).await.status, 403);
        let banned = log.with(Level::WARN, &["banned", "client=127.0.0.1"]);
        assert_eq!(banned.len(), 1, "{:?}", log.lines());
        // The detector did decode the path.
        let escaped = r"\r\nBANNED%20203.0.113.50\u{1b}%5B31m";
        assert!(banned[0].contains(escaped), "{banned:?}");
        for (_, line) in log.lines() {
            assert!(!line.contains(char::is_control), "{line:?}");
        }
    });
}
