//! Middlewares inside the guard that answer with an error, as authentication does: to the guard that is an answer like any other.

use actix_web::{
    App, Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    error::ErrorUnauthorized,
    middleware::{Next, from_fn},
    test::{TestRequest, init_service},
    web::{self, Data},
};
use actix_web_guard::{Guard, GuardHandle, SecurityConfig, SecurityConfigBuilder};

use crate::{
    guard::{other, public},
    support::{config, get, send},
};

/// Lets nobody through, and reports who has forged something.
async fn authenticate(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    if request.headers().contains_key("x-forged") {
        let config = request.app_data::<Data<SecurityConfig>>().unwrap();
        let handle = GuardHandle::of(config);
        handle.report_threat(request.request(), "forged").await;
    }
    if request.headers().contains_key("x-known") {
        return next.call(request).await;
    }
    Err(ErrorUnauthorized("who are you?"))
}

/// An application that lets nobody through: it has a limited route, or has none.
macro_rules! app {
    ($config:expr, $has_limited_route:expr) => {{
        let config: SecurityConfig = $config;
        let has_limited_route = $has_limited_route;
        let limited = move |app: &mut web::ServiceConfig| {
            if has_limited_route {
                app.service(public);
            }
        };
        init_service(
            App::new()
                .app_data(Data::new(config.clone()))
                .service(other)
                .configure(limited)
                .wrap(from_fn(authenticate))
                .wrap(Guard::new(config)),
        )
        .await
    }};
}

/// What decides: the global window in a worker that has no other, the same beside others, and the window of a route.
const PLACES: [(&str, bool); 3] = [("/other", false), ("/other", true), ("/public", true)];

fn forged(path: &str) -> TestRequest {
    get(path).insert_header(("x-forged", "1"))
}

fn striking(set: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder) -> SecurityConfig {
    config(|config| set(config.auto_ban_threshold(1)))
}

#[actix_web::test]
async fn a_report_and_the_status_of_its_answer_are_one_strike() {
    for (path, has_limited_route) in PLACES {
        let app = app!(
            striking(|config| config.strike_on_status([401])),
            has_limited_route
        );
        for expected in [401, 401, 403] {
            let answer = send(&app, forged(path)).await;
            assert_eq!(answer.status, expected, "{path}");
        }
    }
}

#[actix_web::test]
async fn a_status_of_its_own_is_a_strike() {
    for (path, has_limited_route) in PLACES {
        let app = app!(
            striking(|config| config.strike_on_status([401])),
            has_limited_route
        );
        for expected in [401, 401, 403] {
            assert_eq!(send(&app, get(path)).await.status, expected, "{path}");
        }
    }
}

#[actix_web::test]
async fn an_error_without_a_report_is_clean_and_one_with_a_report_is_not() {
    for (path, has_limited_route) in PLACES {
        let app = app!(striking(|config| config), has_limited_route);
        for _ in 0..3 {
            assert_eq!(send(&app, forged(path)).await.status, 401, "{path}");
            assert_eq!(send(&app, get(path)).await.status, 401, "{path}");
        }
        for expected in [401, 401, 403] {
            assert_eq!(send(&app, forged(path)).await.status, expected, "{path}");
        }
    }
}

#[actix_web::test]
async fn an_error_says_how_the_quota_stands() {
    for has_limited_route in [false, true] {
        let app = app!(striking(|config| config), has_limited_route);
        for remaining in [49, 48] {
            let answer = send(&app, get("/other")).await;
            let expected = format!(r#""default";r={remaining};t=60"#);
            assert!(answer.as_error);
            assert_eq!(answer.header("ratelimit"), Some(expected.as_str()));
            assert_eq!(answer.body, "who are you?");
        }
    }
}
