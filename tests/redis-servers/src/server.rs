//! One Redis server.
//!
//! Must not know: Sentinel, Cluster.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use redis::{Connection, FromRedisValue, RedisResult, Value};
use tempfile::TempDir;

use crate::{
    Builder, admin,
    launch::{PortTaken, config_file, launch, log},
    ports,
    process::{Process, Signal},
    settings::{Settings, Tls},
    tls::Certificates,
    wait,
};

/// Nothing that a test asks takes so long, unless the server hangs.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// A real Redis server, which ends when this is dropped, or this process, however that ends.
///
/// It keeps its port over [`kill`](Self::kill), [`stop`](Self::stop) and [`restart`](Self::restart). Nothing is persisted, unless
/// [`Builder::config`] says otherwise.
#[derive(Debug)]
pub struct Server {
    // Stands before the folder, to be dropped first.
    process: Mutex<Option<Process>>,
    suspended: AtomicBool,
    port: u16,
    settings: Settings,
    certificates: Option<Certificates>,
    folder: TempDir,
}

impl Server {
    /// A server without password, whose default user may do everything.
    #[must_use = "a server ends when it is dropped"]
    pub fn start() -> Self {
        Self::builder().start()
    }

    /// Any other server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn start_with(settings: Settings) -> Self {
        let server = wait::until(wait::PATIENCE, || Self::try_start(&settings).ok())
            .expect("one of many ports is free");
        if server.settings.upstream.is_some() {
            wait::until_ok(|| server.check_link());
        }
        server
    }

    fn try_start(settings: &Settings) -> Result<Self, PortTaken> {
        let port = ports::free();
        let folder = tempfile::Builder::new()
            .prefix("redis-")
            .tempdir()
            .expect("a temporary folder can be made");
        let path = folder.path();
        let certificates = settings.tls.as_ref().map(|tls| match tls {
            Tls::Own => Certificates::create(path),
            Tls::Of(certificates) => certificates.copy(path),
        });
        let config = settings.render(path, port, certificates.as_ref());
        fs::write(config_file(path), config).expect("a configuration can be written");
        Ok(Self {
            process: Mutex::new(Some(launch(path, settings.mode)?)),
            suspended: AtomicBool::new(false),
            port,
            settings: settings.clone(),
            certificates,
            folder,
        })
    }

    /// `redis://` or `rediss://`, with the password of the default user if there is one.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.settings.password {
            Some(password) => self.url_as("", password),
            None => self.url_of(""),
        }
    }

    /// The URL for somebody else than the default user, or for a wrong password.
    #[must_use]
    pub fn url_as(&self, name: &str, password: &str) -> String {
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        let password = utf8_percent_encode(password, NON_ALPHANUMERIC);
        self.url_of(&format!("{name}:{password}@"))
    }

    fn url_of(&self, credentials: &str) -> String {
        let scheme = match self.certificates {
            Some(_) => "rediss",
            None => "redis",
        };
        format!("{scheme}://{credentials}127.0.0.1:{}", self.port)
    }

    /// The port, of 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn password(&self) -> Option<&str> {
        self.settings.password.as_deref()
    }

    pub(crate) fn certificates(&self) -> Option<&Certificates> {
        self.certificates.as_ref()
    }

    /// The certificate (PEM) of the authority that signed the server's.
    ///
    /// # Panics
    ///
    /// If this is no server with TLS.
    #[must_use]
    pub fn ca_path(&self) -> PathBuf {
        self.certificates()
            .expect("only a server with TLS has certificates")
            .authority()
    }

    /// The id of the server's process.
    ///
    /// # Panics
    ///
    /// If it isn't running.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.running(|process| process.pid())
    }

    /// A connection that may do everything, whatever is set for clients: it goes past the port, through a Unix socket. It is
    /// RESP2, and waits for answers without limit.
    ///
    /// # Panics
    ///
    /// If there is no connection to be had.
    #[must_use]
    pub fn connection(&self) -> Connection {
        admin::connect(self.folder.path(), COMMAND_TIMEOUT)
            .unwrap_or_else(|error| panic!("no connection to {}: {error}", self.url()))
    }

    /// Sends a command over a [`connection`](Self::connection) of its own.
    ///
    /// # Panics
    ///
    /// If the answer is an error, or there is none within 10 s.
    pub fn command(&self, arguments: &[&str]) -> Value {
        self.try_command(arguments).unwrap_or_else(|error| {
            let command = arguments.join(" ");
            panic!("{command:?} to {}: {error}", self.url())
        })
    }

    /// As [`command`](Self::command), where an error may be meant.
    ///
    /// # Errors
    ///
    /// What the server answered, or why it didn't within 10 s.
    pub fn try_command(&self, arguments: &[&str]) -> RedisResult<Value> {
        admin::command(self.folder.path(), arguments, COMMAND_TIMEOUT)
    }

    /// As [`try_command`](Self::try_command), with a value of the type that is wanted.
    pub(crate) fn query<T: FromRedisValue>(&self, arguments: &[&str]) -> RedisResult<T> {
        Ok(redis::from_redis_value(self.try_command(arguments)?)?)
    }

    /// One field of `INFO`, such as `role`; None if there is no such field.
    ///
    /// # Panics
    ///
    /// If the server doesn't answer.
    #[must_use]
    pub fn info(&self, field: &str) -> Option<String> {
        self.try_info(field)
            .unwrap_or_else(|error| panic!("INFO of {}: {error}", self.url()))
    }

    pub(crate) fn try_info(&self, field: &str) -> RedisResult<Option<String>> {
        let info: String = self.query(&["INFO", "everything"])?;
        let value = info
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| *name == field);
        Ok(value.map(|(_, value)| value.to_owned()))
    }

    /// Whether a replica is in sync with its master.
    pub(crate) fn check_link(&self) -> Result<(), String> {
        match self.try_info("master_link_status") {
            Ok(Some(status)) if status == "up" => Ok(()),
            other => Err(format!("{} in sync with its master: {other:?}", self.url())),
        }
    }

    /// The temporary folder of its files: `redis.conf`, `log`, and what Redis itself keeps there.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the server has said so far.
    #[must_use]
    pub fn log(&self) -> String {
        log(self.folder.path())
    }

    /// Kills it (SIGKILL), also a suspended one, and returns when it is dead.
    pub fn kill(&self) {
        if let Some(process) = self.process().take() {
            process.kill();
        }
        self.suspended.store(false, Ordering::SeqCst);
    }

    /// Has it shut down in good order (SIGTERM), and returns when it has ended.
    ///
    /// # Panics
    ///
    /// If it doesn't end.
    pub fn stop(&self) {
        if let Some(mut process) = self.process().take() {
            // A suspended one would not hear the signal.
            process.signal(Signal::Continue);
            process.signal(Signal::Terminate);
            wait::until(wait::PATIENCE, || process.exit_status())
                .unwrap_or_else(|| panic!("{} doesn't stop:\n{}", self.url(), self.log()));
        }
        self.suspended.store(false, Ordering::SeqCst);
    }

    /// Lets it hang (SIGSTOP): its connections stay open, and nothing is answered.
    ///
    /// # Panics
    ///
    /// If it isn't running.
    pub fn suspend(&self) {
        self.suspended.store(true, Ordering::SeqCst);
        let sent = self.running(|process| process.signal(Signal::Stop));
        assert!(sent, "{} isn't running", self.url());
    }

    /// Ends [`suspend`](Self::suspend) (SIGCONT).
    ///
    /// # Panics
    ///
    /// If it isn't running.
    pub fn resume(&self) {
        let sent = self.running(|process| process.signal(Signal::Continue));
        assert!(sent, "{} isn't running", self.url());
        self.suspended.store(false, Ordering::SeqCst);
    }

    /// Starts it once more on the same port, after it has been [stopped](Self::stop) if it runs; returns when it answers. Its
    /// configuration is as it was, with what Redis itself has written into it (as Sentinel does).
    ///
    /// # Panics
    ///
    /// If it doesn't start, or somebody else took the port.
    pub fn restart(&self) {
        self.stop();
        let started = wait::until(wait::PATIENCE, || {
            launch(self.folder.path(), self.settings.mode).ok()
        });
        let process = started.unwrap_or_else(|| panic!("somebody took port {}", self.port));
        *self.process() = Some(process);
    }

    /// Whether there is a process, be it a suspended one.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let mut process = self.process();
        let running = process.as_mut();
        running.is_some_and(|process| process.exit_status().is_none())
    }

    /// Whether it can answer: it runs and isn't suspended.
    pub(crate) fn is_up(&self) -> bool {
        !self.suspended.load(Ordering::SeqCst) && self.is_running()
    }

    fn running<T>(&self, act: impl FnOnce(&mut Process) -> T) -> T {
        let mut process = self.process();
        let process = process.as_mut();
        act(process.unwrap_or_else(|| panic!("{} isn't running", self.url())))
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        // A test that failed in another thread says nothing about the process.
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
