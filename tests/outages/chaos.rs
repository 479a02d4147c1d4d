//! Constant load while all kinds of things befall Redis.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use actix_web::rt;
use actix_web_guard::SecurityConfigBuilder;
use redis_servers::Server;

use super::{
    pace::Stopwatch,
    site::{LIMIT, LONGEST, RECOVERY, Site},
};
use crate::server::{client::Connection, listen::PEER};

const CONNECTIONS: usize = 8;
const WORKERS: usize = 2;
/// Clients at a time: so many that each has more requests than it may, and strikes as well.
const CLIENTS: u32 = 12;
/// Load between two incidents.
const CALM: Duration = Duration::from_millis(400);

/// What is seen of one client.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    requests: usize,
    served: usize,
}

/// What the connections share.
#[derive(Default)]
struct Load {
    /// Clients are others in each phase.
    phase: Cell<u32>,
    /// The phase of which each connection has sent its last request.
    at: RefCell<[u32; CONNECTIONS]>,
    requests: Cell<usize>,
    seen: RefCell<HashMap<(u32, u32), Seen>>,
    is_over: Cell<bool>,
}

impl Load {
    async fn run(self: Rc<Self>, number: usize, mut connection: Connection) {
        let mut next = u32::try_from(number).unwrap();
        while !self.is_over.get() {
            let phase = self.phase.get();
            self.at.borrow_mut()[number] = phase;
            next = (next + 5) % CLIENTS;
            let client = format!("10.{}.{}.{next}", phase / 250, phase % 250);
            let asked = Stopwatch::start();
            let reply = connection.ask("GET /", &[(PEER, &client)]).await;
            let took = asked.elapsed();
            assert!(took <= LONGEST, "{took:?} in phase {phase}");
            assert!([200, 403, 429].contains(&reply.status), "{reply:?}");
            self.requests.set(self.requests.get() + 1);
            let mut seen = self.seen.borrow_mut();
            let seen = seen.entry((phase, next)).or_default();
            seen.requests += 1;
            seen.served += usize::from(reply.status == 200);
        }
    }

    /// Goes over to other clients, and waits until the last requests of those before are answered.
    async fn next_phase(&self) {
        let phase = self.phase.get() + 1;
        self.phase.set(phase);
        while self.at.borrow().iter().any(|at| *at < phase) {
            rt::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Load while all is well: the limit is exact.
    async fn calm(&self) {
        self.next_phase().await;
        let phase = self.phase.get();
        rt::time::sleep(CALM).await;
        self.next_phase().await;
        for client in 0..CLIENTS {
            let seen = self.seen.borrow().get(&(phase, client)).copied();
            let seen = seen.unwrap_or_default();
            let expected = seen.requests.min(LIMIT);
            assert_eq!(seen.served, expected, "{client} in phase {phase}: {seen:?}");
            assert!(seen.requests > LIMIT, "{client}: {seen:?}");
        }
    }
}

/// Something happens to the server, after which it is all right.
type Incident = fn(&Server);

fn suspend(server: &Server, millis: u64) {
    server.suspend();
    std::thread::sleep(Duration::from_millis(millis));
    server.resume();
}

const INCIDENTS: [(&str, Incident); 8] = [
    ("a long pause", |server| suspend(server, 900)),
    ("scripts are forgotten", |server| {
        server.command(&["SCRIPT", "FLUSH"]);
    }),
    ("killed", |server| {
        server.kill();
        std::thread::sleep(Duration::from_millis(300));
        server.restart();
    }),
    ("connections are closed", |server| {
        server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
    }),
    ("a pause that some notice", |server| suspend(server, 300)),
    ("a pause that nobody notices", |server| suspend(server, 100)),
    ("restarted", Server::restart),
    ("all is flushed", |server| {
        server.command(&["FLUSHALL"]);
    }),
];

#[actix_web::test]
async fn whatever_befalls_the_server_requests_are_answered_and_limits_hold_again() {
    let server = Arc::new(Server::start());
    let url = server.url();
    // Strikes without end would be bans, and a banned client is no load.
    let set = |config: SecurityConfigBuilder| config.store(url).auto_ban_threshold(20);
    let site = Site::start_with("guard:", set, WORKERS);
    let load = Rc::new(Load::default());
    let mut tasks = Vec::new();
    for number in 0..CONNECTIONS {
        let connection = site.listening.connect().await;
        tasks.push(rt::spawn(Rc::clone(&load).run(number, connection)));
    }
    load.calm().await;
    for (what, incident) in INCIDENTS {
        let of_thread = Arc::clone(&server);
        // Elsewhere: the load goes on.
        rt::task::spawn_blocking(move || incident(&of_thread))
            .await
            .unwrap();
        let over = Stopwatch::start();
        // A connection that has not noticed by now has a request under way.
        load.next_phase().await;
        while !site.is_available() {
            assert!(over.elapsed() < RECOVERY, "{what}");
            rt::time::sleep(Duration::from_millis(2)).await;
        }
        assert!(tasks.iter().all(|task| !task.is_finished()), "{what}");
        load.calm().await;
    }
    load.is_over.set(true);
    for task in tasks {
        task.await.unwrap();
    }
    assert!(load.requests.get() > 1000, "{}", load.requests.get());
}
