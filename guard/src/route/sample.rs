//! For tests: an application with limited routes of all kinds.

use std::borrow::Cow;

use actix_web::{
    App, HttpResponse,
    dev::ServiceRequest,
    http::{Method, StatusCode},
    test::{TestRequest, init_service, try_call_service},
    web,
};

use crate::{Guard, RouteLimit, SecurityConfig};

use super::annotation::{AnnotatedKey, AnnotatedLimit, Annotation};

const LIMIT: AnnotatedLimit = AnnotatedLimit {
    requests: 5,
    window_seconds: 60,
    name: None,
    key: None,
};

static ITEM: Annotation = Annotation {
    handler: "app::item",
    location: ("app.rs", 1, 1),
    methods: &["GET"],
    pattern: r"/items/{id:\d+}",
    guarded: false,
    exempt: false,
    detection_off: false,
    limits: &[LIMIT],
};

static HEALTH: Annotation = Annotation {
    handler: "app::health",
    location: ("app.rs", 2, 1),
    pattern: "/health",
    exempt: true,
    limits: &[],
    ..ITEM
};

static EDITOR: Annotation = Annotation {
    handler: "app::editor",
    location: ("app.rs", 3, 1),
    methods: &["POST", "PUT"],
    pattern: "/editor",
    detection_off: true,
    limits: &[],
    ..ITEM
};

static UPLOAD: Annotation = Annotation {
    handler: "app::upload",
    location: ("app.rs", 4, 1),
    methods: &["POST"],
    pattern: "/upload",
    limits: &[AnnotatedLimit {
        name: Some("uploads"),
        key: Some(AnnotatedKey {
            name: "keys::user",
            function: user,
        }),
        ..LIMIT
    }],
    ..ITEM
};

/// From the header `user`.
pub(crate) fn user(request: &ServiceRequest) -> Option<Cow<'_, str>> {
    let user = request.headers().get("user")?;
    user.to_str().ok().map(Cow::Borrowed)
}

/// A scope with annotated handlers, a resource that is limited by hand, and one without a limit.
fn routes(services: &mut web::ServiceConfig) {
    let handlers = [&ITEM, &HEALTH, &EDITOR, &UPLOAD];
    let mut scope = web::scope("/v1");
    for annotation in handlers {
        let resource = web::resource(annotation.pattern);
        scope = scope.service(
            resource
                .wrap(RouteLimit::annotated(annotation))
                .to(HttpResponse::Ok),
        );
    }
    let search = RouteLimit::new(7, 10).and(20, 60).name("sustained");
    services
        .service(scope)
        .service(web::resource("/search").wrap(search).to(HttpResponse::Ok))
        .service(web::resource("/plain").to(HttpResponse::Ok));
}

/// Builds the application, has a client send it requests (method and path), and looks while it still is there.
pub(crate) async fn look_after<T>(
    config: &SecurityConfig,
    requests: &[(&str, &str)],
    look: impl AsyncFnOnce() -> T,
) -> T {
    let app = App::new()
        .wrap(Guard::new(config.clone()))
        .configure(routes);
    let app = init_service(app).await;
    for (method, path) in requests {
        let request = TestRequest::with_uri(path)
            .method(Method::from_bytes(method.as_bytes()).unwrap_or_default())
            .peer_addr(([192, 0, 2, 1], 4711).into());
        // A refusal is an error.
        if let Ok(response) = try_call_service(&app, request.to_request()).await {
            assert_eq!(response.status(), StatusCode::OK, "{method} {path}");
        }
    }
    look().await
}
