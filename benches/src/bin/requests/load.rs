//! The load: clients in turn over a few connections that are kept alive.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpStream},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use super::{server::CLIENT, setup::Setup};

const CONNECTIONS: usize = 32;
/// The first of the addresses that RFC 2544 sets aside for benchmarks.
const FIRST_CLIENT: u32 = 0xC612_0000;

/// A server in a process of its own.
pub(crate) struct Server {
    child: Child,
    /// Its end is the server's.
    input: Option<ChildStdin>,
    _output: BufReader<ChildStdout>,
    port: u16,
}

/// What was measured of some requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) requests_per_second: f64,
    /// The server's processor time, in microseconds; `None` where the system doesn't tell.
    pub(crate) cpu_micros: Option<f64>,
}

impl Server {
    /// Starts a server; `under` is put before its command line.
    pub(crate) fn start(setup: Setup, under: &[String]) -> io::Result<Self> {
        let this = env::current_exe()?;
        let mut command = match under.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(this);
                command
            }
            None => Command::new(this),
        };
        command.args(["serve", &setup.name()]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut output = BufReader::new(output);
        let mut port = String::new();
        output.read_line(&mut port)?;
        let port = port.trim().parse().map_err(io::Error::other)?;
        Ok(Self {
            child,
            input,
            _output: output,
            port,
        })
    }

    pub(crate) fn connect(&self, setup: Setup) -> io::Result<Load> {
        let connect = || {
            let stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(Duration::from_secs(60)))?;
            Ok(stream)
        };
        let connections = (0..CONNECTIONS)
            .map(|_| connect())
            .collect::<io::Result<_>>()?;
        Ok(Load {
            setup,
            connections,
            next: 0,
            request: Vec::new(),
            buffer: vec![0; 16 * 1024],
        })
    }

    /// Measures for so long.
    pub(crate) fn measure(&self, load: &mut Load, length: Duration) -> io::Result<Measured> {
        let cpu = self.cpu();
        let start = Instant::now();
        let mut requests = 0;
        while start.elapsed() < length {
            requests += load.round()?;
        }
        let seconds = start.elapsed().as_secs_f64();
        let cpu = cpu.zip(self.cpu());
        Ok(Measured {
            requests_per_second: requests as f64 / seconds,
            cpu_micros: cpu.map(|(before, after)| (after - before) * 1e6 / requests as f64),
        })
    }

    /// Seconds of the processor that the server has used, from `/proc`.
    fn cpu(&self) -> Option<f64> {
        // In units of 10 ms on every Linux that is built as usual.
        const TICKS_PER_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: Option<f64> = ticks.map(|field| field.parse::<f64>().ok()).sum();
        Some(ticks? / TICKS_PER_SECOND)
    }

    /// Lets the server end, and waits for it.
    pub(crate) fn end(mut self) -> io::Result<()> {
        drop(self.input.take());
        self.child.wait()?;
        Ok(())
    }
}

/// Connections to a server, and whose turn it is.
pub(crate) struct Load {
    setup: Setup,
    connections: Vec<TcpStream>,
    next: u32,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Load {
    /// Sends at least so many requests.
    pub(crate) fn send(&mut self, requests: usize) -> io::Result<()> {
        let mut sent = 0;
        while sent < requests {
            sent += self.round()?;
        }
        Ok(())
    }

    /// Lets every client pass often enough that its requests are answered as they will be from then on.
    pub(crate) fn warm_up(&mut self) -> io::Result<()> {
        while self.next < 2 * self.setup.clients() {
            self.exchange(|_| true)?;
        }
        Ok(())
    }

    /// One request on each connection; how many those are.
    fn round(&mut self) -> io::Result<usize> {
        let expected = self.setup.status();
        self.exchange(|status| status == expected)?;
        Ok(CONNECTIONS)
    }

    fn exchange(&mut self, is_right: impl Fn(u16) -> bool) -> io::Result<()> {
        for connection in &mut self.connections {
            self.request.clear();
            write_request(&mut self.request, self.setup, self.next)?;
            connection.write_all(&self.request)?;
            self.next = self.next.wrapping_add(1);
        }
        for connection in &mut self.connections {
            let status = read_response(connection, &mut self.buffer)?;
            if !is_right(status) {
                return Err(io::Error::other(format!(
                    "{} answered {status}",
                    self.setup.name()
                )));
            }
        }
        Ok(())
    }
}

fn write_request(request: &mut Vec<u8>, setup: Setup, number: u32) -> io::Result<()> {
    let client = Ipv4Addr::from_bits(FIRST_CLIENT + number % setup.clients());
    match setup {
        // Another route each time, and an id that was never asked for before.
        Setup::Routes(count, _) => {
            write!(request, "GET /{}/{number} ", number as usize * 7 % count)
        }
        _ => write!(request, "GET / "),
    }?;
    write!(
        request,
        "HTTP/1.1\r\nHost: localhost\r\n{CLIENT}: {client}\r\n\r\n"
    )
}

/// Reads one response to its end; its status.
fn read_response(connection: &mut TcpStream, buffer: &mut [u8]) -> io::Result<u16> {
    let mut length = 0;
    loop {
        let room = buffer.get_mut(length..).unwrap_or_default();
        match connection.read(room)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => length += read,
        }
        let read = buffer.get(..length).unwrap_or_default();
        if let Some(status) = complete(read) {
            return Ok(status);
        }
    }
}

/// The status of a response, if all of it is there.
fn complete(read: &[u8]) -> Option<u16> {
    const LENGTH: &[u8] = b"content-length: ";
    let head = read.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let at = read
        .get(..head)?
        .windows(LENGTH.len())
        .position(|part| part == LENGTH);
    let digits = |from: usize| {
        let text = read.get(from..).unwrap_or_default();
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
        digits.fold(0, |number: usize, digit| {
            number * 10 + usize::from(digit - b'0')
        })
    };
    let body = at.map_or(0, |at| digits(at + LENGTH.len()));
    let status = u16::try_from(digits(b"HTTP/1.1 ".len())).ok()?;
    (read.len() >= head + body).then_some(status)
}
