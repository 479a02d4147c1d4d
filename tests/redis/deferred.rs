//! The answer of the store comes later: what happens to a request meanwhile, in each of the places where it may wait.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use actix_web::{
    App, Error, HttpRequest, HttpResponse, Responder,
    body::MessageBody,
    dev::{Service as _, ServiceRequest, ServiceResponse},
    get,
    middleware::{Compress, Next, NormalizePath, from_fn},
    post,
    rt::task::yield_now,
    web::{self, ServiceConfig},
};
use actix_web_guard::{Guard, RouteLimit, SecurityConfig, rate_limit};
use futures_util::{StreamExt as _, stream};
use redis_servers::Server;

use super::node::{Node, config, count, in_turns};
use crate::server::{
    client::{Reply, message},
    listen::{Listening, PEER, listen, peer_from_header},
    websocket::{echo as echo_messages, shake_hands},
};

/// How often a handler ran.
type Runs = Arc<AtomicUsize>;

#[rate_limit(requests = 5, window = 60)]
#[get("/limited")]
async fn limited(runs: web::Data<Runs>) -> impl Responder {
    runs.fetch_add(1, Ordering::SeqCst);
    "limited"
}

#[get("/free")]
async fn free(runs: web::Data<Runs>) -> impl Responder {
    runs.fetch_add(1, Ordering::SeqCst);
    "free"
}

/// Sends back what comes in, as it comes in.
#[rate_limit(requests = 2, window = 60)]
#[post("/echo")]
async fn echo(body: web::Payload) -> HttpResponse {
    HttpResponse::Ok().streaming(body)
}

#[post("/echo-free")]
async fn echo_free(body: web::Payload) -> HttpResponse {
    HttpResponse::Ok().streaming(body)
}

#[rate_limit(requests = 3, window = 60)]
#[get("/ws")]
async fn messages(request: HttpRequest, body: web::Payload) -> Result<HttpResponse, Error> {
    echo_messages(request, body).await
}

fn routes(app: &mut ServiceConfig) {
    app.service(limited)
        .service(free)
        .service(echo)
        .service(echo_free)
        .service(messages)
        // Nobody knows where it is until a request has come there: it could be meant by any, so routing comes first.
        .service(web::scope("/scope").wrap(RouteLimit::new(9, 60)));
}

/// Calls the inner service only when it is polled, and not at once.
async fn lazy(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    yield_now().await;
    next.call(request).await
}

const GLOBAL: i64 = 3;

fn without_bans(server: &Server) -> SecurityConfig {
    config(server, |config| {
        config.rate_limit(GLOBAL).enable_ip_banning(false)
    })
}

/// A guard right around the routes.
fn serve(server: &Server, runs: &Runs) -> Listening {
    let (guard, runs) = (Guard::new(without_bans(server)), Arc::clone(runs));
    listen(move || {
        App::new()
            .app_data(web::Data::new(Arc::clone(&runs)))
            .configure(routes)
            .wrap(guard.clone())
            .wrap_fn(peer_from_header)
    })
}

/// Guards with other middlewares between them and the routes.
fn serve_layered(server: &Server, runs: &Runs) -> Vec<(&'static str, Listening)> {
    let guard = || (Guard::new(without_bans(server)), Arc::clone(runs));
    /// A guard around a middleware around the routes.
    macro_rules! layered {
        ($middleware:expr) => {{
            let (guard, runs) = guard();
            listen(move || {
                App::new()
                    .app_data(web::Data::new(Arc::clone(&runs)))
                    .configure(routes)
                    .wrap($middleware)
                    .wrap(guard.clone())
                    .wrap_fn(peer_from_header)
            })
        }};
    }
    let waiting = {
        let (guard, runs) = guard();
        listen(move || {
            App::new()
                .app_data(web::Data::new(Arc::clone(&runs)))
                .configure(routes)
                .wrap_fn(|request, next| {
                    // It is called at once, and its answer waited for.
                    let answer = next.call(request);
                    async {
                        yield_now().await;
                        answer.await
                    }
                })
                .wrap(guard.clone())
                .wrap_fn(peer_from_header)
        })
    };
    vec![
        ("from_fn", layered!(from_fn(lazy))),
        ("NormalizePath", layered!(NormalizePath::trim())),
        ("Compress", layered!(Compress::default())),
        ("wrap_fn", waiting),
    ]
}

/// The statuses of as many requests to each server, all at once.
async fn at_once(servers: &[&Listening], peer: &str, request: &str, number: usize) -> Vec<u16> {
    stream::iter(0..number * servers.len())
        .map(|at| async move {
            let server = servers[at % servers.len()];
            server.ask(request, &[(PEER, peer)]).await.status
        })
        .buffer_unordered(50)
        .collect()
        .await
}

#[actix_web::test]
async fn a_limited_handler_runs_only_if_its_window_admitted_it_whatever_is_in_between() {
    let redis = Server::start();
    let runs = Runs::default();
    let servers = serve_layered(&redis, &runs);
    for (number, (layer, server)) in servers.iter().enumerate() {
        let another = serve(&redis, &runs);
        // Each from the very first request of its workers.
        let peer = format!("192.0.2.{number}");
        runs.store(0, Ordering::SeqCst);
        let statuses = at_once(&[server, &another], &peer, "GET /limited", 60).await;
        assert_eq!(count(&statuses, 200), 5, "{layer}");
        assert_eq!(count(&statuses, 429), 115, "{layer}");
        assert_eq!(runs.load(Ordering::SeqCst), 5, "{layer}");
    }
}

#[actix_web::test]
async fn a_path_that_is_changed_inside_of_the_guard_leads_to_the_same_window() {
    let redis = Server::start();
    let runs = Runs::default();
    let servers = serve_layered(&redis, &runs);
    let (_, server) = servers
        .iter()
        .find(|(layer, _)| *layer == "NormalizePath")
        .unwrap();
    let mut connection = server.connect().await;
    let mut statuses = Vec::new();
    for path in [
        "/limited/",
        "//limited",
        "/limited",
        "/limited//",
        "/limited/",
        "//limited/",
        "/limited",
    ] {
        let reply = connection
            .ask(&format!("GET {path}"), &[(PEER, "192.0.2.1")])
            .await;
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429]);
    assert_eq!(runs.load(Ordering::SeqCst), 5);
}

#[actix_web::test]
async fn behind_what_may_be_lazy_the_global_window_errs_by_one_request_of_each_node_at_most() {
    let redis = Server::start();
    let runs = Runs::default();
    let nodes = [serve_layered(&redis, &runs), serve_layered(&redis, &runs)];
    for (number, (layer, one)) in nodes[0].iter().enumerate() {
        let (_, two) = &nodes[1][number];
        let peer = format!("192.0.2.{number}");
        runs.store(0, Ordering::SeqCst);
        for _ in 0..6 {
            for server in [one, two] {
                server.ask("GET /free", &[(PEER, &peer)]).await;
            }
        }
        let ran = runs.load(Ordering::SeqCst);
        let exact = usize::try_from(GLOBAL).unwrap();
        // Nobody knows of these, before the first request, whether they are lazy: that one may be counted behind its answer.
        let most = match *layer {
            "from_fn" | "wrap_fn" => exact + nodes.len(),
            _ => exact,
        };
        assert!((exact..=most).contains(&ran), "{layer}: {ran}");
    }
}

#[actix_web::test]
async fn a_handler_on_the_global_window_does_not_run_if_a_fresh_worker_refuses_it_after_routing() {
    let redis = Server::start();
    let runs = Runs::default();
    let server = serve(&redis, &runs);
    let peer = [(PEER, "192.0.2.1")];
    for _ in 0..GLOBAL {
        assert_eq!(server.ask("GET /free", &peer).await.status, 200);
    }
    for request in ["GET /free", "HEAD /free", "GET /nowhere", "POST /free"] {
        // It has not seen any route yet.
        let fresh = serve(&redis, &runs);
        assert_eq!(fresh.ask(request, &peer).await.status, 429, "{request}");
        assert_eq!(fresh.ask("GET /limited", &peer).await.status, 200);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 3 + 4);
}

/// What every refusal has.
fn assert_is_complete(reply: &Reply, name: &str, policy: &str, has_body: bool) {
    assert_eq!(reply.status, 429);
    let retry_after = reply.header("retry-after").unwrap();
    let retry_after: u64 = retry_after.parse().unwrap();
    assert!((50..=60).contains(&retry_after), "{retry_after}");
    let policy = format!("\"{name}\";{policy}");
    assert_eq!(reply.header("ratelimit-policy"), Some(policy.as_str()));
    let state = format!("\"{name}\";r=0;t={retry_after}");
    assert_eq!(reply.header("ratelimit"), Some(state.as_str()));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(
        reply.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(reply.body.is_empty(), !has_body);
    if has_body {
        let problem: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(problem["status"], 429);
        assert_eq!(problem["violated-policies"], serde_json::json!([name]));
    }
}

#[actix_web::test]
async fn a_refusal_is_complete_wherever_the_request_has_waited() {
    let redis = Server::start();
    let runs = Runs::default();
    let known = serve(&redis, &runs);
    let peer = [(PEER, "192.0.2.1")];
    for _ in 0..6 {
        for request in ["GET /free", "GET /limited", "POST /echo"] {
            known.ask(request, &peer).await;
        }
    }
    let fresh = || serve(&redis, &runs);
    for (request, name, policy) in [
        ("GET /free", "default", "q=3;w=60"),
        ("HEAD /free", "default", "q=3;w=60"),
        ("GET /limited", "/limited", "q=5;w=60"),
        ("POST /echo", "/echo", "q=2;w=60"),
    ] {
        // Where nothing is known of the routes, the global window is asked after routing, at first.
        for server in [&known, &fresh()] {
            let mut connection = server.connect().await;
            for _ in 0..2 {
                let reply = connection.ask(request, &peer).await;
                assert_is_complete(&reply, name, policy, !request.starts_with("HEAD"));
                connection.assert_in_step();
            }
        }
    }
}

#[actix_web::test]
async fn answers_tell_what_is_left_and_who_the_client_is() {
    let redis = Server::start();
    let nodes = Node::pair(&redis, |config| config.rate_limit(50));
    for (number, left) in [4, 3, 2, 1, 0].into_iter().enumerate() {
        let reply = nodes[number % 2].ask("2001:db8::1", "GET /whoami").await;
        assert_eq!((reply.status, reply.remaining()), (200, Some(left)));
        assert_eq!(reply.text(), "2001:db8::/64");
        let state = reply.header("ratelimit").unwrap();
        assert!(state.starts_with("\"/whoami\";r="), "{state}");
        assert_eq!(
            reply.header("ratelimit-policy"),
            Some(r#""/whoami";q=5;w=60"#)
        );
    }
    let reply = nodes[0].ask("192.0.2.1", "GET /stacked").await;
    assert_eq!(
        reply.header("ratelimit-policy"),
        Some(r#""minute";q=4;w=60, "hour";q=3;w=3600"#)
    );
    let state = reply.header("ratelimit").unwrap();
    assert_eq!(state, r#""minute";r=3;t=60, "hour";r=2;t=3600"#);
    let reply = nodes[1].ask("192.0.2.1", "GET /nowhere").await;
    assert_eq!((reply.status, reply.remaining()), (404, Some(49)));
    let reply = nodes[1].ask("192.0.2.1", "GET /health").await;
    assert_eq!(reply.header("ratelimit"), None);
}

/// Does not look like itself when a piece is missing, or comes twice.
fn big_body() -> Vec<u8> {
    let numbers = 0_u32..300_000;
    numbers.flat_map(u32::to_be_bytes).collect()
}

#[actix_web::test]
async fn bodies_pass_in_and_out_untouched_while_the_store_is_asked() {
    let redis = Server::start();
    let body = big_body();
    for path in ["/echo", "/echo-free"] {
        let server = serve(&redis, &Runs::default());
        let request = format!("POST {path}");
        let bytes = message(&request, &[(PEER, "192.0.2.1")], &body);
        for _ in 0..2 {
            let mut connection = server.connect().await;
            let reply = connection.exchange(&request, &bytes).await;
            assert_eq!(reply.status, 200, "{path}");
            assert!(reply.body == body, "{path}: {} bytes", reply.body.len());
            connection.assert_in_step();
        }
    }
}

#[actix_web::test]
async fn a_body_that_is_refused_leaves_the_connection_or_closes_it_in_good_order() {
    let redis = Server::start();
    let server = serve(&redis, &Runs::default());
    let (peer, other) = ([(PEER, "192.0.2.1")], [(PEER, "192.0.2.2")]);
    for _ in 0..2 {
        assert_eq!(server.ask("POST /echo", &peer).await.status, 200);
    }
    for body in [b"a small one".to_vec(), big_body()] {
        let mut connection = server.connect().await;
        let bytes = message("POST /echo", &peer, &body);
        let reply = connection.exchange("POST /echo", &bytes).await;
        assert_is_complete(&reply, "/echo", "q=2;w=60", true);
        if reply.closes() {
            connection.assert_closes().await;
            continue;
        }
        let reply = connection.ask("GET /limited", &other).await;
        assert_eq!((reply.status, reply.text()), (200, "limited"));
    }
}

#[actix_web::test]
async fn handshakes_of_web_sockets_are_counted_by_all_nodes() {
    let redis = Server::start();
    let servers = [0, 1].map(|_| serve(&redis, &Runs::default()));
    for (number, remaining) in [2, 1, 0].into_iter().enumerate() {
        let mut connection = servers[number % 2].connect().await;
        let reply = shake_hands(&mut connection, "192.0.2.1").await;
        assert_eq!((reply.status, reply.remaining()), (101, Some(remaining)));
        // A masked text of two letters, and the same without a mask.
        connection.send(&[0x81, 0x82, 0, 0, 0, 0, b'h', b'i']).await;
        assert_eq!(connection.take(4).await, [0x81, 2, b'h', b'i']);
    }
    for server in &servers {
        let mut connection = server.connect().await;
        let reply = shake_hands(&mut connection, "192.0.2.1").await;
        assert_is_complete(&reply, "/ws", "q=3;w=60", true);
        assert_eq!(reply.header("upgrade"), None);
    }
}

#[actix_web::test]
async fn requests_that_wait_on_one_connection_are_answered_in_their_order() {
    let redis = Server::start();
    let nodes = Node::pair(&redis, |config| config.enable_ip_banning(false));
    let mut connection = nodes[0].connect().await;
    let one = message("GET /public", &[(PEER, "192.0.2.1")], b"");
    connection.send(&one.repeat(8)).await;
    let mut seen = Vec::new();
    for _ in 0..8 {
        let reply = connection.reply("GET /public").await;
        seen.push((reply.status, reply.remaining().unwrap()));
    }
    assert_eq!(
        seen,
        [
            (200, 4),
            (200, 3),
            (200, 2),
            (200, 1),
            (200, 0),
            (429, 0),
            (429, 0),
            (429, 0)
        ]
    );
}

#[actix_web::test]
async fn clients_that_go_away_while_the_store_is_asked_disturb_nobody() {
    let redis = Server::start();
    let nodes = Node::pair(&redis, |config| config.rate_limit(50));
    in_turns(&nodes, "192.0.2.1", "GET /public", 2).await;
    redis.command(&["CLIENT", "PAUSE", "300", "ALL"]);
    for number in 0..20 {
        for request in ["GET /public", "GET /other"] {
            let peer = format!("198.51.100.{number}");
            let mut connection = nodes[0].connect().await;
            let bytes = message(request, &[(PEER, &peer)], b"");
            connection.send(&bytes).await;
        }
    }
    // Each gets the answer that is his.
    for (peer, request, left) in [
        ("192.0.2.1", "GET /public", 2),
        ("192.0.2.2", "GET /other", 49),
        ("192.0.2.1", "GET /public", 1),
    ] {
        let reply = nodes[0].ask(peer, request).await;
        assert_eq!((reply.status, reply.remaining()), (200, Some(left)));
    }
}
