//! A server that listens, for as long as a test holds it.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use actix_web::{
    App, Error, HttpServer,
    body::MessageBody,
    dev::{ServerHandle, Service, ServiceFactory, ServiceRequest, ServiceResponse},
    rt::System,
};

use super::client::{Connection, Lines, Reply};

/// Names the peer that the guard shall see: see [`peer_from_header`].
pub(crate) const PEER: &str = "x-peer";

/// A running server; it stops when this is dropped.
pub(crate) struct Listening {
    address: SocketAddr,
    handle: ServerHandle,
}

impl Listening {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::open(self.address).await
    }

    /// Asks on a connection of its own.
    pub(crate) async fn ask(&self, request: &str, headers: Lines<'_>) -> Reply {
        self.connect().await.ask(request, headers).await
    }

    /// The statuses of requests, each on a connection of its own.
    pub(crate) async fn statuses(&self, requests: &[&str]) -> Vec<u16> {
        let mut statuses = Vec::new();
        for request in requests {
            statuses.push(self.ask(request, &[]).await.status);
        }
        statuses
    }

    /// Nobody listens any more when this returns.
    pub(crate) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // The command is sent at once; nobody needs to wait for its end.
        drop(self.handle.stop(false));
    }
}

/// Serves on one worker, so that requests are handled one after another.
pub(crate) fn listen<F, A, B>(factory: F) -> Listening
where
    F: Fn() -> App<A> + Send + Clone + 'static,
    A: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<B>,
            Error = Error,
            InitError = (),
        > + 'static,
    A::Future: 'static,
    B: MessageBody + 'static,
{
    listen_on(1, factory)
}

/// Serves on several workers.
pub(crate) fn listen_on<F, A, B>(workers: usize, factory: F) -> Listening
where
    F: Fn() -> App<A> + Send + Clone + 'static,
    A: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<B>,
            Error = Error,
            InitError = (),
        > + 'static,
    A::Future: 'static,
    B: MessageBody + 'static,
{
    let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    serve(workers, socket, factory)
}

/// Serves on one worker, where the test listens already.
pub(crate) fn listen_at<F, A, B>(socket: TcpListener, factory: F) -> Listening
where
    F: Fn() -> App<A> + Send + Clone + 'static,
    A: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<B>,
            Error = Error,
            InitError = (),
        > + 'static,
    A::Future: 'static,
    B: MessageBody + 'static,
{
    serve(1, socket, factory)
}

fn serve<F, A, B>(workers: usize, socket: TcpListener, factory: F) -> Listening
where
    F: Fn() -> App<A> + Send + Clone + 'static,
    A: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<B>,
            Error = Error,
            InitError = (),
        > + 'static,
    A::Future: 'static,
    B: MessageBody + 'static,
{
    let (started, start) = mpsc::channel();
    thread::spawn(move || {
        System::new().block_on(async move {
            let server = HttpServer::new(factory)
                .workers(workers)
                .disable_signals()
                .listen(socket)
                .unwrap();
            let address = server.addrs()[0];
            let server = server.run();
            let handle = server.handle();
            started.send(Listening { address, handle }).unwrap();
            server.await.unwrap();
        });
    });
    start.recv().unwrap()
}

/// A running server on a Unix socket.
pub(crate) struct UnixListening {
    path: PathBuf,
    handle: ServerHandle,
}

impl UnixListening {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::open_unix(&self.path).await
    }
}

impl Drop for UnixListening {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
        std::fs::remove_file(&self.path).ok();
    }
}

/// Serves on a Unix socket, on one worker.
pub(crate) fn listen_unix<F, A, B>(factory: F) -> UnixListening
where
    F: Fn() -> App<A> + Send + Clone + 'static,
    A: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<B>,
            Error = Error,
            InitError = (),
        > + 'static,
    A::Future: 'static,
    B: MessageBody + 'static,
{
    let path = socket_path(&std::env::temp_dir());
    let (started, start) = mpsc::channel();
    thread::spawn(move || {
        System::new().block_on(async move {
            let server = HttpServer::new(factory)
                .workers(1)
                .disable_signals()
                .bind_uds(&path)
                .unwrap()
                .run();
            let handle = server.handle();
            started.send(UnixListening { path, handle }).unwrap();
            server.await.unwrap();
        });
    });
    start.recv().unwrap()
}

fn socket_path(directory: &Path) -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    directory.join(format!("guard-{}-{number}.sock", std::process::id()))
}

/// Real peers are all 127.0.0.1: this goes around the guard, and gives a request the peer that the header [`PEER`] names.
pub(crate) fn peer_from_header<S>(mut request: ServiceRequest, next: &S) -> S::Future
where
    S: Service<ServiceRequest>,
{
    if let Some(named) = request.headers().get(PEER) {
        let address = named.to_str().unwrap().parse().unwrap();
        request.head_mut().peer_addr = Some(SocketAddr::new(address, 4711));
    }
    next.call(request)
}
