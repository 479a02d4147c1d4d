//! Refusals of HEAD requests on the wire.

use actix_web::{App, web};
use actix_web_guard::{Guard, GuardHandle, rate_limit};

use super::{
    client::message,
    listen::{Listening, PEER, listen, peer_from_header},
};
use crate::support::{config, seconds};

const BANNED: &str = "192.0.2.21";
const OTHER: &str = "192.0.2.22";

#[rate_limit(requests = 1, window = 60)]
#[actix_web::route("/multi", method = "GET", method = "HEAD")]
async fn multi() -> &'static str {
    "multi"
}

/// One request in a minute.
async fn refusing() -> Listening {
    let config = config(|config| config.rate_limit(1).auto_ban_threshold(1000));
    let handle = GuardHandle::of(&config);
    handle.ban(BANNED, seconds(60), "a test").await.unwrap();
    listen(move || {
        App::new()
            .service(multi)
            .route("/", web::get().to(async || "root"))
            .route("/upload", web::post().to(async |body: String| body))
            .route("/", web::head().to(async || "root"))
            .wrap(Guard::new(config.clone()))
            .wrap_fn(peer_from_header)
    })
}

/// Refused HEAD requests, and a refusal of the same kind with GET: peer, path.
const REFUSED: [(&str, &str); 4] = [
    ("192.0.2.20", "/"),
    ("192.0.2.20", "/multi"),
    (BANNED, "/"),
    (BANNED, "/nowhere"),
];

#[actix_web::test]
async fn a_refusal_of_head_has_no_body_and_the_connection_stays_in_step() {
    let server = refusing().await;
    for path in ["/", "/multi"] {
        let request = format!("HEAD {path}");
        assert_eq!(
            server.ask(&request, &[(PEER, "192.0.2.20")]).await.status,
            200
        );
    }
    for (peer, path) in REFUSED {
        let (head, next) = (format!("HEAD {path}"), "GET /nowhere");
        let mut connection = server.connect().await;
        // Both at once: a byte of a body would be taken for the beginning of the next answer.
        let both = [
            message(&head, &[(PEER, peer)], b""),
            message(next, &[(PEER, BANNED)], b""),
        ];
        connection.send(&both.concat()).await;
        let reply = connection.reply(&head).await;
        assert_eq!(
            reply.status,
            if peer == BANNED { 403 } else { 429 },
            "{path}"
        );
        assert_eq!(
            reply.header("retry-after"),
            (peer != BANNED).then_some("60")
        );
        assert_eq!(
            reply.header("content-type"),
            Some("application/problem+json")
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(connection.reply(next).await.status, 403);
        let reply = connection
            .ask("GET /nowhere", &[(PEER, "192.0.2.23")])
            .await;
        assert!([404, 429].contains(&reply.status));
        connection.assert_in_step();
    }
}

/// actix-web reads ahead while a handler waits for its body, and then takes an answer for one to the method it has read last: the
/// refusal itself must have no content.
#[actix_web::test]
async fn a_refusal_of_head_in_a_queue_of_requests_has_no_body_and_what_follows_is_answered() {
    let server = refusing().await;
    let mut connection = server.connect().await;
    let (post, head, get) = ("POST /upload", "HEAD /", "GET /");
    let requests = [
        message(post, &[(PEER, OTHER)], b"body"),
        message(head, &[(PEER, BANNED)], b""),
        message(get, &[(PEER, BANNED)], b""),
    ];
    connection.send(&requests.concat()).await;
    assert_eq!(connection.reply(post).await.text(), "body");
    assert_eq!(connection.reply(head).await.status, 403);
    assert_eq!(connection.reply(get).await.status, 403);
    let reply = connection.ask(get, &[(PEER, "192.0.2.23")]).await;
    assert_eq!((reply.status, reply.text()), (200, "root"));
    connection.assert_in_step();
}

/// RFC 9110, section 8.6: no `Content-Length` other than that of the same answer to GET.
#[actix_web::test]
async fn a_refusal_of_head_claims_no_other_length_than_that_of_get() {
    let server = refusing().await;
    for path in ["/", "/multi"] {
        server
            .ask(&format!("GET {path}"), &[(PEER, "192.0.2.20")])
            .await;
    }
    for (peer, path) in REFUSED {
        let get = server.ask(&format!("GET {path}"), &[(PEER, peer)]).await;
        let head = server.ask(&format!("HEAD {path}"), &[(PEER, peer)]).await;
        assert_eq!(head.status, get.status);
        if let Some(length) = head.header("content-length") {
            assert_eq!(
                Some(length),
                get.header("content-length"),
                "{peer} HEAD {path}"
            );
        }
    }
}

#[actix_web::test]
async fn head_counts_as_get_and_what_is_served_is_as_without_the_guard() {
    let server = refusing().await;
    let reply = server.ask("HEAD /multi", &[(PEER, OTHER)]).await;
    assert_eq!(
        (reply.status, reply.header("content-length")),
        (200, Some("5"))
    );
    assert_eq!(server.ask("GET /multi", &[(PEER, OTHER)]).await.status, 429);
    // A header that claims another method changes nothing.
    let headers = [(PEER, OTHER), ("X-HTTP-Method-Override", "POST")];
    assert_eq!(server.ask("GET /multi", &headers).await.status, 429);
}
