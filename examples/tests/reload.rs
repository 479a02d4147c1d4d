//! The quickstart reads its settings again while it runs: the real program, its real file and real signals.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::{
    env, fs,
    io::{self, BufRead as _, BufReader, Read, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

const RELOADED: &str = "configuration reloaded";
const KEPT: &str = "the configuration was not reloaded";

/// A quickstart with a file of its own.
struct Quickstart {
    process: Child,
    address: String,
    file: PathBuf,
    log: Receiver<String>,
}

impl Quickstart {
    fn start(name: &str, settings: &str, environment: &[(&str, &str)]) -> Self {
        let file = env::temp_dir().join(format!("quickstart-{name}-{}.toml", std::process::id()));
        fs::write(&file, settings).unwrap();
        let mut process = Command::new(executable())
            .env("PORT", "0")
            .env("GUARD_CONFIG", &file)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let greeting = lines(process.stdout.take().unwrap());
        let log = lines(process.stderr.take().unwrap());
        let address = greeting.recv_timeout(Duration::from_secs(30)).unwrap();
        let (_, address) = address.split_once("http://").unwrap();
        let address = address.split(' ').next().unwrap().to_owned();
        Self {
            process,
            address,
            file,
            log,
        }
    }

    /// As editors do it: another file takes the place of the old one.
    fn replace_file(&self, settings: &str) {
        let other = self.file.with_extension("new");
        fs::write(&other, settings).unwrap();
        fs::rename(&other, &self.file).unwrap();
    }

    fn hang_up(&self) {
        let pid = self.process.id().to_string();
        let status = Command::new("kill").args(["-HUP", &pid]).status().unwrap();
        assert!(status.success());
    }

    /// The next line of the log about the configuration, which is the one that is expected.
    #[track_caller]
    fn next_line(&self, expected: &str) -> String {
        let next = || self.log.recv_timeout(Duration::from_secs(30)).unwrap();
        let mut line = next();
        while !line.contains("configuration") {
            line = next();
        }
        assert!(line.contains(expected), "{expected}: {line}");
        line
    }

    /// The status line and the header fields of an answer. On a machine that stood still for longer than actix waits for a
    /// request, its connection is closed or told so, which says nothing about the guard: it is asked once more.
    #[track_caller]
    fn get(&self, path: &str) -> String {
        let mut failures = Vec::new();
        for _ in 0..5 {
            match self.ask(path) {
                Ok(answer) if !answer.starts_with("HTTP/1.1 408 ") => return answer,
                failure => failures.push(failure),
            }
        }
        let log: Vec<_> = self.log.try_iter().collect();
        panic!("no answer: {failures:?}, log: {log:#?}");
    }

    fn ask(&self, path: &str) -> io::Result<String> {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut connection = TcpStream::connect(&self.address)?;
        connection.write_all(request.as_bytes())?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer)?;
        Ok(answer)
    }

    #[track_caller]
    fn expect(&self, status: u16, policy: &str) {
        let answer = self.get("/");
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answer}"
        );
        assert!(
            answer.contains(&format!("ratelimit-policy: \"default\";{policy}\r\n")),
            "{answer}"
        );
    }
}

impl Drop for Quickstart {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        drop(fs::remove_file(&self.file));
    }
}

/// The program, built as `cargo run --example quickstart` builds it.
fn executable() -> PathBuf {
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--message-format", "json"])
        .args(["--package", env!("CARGO_PKG_NAME")])
        .args(["--example", "quickstart"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(build.status.success());
    let messages = String::from_utf8(build.stdout).unwrap();
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "quickstart")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    executable.unwrap()
}

/// Reads to the end, whether or not anybody takes the lines: a program must not find its output closed.
fn lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            sender.send(line).ok();
        }
    });
    receiver
}

fn settings(limits: &str) -> String {
    format!("enable_ip_banning = false\nauto_ban_duration = 20\n{limits}\n")
}

#[test]
fn a_changed_file_applies_to_windows_that_are_running_and_a_bad_one_changes_nothing() {
    let environment = [("GUARD_AUTO_BAN_DURATION", "77")];
    let server = Quickstart::start("file", &settings("rate_limit = 1000"), &environment);
    for _ in 0..4 {
        server.expect(200, "q=1000;w=60");
    }

    server.replace_file(&settings("rate_limit = 3"));
    let line = server.next_line(RELOADED);
    assert!(
        line.contains("from_environment=\"auto_ban_duration\""),
        "{line}"
    );
    server.expect(429, "q=3;w=60");

    // Of a file with one good and one bad line, neither is in force.
    server.replace_file(&settings("rate_limit = 900\nrate_limit_window = \"soon\""));
    let line = server.next_line(KEPT);
    assert!(line.contains(" WARN "), "{line}");
    assert!(line.contains("rate_limit_window: "), "{line}");
    assert!(line.contains("\"soon\""), "{line}");
    server.expect(429, "q=3;w=60");

    // The next line is about the next file: there was one warning, though the bad file was looked at again and again.
    server.replace_file(&settings("rate_limit = 2000"));
    server.next_line(RELOADED);
    server.expect(200, "q=2000;w=60");
}

#[test]
fn sighup_reads_the_file_though_nothing_has_changed() {
    let server = Quickstart::start("hangup", &settings("rate_limit = 1000"), &[]);
    server.hang_up();
    server.next_line(RELOADED);
    server.expect(200, "q=1000;w=60");

    fs::remove_file(&server.file).unwrap();
    server.hang_up();
    let line = server.next_line(KEPT);
    assert!(line.contains("cannot be read"), "{line}");
    server.expect(200, "q=1000;w=60");
}

#[test]
fn what_only_a_restart_can_change_is_refused_by_name() {
    let server = Quickstart::start("fixed", &settings("rate_limit = 1000"), &[]);
    server.replace_file(&settings("rate_limit = 3\nmax_bans = 7"));
    let line = server.next_line(KEPT);
    assert!(line.contains("max_bans"), "{line}");
    server.expect(200, "q=1000;w=60");
}
