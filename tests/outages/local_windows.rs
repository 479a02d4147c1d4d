//! Local windows, shared bans: requests never ask Redis, so an outage is one of the bans only.

use actix_web_guard::RedisWindows;
use redis_servers::Server;
use tracing::Level;

use super::{
    faults::{Fault, Place},
    site::{RECOVERY, SLOW, Site, THRESHOLD, limited, until},
    wire::Wire,
};
use crate::{server::log::alone, support::seconds};

const ALICE: &str = "192.0.2.1";
const BOB: &str = "192.0.2.2";
const CAROL: &str = "192.0.2.3";

fn start(url: &str) -> Site {
    Site::start(url, |config| config.redis_windows(RedisWindows::Local))
}

async fn becomes(site: &Site, client: &str, status: u16) {
    until("the ban is told", RECOVERY, async || {
        let (reply, took) = site.timed(client, "/").await;
        assert!(took < SLOW, "{took:?}");
        reply.status == status
    })
    .await;
}

async fn is_cut_off(site: &Site) {
    until("the outage is noticed", seconds(2), async || {
        !site.is_available()
    })
    .await;
}

#[actix_web::test]
async fn without_a_server_at_the_start_limits_and_bans_are_this_sites() {
    let server = Server::start();
    server.kill();
    let [here, elsewhere] = [(); 2].map(|()| start(&server.url()));
    assert_eq!(here.statuses(ALICE, 6).await, limited());
    for _ in 0..=THRESHOLD {
        here.ask(BOB, "/.env").await;
    }
    assert_eq!(here.status(BOB).await, 403);
    assert_eq!(elsewhere.status(BOB).await, 200);
    assert!(!here.is_available());
    server.restart();
    tokio::join!(here.recovers(), elsewhere.recovers());
    becomes(&elsewhere, BOB, 403).await;
    assert_eq!(here.status(BOB).await, 403);
}

#[actix_web::test]
async fn what_was_decided_of_bans_on_both_sides_of_an_outage_holds_on_both_afterwards() {
    let server = Server::start();
    let wire = Wire::to(server.port());
    let (here, elsewhere) = (start(&wire.url()), start(&server.url()));
    tokio::join!(here.recovers(), elsewhere.recovers());
    for client in [ALICE, BOB] {
        let ban = elsewhere.handle.ban(client, seconds(300), "before");
        ban.await.unwrap();
        becomes(&here, client, 403).await;
    }
    wire.cut();
    is_cut_off(&here).await;
    assert!(here.handle.unban(ALICE).await.unwrap());
    assert!(elsewhere.handle.unban(BOB).await.unwrap());
    here.handle.ban(CAROL, seconds(300), "here").await.unwrap();
    for (client, here_is, elsewhere_is) in [(ALICE, 200, 403), (BOB, 403, 200), (CAROL, 403, 200)] {
        assert_eq!(here.status(client).await, here_is);
        assert_eq!(elsewhere.status(client).await, elsewhere_is);
    }
    wire.mend();
    for (client, status) in [(ALICE, 200), (BOB, 200), (CAROL, 403)] {
        becomes(&here, client, status).await;
        becomes(&elsewhere, client, status).await;
    }
    assert!(here.is_available());
}

#[test]
fn a_server_that_tells_but_does_not_write_is_an_outage_of_which_one_line_is_said() {
    alone(
        &a_server_that_tells_but_does_not_write_is_an_outage_of_which_one_line_is_said,
        async |log| {
            for fault in [Fault::ReadOnly, Fault::NoScripts, Fault::Paused] {
                let mut place = Place::new();
                let [here, elsewhere] = [(); 2].map(|()| start(&place.url()));
                tokio::join!(here.recovers(), elsewhere.recovers());
                let before = log.with(Level::WARN, &["not shared"]).len();
                place.befall(fault);
                here.handle.ban(ALICE, seconds(300), "here").await.unwrap();
                is_cut_off(&here).await;
                for number in 0..20 {
                    let client = format!("198.51.100.{number}");
                    here.handle.ban(client, seconds(300), "here").await.unwrap();
                }
                assert_eq!(elsewhere.status(ALICE).await, 200, "{fault:?}");
                place.put_right(fault);
                here.recovers().await;
                becomes(&elsewhere, ALICE, 403).await;
                let said = log.with(Level::WARN, &["not shared"]).len() - before;
                // As a replica it hangs up, and each of the two says so.
                assert!((1..=2).contains(&said), "{fault:?}: {:?}", log.lines());
            }
        },
    );
}
