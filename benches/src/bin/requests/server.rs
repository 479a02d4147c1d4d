//! The servers: one worker, a response of two bytes.

use std::{
    io::{self, Read as _, Write as _},
    net::{IpAddr, SocketAddr},
    process, thread,
};

use actix_web::{
    App, HttpServer,
    dev::{Service as _, ServiceRequest},
    web::{self, ServiceConfig},
};
use actix_web_guard::RouteLimit;

use super::setup::{Routes, Setup};

/// The header in which the load says who it plays.
pub(crate) const CLIENT: &str = "x-client";

macro_rules! listen {
    ($app:expr) => {{
        let server = HttpServer::new(move || {
            // Outermost, with and without the guard: one connection plays many clients.
            $app.wrap_fn(|mut request, next| {
                play(&mut request);
                next.call(request)
            })
        });
        let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0))?;
        let port = server.addrs().first().map_or(0, SocketAddr::port);
        writeln!(io::stdout(), "{port}")?;
        server.run().await
    }};
}

/// Serves until standard input ends. Says the port on standard output.
#[actix_web::main]
pub(crate) async fn run(setup: Setup) -> io::Result<()> {
    thread::spawn(end_with_standard_input);
    match setup {
        Setup::Bare | Setup::Routes(_, Routes::Bare) => {
            listen!(App::new().configure(|config| routes(config, setup)))
        }
        _ => {
            let guard = setup.guard().map_err(io::Error::other)?;
            listen!(
                App::new()
                    .configure(|config| routes(config, setup))
                    .wrap(guard.clone())
            )
        }
    }
}

fn routes(config: &mut ServiceConfig, setup: Setup) {
    let Setup::Routes(count, routes) = setup else {
        config.route("/", web::get().to(ok));
        return;
    };
    for number in 0..count {
        let resource = web::resource(format!("/{number}/{{id}}")).route(web::get().to(ok));
        match routes {
            Routes::Limited => config.service(resource.wrap(RouteLimit::new(100_000, 60))),
            Routes::Bare | Routes::Plain => config.service(resource),
        };
    }
}

async fn ok() -> &'static str {
    "ok"
}

/// Makes the request one of the client that it names.
fn play(request: &mut ServiceRequest) {
    let named = request.headers().get(CLIENT);
    let address = named.and_then(|value| value.to_str().ok()?.parse::<IpAddr>().ok());
    if let Some(address) = address {
        request.head_mut().peer_addr = Some(SocketAddr::new(address, 1));
    }
}

/// The process ends when whoever started it lets go of it, however that comes about.
fn end_with_standard_input() {
    io::stdin().read_to_end(&mut Vec::new()).ok();
    process::exit(0);
}
