//! The load: clients in turn over a few connections that are kept alive. Each connection sends its next request as soon as it has
//! its answer, whatever the others do, as those of users would.

use std::{
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token, net::TcpStream};

use crate::{Setup, serving::CLIENT};

const CONNECTIONS: usize = 32;
/// The first of the addresses that RFC 2544 sets aside for benchmarks.
const FIRST_CLIENT: u32 = 0xC612_0000;
/// No answer takes as long.
const PATIENCE: Duration = Duration::from_secs(60);
/// More than any response.
const LONGEST_RESPONSE: usize = 16 * 1024;

/// Connections to a server, and whose turn it is.
pub(crate) struct Load<S> {
    setup: S,
    poll: Poll,
    events: Events,
    connections: Vec<Connection>,
    next: u32,
}

/// How long the server was loaded, and how long each request waited for its answer.
pub(crate) struct Answered {
    pub(crate) length: Duration,
    pub(crate) waits: Vec<Duration>,
}

impl<S: Setup> Load<S> {
    /// Connects to a server on this machine.
    pub(crate) fn connect(setup: S, port: u16) -> io::Result<Self> {
        let poll = Poll::new()?;
        let connect = |number| {
            let mut stream = connect(port)?;
            let registry = poll.registry();
            registry.register(&mut stream, Token(number), Interest::READABLE)?;
            Ok(Connection::new(stream))
        };
        let connections = (0..CONNECTIONS)
            .map(connect)
            .collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            setup,
            poll,
            events: Events::with_capacity(CONNECTIONS),
            connections,
            next: 0,
        })
    }

    /// Lets every client pass often enough that its requests are answered as they will be from then on.
    pub(crate) fn warm_up(&mut self) -> io::Result<()> {
        let requests = self.setup.passes_until_steady() * self.setup.clients() as usize;
        self.exchange(|sent| sent < requests, |_, _| Ok(()))
    }

    /// Sends so many requests.
    pub(crate) fn send(&mut self, requests: usize) -> io::Result<()> {
        let setup = self.setup;
        self.exchange(
            |sent| sent < requests,
            |status, _| expect_status(setup, status),
        )
    }

    /// Sends requests for so long.
    pub(crate) fn send_for(&mut self, length: Duration) -> io::Result<Answered> {
        let setup = self.setup;
        let mut waits = Vec::new();
        let start = Instant::now();
        self.exchange(
            |_| start.elapsed() < length,
            |status, wait| {
                waits.push(wait);
                expect_status(setup, status)
            },
        )?;
        Ok(Answered {
            length: start.elapsed(),
            waits,
        })
    }

    /// Sends requests for as long as that goes on, by the number of those that were sent, and waits for all answers.
    fn exchange(
        &mut self,
        goes_on: impl Fn(usize) -> bool,
        mut answered: impl FnMut(u16, Duration) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut sent, mut open) = (0, 0);
        for connection in &mut self.connections {
            if goes_on(sent) {
                connection.send(self.setup, &mut self.next)?;
                sent += 1;
                open += 1;
            }
        }
        while open > 0 {
            self.poll.poll(&mut self.events, Some(PATIENCE))?;
            if self.events.is_empty() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            for event in &self.events {
                let Some(connection) = self.connections.get_mut(event.token().0) else {
                    continue;
                };
                let Some(status) = connection.receive()? else {
                    continue;
                };
                answered(status, connection.sent.elapsed())?;
                open -= 1;
                if goes_on(sent) {
                    connection.send(self.setup, &mut self.next)?;
                    sent += 1;
                    open += 1;
                }
            }
        }
        Ok(())
    }
}

fn connect(port: u16) -> io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = std::net::TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(TcpStream::from_std(stream))
}

fn expect_status(setup: impl Setup, status: u16) -> io::Result<()> {
    if status == setup.status() {
        return Ok(());
    }
    let name = setup.name();
    Err(io::Error::other(format!("{name} answered {status}")))
}

/// A connection with at most one request under way.
struct Connection {
    stream: TcpStream,
    /// When that request was sent.
    sent: Instant,
    request: Vec<u8>,
    buffer: Vec<u8>,
    received: usize,
}

impl Connection {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            sent: Instant::now(),
            request: Vec::new(),
            buffer: vec![0; LONGEST_RESPONSE],
            received: 0,
        }
    }

    /// Sends the request of that number, and counts on.
    fn send(&mut self, setup: impl Setup, number: &mut u32) -> io::Result<()> {
        self.request.clear();
        let client = Ipv4Addr::from_bits(FIRST_CLIENT + *number % setup.clients());
        let path = setup.path(*number);
        let lines = setup.header_lines(client);
        write!(
            self.request,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\n{CLIENT}: {client}\r\n{lines}\r\n"
        )?;
        *number = number.wrapping_add(1);
        self.sent = Instant::now();
        // There is room: nothing else is under way.
        self.stream.write_all(&self.request)
    }

    /// The status of the response, once all of it has come.
    fn receive(&mut self) -> io::Result<Option<u16>> {
        loop {
            let room = self.buffer.get_mut(self.received..).unwrap_or_default();
            match self.stream.read(room) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.received += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
            let received = self.buffer.get(..self.received).unwrap_or_default();
            if let Some(status) = complete(received) {
                self.received = 0;
                return Ok(Some(status));
            }
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
