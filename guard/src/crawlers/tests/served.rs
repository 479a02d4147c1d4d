//! What requests of crawlers come to.

use std::time::{Duration, Instant};

use actix_web::{
    App,
    http::header,
    test::{TestRequest, call_service, init_service},
    web,
};

use super::{FORGER, GOOGLE_NAME, GOOGLE_V4, HOUR, server::Server};
use crate::{Guard, SecurityConfig};

/// Until DNS has answered, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn as_googlebot(peer: &str) -> TestRequest {
    TestRequest::with_uri("/")
        .peer_addr((peer.parse::<std::net::IpAddr>().unwrap(), 4711).into())
        .insert_header((
            header::USER_AGENT,
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        ))
}

#[actix_web::test]
async fn a_crawler_is_as_anybody_until_it_is_proven_and_a_forger_for_ever() {
    let server = Server::start();
    server.point(GOOGLE_V4, GOOGLE_NAME, HOUR);
    server.resolve(GOOGLE_NAME, GOOGLE_V4, HOUR);
    let config = SecurityConfig::builder()
        .rate_limit(1)
        .enable_ip_banning(false)
        .exempt_crawlers(["googlebot"])
        .crawler_name_servers([server.address()])
        .build()
        .unwrap();
    let app = App::new()
        .route("/", web::get().to(async || "hello"))
        .wrap(Guard::new(config));
    let app = init_service(app).await;
    let status = async |peer| {
        let request = as_googlebot(peer).to_request();
        call_service(&app, request).await.status().as_u16()
    };
    assert_eq!([status(FORGER).await, status(FORGER).await], [200, 429]);
    // The first is counted, whatever DNS says later.
    assert_eq!(status(GOOGLE_V4).await, 200);
    let since = Instant::now();
    while status(GOOGLE_V4).await == 429 {
        assert!(since.elapsed() < PATIENCE, "never proven");
        actix_web::rt::time::sleep(Duration::from_millis(5)).await;
    }
    for _ in 0..5 {
        assert_eq!(status(GOOGLE_V4).await, 200);
        assert_eq!(status(FORGER).await, 429);
    }
}
