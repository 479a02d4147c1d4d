//! The servers.

use std::{
    future::{Ready, ready},
    io,
    time::Duration,
};

use actix_extensible_rate_limit::{
    RateLimiter,
    backend::{SimpleInput, redis::RedisBackend},
};
use actix_web::{App, dev::ServiceRequest, web};
use actix_web_guard_benches::{listen, ok};
use redis_0_26::{Client, aio::ConnectionManager};

use super::setup::{Compared, NEVER_REACHED};

/// Serves until standard input ends.
#[actix_web::main]
pub(crate) async fn run(setup: Compared, redis: &str) -> io::Result<()> {
    match setup {
        Compared::Bare => listen!(App::new().route("/", web::get().to(ok))),
        Compared::Peer => serve_peer(redis).await,
        Compared::Redis | Compared::Banned | Compared::LocalWindows => {
            let guard = setup.guard(redis).map_err(io::Error::other)?;
            listen!(App::new().route("/", web::get().to(ok)).wrap(guard.clone()))
        }
    }
}

/// As its documentation sets it up: one connection for the process, driven by the main thread.
async fn serve_peer(redis: &str) -> io::Result<()> {
    let client = Client::open(redis).map_err(io::Error::other)?;
    let connection = ConnectionManager::new(client)
        .await
        .map_err(io::Error::other)?;
    let backend = RedisBackend::builder(connection).build();
    listen!(
        App::new()
            .route("/", web::get().to(ok))
            .wrap(RateLimiter::builder(backend.clone(), counted_by_client).build())
    )
}

/// The window of the guard's defaults, and its key: the client.
fn counted_by_client(request: &ServiceRequest) -> Ready<Result<SimpleInput, actix_web::Error>> {
    let client = request.peer_addr().map(|address| address.ip().to_string());
    ready(Ok(SimpleInput {
        interval: Duration::from_secs(60),
        max_requests: NEVER_REACHED.into(),
        key: client.unwrap_or_default(),
    }))
}
