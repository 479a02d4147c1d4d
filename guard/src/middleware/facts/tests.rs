use actix_web::test::TestRequest;

use super::*;
use crate::{
    config::SecurityConfig,
    engine::Engine,
    policy::{Course, Question, course},
};

#[test]
fn before_a_request_is_counted_nothing_is_allocated_for_it() {
    let agent = |number: usize| format!("Robot-{number:03}/");
    let config = SecurityConfig::builder()
        .trusted_proxies(["192.0.2.0/24", "10.0.0.0/8"])
        .exempt_ips(["203.0.113.0/24", "2001:db8::/32"])
        .denied_ips(["198.51.100.0/24"])
        .exempt_user_agents((0..50).map(agent))
        .banned_user_agents((50..100).map(agent))
        .exempt_paths(["/health", "/static/{tail}*"])
        .build()
        .unwrap();
    let view = View::new(Engine::of(&config));
    for named in ["25.1.2.3", "[2a00:1:2:3::4]:4711"] {
        let request = TestRequest::with_uri("/items/7")
            .peer_addr(([192, 0, 2, 1], 4711).into())
            .insert_header(("x-forwarded-for", format!("{named}, 10.1.0.1")))
            .insert_header((
                "user-agent",
                "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0",
            ))
            .to_srv_request();
        let decide = || {
            let client = client_of(&request, &view);
            let facts = Asked {
                request: &request,
                client: &client,
                view: &view,
            };
            (course(&view.settings, &client, &facts), client.address())
        };
        // Tables of rules are made by the first request, and its user agent is remembered.
        decide();
        let mut decided = None;
        let allocations = allocation_counter::measure(|| decided = Some(decide()));
        let (course, address) = decided.unwrap();
        assert_eq!(course, Course::Decide(Question::Counted));
        assert!(named.contains(&address.unwrap().to_string()), "{address:?}");
        assert_eq!(allocations.count_total, 0, "{named}");
    }
}
