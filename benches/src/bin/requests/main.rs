//! What the guard costs each request, against the same server without it:
//! `cargo run --release -p actix-web-guard-benches --bin requests`.
//!
//! Every server is a process of its own with one worker. Rounds go through all of them, so that a ratio compares neighbours in time, and
//! medians are told. With `valgrind` at hand the instructions of a fixed number of requests are counted as well: they repeat
//! within a per cent where requests per second wander by 15.

mod instructions;
mod load;
mod report;
mod server;
mod setup;

use std::{env, io, process::ExitCode};

use setup::Setup;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["serve", name] => serve(name),
        [] => report::print(5, &[]),
        [rounds, names @ ..] => measure(rounds, names),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("requests: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(rounds: &str, names: &[&str]) -> io::Result<()> {
    let usage = || io::Error::other("usage: requests [ROUNDS [SERVER...]]");
    report::print(rounds.parse().map_err(|_| usage())?, names)
}

fn serve(name: &str) -> io::Result<()> {
    let known = Setup::ALL.into_iter().find(|setup| setup.name() == name);
    server::run(known.ok_or_else(|| io::Error::other(format!("no set-up {name:?}")))?)
}
