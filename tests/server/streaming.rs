//! Answers that are served pass through untouched: nothing is held back, nothing is changed.

use actix_web::{App, HttpRequest, HttpResponse, middleware::Compress, web};
use actix_web_guard::Guard;
use futures_util::stream;
use tokio::sync::{
    Mutex,
    mpsc::{self, Receiver, Sender},
};

use super::{
    client::{Lines, within},
    listen::{Listening, listen},
    unlike::plain,
};
use crate::support::config;

type Events = web::Data<Mutex<Option<Receiver<web::Bytes>>>>;

/// Streams what comes out of the channel, for as long as the test holds the other end.
async fn events(source: Events) -> HttpResponse {
    let receiver = source.lock().await.take().unwrap();
    let events = stream::unfold(receiver, async |mut receiver| {
        let event = receiver.recv().await?;
        Some((Ok::<_, actix_web::Error>(event), receiver))
    });
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .streaming(events)
}

/// A server with one stream, and the end that feeds it. The channel holds one event.
fn serve() -> (Listening, Sender<web::Bytes>) {
    let (sender, receiver) = mpsc::channel(1);
    let source: Events = web::Data::new(Mutex::new(Some(receiver)));
    let config = config(|config| config.rate_limit(3));
    let server = listen(move || {
        App::new()
            .app_data(source.clone())
            .route("/events", web::get().to(events))
            .wrap(Guard::new(config.clone()))
    });
    (server, sender)
}

#[actix_web::test]
async fn the_head_and_the_first_event_arrive_while_the_handler_waits() {
    let (server, sender) = serve();
    let mut connection = server.connect().await;
    connection
        .send(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    // Before there is any event.
    let head = connection.head().await;
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert_eq!(head.header("ratelimit"), Some(r#""default";r=2;t=60"#));
    for event in ["data: 1\n\n", "data: 2\n\n"] {
        sender.send(event.into()).await.unwrap();
        assert_eq!(connection.chunk().await.unwrap(), event.as_bytes());
    }
    drop(sender);
    assert_eq!(connection.chunk().await, None);
    connection.assert_in_step();
    // The stream was one request.
    let reply = connection.ask("GET /nowhere", &[]).await;
    assert_eq!((reply.status, reply.remaining()), (404, Some(1)));
}

#[actix_web::test]
async fn a_big_body_is_passed_on_piece_by_piece() {
    const PIECE: usize = 256 * 1024;
    let (server, sender) = serve();
    let mut connection = server.connect().await;
    connection
        .send(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    connection.head().await;
    for number in 0..32 {
        // The next piece exists only when this one has arrived.
        sender.send(vec![number; PIECE].into()).await.unwrap();
        let mut arrived = Vec::new();
        while arrived.len() < PIECE {
            arrived.extend(connection.chunk().await.unwrap());
        }
        assert!(arrived == [number; PIECE], "piece {number}");
    }
}

#[actix_web::test]
async fn a_client_that_goes_away_ends_the_stream() {
    let (server, sender) = serve();
    let mut connection = server.connect().await;
    connection
        .send(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    connection.head().await;
    drop(connection);
    // Nobody takes events any more: the receiver, which the handler's stream owns, is dropped.
    within(async { while sender.send("data: more\n\n".into()).await.is_ok() {} }).await;
}

/// A page with an `ETag`.
async fn page(request: HttpRequest) -> HttpResponse {
    let known = request
        .headers()
        .get("if-none-match")
        .is_some_and(|tag| tag == "\"1\"");
    let mut response = if known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response.insert_header(("etag", "\"1\""));
    if known {
        response.finish()
    } else {
        response
            .content_type("text/plain")
            .body("a page, ".repeat(500))
    }
}

fn pages() -> actix_web::Resource {
    web::resource("/page")
        .route(web::get().to(page))
        .route(web::head().to(page))
}

#[actix_web::test]
async fn lengths_tags_and_encodings_are_those_of_the_application_without_a_guard() {
    let config = config(|config| config.rate_limit(1000));
    let guard = move || Guard::new(config.clone());
    let (inside, outside) = (guard.clone(), guard.clone());
    let guarded = [
        listen(move || App::new().service(pages()).wrap(guard())),
        listen(move || {
            App::new()
                .service(pages())
                .wrap(Compress::default())
                .wrap(outside())
        }),
        listen(move || {
            App::new()
                .service(pages())
                .wrap(inside())
                .wrap(Compress::default())
        }),
    ];
    let plainly = listen(|| App::new().service(pages()));
    let compressed = listen(|| App::new().service(pages()).wrap(Compress::default()));
    let cases: [(&str, Lines<'_>, u16); 5] = [
        ("GET /page", &[], 200),
        ("HEAD /page", &[], 200),
        ("GET /page", &[("If-None-Match", "\"1\"")], 304),
        ("GET /page", &[("Accept-Encoding", "gzip")], 200),
        ("HEAD /page", &[("Accept-Encoding", "gzip")], 200),
    ];
    for (request, headers, status) in cases {
        for (guarded, bare) in guarded.iter().zip([&plainly, &compressed, &compressed]) {
            let (mut one, mut two) = (guarded.connect().await, bare.connect().await);
            let (with, without) = (
                one.ask(request, headers).await,
                two.ask(request, headers).await,
            );
            assert_eq!(with.status, status);
            assert_eq!(plain(with), plain(without), "{request} {headers:?}");
            one.assert_in_step();
        }
    }
    let zipped = compressed
        .ask("GET /page", &[("Accept-Encoding", "gzip")])
        .await;
    assert_eq!(zipped.header("content-encoding"), Some("gzip"));
    assert!(zipped.body.len() < 1000);
}

#[actix_web::test]
async fn a_refusal_is_compressed_only_by_what_is_outside_of_the_guard() {
    let limited = || Guard::new(config(|config| config.rate_limit(1)));
    let (guard_outside, guard_inside) = (limited(), limited());
    let outside = listen(move || {
        App::new()
            .wrap(Compress::default())
            .wrap(guard_outside.clone())
    });
    let inside = listen(move || {
        App::new()
            .wrap(guard_inside.clone())
            .wrap(Compress::default())
    });
    for (server, encoding) in [(&outside, None), (&inside, Some("gzip"))] {
        let headers = [("Accept-Encoding", "gzip")];
        let mut connection = server.connect().await;
        assert_eq!(connection.ask("GET /", &headers).await.status, 404);
        for request in ["GET /", "HEAD /", "GET /"] {
            let reply = connection.ask(request, &headers).await;
            assert_eq!(reply.status, 429);
            assert_eq!(reply.header("retry-after"), Some("60"));
            if request == "GET /" {
                assert_eq!(reply.header("content-encoding"), encoding);
                let start = if encoding.is_some() {
                    b"\x1f\x8b"
                } else {
                    b"{\""
                };
                assert!(reply.body.starts_with(start));
            }
        }
        connection.assert_in_step();
    }
}
