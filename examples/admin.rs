//! A server with a page for its operators: `ADMIN_TOKEN=$(openssl rand -base64 24) cargo run --example admin`.
//!
//! The page is at `/guard/`; the password is the token, with any user name. `PORT` is the port (8080; 0 takes a free one), `GUARD_*`
//! variables override what is set here. Requests may claim any address (`curl -H 'X-Forwarded-For: 203.0.113.9' …`): so there is
//! something to see, and you can't lock yourself out.

use std::{
    env,
    error::Error,
    io::{self, IsTerminal as _, Write as _},
    net::Ipv4Addr,
    process::ExitCode,
};

use actix_web::{App, HttpServer, Responder, get, web};
use actix_web_guard::{Guard, SecurityConfig, admin, rate_limit};

#[get("/")]
async fn index() -> impl Responder {
    "Hello\n"
}

#[rate_limit(requests = 5, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public\n"
}

#[rate_limit(requests = 20, window = 60)]
#[get("/items/{id}")]
async fn item(id: web::Path<String>) -> impl Responder {
    format!("item {id}\n")
}

fn security_config() -> Result<SecurityConfig, Box<dyn Error>> {
    let config = SecurityConfig::builder().trusted_proxies(["loopback"]);
    Ok(config.env()?.build()?)
}

fn operators() -> Result<admin::Auth, Box<dyn Error>> {
    let token = env::var("ADMIN_TOKEN")
        .map_err(|_| "ADMIN_TOKEN: is not set; make one with: openssl rand -base64 24")?;
    Ok(admin::Auth::token(token)?)
}

fn port() -> Result<u16, Box<dyn Error>> {
    let Some(port) = env::var_os("PORT") else {
        return Ok(8080);
    };
    let number = port.to_str().and_then(|port| port.parse().ok());
    number.ok_or_else(|| format!("PORT: must be a number from 0 to 65535, not {port:?}").into())
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let (guard, operators) = (Guard::new(security_config()?), operators()?);
    let server = HttpServer::new(move || {
        App::new()
            .service(index)
            .service(public)
            .service(item)
            .service(admin::scope("/guard", operators.clone()))
            .wrap(guard.clone())
    })
    .bind((Ipv4Addr::LOCALHOST, port()?))?;
    for address in server.addrs() {
        // Where nobody reads, it serves all the same: `println!` would panic.
        writeln!(
            io::stdout(),
            "Listening on http://{address} (Ctrl-C stops); for operators: http://{address}/guard/\n\n\
             Somebody to look at:\n\n  \
             for i in $(seq 12); do curl -s -o /dev/null -w '%{{http_code}} ' -H 'X-Forwarded-For: 203.0.113.9' http://{address}/public; done\n"
        )
        .ok();
    }
    server.run().await?;
    Ok(())
}

#[actix_web::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none())
        .init();
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
