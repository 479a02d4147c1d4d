//! Limits after an outage: those of all sites together again, by themselves and soon.

use actix_web_guard::StoreFailurePolicy;
use futures_util::future::join_all;
use redis_servers::Server;

use super::site::{FAILURES, LIMIT, SLOW, Site, limited};

type Act = fn(&Server);

const CLIENT: &str = "192.0.2.1";

fn counted(server: &Server, client: &str) -> usize {
    let key = format!("guard:rate_limit:rate:{client}");
    redis::from_redis_value(server.command(&["ZCARD", &key])).unwrap()
}

/// Statuses of requests to two sites in turns.
async fn in_turns(sites: [&Site; 2], client: &str, requests: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for number in 0..requests {
        statuses.push(sites[number % 2].status(client).await);
    }
    statuses
}

#[actix_web::test]
async fn two_sites_share_the_limit_again_after_each_outage() {
    let server = Server::start();
    let [one, two] = [(); 2].map(|()| Site::start(&server.url(), |config| config));
    let outages: [(&str, Act, Act); 3] = [
        ("192.0.2.1", Server::kill, Server::restart),
        ("192.0.2.2", Server::suspend, Server::resume),
        ("192.0.2.3", Server::stop, Server::restart),
    ];
    for (client, begin, end) in outages {
        begin(&server);
        tokio::join!(one.notices(), two.notices());
        // Each counts for itself meanwhile.
        for site in [&one, &two] {
            assert_eq!(site.statuses(client, LIMIT + 1).await, limited());
        }
        end(&server);
        tokio::join!(one.recovers(), two.recovers());
        let again = client.replace("192.0.2", "198.51.100");
        let statuses = in_turns([&one, &two], &again, LIMIT + 1).await;
        assert_eq!(statuses, limited());
    }
}

#[actix_web::test]
async fn what_was_counted_before_an_outage_counts_after_it_and_once() {
    let server = Server::start();
    let site = Site::start(&server.url(), |config| config);
    assert_eq!(site.statuses(CLIENT, 3).await, [200; 3]);
    server.suspend();
    site.notices().await;
    // In this process there was none before.
    assert_eq!(site.statuses(CLIENT, 3).await, [200; 3]);
    server.resume();
    site.recovers().await;
    assert_eq!(counted(&server, CLIENT), 3);
    assert_eq!(site.statuses(CLIENT, 3).await, [200, 200, 429]);
    assert_eq!(counted(&server, CLIENT), LIMIT + 1);
}

#[actix_web::test]
async fn a_request_that_was_given_up_counts_once_at_most_when_the_server_wakes_up() {
    let server = Server::start();
    let site = Site::start(&server.url(), |config| config);
    assert_eq!(site.status(CLIENT).await, 200);
    server.suspend();
    assert_eq!(site.statuses(CLIENT, 4).await, [200; 4]);
    assert!(!site.is_available());
    server.resume();
    site.recovers().await;
    let before = counted(&server, CLIENT);
    // The one that was sent before anybody knew, and not those that came later.
    assert!((1..=2).contains(&before), "{before}");
    site.status(CLIENT).await;
    assert_eq!(counted(&server, CLIENT), before + 1);
}

#[actix_web::test]
async fn of_many_requests_at_once_all_wait_at_the_same_time() {
    let server = Server::start();
    let site = Site::start(&server.url(), |config| {
        config.on_store_failure(StoreFailurePolicy::Open)
    });
    assert_eq!(site.status(CLIENT).await, 200);
    server.suspend();
    let replies = join_all((0..50).map(|_| site.timed(CLIENT, "/"))).await;
    assert!(replies.iter().all(|(reply, _)| reply.status == 200));
    let (_, took) = site.timed(CLIENT, "/").await;
    assert!(took < SLOW, "{took:?}");
}

#[actix_web::test]
async fn outages_too_short_to_be_noticed_by_all_leave_nothing_behind() {
    let server = Server::start();
    let site = Site::start_with("guard:", |config| config.store(server.url()), 2);
    for round in 0..3 {
        assert_eq!(site.status("192.0.2.250").await, 200);
        server.suspend();
        let clients = (0..20).map(|number| format!("192.0.2.{}", round * 50 + number));
        let clients: Vec<_> = clients.collect();
        join_all(clients.iter().map(|client| site.status(client))).await;
        server.resume();
        site.recovers().await;
        let client = format!("198.51.100.{round}");
        assert_eq!(site.statuses(&client, LIMIT + 1).await, limited());
        assert_eq!(counted(&server, &client), LIMIT + 1);
    }
}

#[actix_web::test]
async fn lost_connections_cost_a_request_and_forgotten_scripts_none() {
    let server = Server::start();
    let site = Site::start(&server.url(), |config| config);
    for round in 0..3 {
        let client = format!("192.0.2.{round}");
        assert_eq!(site.statuses(&client, 2).await, [200; 2]);
        server.command(&["SCRIPT", "FLUSH"]);
        assert_eq!(site.status(&client).await, 200);
        server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
        // The first one may find the connection that is closed.
        assert_eq!(site.status("192.0.2.250").await, 200);
        assert_eq!(site.statuses(&client, 3).await, [200, 200, 429]);
        assert!(site.is_available());
    }
}

#[actix_web::test]
async fn a_server_that_answers_now_and_then_is_asked_as_long_as_it_does() {
    let server = Server::start();
    let site = Site::start(&server.url(), |config| config.rate_limit(1000));
    for _ in 0..4 {
        assert_eq!(site.status(CLIENT).await, 200);
        // One failure less than it takes.
        for _ in 1..FAILURES {
            server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
            site.status(CLIENT).await;
        }
        assert!(site.is_available());
    }
}
