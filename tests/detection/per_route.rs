//! Routes that detectors leave alone.

use super::{app, config};
use crate::support::{get, request, send, statuses};

const BAD_QUERY: &str = "?q=very+bad";

#[actix_web::test]
async fn an_annotation_switches_detection_off_for_its_route_only() {
    let config = config!("auto_ban_threshold = 100");
    let app = app!(config);
    for (path, expected) in [
        ("/posts/7", 200),
        ("/raw", 200),
        ("/search", 403),
        ("/nowhere", 403),
    ] {
        let path = format!("{path}{BAD_QUERY}");
        for _ in 0..3 {
            assert_eq!(send(&app, get(&path)).await.status, expected, "{path}");
        }
    }
    let post = || request("POST", "/posts?q=very+bad").set_payload("x");
    assert_eq!(send(&app, post()).await.status, 200);
    assert_eq!(
        send(&app, get("/posts?q=very+bad")).await.status,
        403,
        "another method"
    );
}

#[actix_web::test]
async fn alone_it_leaves_the_route_in_the_global_window() {
    let config = config!("rate_limit = 2\nenable_ip_banning = false");
    let app = app!(config);
    let paths = ["/posts/1", "/search", "/posts/2", "/raw"];
    assert_eq!(statuses(&app, &paths).await, [200, 200, 429, 200]);
    let refused = send(&app, get("/posts/3")).await;
    assert_eq!(
        refused.header("ratelimit-policy"),
        Some("\"default\";q=2;w=60")
    );
}

#[actix_web::test]
async fn the_configuration_switches_detection_off_for_patterns() {
    let config = config!("[detection]\nexempt_paths = [\"/search\"]");
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/search?q=very+bad", "/very-bad"]).await,
        [200, 403]
    );
}
