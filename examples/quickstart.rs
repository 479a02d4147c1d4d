//! A small server behind the guard, to try it with `curl`: `cargo run --example quickstart`.
//!
//! `PORT` is the port (8080; 0 takes a free one). The guard's settings come from the TOML file that `GUARD_CONFIG`
//! names, if it is set, and from `GUARD_*` variables, such as `GUARD_RATE_LIMIT=20`.

use std::{
    env,
    error::Error,
    io::{self, IsTerminal as _},
    net::Ipv4Addr,
    process::ExitCode,
};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, Responder, get, post, web};
use actix_web_guard::{Client, Guard, GuardHandle, SecurityConfig, rate_limit};

/// Has no limit of its own, so it counts in the global window, and so does every path that is not found.
#[get("/")]
async fn index(client: Client) -> impl Responder {
    format!("Hello, {client}\n")
}

#[rate_limit(requests = 5, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public\n"
}

#[rate_limit(requests = 10, window = 60)]
#[get("/search")]
async fn search() -> impl Responder {
    "found\n"
}

/// `/api/items/1` and `/api/items/2` are one route, with one window.
#[rate_limit(requests = 20, window = 60)]
#[get("/items/{id}")]
async fn item(id: web::Path<String>) -> impl Responder {
    format!("item {id}\n")
}

#[rate_limit(requests = 3, window = 60)]
#[post("/items")]
async fn create_item(body: web::Bytes) -> impl Responder {
    HttpResponse::Created().body(format!("created from {} bytes\n", body.len()))
}

/// In no window. A client that is banned is refused even here.
#[rate_limit(exempt)]
#[get("/health")]
async fn health() -> impl Responder {
    "ok\n"
}

/// A login is answered as always, but each failure is a strike: guessing ends in a ban.
#[post("/login")]
async fn login(request: HttpRequest, body: web::Bytes, guard: GuardHandle) -> impl Responder {
    if has_password(&body) {
        return HttpResponse::Ok().body("welcome\n");
    }
    guard.report_threat(&request, "failed login").await;
    HttpResponse::Unauthorized().body("wrong password\n")
}

/// Whether a form, JSON or plain text holds the password.
fn has_password(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let unescaped = text.replace('+', " ").replace("%20", " ");
    unescaped.contains("correct horse")
}

/// The defaults of this server, the file over them, and the environment over both.
fn security_config() -> Result<SecurityConfig, Box<dyn Error>> {
    let mut builder = SecurityConfig::builder()
        .rate_limit(50)
        .rate_limit_window(60)
        .auto_ban_threshold(5)
        .auto_ban_duration(300);
    if let Some(path) = env::var_os("GUARD_CONFIG") {
        builder = builder.file(path)?;
    }
    Ok(builder.env()?.build()?)
}

fn port() -> Result<u16, Box<dyn Error>> {
    let Some(port) = env::var_os("PORT") else {
        return Ok(8080);
    };
    let number = port.to_str().and_then(|port| port.parse().ok());
    number.ok_or_else(|| format!("PORT: must be a number from 0 to 65535, not {port:?}").into())
}

async fn serve(config: SecurityConfig, port: u16) -> io::Result<()> {
    // Made once, outside the closure, and cloned into every worker: they share its counters.
    let guard = Guard::new(config);
    let server = HttpServer::new(move || {
        App::new()
            .service(index)
            .service(public)
            .service(search)
            .service(web::scope("/api").service(item).service(create_item))
            .service(health)
            .service(login)
            .wrap(guard.clone())
    })
    .bind((Ipv4Addr::LOCALHOST, port))?;
    for address in server.addrs() {
        println!(
            "Listening on http://{address} (Ctrl-C stops)\n\n\
             Try a limit of 5 requests in 60 seconds, and what becomes of those who don't mind it:\n\n  \
             for i in $(seq 12); do curl -i http://{address}/public; done\n"
        );
    }
    server.run().await
}

#[actix_web::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
    let settings = security_config().and_then(|config| Ok((config, port()?)));
    let (config, port) = match settings {
        Ok(settings) => settings,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match serve(config, port).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("port {port}: {error}");
            ExitCode::FAILURE
        }
    }
}
