//! What the guard costs each request, against the same server without it:
//! `cargo run --release -p actix-web-guard-benches --bin requests`.

mod server;
mod setup;

use std::process::ExitCode;

fn main() -> ExitCode {
    actix_web_guard_benches::run::<setup::Compared>("requests")
}
