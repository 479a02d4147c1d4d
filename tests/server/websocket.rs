//! WebSockets: a handshake is a request, messages are not.

use actix_web::{App, Error, HttpRequest, HttpResponse, get, rt, web};
use actix_web_guard::{Guard, GuardHandle, rate_limit};
use actix_ws::Message;
use futures_util::StreamExt as _;

use super::{
    client::{Connection, Reply},
    listen::{Listening, PEER, listen, peer_from_header},
};
use crate::support::{config, seconds};

const CLIENT: &str = "192.0.2.91";

/// Key and answer of the example in RFC 6455, section 1.3.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// Sends every text back.
pub(crate) async fn echo(request: HttpRequest, body: web::Payload) -> Result<HttpResponse, Error> {
    let (response, mut session, mut messages) = actix_ws::handle(&request, body)?;
    rt::spawn(async move {
        while let Some(Ok(Message::Text(text))) = messages.next().await {
            if session.text(text).await.is_err() {
                return;
            }
        }
        session.close(None).await.ok();
    });
    Ok(response)
}

#[rate_limit(requests = 3, window = 60)]
#[get("/ws")]
async fn limited(request: HttpRequest, body: web::Payload) -> Result<HttpResponse, Error> {
    echo(request, body).await
}

fn serve() -> (Listening, GuardHandle) {
    let config = config(|config| config.rate_limit(50));
    let handle = GuardHandle::of(&config);
    let server = listen(move || {
        App::new()
            .service(limited)
            .route("/", web::get().to(async || "root"))
            .wrap(Guard::new(config.clone()))
            .wrap_fn(peer_from_header)
    });
    (server, handle)
}

/// Asks for a WebSocket, on a connection that is open already.
pub(crate) async fn shake_hands(connection: &mut Connection, peer: &str) -> Reply {
    let headers = [
        (PEER, peer),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", KEY),
    ];
    connection.ask("GET /ws", &headers).await
}

/// Sends a text in one frame, as a client must: masked. Reads the one that comes back.
async fn echoed(connection: &mut Connection, text: &str) -> String {
    const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];
    let length = u8::try_from(text.len()).unwrap();
    assert!(length < 126);
    let mut frame = vec![0x81, 0x80 | length];
    frame.extend(MASK);
    frame.extend(text.bytes().zip(MASK.iter().cycle()).map(|(a, b)| a ^ b));
    connection.send(&frame).await;
    let head = connection.take(2).await;
    assert_eq!(head[0], 0x81, "no text in one frame");
    String::from_utf8(connection.take(head[1].into()).await).unwrap()
}

fn assert_upgraded(reply: &Reply) {
    assert_eq!(reply.status, 101, "{reply:?}");
    assert_eq!(reply.header("sec-websocket-accept"), Some(ACCEPT));
    for (name, expected) in [("connection", "upgrade"), ("upgrade", "websocket")] {
        let value = reply.header(name).unwrap();
        assert!(
            value.eq_ignore_ascii_case(expected),
            "{name}: {value} in {reply:?}"
        );
    }
}

#[actix_web::test]
async fn handshakes_count_and_messages_do_not() {
    let (server, _) = serve();
    let mut open = Vec::new();
    for remaining in [2, 1, 0] {
        let mut connection = server.connect().await;
        let reply = shake_hands(&mut connection, CLIENT).await;
        assert_upgraded(&reply);
        assert_eq!(reply.remaining(), Some(remaining));
        for number in 0..100 {
            let text = format!("message {number}");
            assert_eq!(echoed(&mut connection, &text).await, text);
        }
        open.push(connection);
    }

    let mut connection = server.connect().await;
    let reply = shake_hands(&mut connection, CLIENT).await;
    assert_eq!(reply.status, 429);
    assert_eq!(reply.header("retry-after"), Some("60"));
    assert_eq!(
        reply.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(reply.header("upgrade"), None);
    assert_eq!(reply.header("sec-websocket-accept"), None);
    assert_ne!(
        reply
            .header("connection")
            .map(str::to_ascii_lowercase)
            .as_deref(),
        Some("upgrade")
    );

    // The global window knows nothing of the handshakes.
    let reply = server.ask("GET /", &[(PEER, CLIENT)]).await;
    assert_eq!((reply.status, reply.remaining()), (200, Some(49)));
    for connection in &mut open {
        assert_eq!(echoed(connection, "still here").await, "still here");
    }
}

#[actix_web::test]
async fn a_refused_handshake_leaves_the_connection_or_closes_it_in_good_order() {
    let (server, handle) = serve();
    handle.ban(CLIENT, seconds(60), "a test").await.unwrap();
    let mut connection = server.connect().await;
    let reply = shake_hands(&mut connection, CLIENT).await;
    assert_eq!(reply.status, 403);
    assert_eq!(reply.header("upgrade"), None);
    if reply.closes() {
        return connection.assert_closes().await;
    }
    let reply = connection.ask("GET /", &[(PEER, "192.0.2.92")]).await;
    assert_eq!((reply.status, reply.text()), (200, "root"));
}

#[actix_web::test]
async fn a_ban_leaves_open_sockets_and_refuses_new_ones() {
    let (server, handle) = serve();
    let mut open = server.connect().await;
    assert_upgraded(&shake_hands(&mut open, CLIENT).await);
    assert_eq!(echoed(&mut open, "before").await, "before");

    handle.ban(CLIENT, seconds(60), "a test").await.unwrap();
    assert_eq!(echoed(&mut open, "after").await, "after");
    let reply = shake_hands(&mut server.connect().await, CLIENT).await;
    assert_eq!(reply.status, 403);
    assert_eq!(reply.header("retry-after"), None);
    assert_eq!(reply.header("upgrade"), None);
    assert_eq!(echoed(&mut open, "and on").await, "and on");

    let reply = shake_hands(&mut server.connect().await, "192.0.2.92").await;
    assert_upgraded(&reply);
}
