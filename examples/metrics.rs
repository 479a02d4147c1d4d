//! A server whose guard is counted, and a page for Prometheus: `cargo run --example metrics`.
//!
//! `PORT` is the server's port (8080), `METRICS_PORT` that of the page (9000), which nobody outside should reach; 0 takes a free one.
//! `GUARD_*` variables set the guard, such as `GUARD_STORE=redis://127.0.0.1/`. `examples/grafana-dashboard.json` shows the numbers.

use std::{
    env,
    error::Error,
    io::{self, IsTerminal as _, Write as _},
    net::Ipv4Addr,
    time::Duration,
};

use actix_web::{App, HttpResponse, HttpServer, Responder, dev::Server, get, rt, web};
use actix_web_guard::{Guard, SecurityConfig, rate_limit};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// A call of Redis takes a fraction of a millisecond, and by default not more than 0.25 s.
const STORE_SECONDS: [f64; 9] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.025, 0.1, 0.25,
];

/// Numbers of histograms pile up until somebody reads them, or tidies up.
const BETWEEN_UPKEEPS: Duration = Duration::from_secs(5);

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

/// What Prometheus reads.
async fn page(numbers: web::Data<PrometheusHandle>) -> impl Responder {
    HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(numbers.render())
}

/// Before the server: what is counted while there is no recorder is counted by nobody.
fn record() -> Result<PrometheusHandle, Box<dyn Error>> {
    let store_seconds = Matcher::Full("guard_store_seconds".to_owned());
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(store_seconds, &STORE_SECONDS)?
        .build_recorder();
    let numbers = recorder.handle();
    metrics::set_global_recorder(recorder)?;
    Ok(numbers)
}

fn application(guard: Guard, port: u16) -> io::Result<Server> {
    let server = HttpServer::new(move || {
        App::new()
            .service(index)
            .service(public)
            .service(item)
            .wrap(guard.clone())
    })
    .bind((Ipv4Addr::LOCALHOST, port))?;
    for address in server.addrs() {
        // Where nobody reads, it serves all the same: `println!` would panic.
        writeln!(io::stdout(), "Listening on http://{address} (Ctrl-C stops)").ok();
    }
    Ok(server.run())
}

fn numbers_page(numbers: PrometheusHandle, port: u16) -> io::Result<Server> {
    let numbers = web::Data::new(numbers);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(numbers.clone())
            .route("/metrics", web::get().to(page))
    })
    .workers(1)
    .bind((Ipv4Addr::LOCALHOST, port))?;
    for address in server.addrs() {
        // Where nobody reads, it serves all the same: `println!` would panic.
        writeln!(
            io::stdout(),
            "Numbers for Prometheus on http://{address}/metrics"
        )
        .ok();
    }
    Ok(server.run())
}

async fn tidy_up(numbers: PrometheusHandle) {
    loop {
        rt::time::sleep(BETWEEN_UPKEEPS).await;
        numbers.run_upkeep();
    }
}

fn port(variable: &str, otherwise: u16) -> Result<u16, Box<dyn Error>> {
    let Some(port) = env::var_os(variable) else {
        return Ok(otherwise);
    };
    let number = port.to_str().and_then(|port| port.parse().ok());
    number
        .ok_or_else(|| format!("{variable}: must be a number from 0 to 65535, not {port:?}").into())
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none())
        .init();
    let numbers = record()?;
    let guard = Guard::new(SecurityConfig::from_environment()?);
    let application = application(guard, port("PORT", 8080)?)?;
    let page = numbers_page(numbers.clone(), port("METRICS_PORT", 9000)?)?;
    rt::spawn(tidy_up(numbers));
    rt::spawn(page);
    Ok(application.await?)
}
