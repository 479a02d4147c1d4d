//! What becomes of servers when their process comes to a bad end, or never could have had any.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::TcpStream,
    os::unix::fs::symlink,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use redis_servers::Server;

/// Tells a test that it is the process to experiment with.
const SUBJECT: &str = "REDIS_SERVERS_SUBJECT";

/// Before what the subject has to say, among what its test harness says.
const SAYS: &str = "subject: ";

fn is_subject() -> bool {
    env::var_os(SUBJECT).is_some()
}

/// Runs a test of this file in a process of its own.
fn subject(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(SUBJECT, "1")
        .stdin(Stdio::null());
    command
}

fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts two servers, one of them suspended, and waits to be killed.
fn hold_servers() {
    let (one, suspended) = (Server::start(), Server::start());
    suspended.suspend();
    for server in [&one, &suspended] {
        println!("{SAYS}{} {}", server.port(), server.folder().display());
    }
    loop {
        thread::park();
    }
}

#[test]
fn servers_end_with_a_process_that_is_killed() {
    if is_subject() {
        hold_servers();
    }
    let mut holder = subject("servers_end_with_a_process_that_is_killed")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let servers: Vec<(u16, PathBuf)> = BufReader::new(holder.stdout.take().unwrap())
        .lines()
        .filter_map(|line| {
            let line = line.unwrap();
            let (port, folder) = line.split_once(SAYS)?.1.split_once(' ')?;
            Some((port.parse().unwrap(), folder.into()))
        })
        .take(2)
        .collect();
    let connects = |port: u16| TcpStream::connect(("127.0.0.1", port)).is_ok();
    for (port, folder) in &servers {
        assert!(connects(*port) && folder.exists());
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
    for (port, folder) in servers {
        eventually("the server ends", || !connects(port));
        eventually("the folder is removed", || !folder.exists());
    }
}

#[test]
fn servers_and_their_folders_end_when_they_are_dropped() {
    let server = Server::start();
    let (port, folder) = (server.port(), server.folder().to_owned());
    assert!(folder.exists());
    drop(server);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(!folder.exists());
}

#[test]
fn a_missing_redis_server_is_a_panic_that_says_how_to_install_it() {
    if is_subject() {
        drop(Server::start());
        return;
    }
    let path = tempfile::tempdir().unwrap();
    let shell = fs::canonicalize("/bin/sh").unwrap();
    symlink(shell, path.path().join("sh")).unwrap();
    let output = subject("a_missing_redis_server_is_a_panic_that_says_how_to_install_it")
        .env("PATH", path.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("apt-get install redis-server"), "{said}");
}
