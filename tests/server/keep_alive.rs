//! After a refusal a connection either answers the next request, or is closed in good order with the refusal fully readable.
//!
//! Which of the two is actix-web's to say: it keeps the connection where no unread body is in the way.

use actix_web::{App, HttpResponse, web};
use actix_web_guard::{Guard, GuardHandle, SecurityConfig};

use super::{
    client::{Connection, Reply, message},
    listen::{Listening, PEER, listen, peer_from_header},
};
use crate::support::{config, seconds};

const LIMITED: &str = "192.0.2.10";
const BANNED: &str = "192.0.2.11";
const OTHER: &str = "192.0.2.12";

/// Two requests in a minute; [`LIMITED`] has had them, [`BANNED`] is banned.
async fn refusing() -> Listening {
    let config: SecurityConfig = config(|config| config.rate_limit(2).auto_ban_threshold(1000));
    let handle = GuardHandle::of(&config);
    handle.ban(BANNED, seconds(60), "a test").await.unwrap();
    let server = listen(move || {
        App::new()
            .app_data(web::PayloadConfig::new(8 << 20))
            .route("/", web::get().to(async || "root"))
            .route("/upload", web::post().to(size))
            .route("/unread", web::post().to(async || "unread"))
            .wrap(Guard::new(config.clone()))
            .wrap_fn(peer_from_header)
    });
    for _ in 0..2 {
        assert_eq!(server.ask("GET /", &[(PEER, LIMITED)]).await.status, 200);
    }
    server
}

async fn size(body: web::Bytes) -> HttpResponse {
    HttpResponse::Ok().body(body.len().to_string())
}

/// The refusal of a peer is whole, and says what it is.
fn assert_refusal(reply: &Reply, peer: &str) {
    let expected = if peer == LIMITED { 429 } else { 403 };
    assert_eq!(reply.status, expected, "{reply:?}");
    assert_eq!(
        reply.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(
        reply.header("retry-after"),
        (peer == LIMITED).then_some("60")
    );
    let problem: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(problem["status"], expected);
}

/// The connection is as good as new.
async fn assert_goes_on(mut connection: Connection) {
    connection.assert_in_step();
    for _ in 0..3 {
        let reply = connection.ask("GET /nowhere", &[(PEER, BANNED)]).await;
        assert_refusal(&reply, BANNED);
    }
    let reply = connection.ask("GET /", &[(PEER, OTHER)]).await;
    assert_eq!((reply.status, reply.text()), (200, "root"));
    let reply = connection
        .ask_with("POST /upload", &[(PEER, OTHER)], b"body")
        .await;
    assert_eq!((reply.status, reply.text()), (200, "4"));
    connection.assert_in_step();
}

#[actix_web::test]
async fn a_refused_get_leaves_the_connection_open() {
    for peer in [LIMITED, BANNED] {
        let server = refusing().await;
        let mut connection = server.connect().await;
        let reply = connection.ask("GET /", &[(PEER, peer)]).await;
        assert_refusal(&reply, peer);
        assert!(!reply.closes());
        assert_goes_on(connection).await;
    }
}

/// actix-web closes after an answer that has not read a body of known length, whoever gives it.
#[actix_web::test]
async fn a_refused_post_is_answered_in_full_and_closed_as_by_any_handler_that_does_not_read_it() {
    for peer in [LIMITED, BANNED] {
        let server = refusing().await;
        let mut connection = server.connect().await;
        let reply = connection
            .ask_with("POST /upload", &[(PEER, peer)], b"a small body")
            .await;
        assert_refusal(&reply, peer);
        assert!(reply.closes());
        connection.assert_closes().await;

        let mut connection = server.connect().await;
        let reply = connection
            .ask_with("POST /unread", &[(PEER, OTHER)], b"a small body")
            .await;
        assert_eq!(reply.status, 200);
        assert!(reply.closes());
        connection.assert_closes().await;
    }
}

#[actix_web::test]
async fn requests_in_one_go_are_answered_in_order() {
    let server = refusing().await;
    let mut connection = server.connect().await;
    let chunked = [(PEER, LIMITED), ("Transfer-Encoding", "chunked")];
    let requests = [
        message("GET /", &[(PEER, LIMITED)], b""),
        message("POST /upload", &[(PEER, OTHER)], b"second"),
        message("GET /", &[(PEER, BANNED)], b""),
        message("POST /upload", &chunked, b""),
        b"5\r\nthird\r\n0\r\n\r\n".to_vec(),
        message("GET /", &[(PEER, OTHER)], b""),
    ];
    connection.send(&requests.concat()).await;
    assert_refusal(&connection.reply("GET /").await, LIMITED);
    assert_eq!(connection.reply("POST /upload").await.text(), "6");
    assert_refusal(&connection.reply("GET /").await, BANNED);
    assert_refusal(&connection.reply("POST /upload").await, LIMITED);
    assert_eq!(connection.reply("GET /").await.text(), "root");
    connection.assert_in_step();
    assert_eq!(connection.ask("GET /", &[(PEER, OTHER)]).await.status, 429);
}

#[actix_web::test]
async fn a_refused_upload_is_answered_in_full_and_the_connection_is_closed() {
    let upload = vec![b'x'; 5 << 20];
    for peer in [LIMITED, BANNED] {
        let server = refusing().await;
        let mut connection = server.connect().await;
        let bytes = message("POST /upload", &[(PEER, peer)], &upload);
        let reply = connection.exchange("POST /upload", &bytes).await;
        assert_refusal(&reply, peer);
        assert!(reply.closes());
        connection.assert_closes().await;
    }
}

#[actix_web::test]
async fn a_refused_chunked_upload_is_read_to_its_end_and_the_connection_goes_on() {
    let head = |peer| {
        message(
            "POST /upload",
            &[(PEER, peer), ("Transfer-Encoding", "chunked")],
            b"",
        )
    };
    let chunk = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
    for peer in [LIMITED, BANNED] {
        let server = refusing().await;
        let mut connection = server.connect().await;
        let whole = [head(peer), chunk.repeat(16), b"0\r\n\r\n".to_vec()].concat();
        let reply = connection.exchange("POST /upload", &whole).await;
        assert_refusal(&reply, peer);
        assert!(!reply.closes());
        assert_goes_on(connection).await;

        // The refusal does not wait for the body.
        let server = refusing().await;
        let mut connection = server.connect().await;
        connection.send(&head(peer)).await;
        assert_refusal(&connection.reply("POST /upload").await, peer);
        connection.send(&chunk).await;
        connection.send(b"0\r\n\r\n").await;
        assert_goes_on(connection).await;
    }
}

#[actix_web::test]
async fn a_refusal_does_not_wait_for_a_body_that_is_announced_with_expect() {
    let headers = |peer| {
        [
            (PEER, peer),
            ("Expect", "100-continue"),
            ("Content-Length", "4"),
        ]
    };
    for peer in [LIMITED, BANNED] {
        let server = refusing().await;
        let mut connection = server.connect().await;
        connection
            .send(&message("POST /upload", &headers(peer), b""))
            .await;
        // actix-web invites the body before any middleware is asked.
        assert_eq!(connection.head().await.status, 100);
        let reply = connection.reply("POST /upload").await;
        assert_refusal(&reply, peer);
        assert!(reply.closes());
        connection.assert_closes().await;
    }
    let server = refusing().await;
    let mut connection = server.connect().await;
    connection
        .send(&message("POST /upload", &headers(OTHER), b""))
        .await;
    assert_eq!(connection.head().await.status, 100);
    connection.send(b"body").await;
    assert_eq!(connection.reply("POST /upload").await.text(), "4");
    assert_eq!(
        connection.ask("GET /", &[(PEER, OTHER)]).await.text(),
        "root"
    );
}
