//! The page, as people see it in a browser.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what does not hold in a test's helper fails the test"
)]

mod bans;
mod clients;
mod hostile;
mod live;
mod look;

use std::net::{SocketAddr, TcpListener};

use actix_web::{App, HttpResponse, Responder, get, web};
use actix_web_guard::{
    Guard, GuardHandle, SecurityConfig, SecurityConfigBuilder,
    admin::{self, Auth},
    rate_limit,
};

use super::TOKEN;
use crate::{
    browser::Browser,
    server::{
        client::{Lines, Reply},
        listen::{Listening, listen_at},
    },
    support::seconds,
};

#[rate_limit(requests = 3, window = 60)]
#[get("/public")]
async fn public() -> impl Responder {
    "public"
}

/// A server of a guard with a page, behind this machine as a proxy: the browser is no client, and tests make up theirs.
struct Site {
    guard: Guard,
    handle: GuardHandle,
    address: SocketAddr,
    token: &'static str,
    listening: Option<Listening>,
}

impl Site {
    fn start() -> Self {
        Self::start_with(|config| config)
    }

    /// The first violation bans.
    fn start_with(set: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder) -> Self {
        let config = SecurityConfig::builder()
            .trusted_proxies(["loopback"])
            .auto_ban_threshold(0);
        let guard = Guard::new(set(config).build().unwrap());
        let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = socket.local_addr().unwrap();
        let mut site = Self {
            handle: guard.handle(),
            guard,
            address,
            token: TOKEN,
            listening: None,
        };
        site.listen(socket);
        site
    }

    fn listen(&mut self, socket: TcpListener) {
        let guard = self.guard.clone();
        let operators = Auth::token(self.token).unwrap();
        self.listening = Some(listen_at(socket, move || {
            App::new()
                .service(admin::scope("/guard", operators.clone()))
                .service(public)
                .default_service(web::to(HttpResponse::Ok))
                .wrap(guard.clone())
        }));
    }

    /// Nobody listens any more when this returns.
    async fn stop(&mut self) {
        self.listening.take().unwrap().stop().await;
    }

    /// Listens again on the same port.
    fn restart(&mut self) {
        self.listen(TcpListener::bind(self.address).unwrap());
    }

    async fn ask(&self, client: &str, request: &str, lines: Lines<'_>) -> Reply {
        let lines = [&[("X-Forwarded-For", client)], lines].concat();
        self.listening.as_ref().unwrap().ask(request, &lines).await
    }

    async fn status(&self, client: &str) -> u16 {
        self.ask(client, "GET /public", &[]).await.status
    }

    async fn ban(&self, client: &str, reason: &str) {
        let banned = self.handle.ban(client, seconds(300), reason);
        banned.await.unwrap();
    }

    /// The page, with the password of an operator.
    fn url(&self) -> String {
        format!("http://operator:{}@{}/guard/", self.token, self.address)
    }

    /// A browser of an operator, with the page open and up to date.
    fn open(&self) -> Browser {
        self.open_on(1280, 900)
    }

    fn open_on(&self, width: u32, height: u32) -> Browser {
        let browser = Browser::start();
        browser.resize(width, height);
        browser.go(&self.url());
        browser.wait_for_text("#connection", "Live");
        browser
    }
}

/// Selects the row of a ban.
fn ban_of(client: &str) -> String {
    format!("#bans-table tr:has(a[href='#client={client}'])")
}

/// Waits until a client is not among the bans that are shown.
fn wait_for_no_ban_of(browser: &Browser, client: &str) {
    browser.wait_for(&format!("!document.querySelector(\"{}\")", ban_of(client)));
}
