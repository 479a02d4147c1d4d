//! `[[routes]]` for what an application serves without a route of its own: folders of files, scopes and gateways with a default service.

use actix_web::{
    App, HttpResponse,
    dev::{AppService, HttpServiceFactory, ResourceDef, ServiceRequest, fn_factory, fn_service},
    test::init_service,
    web,
};
use actix_web_guard::{Guard, GuardHandle, RouteOverride, SecurityConfig};

use super::{annotated, other};
use crate::support::{configure, parse, send, statuses};

/// Mounted as `actix_files::Files` is: below a prefix, and actix-web knows nothing of what is there.
struct Folder(&'static str);

impl HttpServiceFactory for Folder {
    fn register(self, config: &mut AppService) {
        let prefix = ResourceDef::root_prefix(self.0);
        let serve = async |request: ServiceRequest| {
            Ok::<_, actix_web::Error>(request.into_response(HttpResponse::Ok()))
        };
        let factory = fn_factory(move || async move { Ok::<_, ()>(fn_service(serve)) });
        config.register_service(prefix, None, factory, None);
    }
}

fn guarded(entries: &[(&str, u32)]) -> SecurityConfig {
    let (config, _) = configure(|config| {
        let config = config.rate_limit(2).enable_ip_banning(false);
        let entries = entries.iter();
        entries.fold(config, |config, (pattern, requests)| {
            config.route(RouteOverride::new(*pattern, *requests, 60))
        })
    });
    config
}

fn routes(app: &mut web::ServiceConfig) {
    let gateway = web::scope("/gateway").service(other);
    app.service(Folder("/files"))
        .service(gateway.default_service(web::to(HttpResponse::Ok)))
        .default_service(web::to(HttpResponse::Ok));
}

/// With these services, in a worker without and with a limited route.
macro_rules! each_app {
    ($config:expr, |$app:ident| $check:block) => {
        let $app = App::new().configure(routes).wrap(Guard::new($config));
        let $app = init_service($app).await;
        $check
        let $app = App::new().configure(routes).service(annotated);
        let $app = init_service($app.wrap(Guard::new($config))).await;
        $check
    };
}

#[actix_web::test]
async fn a_folder_of_files_has_the_window_of_the_entry_for_its_paths() {
    let config = || guarded(&[("/files/{tail}*", 3), ("/files/{name}.pdf", 1)]);
    each_app!(config(), |app| {
        let files = [
            "/files/a",
            "/files/b/c",
            "/files/d?x=1",
            "/files/e",
            "HEAD /files/a",
        ];
        assert_eq!(statuses(&app, &files).await, [200, 200, 200, 429, 429]);
        let answer = send(&app, parse("/files/f")).await;
        let policy = answer.header("ratelimit-policy");
        assert_eq!(policy, Some(r#""/files/{tail}*";q=3;w=60"#));
        assert_eq!(statuses(&app, &["/a", "/b", "/c"]).await, [200, 200, 429]);
    });
}

#[actix_web::test]
async fn an_entry_with_the_prefix_of_a_folder_is_for_what_has_none_of_its_own() {
    let config = || guarded(&[("/files", 2), ("/files/{name}.pdf", 1)]);
    each_app!(config(), |app| {
        let files = [
            "/files/a.pdf",
            "/files/b.pdf",
            "/files/c",
            "/files/d",
            "/files/e",
        ];
        assert_eq!(statuses(&app, &files).await, [200, 429, 200, 200, 429]);
    });
}

#[actix_web::test]
async fn a_default_service_has_the_windows_of_the_entries_for_its_paths() {
    let config = || guarded(&[("/login", 1), ("/gateway/{any}", 1), ("/users/{id}", 3)]);
    each_app!(config(), |app| {
        assert_eq!(statuses(&app, &["/login", "/login"]).await, [200, 429]);
        let users = ["/users/1", "/users/2", "/users/3", "/users/4"];
        assert_eq!(statuses(&app, &users).await, [200, 200, 200, 429]);
        assert_eq!(
            statuses(&app, &["/gateway/a", "/gateway/b"]).await,
            [200, 429]
        );
        // A route of its own is not what the entry is for.
        let routed = ["/gateway/other", "/gateway/other", "/gateway/other"];
        assert_eq!(statuses(&app, &routed).await, [200, 200, 429]);
    });
}

#[actix_web::test]
async fn a_reload_changes_what_is_known_of_paths() {
    let (config, clock) = configure(|config| config.rate_limit(9).enable_ip_banning(false));
    let handle = GuardHandle::of(&config);
    each_app!(config.clone(), |app| {
        for (pattern, policy) in [
            (None, r#""default";q=9;w=60"#),
            (Some("/files/{tail}*"), r#""/files/{tail}*";q=5;w=60"#),
            (Some("/files/{name}"), r#""/files/{name}";q=5;w=60"#),
            (None, r#""default";q=9;w=60"#),
        ] {
            let builder = SecurityConfig::builder().clock(clock.clone()).rate_limit(9);
            let builder = match pattern {
                Some(pattern) => builder.route(RouteOverride::new(pattern, 5, 60)),
                None => builder,
            };
            handle.reload(&builder.build().unwrap()).unwrap();
            let answer = send(&app, parse("/files/a")).await;
            assert_eq!(answer.header("ratelimit-policy"), Some(policy));
        }
    });
}
