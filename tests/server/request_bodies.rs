//! Bodies of requests reach the handler as they were sent, however they come in.

use actix_web::{App, HttpResponse, web};
use actix_web_guard::Guard;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::{
    client::{Lines, message, within},
    listen::{Listening, listen},
    unlike::plain,
};
use crate::support::config;

/// Sends back what it gets, and tells how many bytes it has so far.
async fn echo(progress: web::Data<UnboundedSender<usize>>, mut body: web::Payload) -> HttpResponse {
    let mut all = Vec::new();
    while let Some(part) = body.next().await {
        all.extend(part.unwrap());
        progress.send(all.len()).ok();
    }
    HttpResponse::Ok().body(all)
}

fn serve() -> (Listening, UnboundedReceiver<usize>) {
    let (sender, progress) = mpsc::unbounded_channel();
    let sender = web::Data::new(sender);
    let config = config(|config| config.rate_limit(1000));
    let server = listen(move || {
        App::new()
            .app_data(sender.clone())
            .route("/echo", web::post().to(echo))
            .route(
                "/bytes",
                web::post().to(async |body: web::Bytes| HttpResponse::Ok().body(body)),
            )
            .wrap(Guard::new(config.clone()))
    });
    (server, progress)
}

/// Every byte there is, in a sequence that does not repeat itself in step with any buffer.
fn bytes(length: usize) -> Vec<u8> {
    (0..length)
        .map(|at| u8::try_from(at % 251).unwrap() ^ u8::try_from((at / 251) % 256).unwrap())
        .collect()
}

#[actix_web::test]
async fn in_one_piece() {
    let (server, _progress) = serve();
    let mut connection = server.connect().await;
    for path in ["POST /echo", "POST /bytes"] {
        for length in [1, 255, 65_536, 200_000] {
            let body = bytes(length);
            let sent = message(path, &[], &body);
            let reply = connection.exchange(path, &sent).await;
            assert_eq!(reply.status, 200, "{path} {length}");
            assert!(reply.body == body, "{path} {length}");
        }
    }
}

#[actix_web::test]
async fn byte_by_byte() {
    let (server, mut progress) = serve();
    let mut connection = server.connect().await;
    let body = bytes(300);
    let sent = message("POST /echo", &[], &body);
    let (head, parts) = sent.split_at(sent.len() - body.len());
    // The head in single bytes, too.
    for byte in head {
        connection.send(&[*byte]).await;
    }
    for (before, byte) in parts.iter().enumerate() {
        connection.send(&[*byte]).await;
        // Each byte is with the handler before the next is sent.
        assert_eq!(within(progress.recv()).await, Some(before + 1));
    }
    assert_eq!(connection.reply("POST /echo").await.body, body);
    connection.assert_in_step();
}

#[actix_web::test]
async fn the_first_half_is_with_the_handler_before_the_second_is_sent() {
    let (server, mut progress) = serve();
    let mut connection = server.connect().await;
    let body = bytes(10_000);
    let sent = message("POST /echo", &[], &body);
    let (first, second) = sent.split_at(sent.len() - 5_000);
    connection.send(first).await;
    while within(progress.recv()).await.unwrap() < 5_000 {}
    connection.send(second).await;
    assert_eq!(connection.reply("POST /echo").await.body, body);
}

#[actix_web::test]
async fn in_chunks() {
    let (server, _progress) = serve();
    let mut connection = server.connect().await;
    let body = bytes(3_000);
    let mut sent = message("POST /echo", &[("Transfer-Encoding", "chunked")], b"");
    for part in body.chunks(1_000) {
        sent.extend(format!("{:x}\r\n", part.len()).bytes());
        sent.extend(part);
        sent.extend(b"\r\n");
    }
    sent.extend(b"0\r\n\r\n");
    connection.send(&sent).await;
    assert_eq!(connection.reply("POST /echo").await.body, body);
    connection.assert_in_step();
}

#[actix_web::test]
async fn errors_of_extractors_are_those_of_the_application_without_a_guard() {
    fn application() -> actix_web::Scope {
        web::scope("")
            .app_data(web::JsonConfig::default().limit(32))
            .route(
                "/json",
                web::post().to(async |body: web::Json<Vec<u32>>| format!("{body:?}")),
            )
    }
    let config = config(|config| config.rate_limit(1000));
    let guarded = listen(move || {
        App::new()
            .service(application())
            .wrap(Guard::new(config.clone()))
    });
    let bare = listen(|| App::new().service(application()));
    let json = ("Content-Type", "application/json");
    let long = format!("[{}]", "1,".repeat(40));
    let cases: [(Lines<'_>, &str, u16); 4] = [
        (&[json], "[1, 2]", 200),
        (&[json], &long, 413),
        (&[json], "[1, ", 400),
        (&[], "[1, 2]", 400),
    ];
    for (headers, body, status) in cases {
        let mut replies = Vec::new();
        for server in [&guarded, &bare] {
            let mut connection = server.connect().await;
            let reply = connection
                .ask_with("POST /json", headers, body.as_bytes())
                .await;
            replies.push(plain(reply));
        }
        assert_eq!(replies[0], replies[1], "{body}");
        assert_eq!(replies[0].status, status, "{body}");
    }
}
