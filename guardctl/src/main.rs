//! `guardctl`: operates actix-web-guard from a terminal. See the README's section of that name.

#![forbid(unsafe_code)]

mod access_log;
mod arguments;
mod bans;
mod calendar;
mod check;
mod configuration;
mod failure;
mod input;
mod output;
mod replay;
mod report;

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use clap::Parser as _;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Bans(arguments) => bans::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Whoever cannot be told still gets the exit code: `eprintln!` would panic.
            writeln!(io::stderr(), "{failure}").ok();
            failure.exit_code()
        }
    }
}
