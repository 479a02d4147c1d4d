//! What a request waits for in all, where it has several questions.

use actix_web::{App, Responder, get, web};
use actix_web_guard::{Guard, GuardHandle, RouteLimit, SecurityConfig, rate_limit};
use redis_servers::Server;

use super::{pace::Stopwatch, site::LONGEST};
use crate::server::listen::listen;

#[rate_limit(requests = 100, window = 60)]
#[get("/search")]
async fn search() -> impl Responder {
    "found"
}

/// Scopes and routes decide one after the other, as long as the guard has not seen who does.
#[actix_web::test]
async fn a_request_that_several_limits_decide_about_waits_once() {
    let server = Server::start();
    let config = SecurityConfig::builder()
        .store(server.url())
        .build()
        .unwrap();
    let handle = GuardHandle::of(&config);
    let listening = listen(move || {
        App::new()
            .service(
                web::scope("/outer")
                    .service(
                        web::scope("/inner")
                            .service(search)
                            .wrap(RouteLimit::new(100, 60)),
                    )
                    .wrap(RouteLimit::new(100, 60)),
            )
            .wrap(Guard::new(config.clone()))
    });
    // There is a connection that was of use.
    assert_eq!(listening.ask("GET /", &[]).await.status, 404);
    server.suspend();
    let asked = Stopwatch::start();
    let reply = listening.ask("GET /outer/inner/search", &[]).await;
    let took = asked.elapsed();
    assert_eq!(reply.status, 200);
    assert!(took <= LONGEST, "{took:?}, {:?}", handle.store_state());
}
