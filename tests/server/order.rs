//! Middlewares inside and outside of the guard: limits are exact in any order.

use std::sync::{Arc, Mutex};

use actix_web::{
    App, get,
    middleware::{Compress, Condition, DefaultHeaders, Logger, NormalizePath},
    web,
};
use actix_web_guard::{Guard, SecurityConfig, rate_limit};

use super::listen::{Listening, listen};
use crate::support::config;

#[rate_limit(requests = 2, window = 60)]
#[get("/limited")]
async fn limited() -> &'static str {
    "limited"
}

/// Statuses that a `Logger` was told of.
type Told = Arc<Mutex<Vec<u16>>>;

fn logger(told: &Told) -> Logger {
    let told = Arc::clone(told);
    Logger::new("%{STATUS}xo").custom_response_replace("STATUS", move |response| {
        told.lock().unwrap().push(response.status().as_u16());
        String::new()
    })
}

/// Which middlewares are outside of the guard: Logger, Compress, NormalizePath, DefaultHeaders.
type Outside = [bool; 4];

fn every_arrangement() -> impl Iterator<Item = Outside> {
    (0..16).map(|bits| [1, 2, 4, 8].map(|bit| bits & bit != 0))
}

/// The four in this order, from the inside to the outside.
fn serve(config: SecurityConfig, outside: Outside, told: &Told) -> Listening {
    let told = Arc::clone(told);
    let [log, compress, normalize, headers] = outside;
    listen(move || {
        App::new()
            .service(limited)
            .route("/other", web::get().to(async || "other"))
            .wrap(Condition::new(!log, logger(&told)))
            .wrap(Condition::new(!compress, Compress::default()))
            .wrap(Condition::new(!normalize, NormalizePath::trim()))
            .wrap(Condition::new(
                !headers,
                DefaultHeaders::new().add(("x-app", "1")),
            ))
            .wrap(Guard::new(config.clone()))
            .wrap(Condition::new(log, logger(&told)))
            .wrap(Condition::new(compress, Compress::default()))
            .wrap(Condition::new(normalize, NormalizePath::trim()))
            .wrap(Condition::new(
                headers,
                DefaultHeaders::new().add(("x-app", "1")),
            ))
    })
}

/// The four the other way round.
fn serve_reversed(config: SecurityConfig, outside: Outside, told: &Told) -> Listening {
    let told = Arc::clone(told);
    let [log, compress, normalize, headers] = outside;
    listen(move || {
        App::new()
            .service(limited)
            .route("/other", web::get().to(async || "other"))
            .wrap(Condition::new(
                !headers,
                DefaultHeaders::new().add(("x-app", "1")),
            ))
            .wrap(Condition::new(!normalize, NormalizePath::trim()))
            .wrap(Condition::new(!compress, Compress::default()))
            .wrap(Condition::new(!log, logger(&told)))
            .wrap(Guard::new(config.clone()))
            .wrap(Condition::new(
                headers,
                DefaultHeaders::new().add(("x-app", "1")),
            ))
            .wrap(Condition::new(normalize, NormalizePath::trim()))
            .wrap(Condition::new(compress, Compress::default()))
            .wrap(Condition::new(log, logger(&told)))
    })
}

/// Both ways round, with all middlewares inside or outside as `outside` says.
fn both(outside: Outside) -> [(Listening, Told); 2] {
    let config = || config(|config| config.rate_limit(3).enable_ip_banning(false));
    let (one, two) = (Told::default(), Told::default());
    [
        (serve(config(), outside, &one), one),
        (serve_reversed(config(), outside, &two), two),
    ]
}

#[actix_web::test]
async fn limits_are_exact_from_the_first_request_on() {
    for outside in every_arrangement() {
        for (server, _) in both(outside) {
            let mut connection = server.connect().await;
            let mut statuses = Vec::new();
            for path in [
                "/limited/",
                "/limited",
                "/other",
                "/limited",
                "/other/",
                "//other",
                "/other",
                "/limited/",
            ] {
                let request = format!("GET {path}");
                let headers = [("Accept-Encoding", "gzip")];
                statuses.push(connection.ask(&request, &headers).await.status);
            }
            assert_eq!(
                statuses,
                [200, 200, 200, 429, 200, 200, 429, 429],
                "outside: {outside:?}"
            );
        }
    }
}

#[actix_web::test]
async fn what_is_outside_sees_refusals_as_responses() {
    for outside in every_arrangement() {
        let [log, _, _, headers] = outside;
        for (server, told) in both(outside) {
            for (request, admitted, made_by_guard) in
                [("GET /other", 3, true), ("GET /limited", 2, false)]
            {
                told.lock().unwrap().clear();
                let mut expected = vec![200; admitted];
                expected.push(429);
                for status in &expected {
                    let reply = server.ask(request, &[]).await;
                    assert_eq!(reply.status, *status);
                    // The refusal of a route's own window is made where the route is, inside of all of them.
                    let passed = headers || *status == 200 || !made_by_guard;
                    let header = passed.then_some("1");
                    assert_eq!(reply.header("x-app"), header, "{request} {outside:?}");
                }
                if !log && made_by_guard {
                    expected.pop();
                }
                let told = told.lock().unwrap().clone();
                assert_eq!(told, expected, "{request} {outside:?}");
            }
        }
    }
}
