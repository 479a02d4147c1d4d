//! What a decision costs the Redis server: its CPU time for 100,000 clean requests, for our script and for one as it is
//! usually written.
//!
//! Starts a `redis-server` of its own, asks it over 32 connections, and takes turns between the scripts, for the speed
//! of a machine changes: trust the ratio, which is a median of each turn's, not the seconds. Each connection waits for
//! its answers before it asks again: for one answer, as connections of a worker that is not busy do, or for eight, as
//! those of a busy one. What the network costs the server is the same for every script: the fewer questions come
//! together, the nearer the ratio is to one.
//! `redis_script text` prints our script.

use std::{
    env,
    error::Error,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use actix_web_guard::benchmark;

const CONNECTIONS: usize = 32;
const DECISIONS: usize = 32_000;
const ROUNDS: usize = 15;
const REQUESTS: u32 = 50;
const WINDOW_MILLIS: u64 = 60_000;
/// Settings of the textbook script behind the member: threshold, strike life, ban length, ban.
const SETTINGS: [&str; 4] = ["5", "300000", "300000", r#"{"reason":"rate limit"}"#];

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let ours = benchmark::decision_script(REQUESTS, WINDOW_MILLIS);
    if env::args().nth(1).as_deref() == Some("text") {
        print!("{ours}");
        return Ok(());
    }
    let server = Server::start()?;
    let mut bench = Bench {
        control: server.connect()?,
        connections: (0..CONNECTIONS)
            .map(|_| server.connect())
            .collect::<Result<_, _>>()?,
        sent: 0,
    };
    let floor = bench.load("return 1")?;
    let textbook = bench.load(include_str!("redis_script_textbook.lua"))?;
    let ours = bench.load(&ours)?;
    println!("server CPU seconds for 100,000 decisions, medians of {ROUNDS}");
    println!(
        "{:>8} {:>18} {:>8} {:>10} {:>8} {:>8}",
        "together", "requests a client", "floor", "textbook", "ours", "ratio"
    );
    // What clients have behind them when they are asked about, on average half of it.
    let cases = [1, 8].map(|together| [1, 4, 16, 40].map(|most| (together, most)));
    for (together, most) in cases.into_iter().flatten() {
        let questions = [
            Question {
                digest: &floor,
                settings: false,
            },
            Question {
                digest: &textbook,
                settings: true,
            },
            Question {
                digest: &ours,
                settings: false,
            },
        ];
        let (mut floors, mut textbooks, mut costs, mut ratios) =
            <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
        for _ in 0..ROUNDS {
            let [floor, textbook, ours] = &questions;
            let mut cost = |question| bench.cost(question, DECISIONS / most, together);
            let (floor, textbook, ours) = (cost(floor)?, cost(textbook)?, cost(ours)?);
            floors.push(floor);
            textbooks.push(textbook);
            costs.push(ours);
            ratios.push(ours / textbook);
        }
        println!(
            "{together:>8} {most:>18} {:>8.3} {:>10.3} {:>8.3} {:>8.3}",
            median(floors),
            median(textbooks),
            median(costs),
            median(ratios)
        );
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A script, and whether it wants to be told its settings.
struct Question<'a> {
    digest: &'a str,
    settings: bool,
}

struct Bench {
    control: Connection,
    connections: Vec<Connection>,
    sent: usize,
}

impl Bench {
    fn load(&mut self, script: &str) -> Outcome<String> {
        self.control.ask(&["SCRIPT", "LOAD", script])
    }

    /// The server's CPU seconds for 100,000 questions about so many clients in turn, each of whom begins with nothing.
    fn cost(&mut self, question: &Question<'_>, clients: usize, together: usize) -> Outcome<f64> {
        self.control.ask(&["FLUSHALL"])?;
        let before = self.control.cpu_seconds()?;
        let mut asked = 0;
        while asked < DECISIONS {
            for connection in &mut self.connections {
                for _ in 0..together {
                    self.sent += 1;
                    connection.add(question, asked % clients, self.sent);
                    asked += 1;
                }
                connection.send()?;
            }
            for connection in &mut self.connections {
                for _ in 0..together {
                    connection.reply()?;
                }
            }
        }
        let cost = self.control.cpu_seconds()? - before;
        Ok(cost * 100_000.0 / f64::from(u32::try_from(asked)?))
    }
}

struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start() -> Outcome<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .spawn()?;
        Ok(Self { process, port })
    }

    fn connect(&self) -> io::Result<Connection> {
        let start = Instant::now();
        loop {
            match TcpStream::connect(("127.0.0.1", self.port)) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(Connection {
                        stream: BufReader::new(stream),
                        waiting: String::new(),
                    });
                }
                Err(error) if start.elapsed() > Duration::from_secs(10) => return Err(error),
                Err(_) => thread::sleep(Duration::from_millis(10)),
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Speaks as much of the protocol as is needed here.
struct Connection {
    stream: BufReader<TcpStream>,
    /// Commands that are not sent yet.
    waiting: String,
}

impl Connection {
    fn add_words(&mut self, words: &[&str]) {
        self.waiting.push_str(&format!("*{}\r\n", words.len()));
        for word in words {
            let bulk = format!("${}\r\n{word}\r\n", word.len());
            self.waiting.push_str(&bulk);
        }
    }

    fn add(&mut self, question: &Question<'_>, client: usize, number: usize) {
        let client = format!("203.0.{}.{}", client / 256, client % 256);
        let ban = format!("guard:banned_ips:{client}");
        let strikes = format!("guard:strikes:{client}");
        let log = format!("guard:rate_limit:rate:{client}");
        let (requests, window) = (REQUESTS.to_string(), WINDOW_MILLIS.to_string());
        let member = number.to_string();
        let mut words = vec!["EVALSHA", question.digest, "3", &ban, &strikes, &log];
        if question.settings {
            words.extend([requests.as_str(), &window, &member]);
            words.extend(SETTINGS);
        }
        self.add_words(&words);
    }

    fn send(&mut self) -> io::Result<()> {
        self.stream.get_mut().write_all(self.waiting.as_bytes())?;
        self.waiting.clear();
        Ok(())
    }

    /// A text as it is, a number in digits, and of a list its last element.
    fn reply(&mut self) -> Outcome<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let (kind, rest) = line.trim_end().split_at_checked(1).ok_or("no reply")?;
        match kind {
            "+" | ":" => Ok(rest.to_owned()),
            "$" => {
                let mut text = vec![0; rest.parse::<usize>()? + 2];
                self.stream.read_exact(&mut text)?;
                Ok(String::from_utf8(text)?.trim_end().to_owned())
            }
            "*" => {
                let mut last = String::new();
                for _ in 0..rest.parse::<usize>()? {
                    last = self.reply()?;
                }
                Ok(last)
            }
            _ => Err(line.into()),
        }
    }

    fn ask(&mut self, words: &[&str]) -> Outcome<String> {
        self.add_words(words);
        self.send()?;
        self.reply()
    }

    fn cpu_seconds(&mut self) -> Outcome<f64> {
        let info = self.ask(&["INFO", "cpu"])?;
        let fields = info.lines().filter_map(|line| line.split_once(':'));
        let own = fields.filter(|(name, _)| matches!(*name, "used_cpu_user" | "used_cpu_sys"));
        own.map(|(_, seconds)| Ok(seconds.trim().parse::<f64>()?))
            .sum()
    }
}
