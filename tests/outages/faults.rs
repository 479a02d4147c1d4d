//! What can be wrong with a Redis server, and how it is put right.

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use redis_servers::Server;

use super::impostor::{Impostor, Says};

const USER: &str = "guard";
const PASSWORD: &str = "the password";

const MICROSECONDS_PER_KEY: &str = "100000";

#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// Shut down in good order.
    Stopped,
    Killed,
    /// Its connections stay, and nothing is answered.
    Hanging,
    /// Whatever could write is put off.
    Paused,
    /// It has become a replica.
    ReadOnly,
    /// It is at its `maxmemory`.
    Full,
    Loading,
    /// A script of somebody else runs and runs.
    Busy,
    /// It has fewer replicas than it is to have.
    WithoutReplicas,
    /// It wants another password than before.
    OtherPassword,
    /// The user may not run scripts.
    NoScripts,
    /// The user may run scripts, but not all that is in them.
    NoSortedSets,
    /// Something else is at its address.
    Replaced(Says),
}

/// A server to which it can happen.
pub(super) struct Place {
    pub(super) server: Arc<Server>,
    impostor: Option<Impostor>,
    restarted: Option<JoinHandle<()>>,
    endless: Option<JoinHandle<()>>,
}

impl Place {
    pub(super) fn new() -> Self {
        let server = Server::builder()
            .acl_user(USER, PASSWORD, "~* &* +@all")
            // Of the data at the start: tests have none, but for the one that wants this.
            .config("key-load-delay", MICROSECONDS_PER_KEY)
            .config("loading-process-events-interval-bytes", "1024")
            .config("lua-time-limit", "20")
            .start();
        Self {
            server: Arc::new(server),
            impostor: None,
            restarted: None,
            endless: None,
        }
    }

    pub(super) fn url(&self) -> String {
        self.server.url_as(USER, PASSWORD)
    }

    pub(super) fn befall(&mut self, fault: Fault) {
        let server = &self.server;
        match fault {
            Fault::Stopped => server.stop(),
            Fault::Killed => server.kill(),
            Fault::Hanging => server.suspend(),
            Fault::Paused => command(server, "CLIENT PAUSE 60000 WRITE"),
            // Nobody is there to be replicated.
            Fault::ReadOnly => command(server, "REPLICAOF 127.0.0.1 1"),
            Fault::Full => command(server, "CONFIG SET maxmemory 1"),
            Fault::Loading => self.restarted = Some(load_slowly(server)),
            Fault::Busy => self.endless = Some(run_endlessly(server)),
            Fault::WithoutReplicas => command(server, "CONFIG SET min-replicas-to-write 1"),
            Fault::OtherPassword => {
                command(server, "ACL SETUSER guard resetpass >another");
                command(server, "CLIENT KILL USER guard");
            }
            Fault::NoScripts => command(server, "ACL SETUSER guard -eval -evalsha"),
            Fault::NoSortedSets => command(server, "ACL SETUSER guard -@sortedset"),
            Fault::Replaced(says) => {
                server.kill();
                self.impostor = Some(Impostor::at(server.port(), says));
            }
        }
    }

    pub(super) fn put_right(&mut self, fault: Fault) {
        let server = &self.server;
        match fault {
            Fault::Stopped | Fault::Killed => server.restart(),
            Fault::Hanging => server.resume(),
            Fault::Paused => command(server, "CLIENT UNPAUSE"),
            Fault::ReadOnly => command(server, "REPLICAOF NO ONE"),
            Fault::Full => command(server, "CONFIG SET maxmemory 0"),
            Fault::Loading => {
                command(server, "CONFIG SET key-load-delay 0");
                self.restarted.take().unwrap().join().unwrap();
            }
            Fault::Busy => {
                command(server, "SCRIPT KILL");
                self.endless.take().unwrap().join().unwrap();
            }
            Fault::WithoutReplicas => command(server, "CONFIG SET min-replicas-to-write 0"),
            Fault::OtherPassword => {
                server.command(&["ACL", "SETUSER", USER, &format!(">{PASSWORD}")]);
            }
            Fault::NoScripts => command(server, "ACL SETUSER guard +eval +evalsha"),
            Fault::NoSortedSets => command(server, "ACL SETUSER guard +@sortedset"),
            Fault::Replaced(_) => {
                self.impostor = None;
                server.restart();
            }
        }
    }
}

fn command(server: &Server, words: &str) {
    let words: Vec<&str> = words.split(' ').collect();
    server.command(&words);
}

/// Starts it with data that it takes long to read. Meanwhile it says so to whoever asks.
fn load_slowly(server: &Arc<Server>) -> JoinHandle<()> {
    for key in 0..100 {
        let value = "x".repeat(2000);
        server.command(&["SET", &format!("ballast:{key}"), &value]);
    }
    command(server, "SAVE");
    server.kill();
    let of_thread = Arc::clone(server);
    let restarted = thread::spawn(move || of_thread.restart());
    while !is_loading(server) {
        thread::sleep(Duration::from_millis(5));
    }
    restarted
}

/// Runs a script that does not end by itself, and waits until the server says so.
fn run_endlessly(server: &Arc<Server>) -> JoinHandle<()> {
    let of_thread = Arc::clone(server);
    let script = ["EVAL", "while true do end", "0"];
    let endless = thread::spawn(move || {
        of_thread.try_command(&script).unwrap_err();
    });
    while server.try_command(&["DBSIZE"]).is_ok() {
        thread::sleep(Duration::from_millis(5));
    }
    endless
}

fn is_loading(server: &Server) -> bool {
    // INFO is answered in any case, as soon as somebody listens.
    let info = server.try_command(&["INFO", "persistence"]);
    let info = info.and_then(|info| Ok(redis::from_redis_value::<String>(info)?));
    info.is_ok_and(|info| info.contains("loading:1"))
}
