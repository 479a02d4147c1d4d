//! However many workers serve, one configuration is one guard.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    thread::{self, ThreadId},
};

use actix_web::{App, dev::Service as _, web};
use actix_web_guard::{Guard, GuardHandle, SecurityConfig, rate_limit};
use futures_util::{StreamExt as _, stream};
use tracing::Level;

use super::{
    listen::{Listening, listen_on},
    log::alone,
};
use crate::support::config;

const WORKERS: usize = 4;

#[rate_limit(requests = 5, window = 60)]
#[actix_web::get("/ping")]
async fn ping() -> &'static str {
    "pong"
}

type Seen = Arc<Mutex<HashSet<ThreadId>>>;

/// Four workers, and the threads on which requests have come in.
fn serve(config: SecurityConfig, from_data: bool) -> (Listening, Seen) {
    let seen = Seen::default();
    let threads = Arc::clone(&seen);
    let guard = if from_data {
        Guard::default()
    } else {
        Guard::new(config.clone())
    };
    let data = web::Data::new(config);
    let server = listen_on(WORKERS, move || {
        let threads = Arc::clone(&threads);
        App::new()
            .app_data(data.clone())
            .service(ping)
            .route("/", web::get().to(async || "root"))
            .wrap(guard.clone())
            .wrap_fn(move |request, next| {
                threads.lock().unwrap().insert(thread::current().id());
                next.call(request)
            })
    });
    (server, seen)
}

fn count(statuses: &[u16], wanted: u16) -> usize {
    statuses.iter().filter(|status| **status == wanted).count()
}

/// The statuses of requests that are under way at once, each on a connection of its own.
async fn at_once(server: &Listening, request: &str, number: usize) -> Vec<u16> {
    stream::iter(0..number)
        .map(|_| async { server.ask(request, &[]).await.status })
        .buffer_unordered(100)
        .collect()
        .await
}

#[actix_web::test]
async fn of_forty_requests_on_four_workers_exactly_the_limit_is_admitted() {
    for from_data in [false, true] {
        for request in ["GET /ping", "GET /"] {
            let config = config(|config| config.rate_limit(5).enable_ip_banning(false));
            let (server, seen) = serve(config, from_data);
            let statuses = server.statuses(&[request; 40]).await;
            let expected = [vec![200; 5], vec![429; 35]].concat();
            assert_eq!(statuses, expected, "{request}, from data: {from_data}");
            // Else the limit would have been that of one worker.
            assert_eq!(seen.lock().unwrap().len(), WORKERS);
        }
    }
}

#[actix_web::test]
async fn of_thousands_at_once_exactly_the_limit_is_admitted() {
    for (request, limit) in [("GET /", 700), ("GET /ping", 5)] {
        let config = config(|config| config.rate_limit(700).enable_ip_banning(false));
        let (server, seen) = serve(config, false);
        let statuses = at_once(&server, request, 2000).await;
        assert_eq!(count(&statuses, 200), limit, "{request}");
        assert_eq!(count(&statuses, 429), 2000 - limit, "{request}");
        assert_eq!(seen.lock().unwrap().len(), WORKERS);
    }
}

#[actix_web::test]
async fn strikes_and_bans_are_those_of_all_workers() {
    for from_data in [false, true] {
        let config = config(|config| config.rate_limit(5).auto_ban_threshold(5));
        let handle = GuardHandle::of(&config);
        let (server, seen) = serve(config, from_data);
        let statuses = server.statuses(&["GET /"; 24]).await;
        let expected = [vec![200; 5], vec![429; 5], vec![403; 14]].concat();
        assert_eq!(statuses, expected, "from data: {from_data}");
        assert_eq!(seen.lock().unwrap().len(), WORKERS);
        let bans: Vec<_> = handle.bans().collect().await;
        assert_eq!(bans.len(), 1);
        assert!(handle.unban("127.0.0.1").await.unwrap());
        let statuses = server.statuses(&["GET /ping"; 12]).await;
        assert_eq!(
            statuses,
            [[200; 5].as_slice(), &[429; 5], &[403; 2]].concat()
        );
    }
}

#[actix_web::test]
async fn of_strikes_at_once_none_is_lost_and_there_is_one_ban() {
    let config = config(|config| config.rate_limit(5).auto_ban_threshold(50));
    let handle = GuardHandle::of(&config);
    let (server, _) = serve(config, false);
    let statuses = at_once(&server, "GET /", 200).await;
    assert_eq!(count(&statuses, 200), 5);
    // The strikes that the threshold allows, then the ban.
    assert_eq!(count(&statuses, 429), 50);
    assert_eq!(count(&statuses, 403), 145);
    let bans: Vec<_> = handle.bans().collect().await;
    assert_eq!(bans.len(), 1);
}

const TWINS: &str = "outside the HttpServer::new closure";

fn built_by_the_worker() -> SecurityConfig {
    SecurityConfig::builder().rate_limit(1000).build().unwrap()
}

#[test]
fn a_guard_that_each_worker_makes_for_itself_is_warned_of() {
    alone(
        &a_guard_that_each_worker_makes_for_itself_is_warned_of,
        async |log| {
            let server = listen_on(WORKERS, || {
                App::new().wrap(Guard::new(built_by_the_worker()))
            });
            server.statuses(&["GET /"; 40]).await;
            assert_eq!(
                log.with(Level::WARN, &[TWINS]).len(),
                1,
                "{:?}",
                log.lines()
            );
        },
    );
}

#[test]
fn data_that_each_worker_makes_for_itself_is_warned_of() {
    alone(
        &data_that_each_worker_makes_for_itself_is_warned_of,
        async |log| {
            let server = listen_on(WORKERS, || {
                App::new()
                    .app_data(web::Data::new(built_by_the_worker()))
                    .wrap(Guard::default())
            });
            server.statuses(&["GET /"; 40]).await;
            assert_eq!(
                log.with(Level::WARN, &[TWINS]).len(),
                1,
                "{:?}",
                log.lines()
            );
        },
    );
}

#[test]
fn one_configuration_for_all_workers_is_not_warned_of() {
    alone(
        &one_configuration_for_all_workers_is_not_warned_of,
        async |log| {
            for from_data in [false, true] {
                let (server, seen) = serve(built_by_the_worker(), from_data);
                server.statuses(&["GET /"; 40]).await;
                assert_eq!(seen.lock().unwrap().len(), WORKERS);
            }
            assert_eq!(log.with(Level::WARN, &[]), Vec::<String>::new());
        },
    );
}
