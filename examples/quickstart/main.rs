//! A small server behind the guard, to try it with `curl`: `cargo run --example quickstart`.
//!
//! `PORT` is the port (8080; 0 takes a free one). The guard's settings come from the TOML file that `GUARD_CONFIG`
//! names, if it is set, and from `GUARD_*` variables, such as `GUARD_RATE_LIMIT=20`. When the file changes, and on SIGHUP, they
//! are read again.

mod changes;
mod reload;
mod routes;
mod settings;

use std::{
    env,
    error::Error,
    io::{self, IsTerminal as _, Write as _},
    net::Ipv4Addr,
    process::ExitCode,
};

use actix_web::{App, HttpServer};
use actix_web_guard::{Guard, SecurityConfig};

use changes::Changes;

fn port() -> Result<u16, Box<dyn Error>> {
    let Some(port) = env::var_os("PORT") else {
        return Ok(8080);
    };
    let number = port.to_str().and_then(|port| port.parse().ok());
    number.ok_or_else(|| format!("PORT: must be a number from 0 to 65535, not {port:?}").into())
}

async fn serve(config: SecurityConfig, port: u16, changes: Option<Changes>) -> io::Result<()> {
    // Made once, outside the closure, and cloned into every worker: they share its counters.
    let guard = Guard::new(config);
    let handle = guard.handle();
    let server = HttpServer::new(move || App::new().configure(routes::routes).wrap(guard.clone()))
        .bind((Ipv4Addr::LOCALHOST, port))?;
    reload::start(&handle, changes)?;
    for address in server.addrs() {
        // Where nobody reads (`quickstart | head -1`), it serves all the same: `println!` would panic.
        writeln!(
            io::stdout(),
            "Listening on http://{address} (Ctrl-C stops)\n\n\
             Try a limit of 5 requests in 60 seconds, and what becomes of those who don't mind it:\n\n  \
             for i in $(seq 12); do curl -i http://{address}/public; done\n"
        )
        .ok();
    }
    server.run().await
}

#[actix_web::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none())
        .init();
    // Looked at before it is read: what changes in between is read again.
    let changes = settings::file().map(Changes::from_now_on);
    let settings = settings::security_config().and_then(|config| Ok((config, port()?)));
    let (config, port) = match settings {
        Ok(settings) => settings,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match serve(config, port, changes).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("port {port}: {error}");
            ExitCode::FAILURE
        }
    }
}
