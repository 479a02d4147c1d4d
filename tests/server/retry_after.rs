//! The one test on the system clock, with the one sleep: what `Retry-After` says is true.

use std::time::{Duration, Instant};

use actix_web::{App, web};
use actix_web_guard::{Guard, SecurityConfig};

use super::listen::listen;

#[actix_web::test]
async fn a_client_that_waits_as_long_as_it_is_told_is_admitted() {
    let config = SecurityConfig::builder()
        .rate_limit(1)
        .rate_limit_window(1)
        .build()
        .unwrap();
    let server = listen(move || {
        App::new()
            .route("/", web::get().to(async || "root"))
            .wrap(Guard::new(config.clone()))
    });
    let mut connection = server.connect().await;
    let started = Instant::now();
    assert_eq!(connection.ask("GET /", &[]).await.status, 200);
    let refusal = connection.ask("GET /", &[]).await;
    if started.elapsed() < Duration::from_millis(900) {
        assert_eq!(refusal.status, 429);
        let told = refusal.header("retry-after").unwrap();
        assert_eq!(told, "1");
        tokio::time::sleep(Duration::from_secs(told.parse().unwrap())).await;
    }
    assert_eq!(connection.ask("GET /", &[]).await.status, 200);
}
