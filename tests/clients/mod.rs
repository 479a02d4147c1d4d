//! Who is asking: proxies, lists of those that are exempt or denied, and keys other than the address.

mod exempt;
mod forwarded;
mod forwarding;
mod infrastructure;
mod keyed;
mod lists;
mod reloaded;
mod said;
mod undeclared;

use actix_web::{HttpRequest, HttpResponse, Responder, get, post, test::TestRequest};
use actix_web_guard::{Client, GuardHandle, rate_limit};

use crate::support::{Answer, peer, request};

/// Says whom the guard takes the client to be.
#[get("/ping")]
async fn ping(client: Client) -> impl Responder {
    client.to_string()
}

#[rate_limit(requests = 2, window = 60)]
#[get("/limited")]
async fn limited(client: Client) -> impl Responder {
    client.to_string()
}

#[get("/healthz")]
async fn healthz() -> impl Responder {
    "ok"
}

#[post("/login")]
async fn login(request: HttpRequest, guard: GuardHandle) -> HttpResponse {
    guard.report_threat(&request, "failed login").await;
    HttpResponse::Unauthorized().finish()
}

/// An application with these handlers.
macro_rules! app {
    ($config:expr) => {
        actix_web::test::init_service(
            actix_web::App::new()
                .service(crate::clients::ping)
                .service(crate::clients::limited)
                .service(crate::clients::healthz)
                .service(crate::clients::login)
                .wrap(actix_web_guard::Guard::new($config)),
        )
        .await
    };
}
pub(crate) use app;

/// A header line.
type Line<'a> = (&'a str, &'a str);

const XFF: &str = "X-Forwarded-For";

/// A GET request of a peer with header lines.
fn from(address: &str, path: &str, lines: &[Line<'_>]) -> TestRequest {
    with_lines(request("GET", path).peer_addr(peer(address)), lines)
}

fn with_lines(mut request: TestRequest, lines: &[Line<'_>]) -> TestRequest {
    for (name, value) in lines {
        request = request.append_header((*name, *value));
    }
    request
}

/// Requests that the client could still make, as the answer tells.
fn remaining(answer: &Answer) -> u32 {
    let state = answer.header("ratelimit").expect("the limit is told");
    let (_, rest) = state.split_once("r=").expect("what remains is told");
    let digits = rest.split(';').next().expect("a number");
    digits.parse().expect("a number")
}
