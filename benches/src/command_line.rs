//! The command line of a benchmark.

use std::{env, io, process::ExitCode};

use crate::{Setup, report};

/// The `main` of a benchmark of this name. Without arguments, or with `[ROUNDS [SERVER...]]`, it measures; with `serve NAME`
/// it is one of the servers.
pub fn run<S: Setup>(name: &str) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["serve", setup] => serve::<S>(setup, ""),
        ["serve", setup, backend] => serve::<S>(setup, backend),
        [] => report::print::<S>(5, &[]),
        [rounds, names @ ..] => measure::<S>(name, rounds, names),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure<S: Setup>(name: &str, rounds: &str, names: &[&str]) -> io::Result<()> {
    let usage = || io::Error::other(format!("usage: {name} [ROUNDS [SERVER...]]"));
    report::print::<S>(rounds.parse().map_err(|_| usage())?, names)
}

fn serve<S: Setup>(name: &str, backend: &str) -> io::Result<()> {
    let known = S::ALL.iter().find(|setup| setup.name() == name);
    let setup = known.ok_or_else(|| io::Error::other(format!("no set-up {name:?}")))?;
    setup.serve(backend)
}
