//! From a folder with a `redis.conf` to a process that answers.
//!
//! Must not know: what the server is for.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use redis::Value;

use crate::{
    admin,
    process::{NOT_FOUND, Process},
    settings::Mode,
    wait,
};

/// Somebody else listens on the port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortTaken;

const NOT_INSTALLED: &str =
    "redis-server is missing: run ./test, which installs it; or: apt-get install redis-server";

/// How Redis says that it could not bind, for clients or for the bus of a Cluster.
const CANNOT_LISTEN: &str = "Could not create server TCP listening socket";

const PING_TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) fn config_file(folder: &Path) -> PathBuf {
    folder.join("redis.conf")
}

pub(crate) fn log_file(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// Starts a server and waits until it answers, which it does when it has loaded its data.
pub(crate) fn launch(folder: &Path, mode: Mode) -> Result<Process, PortTaken> {
    let said_before = log(folder).len();
    let mut process = start(folder, mode);
    let started = wait::until(wait::PATIENCE, || match process.exit_status() {
        Some(status) => Some(Err(status)),
        None => answers(folder).then_some(Ok(())),
    });
    let said = || log(folder).split_off(said_before);
    match started {
        Some(Ok(())) => Ok(process),
        Some(Err(_)) if said().contains(CANNOT_LISTEN) => Err(PortTaken),
        Some(Err(status)) => panic!("{}", failure(status, &said())),
        None => panic!("redis-server doesn't answer:\n{}", said()),
    }
}

fn start(folder: &Path, mode: Mode) -> Process {
    let config = config_file(folder);
    let config = config
        .to_str()
        .expect("a temporary folder has a readable name");
    let mut command = vec!["redis-server", config];
    if mode == Mode::Sentinel {
        command.push("--sentinel");
    }
    let log = File::options()
        .create(true)
        .append(true)
        .open(log_file(folder));
    Process::start(folder, &command, log.expect("a log can be written"))
}

fn answers(folder: &Path) -> bool {
    let pong = Value::SimpleString("PONG".to_owned());
    admin::command(folder, &["PING"], PING_TIMEOUT) == Ok(pong)
}

/// What the server has said so far.
pub(crate) fn log(folder: &Path) -> String {
    let bytes = fs::read(log_file(folder)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn failure(status: ExitStatus, said: &str) -> String {
    if status.code() == Some(NOT_FOUND) {
        NOT_INSTALLED.to_owned()
    } else {
        format!("redis-server doesn't start ({status}):\n{said}")
    }
}
