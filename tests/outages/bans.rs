//! What is decided of bans during an outage, here and elsewhere, and what holds afterwards.

use futures_util::StreamExt as _;
use redis_servers::Server;

use super::{
    site::{RECOVERY, Site, THRESHOLD, until},
    wire::Wire,
};
use crate::support::seconds;

const ALICE: &str = "192.0.2.1";
const BOB: &str = "192.0.2.2";
const CAROL: &str = "192.0.2.3";
const DAVE: &str = "192.0.2.4";

/// Two sites on one server, of which the first can be cut off.
struct Sites {
    server: Server,
    wire: Wire,
    here: Site,
    elsewhere: Site,
}

impl Sites {
    fn start() -> Self {
        let server = Server::start();
        let wire = Wire::to(server.port());
        let here = Site::start(&wire.url(), |config| config);
        let elsewhere = Site::start(&server.url(), |config| config);
        Self {
            server,
            wire,
            here,
            elsewhere,
        }
    }

    async fn cut(&self) {
        self.wire.cut();
        self.here.notices().await;
    }

    async fn mend(&self) {
        self.wire.mend();
        self.here.recovers().await;
    }

    fn value(&self, client: &str) -> Option<serde_json::Value> {
        let value = self.server.command(&["GET", &key(client)]);
        let text: Option<String> = redis::from_redis_value(value).unwrap();
        text.map(|text| serde_json::from_str(&text).unwrap())
    }
}

fn key(client: &str) -> String {
    format!("guard:banned_ips:{client}")
}

fn left_millis(server: &Server, client: &str) -> i64 {
    redis::from_redis_value(server.command(&["PTTL", &key(client)])).unwrap()
}

#[actix_web::test]
async fn bans_that_were_made_during_an_outage_are_in_force_everywhere_afterwards() {
    let sites = Sites::start();
    sites.cut().await;
    for _ in 0..=THRESHOLD {
        assert_eq!(sites.here.ask(ALICE, "/.env").await.status, 403);
    }
    let handle = &sites.here.handle;
    handle.ban(BOB, seconds(100), "by hand").await.unwrap();
    for client in [ALICE, BOB] {
        assert_eq!(sites.here.status(client).await, 403);
        assert_eq!(sites.elsewhere.status(client).await, 200);
        assert_eq!(sites.value(client), None);
    }
    sites.mend().await;
    for client in [ALICE, BOB] {
        assert_eq!(sites.elsewhere.status(client).await, 403);
        assert_eq!(sites.here.status(client).await, 403);
    }
    let (of_alice, of_bob) = (sites.value(ALICE).unwrap(), sites.value(BOB).unwrap());
    assert_eq!(of_alice["by"], "automatic");
    assert_eq!(of_alice["reason"], "threat: probe (dotfile)");
    assert_eq!(
        (of_bob["by"].as_str(), of_bob["reason"].as_str()),
        (Some("manual"), Some("by hand"))
    );
    // They end when they would have ended.
    assert!((290_000..=300_000).contains(&left_millis(&sites.server, ALICE)));
    assert!((90_000..=100_000).contains(&left_millis(&sites.server, BOB)));

    // They are no more this site's own than any others.
    for client in [ALICE, BOB] {
        assert!(sites.elsewhere.handle.unban(client).await.unwrap());
        until("the ban is lifted here", seconds(1), async || {
            sites.here.status(client).await == 200
        })
        .await;
    }
    sites.cut().await;
    assert_eq!(sites.here.status(ALICE).await, 200);
}

#[actix_web::test]
async fn a_ban_that_was_lifted_during_an_outage_is_lifted_everywhere() {
    let sites = Sites::start();
    for client in [ALICE, BOB, CAROL] {
        sites.here.remembers_ban(&sites.server, client).await;
    }
    sites.cut().await;
    let handle = &sites.here.handle;
    assert!(handle.unban(ALICE).await.unwrap());
    // Lifted, and then set again after all; and the reverse.
    assert!(handle.unban(BOB).await.unwrap());
    handle.ban(BOB, seconds(600), "again").await.unwrap();
    handle.ban(CAROL, seconds(600), "again").await.unwrap();
    assert!(handle.unban(CAROL).await.unwrap());
    for (client, here) in [(ALICE, 200), (BOB, 403), (CAROL, 200)] {
        assert_eq!(sites.here.status(client).await, here);
        assert_eq!(sites.elsewhere.status(client).await, 403);
    }
    sites.mend().await;
    for (client, status) in [(ALICE, 200), (BOB, 403), (CAROL, 200)] {
        assert_eq!(sites.here.status(client).await, status);
        until("the ban is lifted elsewhere", seconds(1), async || {
            sites.elsewhere.status(client).await == status
        })
        .await;
    }
    assert_eq!(sites.value(ALICE), None);
    assert_eq!(sites.value(BOB).unwrap()["reason"], "again");
    assert_eq!(sites.value(CAROL), None);
}

#[actix_web::test]
async fn a_ban_that_others_lifted_during_an_outage_is_not_in_force_here_afterwards() {
    let sites = Sites::start();
    for client in [ALICE, BOB, CAROL] {
        sites.here.remembers_ban(&sites.server, client).await;
    }
    sites.cut().await;
    assert!(sites.elsewhere.handle.unban(ALICE).await.unwrap());
    sites.server.command(&["DEL", &key(BOB)]);
    let handle = &sites.elsewhere.handle;
    handle.ban(DAVE, seconds(300), "by others").await.unwrap();
    // Nobody can know of it.
    for (client, status) in [(ALICE, 403), (BOB, 403), (CAROL, 403), (DAVE, 200)] {
        assert_eq!(sites.here.status(client).await, status);
    }
    sites.mend().await;
    for (client, status) in [(ALICE, 200), (BOB, 200), (CAROL, 403), (DAVE, 403)] {
        assert_eq!(sites.here.status(client).await, status, "{client}");
    }
}

#[actix_web::test]
async fn a_ban_of_an_outage_does_not_shorten_a_longer_one_that_others_set() {
    let sites = Sites::start();
    sites.cut().await;
    for _ in 0..=THRESHOLD {
        sites.here.ask(ALICE, "/.env").await;
    }
    let handle = &sites.elsewhere.handle;
    handle.ban(ALICE, seconds(3600), "longer").await.unwrap();
    sites.mend().await;
    assert_eq!(sites.value(ALICE).unwrap()["reason"], "longer");
    assert!(left_millis(&sites.server, ALICE) > 3_500_000);
    assert_eq!(sites.here.status(ALICE).await, 403);
}

#[actix_web::test]
async fn a_ban_that_was_shortened_during_an_outage_is_so_everywhere_afterwards() {
    let sites = Sites::start();
    for client in [ALICE, BOB, CAROL] {
        sites.here.remembers_ban(&sites.server, client).await;
    }
    sites.cut().await;
    let handle = &sites.here.handle;
    handle.ban(ALICE, seconds(60), "shorter").await.unwrap();
    // Lifted, and set again.
    assert!(handle.unban(BOB).await.unwrap());
    handle.ban(BOB, seconds(50), "shorter").await.unwrap();
    // One that is over before the outage is.
    handle.ban(CAROL, seconds(1), "shorter").await.unwrap();
    until("the ban ends", RECOVERY, async || {
        sites.here.status(CAROL).await == 200
    })
    .await;
    sites.mend().await;
    for (client, most) in [(ALICE, 60_000), (BOB, 50_000)] {
        assert_eq!(sites.value(client).unwrap()["reason"], "shorter");
        assert!(left_millis(&sites.server, client) <= most);
    }
    assert_eq!(sites.value(CAROL), None);
    assert_eq!(sites.here.status(CAROL).await, 200);
}

#[actix_web::test]
async fn a_foreign_value_in_place_of_a_ban_does_not_prolong_the_outage() {
    let sites = Sites::start();
    sites.cut().await;
    for client in [ALICE, BOB] {
        let ban = sites.here.handle.ban(client, seconds(100), "by hand");
        ban.await.unwrap();
    }
    sites.server.command(&["RPUSH", &key(ALICE), "foreign"]);
    sites.mend().await;
    assert_eq!(sites.here.status(ALICE).await, 403);
    assert_eq!(sites.value(BOB).unwrap()["reason"], "by hand");
}

#[actix_web::test]
async fn thousands_of_bans_do_not_delay_the_recovery() {
    let sites = Sites::start();
    sites.cut().await;
    let bans = 5000;
    for number in 0..bans {
        let client = format!("10.0.{}.{}", number / 250, number % 250);
        let ban = sites.here.handle.ban(client, seconds(300), "many");
        ban.await.unwrap();
    }
    sites.mend().await;
    let on_server: usize = redis::from_redis_value(sites.server.command(&["DBSIZE"])).unwrap();
    assert!(on_server >= bans, "{on_server}");
    let listed = sites.elsewhere.handle.bans().count().await;
    assert_eq!(listed, bans);
}

#[actix_web::test]
async fn bans_that_a_restarted_server_has_lost_are_not_in_force_any_more() {
    let sites = Sites::start();
    sites.here.remembers_ban(&sites.server, ALICE).await;
    sites.server.kill();
    sites.here.notices().await;
    assert_eq!(sites.here.status(ALICE).await, 403);
    sites.server.restart();
    sites.here.recovers().await;
    assert_eq!(sites.here.status(ALICE).await, 200);
}

#[actix_web::test]
async fn a_ban_that_ends_during_an_outage_has_ended() {
    let sites = Sites::start();
    sites.cut().await;
    let ban = sites.here.handle.ban(ALICE, seconds(1), "short");
    ban.await.unwrap();
    assert_eq!(sites.here.status(ALICE).await, 403);
    until("the ban ends", RECOVERY, async || {
        sites.here.status(ALICE).await == 200
    })
    .await;
    sites.mend().await;
    assert_eq!(sites.value(ALICE), None);
    assert_eq!(sites.here.status(ALICE).await, 200);
}
