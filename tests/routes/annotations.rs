//! Where `#[rate_limit]` may stand, seen from the outside: each handler here is limited to one request.

use actix_web::{
    App, HttpRequest, Responder, connect, delete, get, head, http::StatusCode, options, patch,
    post, put, route, scope, trace, web,
};
use actix_web_guard::{Guard, rate_limit};

use crate::support::{config, parse, send, statuses};

mod methods {
    use super::*;
    macro_rules! handlers {
        ($($name:ident $method:ident),+) => { $(
            #[rate_limit(requests = 1, window = 60)]
            #[$method("/any")]
            pub(super) async fn $name() -> impl Responder {
                stringify!($method)
            }
        )+ };
    }
    handlers!(a get, b post, c put, d delete, e head, f options, g patch, h trace, i connect);
}

macro_rules! app {
    ($($service:expr),+ $(,)?) => {
        actix_web::test::init_service(
            App::new()$(.service($service))+.wrap(Guard::new(config(|config| config.enable_ip_banning(false)))),
        )
        .await
    };
}

#[actix_web::test]
async fn each_method() {
    use methods::*;
    let app = app!(a, b, c, d, e, f, g, h, i);
    for method in [
        "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE",
    ] {
        let text = format!("{method} /any");
        assert_eq!(
            statuses(&app, &[&text, &text]).await,
            [200, 429],
            "{method}"
        );
    }
}

#[rate_limit(requests = 1, window = "1m")]
#[route("/custom", method = "PROPFIND", method = "GET")]
async fn custom() -> impl Responder {
    "custom"
}

#[actix_web::test]
async fn methods_of_ones_own() {
    let app = app!(custom);
    assert_eq!(
        statuses(&app, &["PROPFIND /custom", "/custom", "PROPFIND /custom"]).await,
        [200, 429, 429]
    );
}

#[scope("/scoped")]
mod scoped {
    use super::*;

    #[rate_limit(requests = 1, window = 60)]
    #[get("/one")]
    pub async fn one() -> impl Responder {
        "one"
    }

    #[get("/two")]
    pub async fn two() -> impl Responder {
        "two"
    }
}

#[actix_web::test]
async fn in_a_scope_module() {
    let app = app!(scoped::one, scoped::two);
    assert_eq!(
        statuses(
            &app,
            &["/scoped/one", "/scoped/one", "/scoped/two", "/scoped/two"]
        )
        .await,
        [200, 429, 200, 200]
    );
}

#[rate_limit(requests = 1, window = 60)]
#[post("/extract/{id}")]
async fn extracting(
    request: HttpRequest,
    id: web::Path<u32>,
    query: web::Query<Vec<(String, String)>>,
    body: web::Bytes,
) -> impl Responder {
    format!("{} {} {} {}", request.path(), id, query.len(), body.len())
}

#[actix_web::test]
async fn with_extractors_that_run_only_when_admitted() {
    let app = app!(extracting);
    let answer = send(&app, parse("POST /extract/7?a=b").set_payload("12345")).await;
    assert_eq!(answer.body, "/extract/7 7 1 5");
    // An extractor would answer 404 here.
    assert_eq!(
        send(&app, parse("POST /extract/seven")).await.status,
        StatusCode::TOO_MANY_REQUESTS
    );
}

#[rate_limit(requests = 1, window = 10, name = "burst")]
#[rate_limit(requests = 2, window = 60)]
#[get("/stacked")]
async fn stacked() -> impl Responder {
    "stacked"
}

#[actix_web::test]
async fn stacked_limits_must_all_admit() {
    let (config, clock) =
        crate::support::configure(|config| config.enable_ip_banning(false).count_rejected(false));
    let app =
        actix_web::test::init_service(App::new().service(stacked).wrap(Guard::new(config))).await;
    let answer = send(&app, parse("/stacked")).await;
    assert_eq!(
        answer.header("ratelimit-policy"),
        Some(r#""burst";q=1;w=10, "/stacked";q=2;w=60"#)
    );
    assert_eq!(
        answer.header("ratelimit"),
        Some(r#""burst";r=0;t=10, "/stacked";r=1;t=60"#)
    );
    let refused = send(&app, parse("/stacked")).await;
    assert_eq!(
        (refused.status.as_u16(), refused.header("retry-after")),
        (429, Some("10"))
    );
    assert!(
        refused.body.contains(r#""violated-policies":["burst"]"#),
        "{}",
        refused.body
    );
    clock.advance(crate::support::seconds(10));
    assert_eq!(send(&app, parse("/stacked")).await.status, 200);
    clock.advance(crate::support::seconds(10));
    let refused = send(&app, parse("/stacked")).await;
    assert_eq!(
        (refused.status.as_u16(), refused.header("retry-after")),
        (429, Some("40"))
    );
    assert!(
        refused.body.contains(r#""violated-policies":["/stacked"]"#),
        "{}",
        refused.body
    );
}

#[actix_web::test]
async fn defined_inside_a_function() {
    #[rate_limit(requests = 1, window = 60)]
    #[get("/local")]
    async fn local() -> impl Responder {
        "local"
    }
    let app = app!(local);
    assert_eq!(statuses(&app, &["/local", "/local"]).await, [200, 429]);
}

#[actix_web::test]
async fn middlewares_named_in_the_route_run_only_when_admitted() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static RAN: AtomicUsize = AtomicUsize::new(0);
    async fn count(
        request: actix_web::dev::ServiceRequest,
        next: actix_web::middleware::Next<impl actix_web::body::MessageBody + 'static>,
    ) -> Result<actix_web::dev::ServiceResponse<impl actix_web::body::MessageBody>, actix_web::Error>
    {
        RAN.fetch_add(1, Ordering::SeqCst);
        next.call(request).await
    }
    #[rate_limit(requests = 1, window = 60)]
    #[get("/wrapped", wrap = "actix_web::middleware::from_fn(count)")]
    async fn wrapped() -> impl Responder {
        "wrapped"
    }
    let app = app!(wrapped);
    assert_eq!(
        statuses(&app, &["/wrapped", "/wrapped", "/wrapped"]).await,
        [200, 429, 429]
    );
    assert_eq!(RAN.load(Ordering::SeqCst), 1);
}
