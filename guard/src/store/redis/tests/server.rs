//! A server of the tests' own, which ends with them.

use std::{
    env,
    io::Write as _,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use redis::{Client, aio::MultiplexedConnection};
use tokio::runtime::{Builder, Handle};

/// Each test has a database to itself.
const DATABASES: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(20);
/// Ends the server when the pipe to this process is closed, however this process ended.
const RUN: &str = r#"redis-server "$@" >/dev/null & server=$!; cat >/dev/null; kill $server; wait $server; rm -rf "$0""#;

/// A running server without persistence.
pub(super) struct Server {
    directory: PathBuf,
    _shell: Child,
    _pipe: ChildStdin,
}

impl Server {
    pub(super) fn start() -> Self {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("guard-redis-{}-{number}", std::process::id());
        let directory = env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        let mut shell = Command::new("sh")
            .args(["-c", RUN])
            .arg(&directory)
            .args(["--port", "0", "--unixsocket"])
            .arg(directory.join("socket"))
            .args(["--save", "", "--appendonly", "no", "--databases"])
            .arg(DATABASES.to_string())
            .arg("--dir")
            .arg(&directory)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = shell.stdin.take().unwrap();
        pipe.flush().unwrap();
        let server = Self {
            directory,
            _shell: shell,
            _pipe: pipe,
        };
        server.wait();
        server
    }

    /// The address of one of its databases.
    pub(super) fn url(&self, database: usize) -> String {
        let socket = self.directory.join("socket");
        format!("redis+unix://{}?db={database}", socket.display())
    }

    /// A connection to one of its databases.
    pub(super) fn connect(&self, database: usize) -> MultiplexedConnection {
        let client = Client::open(self.url(database)).unwrap();
        RUNTIME
            .block_on(client.get_multiplexed_async_connection())
            .unwrap()
    }

    fn wait(&self) {
        let start = Instant::now();
        let client = Client::open(self.url(0)).unwrap();
        while let Err(error) = client.get_connection() {
            assert!(
                start.elapsed() < PATIENCE,
                "is redis-server in the PATH? {error}"
            );
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The server that all tests share.
static SHARED: LazyLock<Server> = LazyLock::new(Server::start);

/// Drives the connections of all tests: theirs come and go.
pub(super) static RUNTIME: LazyLock<Handle> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    handle
});

/// A connection to an empty database that nobody else uses.
pub(super) fn database() -> MultiplexedConnection {
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed) % DATABASES;
    let mut connection = SHARED.connect(number);
    let flush = redis::cmd("FLUSHDB");
    let flushed = flush.query_async(&mut connection);
    let () = RUNTIME.block_on(flushed).unwrap();
    connection
}
