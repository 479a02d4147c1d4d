//! `[[routes]]` of the configuration: limits without a deploy.

use actix_web::{App, HttpResponse, Responder, get, http::Method, post, test::init_service, web};
use actix_web_guard::{Guard, RouteLimit, RouteOverride, SecurityConfig, rate_limit};

use super::{app, other};
use crate::support::{config, parse, send, statuses};

#[rate_limit(requests = 2, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public"
}

#[get("/plain/{id}")]
async fn plain() -> impl Responder {
    "plain"
}

#[post("/plain/{id}")]
async fn update() -> impl Responder {
    "update"
}

fn guarded(global: i64, routes: Vec<RouteOverride>) -> SecurityConfig {
    config(|config| {
        let config = config.rate_limit(global).enable_ip_banning(false);
        routes
            .into_iter()
            .fold(config, |config, route| config.route(route))
    })
}

#[actix_web::test]
async fn an_entry_overrides_an_annotation() {
    let app = app!(
        guarded(1, vec![RouteOverride::new("/public", 3, 60)]),
        public,
        other
    );
    assert_eq!(
        statuses(&app, &["/public", "/public", "/public", "/public"]).await,
        [200, 200, 200, 429]
    );
    let answer = send(&app, parse("/public")).await;
    assert_eq!(
        answer.header("ratelimit-policy"),
        Some(r#""/public";q=3;w=60"#)
    );
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 429]);
}

#[actix_web::test]
async fn an_entry_limits_a_route_without_an_annotation() {
    for with_annotated in [false, true] {
        let config = guarded(
            1,
            vec![RouteOverride::new("/plain/{id}", 2, 60).method(Method::GET)],
        );
        let app = if with_annotated {
            app!(config, public, plain, update, other)
        } else {
            app!(config, plain, update, other)
        };
        assert_eq!(
            statuses(&app, &["/plain/1", "/plain/2", "/plain/3"]).await,
            [200, 200, 429]
        );
        assert_eq!(
            statuses(&app, &["POST /plain/1", "/other"]).await,
            [200, 429],
            "the other method is on the global window"
        );
    }
}

#[actix_web::test]
async fn an_entry_without_a_method_gives_each_method_a_window() {
    let app = app!(
        guarded(1, vec![RouteOverride::new("/plain/{id}", 2, 60)]),
        plain,
        update
    );
    assert_eq!(
        statuses(&app, &["/plain/1", "/plain/2", "/plain/3"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["POST /plain/1", "POST /plain/2", "POST /plain/3"]).await,
        [200, 200, 429]
    );
}

#[actix_web::test]
async fn methods_that_a_client_makes_up_share_one_window() {
    let config = guarded(100, vec![RouteOverride::new("/any", 2, 60)]);
    let app = App::new()
        .route("/any", web::to(async || "any"))
        .wrap(Guard::new(config));
    let app = init_service(app).await;
    let requests = ["A /any", "B /any", "C /any", "GET /any", "D /any"];
    assert_eq!(statuses(&app, &requests).await, [200, 200, 429, 200, 429]);
}

#[actix_web::test]
async fn an_entry_for_a_method_goes_before_one_for_all() {
    let routes = || {
        vec![
            RouteOverride::new("/plain/{id}", 1, 60),
            RouteOverride::new("/plain/{id}", 2, 60).method(Method::POST),
        ]
    };
    let app = app!(guarded(9, routes()), plain, update);
    assert_eq!(
        statuses(
            &app,
            &[
                "/plain/1",
                "/plain/1",
                "POST /plain/1",
                "POST /plain/1",
                "POST /plain/1"
            ]
        )
        .await,
        [200, 429, 200, 200, 429]
    );
}

#[actix_web::test]
async fn an_entry_takes_scopes_into_account() {
    let scope = || web::scope("/api").service(public).service(plain);
    let routes = vec![
        RouteOverride::new("/api/public", 1, 60),
        RouteOverride::new("/api/plain/{id}", 2, 60),
    ];
    let app = app!(guarded(9, routes), scope(), public);
    assert_eq!(
        statuses(
            &app,
            &[
                "/api/public",
                "/api/public",
                "/public",
                "/public",
                "/public"
            ]
        )
        .await,
        [200, 429, 200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/api/plain/1", "/api/plain/2", "/api/plain/3"]).await,
        [200, 200, 429]
    );
}

#[actix_web::test]
async fn an_entry_overrides_a_limit_on_a_resource() {
    let resource = web::resource("/x/{id}")
        .wrap(RouteLimit::new(5, 60))
        .to(HttpResponse::Ok);
    let app = app!(
        guarded(9, vec![RouteOverride::new("/x/{id}", 1, 60)]),
        resource
    );
    assert_eq!(statuses(&app, &["/x/1", "/x/2"]).await, [200, 429]);
}

#[actix_web::test]
async fn an_entry_for_one_method_of_a_limited_resource() {
    let resource = web::resource("/x")
        .wrap(RouteLimit::new(3, 60))
        .route(web::get().to(HttpResponse::Ok))
        .route(web::post().to(HttpResponse::Ok));
    let app = app!(
        guarded(
            9,
            vec![RouteOverride::new("/x", 1, 60).method(Method::POST)]
        ),
        resource
    );
    assert_eq!(
        statuses(&app, &["/x", "POST /x", "POST /x", "/x", "/x", "/x"]).await,
        [200, 200, 429, 200, 200, 429]
    );
}

#[actix_web::test]
async fn an_entry_for_a_route_inside_a_limited_scope_counts_besides() {
    let scope = || {
        web::scope("/api")
            .wrap(RouteLimit::new(4, 60))
            .service(other)
            .service(public)
    };
    let routes = || {
        vec![
            RouteOverride::new("/api/other", 2, 60),
            RouteOverride::new("/api/public", 1, 60),
        ]
    };
    let app = app!(guarded(9, routes()), scope());
    assert_eq!(
        statuses(&app, &["/api/other", "/api/other", "/api/other"]).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&app, &["/api/public", "/api/public"]).await,
        [200, 429]
    );
    let app = app!(guarded(9, routes()), scope());
    assert_eq!(
        statuses(
            &app,
            &[
                "/api/public",
                "/api/none",
                "/api/none",
                "/api/other",
                "/api/other"
            ]
        )
        .await,
        [200, 404, 404, 200, 429]
    );
}
