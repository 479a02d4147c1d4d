//! A server behind a reverse proxy or a CDN: `cargo run --example behind_proxy`.
//!
//! It trusts a proxy on this machine and Cloudflare, exempts uptime monitors and its health check, and refuses one scraper by its
//! name. `PORT` is the port (8080; 0 takes a free one), and `GUARD_*` variables override what is set here: behind an nginx
//! elsewhere, for example, `GUARD_TRUSTED_PROXIES=10.0.0.5`.

use std::{
    env,
    error::Error,
    io::{self, IsTerminal as _, Write as _},
    net::Ipv4Addr,
};

use actix_web::{App, HttpServer, Responder, get};
use actix_web_guard::{Client, Guard, SecurityConfig, rate_limit};

/// Says whom the guard takes you to be: the first thing to look at behind a new proxy.
#[get("/")]
async fn index(client: Client) -> impl Responder {
    format!("Hello, {client}\n")
}

#[rate_limit(requests = 5, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public\n"
}

/// The load balancer asks every second; `exempt_paths` keeps that out of all counting, whoever asks.
#[get("/healthz")]
async fn health() -> impl Responder {
    "ok\n"
}

fn security_config() -> Result<SecurityConfig, Box<dyn Error>> {
    let config = SecurityConfig::builder()
        // Whoever is in this list chooses the address that is counted: name your proxies, and nobody else.
        .trusted_proxies(["loopback", "cloudflare"])
        // The preset would have chosen cf-connecting-ip, which a proxy of one's own in between passes on from anybody who finds it.
        // All proxies add to this header, so that it can be walked past each that is trusted.
        .client_ip_header("x-forwarded-for")
        .exempt_user_agents(["preset:uptime-monitors"])
        .exempt_paths(["/healthz"])
        .banned_user_agents(["BadScraper"])
        .env()?
        .build()?;
    Ok(config)
}

fn port() -> Result<u16, Box<dyn Error>> {
    match env::var("PORT") {
        Err(_) => Ok(8080),
        Ok(port) => port
            .parse()
            .map_err(|_| format!("PORT: must be a number from 0 to 65535, not {port:?}").into()),
    }
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none())
        .init();
    let guard = Guard::new(security_config()?);
    let server = HttpServer::new(move || {
        App::new()
            .service(index)
            .service(public)
            .service(health)
            .wrap(guard.clone())
    })
    .bind((Ipv4Addr::LOCALHOST, port()?))?;
    for address in server.addrs() {
        // Where nobody reads, it serves all the same: `println!` would panic.
        writeln!(io::stdout(), "Listening on http://{address} (Ctrl-C stops)").ok();
    }
    server.run().await?;
    Ok(())
}
