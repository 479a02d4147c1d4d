//! Against real servers.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redis_servers::{Cluster, Sentinels, Server};
use tokio::{task::JoinHandle, time::timeout};

use super::{super::connection::Servers, *};

/// How soon a change is told.
const SOON: Duration = Duration::from_secs(1);

/// Others need a while to agree.
const FAILOVER: Duration = Duration::from_secs(30);

const PREFIX: &str = "guard:banned_ips:";

/// A channel and the task that keeps it.
struct Watch {
    events: Events,
    task: JoinHandle<()>,
}

impl Watch {
    fn start(urls: &[String], sentinel_master: Option<&str>, cluster: bool) -> Self {
        let timeout = Duration::from_millis(250);
        let servers = Servers::parse(urls, sentinel_master, cluster, timeout).unwrap();
        let (queue, events) = channel();
        let task = tokio::spawn(watch(Arc::new(servers), PREFIX.to_owned(), queue));
        Self { events, task }
    }

    fn of(server: &Server) -> Self {
        Self::start(&[server.url()], None, false)
    }

    async fn next(&mut self, within: Duration) -> Event {
        let event = timeout(within, self.events.next()).await;
        event.expect("no event in time").expect("the watch ended")
    }

    async fn is_up(&mut self) {
        assert_eq!(self.next(SOON).await, Event::Up);
    }

    /// What happened to bans before that is passed over.
    async fn is_down(&mut self, within: Duration) {
        loop {
            match self.next(within).await {
                Event::Down(_) => return,
                Event::Up => panic!("it was up already"),
                Event::Invalidated(_) | Event::FlushedAll => {}
            }
        }
    }

    async fn is_up_again(&mut self, within: Duration) {
        let start = Instant::now();
        loop {
            match self.next(within).await {
                Event::Up => break,
                Event::Down(_) => panic!("it was down already"),
                Event::Invalidated(_) | Event::FlushedAll => {}
            }
        }
        assert!(start.elapsed() < within);
    }

    /// The next change is that of the ban of this client. Redis may tell one change twice.
    async fn tells(&mut self, client: &str) {
        let expected = Event::Invalidated(format!("{PREFIX}{client}").into_bytes().into());
        let start = Instant::now();
        while self.next(SOON).await != expected {
            assert!(start.elapsed() < SOON, "not told: {client}");
        }
    }

    /// Nothing more is on the way, once the change of another ban was told.
    async fn tells_nothing_but(&mut self, server: &Server, client: &str) {
        server.command(&["SET", &key(client), "ban"]);
        let expected = Event::Invalidated(key(client).into_bytes().into());
        assert_eq!(self.next(SOON).await, expected);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn key(client: &str) -> String {
    format!("{PREFIX}{client}")
}

#[actix_web::test]
async fn each_way_in_which_a_ban_changes_is_told() {
    let server = Server::start();
    let mut watch = Watch::of(&server);
    watch.is_up().await;
    for command in [
        &["SET", &key("1.1.1.1"), "ban"] as &[&str],
        &["PEXPIRE", &key("1.1.1.1"), "100000"],
        &["DEL", &key("1.1.1.1")],
        &["SET", &key("1.1.1.1"), "ban", "PX", "100000"],
        &["UNLINK", &key("1.1.1.1")],
        &[
            "EVAL",
            "return redis.call('SET', KEYS[1], 'ban')",
            "1",
            &key("1.1.1.1"),
        ],
    ] {
        server.command(command);
        watch.tells("1.1.1.1").await;
    }
    server.command(&["MSET", &key("2.2.2.2"), "ban", &key("3.3.3.3"), "ban"]);
    watch.tells("2.2.2.2").await;
    watch.tells("3.3.3.3").await;
    server.command(&["SET", "guard:strikes:1.1.1.1", "1"]);
    watch.tells_nothing_but(&server, "4.4.4.4").await;
}

#[actix_web::test]
async fn a_ban_that_expires_is_told() {
    let server = Server::start();
    let mut watch = Watch::of(&server);
    watch.is_up().await;
    server.command(&["SET", &key("1.1.1.1"), "ban", "PX", "100"]);
    watch.tells("1.1.1.1").await;
    watch.tells("1.1.1.1").await;
    assert_eq!(
        server.command(&["EXISTS", &key("1.1.1.1")]),
        ::redis::Value::Int(0)
    );
}

#[actix_web::test]
async fn a_flush_is_told() {
    let server = Server::start();
    let mut watch = Watch::of(&server);
    watch.is_up().await;
    for command in ["FLUSHALL", "FLUSHDB"] {
        server.command(&[command]);
        assert_eq!(watch.next(SOON).await, Event::FlushedAll);
    }
}

#[actix_web::test]
async fn after_a_restart_changes_are_told_again() {
    let server = Server::start();
    let mut watch = Watch::of(&server);
    watch.is_up().await;
    for _ in 0..2 {
        server.kill();
        watch.is_down(SOON).await;
        server.restart();
        watch.is_up_again(2 * SOON).await;
        server.command(&["SET", &key("1.1.1.1"), "ban"]);
        watch.tells("1.1.1.1").await;
    }
}

#[actix_web::test]
async fn a_server_that_comes_late_is_waited_for() {
    let server = Server::start();
    server.kill();
    let mut watch = Watch::of(&server);
    let failure = watch.next(SOON).await;
    assert!(
        matches!(failure, Event::Down(Failure::Refused(_))),
        "{failure:?}"
    );
    server.restart();
    watch.is_up_again(2 * SOON).await;
}

#[actix_web::test]
async fn a_connection_that_is_closed_is_noticed_at_once() {
    let server = Server::start();
    let mut watch = Watch::of(&server);
    watch.is_up().await;
    server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
    watch.is_down(SOON / 4).await;
    watch.is_up_again(SOON).await;
    server.command(&["SET", &key("1.1.1.1"), "ban"]);
    watch.tells("1.1.1.1").await;
}

#[actix_web::test]
async fn a_server_that_hangs_is_noticed() {
    let server = Server::start();
    let mut watch = Watch::of(&server);
    watch.is_up().await;
    server.suspend();
    watch.is_down(SOON + SOON / 4).await;
    server.resume();
    watch.is_up_again(2 * SOON).await;
    server.command(&["SET", &key("1.1.1.1"), "ban"]);
    watch.tells("1.1.1.1").await;
}

#[actix_web::test]
async fn a_user_who_may_not_track_is_told_so() {
    let server = Server::builder()
        .acl_user("guard", "secret", "~* +@all -client")
        .start();
    let mut watch = Watch::start(&[server.url_as("guard", "secret")], None, false);
    let failure = watch.next(SOON).await;
    assert!(
        matches!(failure, Event::Down(Failure::NotPermitted(_))),
        "{failure:?}"
    );
}

#[actix_web::test]
async fn a_watch_ends_with_those_who_listen() {
    let server = Server::start();
    let mut watch = Watch::of(&server);
    watch.is_up().await;
    let (_, nobody) = channel();
    watch.events = nobody;
    server.kill();
    let ended = timeout(SOON, &mut watch.task).await;
    ended.unwrap().unwrap();
}

#[actix_web::test]
async fn the_successor_of_a_master_is_followed() {
    let sentinels = Sentinels::start();
    let mut watch = Watch::start(&sentinels.urls(), Some(sentinels.master_name()), false);
    watch.is_up().await;
    sentinels.kill_master();
    watch.is_down(SOON).await;
    watch.is_up_again(FAILOVER).await;
    let successor = sentinels.wait_for_failover();
    successor.command(&["SET", &key("1.1.1.1"), "ban"]);
    watch.tells("1.1.1.1").await;
}

#[actix_web::test]
async fn a_master_that_steps_down_is_left() {
    let sentinels = Sentinels::start();
    let mut watch = Watch::start(&sentinels.urls(), Some(sentinels.master_name()), false);
    watch.is_up().await;
    sentinels.sentinels()[0].command(&["SENTINEL", "FAILOVER", sentinels.master_name()]);
    watch.is_down(FAILOVER).await;
    watch.is_up_again(FAILOVER).await;
    let successor = sentinels.wait_for_failover();
    successor.command(&["SET", &key("1.1.1.1"), "ban"]);
    watch.tells("1.1.1.1").await;
}

#[actix_web::test]
async fn all_masters_of_a_cluster_are_followed() {
    let cluster = Cluster::start();
    let mut watch = Watch::start(&cluster.urls()[..1], None, true);
    watch.is_up().await;
    let clients: Vec<String> = (0..20)
        .map(|number| format!("{{10.0.0.{number}}}"))
        .collect();
    for client in &clients {
        let key = key(client);
        cluster.master_of_key(&key).command(&["SET", &key, "ban"]);
        watch.tells(client).await;
    }

    let killed = cluster.kill_master_of(&key(&clients[0])).port();
    watch.is_down(SOON).await;
    watch.is_up_again(FAILOVER).await;
    let promoted = cluster.wait_for_promotion(&key(&clients[0]));
    assert_ne!(promoted.port(), killed);
    promoted.command(&["SET", &key(&clients[0]), "ban"]);
    watch.tells(&clients[0]).await;
}

#[actix_web::test]
async fn a_slot_that_moves_takes_its_bans_along() {
    let cluster = Cluster::start();
    let mut watch = Watch::start(&cluster.urls(), None, true);
    watch.is_up().await;
    let ban = key("{10.0.0.1}");
    let slot = cluster.key_slot(&ban);
    let from = cluster.master_of_slot(slot).port();
    let masters = cluster.masters();
    let to = *masters.iter().find(|master| master.port() != from).unwrap();
    cluster.move_slot(slot, to);
    to.command(&["SET", &ban, "ban"]);
    watch.tells("{10.0.0.1}").await;
}

#[actix_web::test]
async fn a_cluster_that_is_not_there_is_waited_for() {
    let server = Server::start();
    let mut watch = Watch::start(&[server.url()], None, true);
    let failure = watch.next(SOON).await;
    assert!(matches!(failure, Event::Down(_)), "{failure:?}");
}
