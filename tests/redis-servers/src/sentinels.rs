//! A master with a replica, and the sentinels that watch over them.
//!
//! Must not know: how a process is started.

use std::{collections::HashMap, fmt::Debug};

use redis::RedisResult;

use crate::{
    Builder, Server,
    settings::{Mode, quote},
    wait,
};

const MASTER_NAME: &str = "guarded";

const SENTINELS: usize = 3;
const QUORUM: usize = 2;

/// So long a server is silent before a sentinel takes it to be down. Not less: the first PING to a server that is new to a
/// sentinel, as the master is after each failover, goes out after up to a second, and until then the server counts as
/// silent. It would be down at once, and so on in turns.
const DOWN_AFTER_MILLIS: &str = "1500";
const FAILOVER_TIMEOUT_MILLIS: &str = "2000";

/// Sentinels talk to each other and ask about replicas more often than they are wont to, and don't stop their work (TILT)
/// because a busy machine let them wait. Redis 7 and later; before that, all just takes a few seconds more.
const HURRY: [&str; 12] = [
    "SENTINEL",
    "DEBUG",
    "INFO-PERIOD",
    "500",
    "PUBLISH-PERIOD",
    "300",
    // A replica whose answers are older than five of these is not promoted, and it is asked once a second.
    "PING-PERIOD",
    "400",
    "ASK-PERIOD",
    "200",
    "TILT-TRIGGER",
    "20000",
];

/// One master, one replica, and three sentinels of which two have to agree. Without a password, sentinels and servers let
/// everybody in.
#[derive(Debug)]
pub struct Sentinels {
    // Stand before the servers, to be dropped first: nobody shall fail over to a server that is about to end.
    sentinels: Vec<Server>,
    servers: Vec<Server>,
}

impl Sentinels {
    /// Starts them all, and returns when every sentinel knows everybody.
    #[must_use = "servers end when they are dropped"]
    pub fn start() -> Self {
        Self::start_servers(Server::builder(), None)
    }

    /// The master and its replica have a password; the sentinels have none.
    #[must_use = "servers end when they are dropped"]
    pub fn start_with_password(password: &str) -> Self {
        Self::start_servers(Server::builder().password(password), Some(password))
    }

    fn start_servers(builder: Builder, password: Option<&str>) -> Self {
        let master = builder.clone().start();
        let replica = builder.replica_of(&master).start();
        let sentinels = (0..SENTINELS)
            .map(|_| start_sentinel(master.port(), password))
            .collect();
        let started = Self {
            sentinels,
            servers: vec![master, replica],
        };
        started.wait_until_complete();
        started
    }

    /// Where the sentinels are.
    #[must_use]
    pub fn urls(&self) -> Vec<String> {
        self.sentinels.iter().map(Server::url).collect()
    }

    /// What the sentinels call the master, whoever it is.
    #[must_use]
    pub fn master_name(&self) -> &'static str {
        MASTER_NAME
    }

    /// The sentinels.
    #[must_use]
    pub fn sentinels(&self) -> &[Server] {
        &self.sentinels
    }

    /// The master and its replica, whichever is which by now.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The master, as the first sentinel that answers sees it.
    ///
    /// # Panics
    ///
    /// If no sentinel answers.
    #[must_use]
    pub fn master(&self) -> &Server {
        let sentinel = self.answering().next().expect("a sentinel is running");
        self.named_by(sentinel)
            .unwrap_or_else(|what| panic!("no master: {what}"))
    }

    /// The server that is not the master.
    ///
    /// # Panics
    ///
    /// If no sentinel answers.
    #[must_use]
    pub fn replica(&self) -> &Server {
        let master = self.master();
        let mut servers = self.servers.iter();
        servers
            .find(|server| server.port() != master.port())
            .expect("there are two servers")
    }

    /// Kills the master, and says which it was. The sentinels haven't noticed yet: [`wait_for_failover`](Self::wait_for_failover).
    pub fn kill_master(&self) -> &Server {
        let master = self.master();
        master.kill();
        master
    }

    /// Waits until all sentinels that run name the same master, and it is up and says so itself.
    ///
    /// # Panics
    ///
    /// If that doesn't come to be.
    pub fn wait_for_failover(&self) -> &Server {
        wait::until_ok(|| self.agreed_master())
    }

    /// Waits until every sentinel knows the others and a replica in sync: after a start, and when servers have come back.
    ///
    /// # Panics
    ///
    /// If that doesn't come to be.
    pub fn wait_until_complete(&self) {
        wait::until_ok(|| {
            let master = self.agreed_master()?;
            for sentinel in self.answering() {
                check_knowledge(sentinel)?;
            }
            let mut servers = self.servers.iter();
            servers
                .find(|server| server.port() != master.port())
                .map_or(Ok(()), Server::check_link)
        });
    }

    fn agreed_master(&self) -> Result<&Server, String> {
        let mut named = Vec::new();
        for sentinel in self.answering() {
            named.push(self.named_by(sentinel)?);
        }
        let Some(master) = named.pop() else {
            return Err("a sentinel that is up".to_owned());
        };
        if named.iter().any(|other| other.port() != master.port()) {
            return Err("the sentinels to agree".to_owned());
        }
        // One that is suspended would only be waited for.
        let role = master.is_up().then(|| master.try_info("role"));
        matches!(role, Some(Ok(Some(role))) if role == "master")
            .then_some(master)
            .ok_or_else(|| format!("{} to be a master", master.url()))
    }

    fn named_by(&self, sentinel: &Server) -> Result<&Server, String> {
        let question = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME];
        let answer: RedisResult<(String, u16)> = sentinel.query(&question);
        let (_, port) = answer.map_err(|error| format!("{}: {error}", sentinel.url()))?;
        let mut servers = self.servers.iter();
        servers
            .find(|server| server.port() == port)
            .ok_or_else(|| format!("a server on port {port}"))
    }

    fn answering(&self) -> impl Iterator<Item = &Server> {
        self.sentinels.iter().filter(|sentinel| sentinel.is_up())
    }
}

fn start_sentinel(port: u16, password: Option<&str>) -> Server {
    let setting = |name: &str, value: &str| format!("{name} {MASTER_NAME} {value}");
    let mut builder = Builder::of_mode(Mode::Sentinel)
        .config(
            "sentinel",
            setting("monitor", &format!("127.0.0.1 {port} {QUORUM}")),
        )
        .config(
            "sentinel",
            setting("down-after-milliseconds", DOWN_AFTER_MILLIS),
        )
        .config(
            "sentinel",
            setting("failover-timeout", FAILOVER_TIMEOUT_MILLIS),
        );
    if let Some(password) = password {
        builder = builder.config("sentinel", setting("auth-pass", &quote(password)));
    }
    let sentinel = builder.start();
    // Only about speed: see there.
    sentinel.try_command(&HURRY).ok();
    sentinel
}

/// Whether a sentinel knows the replica and the other sentinels.
fn check_knowledge(sentinel: &Server) -> Result<(), String> {
    let wrong = |what: &dyn Debug| format!("{} to know all: {what:?}", sentinel.url());
    let master: HashMap<String, String> = sentinel
        .query(&["SENTINEL", "MASTER", MASTER_NAME])
        .map_err(|error| wrong(&error))?;
    let replicas: Vec<HashMap<String, String>> = sentinel
        .query(&["SENTINEL", "REPLICAS", MASTER_NAME])
        .map_err(|error| wrong(&error))?;
    let is = |map: &HashMap<String, String>, name: &str, value: &str| {
        map.get(name).is_some_and(|found| found == value)
    };
    let complete = is(&master, "flags", "master")
        && is(&master, "num-other-sentinels", &(SENTINELS - 1).to_string())
        && replicas.len() == 1
        && is(&replicas[0], "flags", "slave")
        && is(&replicas[0], "master-link-status", "ok");
    complete
        .then_some(())
        .ok_or_else(|| wrong(&(master, replicas)))
}
