//! One client as an operator sees it, and the limits that are in force.

use actix_web::{App, HttpResponse, get, test::init_service, web};
use actix_web_guard::{Guard, RouteLimit, RouteOverride, admin, rate_limit};
use serde_json::{Value, json};

use super::{app, json, operator, operators};
use crate::support::{PEER, config, configure, seconds, send, statuses};

#[rate_limit(requests = 2, window = 30, name = "burst")]
#[rate_limit(requests = 10, window = "1h")]
#[get("/search")]
async fn get_search() -> HttpResponse {
    HttpResponse::Ok().finish()
}

#[rate_limit(exempt)]
#[get("/health")]
async fn get_health() -> HttpResponse {
    HttpResponse::Ok().finish()
}

macro_rules! look {
    ($app:expr, $path:expr) => {{
        let answer = send($app, operator("GET", &format!("/guard/api/{}", $path))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        json(&answer)
    }};
}

macro_rules! limited_app {
    ($config:expr) => {
        init_service(
            App::new()
                .service(admin::scope("/guard", operators()))
                .service(web::scope("/v1").service(get_search))
                .service(get_health)
                .service(
                    web::resource("/upload")
                        .wrap(RouteLimit::new(3, 60))
                        .to(HttpResponse::Ok),
                )
                .default_service(web::to(HttpResponse::Ok))
                .wrap(Guard::new($config)),
        )
        .await
    };
}

#[actix_web::test]
async fn a_client_is_shown_with_its_windows_and_strikes() {
    let (config, clock) = configure(|config| config.rate_limit(5).auto_ban_threshold(3));
    let app = limited_app!(config);
    assert_eq!(statuses(&app, &["/v1/search"; 3]).await, [200, 200, 429]);
    clock.advance(seconds(10));
    assert_eq!(
        statuses(&app, &["/"]).await,
        [200],
        "which resets the strikes"
    );
    assert_eq!(statuses(&app, &["/v1/search"]).await, [429]);

    let client = look!(&app, format!("clients/{PEER}"));
    assert_eq!(client["client"], PEER);
    assert_eq!(
        (&client["strikes"], &client["strike_limit"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(client["strikes_expire"], 300.0);
    assert_eq!(
        (&client["ban"], &client["redis_cli"]),
        (&Value::Null, &json!([]))
    );
    let expected = json!({"name": "default", "pattern": null, "methods": [],
        "requests": 5, "window": 60.0, "used": 1, "remaining": 4, "reset": 60.0});
    assert_eq!(client["windows"][0], expected);
    let burst = &client["windows"][1];
    assert_eq!(
        (&burst["name"], &burst["pattern"]),
        (&json!("burst"), &json!("/v1/search"))
    );
    assert_eq!(
        (&burst["methods"], &burst["remaining"]),
        (&json!(["GET"]), &json!(0))
    );
    let long = &client["windows"][2];
    assert_eq!(
        (&long["name"], &long["window"]),
        (&json!("/v1/search"), &json!(3600.0))
    );
    assert_eq!(client["windows"].as_array().unwrap().len(), 3);
}

#[actix_web::test]
async fn looking_at_a_client_changes_nothing() {
    let app = app!(config(|config| config.rate_limit(2)));
    for _ in 0..5 {
        assert_eq!(
            look!(&app, format!("clients/{PEER}"))["windows"][0]["used"],
            0
        );
    }
    assert_eq!(statuses(&app, &["/", "/", "/"]).await, [200, 200, 429]);
}

#[actix_web::test]
async fn a_banned_client_in_any_spelling() {
    let config = config(|config| config);
    let handle = actix_web_guard::GuardHandle::of(&config);
    handle
        .ban("2001:db8::5", seconds(60), "test")
        .await
        .unwrap();
    let app = app!(config);
    for spelling in ["2001:db8::%2F64", "2001:db8::/64", "2001:0DB8::99"] {
        let client = look!(&app, format!("clients/{spelling}"));
        assert_eq!(client["client"], "2001:db8::/64", "{spelling}");
        assert_eq!(client["ban"]["reason"], "test", "{spelling}");
    }
}

#[actix_web::test]
async fn limits_are_listed_as_they_are_in_force() {
    let app = limited_app!(config(|config| {
        config.route(RouteOverride::new("/v1/search", 7, 20))
    }));
    let route = |routes: &Value, pattern: &str| {
        let all = routes["routes"].as_array().unwrap();
        let found: Vec<Value> = all
            .iter()
            .filter(|route| route["pattern"] == pattern)
            .cloned()
            .collect();
        assert_eq!(found.len(), 1, "{pattern}: {all:#?}");
        found[0].clone()
    };
    // Before the first request the scope around it is not known.
    let before = look!(&app, "routes");
    let search = route(&before, "/search");
    assert_eq!(
        (&search["pattern_is_whole"], &search["from"]),
        (&json!(false), &json!("annotation"))
    );
    assert_eq!(before["routes"][0]["from"], "global");
    assert_eq!(before["routes"][0]["limits"][0]["requests"], 50);

    statuses(&app, &["/v1/search", "/health", "/upload"]).await;
    let after = look!(&app, "routes");
    let search = route(&after, "/v1/search");
    assert_eq!(
        (&search["pattern_is_whole"], &search["from"]),
        (&json!(true), &json!("configuration"))
    );
    let limit =
        json!([{"name": "/v1/search", "requests": 7, "window": 20.0, "counted_by": "address"}]);
    assert_eq!(search["limits"], limit);
    assert!(
        search["handler"]
            .as_str()
            .unwrap()
            .ends_with("clients::get_search"),
        "{search}"
    );
    let health = route(&after, "/health");
    assert_eq!(
        (&health["exempt"], &health["limits"]),
        (&json!(true), &json!([]))
    );
    let upload = route(&after, "/upload");
    assert_eq!(
        (&upload["from"], &upload["handler"]),
        (&json!("wrap"), &Value::Null)
    );
}
