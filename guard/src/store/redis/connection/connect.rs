//! One connection to one server: many calls at once, answered in the order in which they were sent.
//!
//! Must not know: what to do when it is lost, deadlines.

use std::{
    future::{Future as _, poll_fn},
    io,
    net::SocketAddr,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use ::redis::{
    AsyncConnectionConfig, Cmd, ProtocolVersion, PushInfo, RedisConnectionInfo, Value,
    aio::MultiplexedConnection,
    io::tcp::socket2::{SockRef, TcpKeepalive},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    task::JoinSet,
};

use super::{
    driver::{Driver, Work},
    failure::Failure,
    reply::Reply,
    servers::Server,
};

/// Calls that may wait for the task that writes them. A call that finds no place waits for one, within its deadline.
const QUEUE: usize = 1024;

/// Routers forget connections that are silent for longer than some minutes.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// What is called with each push. It is called from the task that reads the connection, and must not block.
pub(in super::super) type OnPush = Box<dyn Fn(PushInfo) + Send + Sync>;

/// A connection that is driven by the runtime it was made in. Dropping it closes it.
pub(in super::super) struct Connection {
    server: Server,
    multiplexed: MultiplexedConnection,
    driver: Driver,
    answers: AtomicU64,
}

impl Connection {
    /// Connects and authenticates. With pushes, the connection speaks RESP3.
    pub(in super::super) async fn open(
        server: &Server,
        on_push: Option<OnPush>,
    ) -> Result<Self, Failure> {
        let tcp = connect_tcp(&server.host, server.port).await?;
        tcp.set_nodelay(true)?;
        keep_alive(&tcp)?;
        let (multiplexed, work) = match &server.access.tls {
            None => set_up(server, on_push, tcp).await?,
            #[cfg(feature = "redis-tls")]
            Some(tls) => {
                let encrypted = tls.handshake(&server.host, tcp).await?;
                set_up(server, on_push, encrypted).await?
            }
            #[cfg(not(feature = "redis-tls"))]
            Some(tls) => match *tls {},
        };
        Ok(Self {
            server: server.clone(),
            multiplexed,
            driver: Driver::start(work),
            answers: AtomicU64::new(0),
        })
    }

    /// Where it leads.
    #[inline]
    pub(in super::super) fn server(&self) -> &Server {
        &self.server
    }

    /// Sends a command and waits for its reply, however long it takes.
    pub(super) async fn send(&self, command: &Cmd) -> Result<Value, Failure> {
        let mut multiplexed = self.multiplexed.clone();
        let mut reply = pin!(multiplexed.send_packed_command(command));
        let mut is_queued = false;
        let reply = poll_fn(|context| {
            let reply = reply.as_mut().poll(context);
            if !is_queued {
                is_queued = true;
                self.driver.queued();
            }
            reply
        });
        let reply = reply.await?;
        self.count_answer();
        Ok(reply)
    }

    /// The same, where only a value makes sense as a reply.
    pub(in super::super) async fn request(&self, command: &Cmd) -> Result<Value, Failure> {
        Reply::of(self.send(command).await?)?.value()
    }

    /// Sends a command for a key that this node of a Cluster is about to get, and waits for its reply.
    pub(super) async fn send_asking(&self, command: &Cmd) -> Result<Value, Failure> {
        let mut both = ::redis::pipe();
        both.cmd("ASKING").add_command(command.clone());
        let mut multiplexed = self.multiplexed.clone();
        let mut replies = multiplexed.send_packed_commands(&both, 0, 2).await?;
        self.count_answer();
        replies
            .pop()
            .ok_or_else(|| Failure::Protocol("no reply".into()))
    }

    /// It is lost, and every call that waits has been told.
    pub(super) fn is_over(&self) -> bool {
        self.driver.is_over()
    }

    /// A number that grows with the answers.
    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// Nobody needs the exact number, so that two at once may count as one.
    fn count_answer(&self) {
        let more = self.answers().wrapping_add(1).max(1);
        self.answers.store(more, Ordering::Relaxed);
    }
}

/// Tries all addresses of the host at once: one that swallows packets must not use up the time of the others.
async fn connect_tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let addresses: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await?.collect();
    if let [address] = *addresses {
        return TcpStream::connect(address).await;
    }
    let mut attempts: JoinSet<io::Result<TcpStream>> =
        addresses.into_iter().map(TcpStream::connect).collect();
    let mut last_error = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    while let Some(attempt) = attempts.join_next().await {
        match attempt.map_err(io::Error::other).flatten() {
            Ok(tcp) => return Ok(tcp),
            Err(error) => last_error = error,
        }
    }
    Err(last_error)
}

fn keep_alive(tcp: &TcpStream) -> io::Result<()> {
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_AFTER)
        .with_interval(KEEPALIVE_INTERVAL);
    SockRef::from(tcp).set_tcp_keepalive(&keepalive)
}

async fn set_up<S>(
    server: &Server,
    on_push: Option<OnPush>,
    stream: S,
) -> Result<(MultiplexedConnection, Work), Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let protocol = match &on_push {
        Some(_) => ProtocolVersion::RESP3,
        None => ProtocolVersion::RESP2,
    };
    // Deadlines are the caller's.
    let mut settings = AsyncConnectionConfig::new()
        .set_connection_timeout(None)
        .set_response_timeout(None)
        .set_pipeline_buffer_size(QUEUE);
    if let Some(on_push) = on_push {
        settings = settings.set_push_sender(move |push| {
            on_push(push);
            Ok::<_, ::redis::aio::SendError>(())
        });
    }
    let (multiplexed, work) =
        MultiplexedConnection::new_with_config(&introduction(server, protocol), stream, settings)
            .await?;
    Ok((multiplexed, Box::pin(work)))
}

/// What is said to the server first.
fn introduction(server: &Server, protocol: ProtocolVersion) -> RedisConnectionInfo {
    let access = &server.access;
    let mut info = RedisConnectionInfo::default()
        .set_db(access.database)
        .set_protocol(protocol)
        .set_lib_name(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    if let Some(user) = &access.user {
        info = info.set_username(user);
    }
    if let Some(password) = &access.password {
        info = info.set_password(password);
    }
    info
}
