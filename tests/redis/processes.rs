//! Nodes that are processes of their own: this test program once more, as a server.

use std::{
    io::{BufRead as _, BufReader, Lines, Read as _},
    net::SocketAddr,
    process::{Child, ChildStdout, Command, Stdio},
};

use actix_web::{App, HttpResponse, post, web};
use actix_web_guard::{Guard, GuardHandle, RedisWindows, rate_limit};
use redis_servers::Server;

use super::{app::routes, node::configured};
use crate::{
    server::{
        client::Connection,
        listen::{PEER, listen_on, peer_from_header},
    },
    support::seconds,
};

/// Says to the other process that it is one, and where Redis is.
const STORE: &str = "GUARD_TESTS_STORE";
const LISTENING: &str = "listening on ";

/// A process with local windows and shared bans. It ends when this is dropped, or the test's own process, however that ends.
pub(super) struct Process {
    child: Child,
    /// What it says at its end is of no interest, but somebody has to listen.
    output: Lines<BufReader<ChildStdout>>,
    address: SocketAddr,
}

impl Process {
    pub(super) fn start(server: &Server) -> Self {
        let name = std::any::type_name_of_val(&serves);
        let (_, name) = name.split_once("::").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--ignored", "--nocapture"])
            .env(STORE, server.url())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = output
            .find_map(|line| Some(line.unwrap().split_once(LISTENING)?.1.parse().unwrap()))
            .expect("the process says where it listens");
        Self {
            child,
            output,
            address,
        }
    }

    pub(super) async fn statuses(&self, peer: &str, request: &str, number: usize) -> Vec<u16> {
        let mut connection = Connection::open(self.address).await;
        let mut statuses = Vec::new();
        for _ in 0..number {
            let reply = connection.ask(request, &[(PEER, peer)]).await;
            statuses.push(reply.status);
        }
        statuses
    }

    pub(super) async fn status(&self, peer: &str, request: &str) -> u16 {
        self.statuses(peer, request, 1).await[0]
    }

    pub(super) async fn ban(&self, peer: &str, length: u64) {
        let request = format!("POST /admin/ban/{peer}/{length}");
        assert_eq!(self.status("198.51.100.99", &request).await, 200);
    }

    /// Whether there was a ban.
    pub(super) async fn unban(&self, peer: &str) -> bool {
        let request = format!("POST /admin/unban/{peer}");
        self.status("198.51.100.99", &request).await == 200
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.output.by_ref().for_each(drop);
        self.child.wait().ok();
    }
}

#[rate_limit(exempt)]
#[post("/admin/ban/{client}/{seconds}")]
async fn ban(guard: GuardHandle, path: web::Path<(String, u64)>) -> HttpResponse {
    let (client, length) = path.into_inner();
    guard.ban(client, seconds(length), "by hand").await.unwrap();
    HttpResponse::Ok().finish()
}

#[rate_limit(exempt)]
#[post("/admin/unban/{client}")]
async fn unban(guard: GuardHandle, client: web::Path<String>) -> HttpResponse {
    match guard.unban(client).await.unwrap() {
        true => HttpResponse::Ok().finish(),
        false => HttpResponse::NotFound().finish(),
    }
}

#[test]
#[ignore = "the server of other tests"]
fn serves() {
    let Ok(store) = std::env::var(STORE) else {
        return;
    };
    let config = configured(|config| {
        config
            .store(store.clone())
            .redis_windows(RedisWindows::Local)
            .rate_limit(5)
            .auto_ban_threshold(2)
            .auto_ban_duration(600)
    });
    let guard = Guard::new(config);
    let server = listen_on(2, move || {
        App::new()
            .service(ban)
            .service(unban)
            .configure(routes)
            .wrap(guard.clone())
            .wrap_fn(peer_from_header)
    });
    println!("{LISTENING}{}", server.address());
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}
