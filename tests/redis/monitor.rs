//! What clients send to a server, as the server itself tells it.

use redis_servers::Server;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

use crate::server::client::within;

/// A connection that has sent `MONITOR`.
pub(super) struct Monitor<'a> {
    server: &'a Server,
    lines: BufReader<TcpStream>,
    marks: usize,
}

impl<'a> Monitor<'a> {
    pub(super) async fn start(server: &'a Server) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.port())).await;
        let mut lines = BufReader::new(stream.unwrap());
        lines.write_all(b"MONITOR\r\n").await.unwrap();
        let mut monitor = Self {
            server,
            lines,
            marks: 0,
        };
        assert_eq!(monitor.line().await, "+OK");
        monitor
    }

    /// The names of the commands that have come since the last time. Without those of scripts and of the test itself, and without
    /// the `PING` of whoever listens for changes of bans.
    pub(super) async fn commands(&mut self) -> Vec<String> {
        self.marks += 1;
        let mark = format!("mark {}", self.marks);
        self.server.command(&["ECHO", &mark]);
        let mut commands = Vec::new();
        loop {
            let line = self.line().await;
            // +1700000000.123456 [0 127.0.0.1:40000] "EVALSHA" "…
            let (origin, command) = line.split_once("] ").unwrap();
            if command.contains(&mark) {
                return commands;
            }
            let name = command.split('"').nth(1).unwrap().to_ascii_uppercase();
            let of_the_test = origin.contains(" unix:");
            let of_a_script = origin.ends_with(" lua");
            if !of_the_test && !of_a_script && name != "PING" {
                commands.push(name);
            }
        }
    }

    async fn line(&mut self) -> String {
        let mut line = Vec::new();
        within(self.lines.read_until(b'\n', &mut line))
            .await
            .unwrap();
        String::from_utf8_lossy(&line).trim_end().to_owned()
    }
}
