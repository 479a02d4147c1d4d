//! Middlewares between guard and route that call the inner service only when they are polled, such as `from_fn`. The guard cannot
//! see a claim in its call then. An error costs one late or one extra count for each worker and route, never an unlimited handler,
//! and nobody who is under all his limits is refused.

use actix_web::{
    App, Error, Responder,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    get,
    middleware::{Next, from_fn},
    post, web,
};
use actix_web_guard::{Guard, RouteLimit, rate_limit};

use super::{guarded, other};
use crate::support::{get as request_to, send, statuses};

async fn lazy(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    actix_web::rt::task::yield_now().await;
    next.call(request).await
}

#[rate_limit(requests = 2, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public"
}

#[post("/{tail}*")]
async fn post_anything() -> impl Responder {
    "anything"
}

/// A guard around a lazy middleware around the services.
macro_rules! app {
    ($config:expr, $($service:expr),+ $(,)?) => {
        actix_web::test::init_service(
            App::new()$(.service($service))+.wrap(from_fn(lazy)).wrap(Guard::new($config)),
        )
        .await
    };
}

#[actix_web::test]
async fn a_limited_route_behind_it_is_limited_from_the_first_request() {
    let app = app!(guarded(9), public, other);
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public", "/public"]).await,
        [200, 200, 429, 429]
    );
}

#[actix_web::test]
async fn nobody_under_his_limits_is_refused() {
    let app = app!(guarded(2), public, other);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public"]).await,
        [200, 200, 429]
    );
    assert_eq!(statuses(&app, &["/other", "/public"]).await, [429, 429]);
}

#[actix_web::test]
async fn the_global_window_is_exact_where_no_limited_route_can_be_meant() {
    let app = app!(guarded(2), public, other);
    assert_eq!(
        statuses(
            &app,
            &[
                "/public", "/public", "/other", "/nothing", "/other", "/nothing"
            ]
        )
        .await,
        [200, 200, 200, 404, 429, 429]
    );
}

#[actix_web::test]
async fn another_method_standing_before_does_not_hide_a_limit() {
    let app = app!(guarded(2), post_anything, public, other);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public"]).await,
        [200, 200, 429]
    );
}

#[actix_web::test]
async fn on_a_scope() {
    let scope = || {
        web::scope("/api")
            .wrap(from_fn(lazy))
            .service(public)
            .service(other)
    };
    let app = actix_web::test::init_service(
        App::new()
            .service(scope())
            .service(other)
            .wrap(Guard::new(guarded(2))),
    )
    .await;
    assert_eq!(
        statuses(&app, &["/api/public", "/api/public", "/api/public"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/other", "/api/other", "/other"]).await[2],
        429
    );
    assert_eq!(
        statuses(&app, &["/api/public", "/api/other"]).await,
        [429, 429]
    );
}

#[actix_web::test]
async fn inside_of_a_limited_scope() {
    let scope = || {
        web::scope("/api")
            .wrap(from_fn(lazy))
            .wrap(RouteLimit::new(3, 60))
            .service(public)
            .service(other)
    };
    let app = actix_web::test::init_service(
        App::new()
            .service(scope())
            .service(other)
            .wrap(Guard::new(guarded(1))),
    )
    .await;
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
    assert_eq!(
        statuses(&app, &["/api/public", "/api/public", "/api/public"]).await,
        [200, 200, 429]
    );
    assert_eq!(statuses(&app, &["/api/other", "/api/other"]).await[1], 429);
}

#[actix_web::test]
async fn a_limit_wrapped_by_hand_behind_it() {
    let limited = || {
        web::resource("/x")
            .wrap(RouteLimit::new(2, 60))
            .route(web::get().to(|| async { "x" }))
    };
    let app = app!(guarded(2), limited(), other);
    assert_eq!(statuses(&app, &["/x", "/x", "/x"]).await, [200, 200, 429]);
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 200]);
    let app = app!(guarded(2), limited(), other);
    let mut seen = statuses(&app, &["/other", "/other", "/other", "/other"]).await;
    seen.retain(|status| *status == 200);
    assert!(seen.len() <= 3, "at most one late count");
    assert_eq!(statuses(&app, &["/x", "/x", "/x"]).await, [200, 200, 429]);
}

#[actix_web::test]
async fn a_plain_handler_that_shares_its_pattern_with_a_limited_one_is_not_unlimited() {
    fn is_v1(context: &actix_web::guard::GuardContext<'_>) -> bool {
        context.head().headers().contains_key("v1")
    }
    #[rate_limit(requests = 2, window = 60)]
    #[get("/versioned", guard = "is_v1")]
    async fn versioned() -> impl Responder {
        "v1"
    }
    #[get("/versioned")]
    async fn plain() -> impl Responder {
        "plain"
    }
    let (config, _) =
        crate::support::configure(|config| config.rate_limit(3).auto_ban_threshold(3));
    let app = app!(config, versioned, plain);
    let v1 = || request_to("/versioned").insert_header(("v1", "1"));
    for _ in 0..2 {
        assert_eq!(send(&app, v1()).await.status, 200);
    }
    // Each is counted late: what is over the limit is served, but strikes, until the ban.
    let mut served = 0;
    while send(&app, request_to("/versioned")).await.status == 200 {
        served += 1;
        assert!(served < 20, "unlimited");
    }
    assert_eq!(send(&app, v1()).await.status, 403);
}
