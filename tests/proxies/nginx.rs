//! A real nginx in front of a server, for as long as a test holds it.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use tokio::net::TcpSocket;

use crate::server::client::{Connection, Lines, Reply};

const PATIENCE: Duration = Duration::from_secs(10);

/// nginx ends with its input, which closes when this process ends, however it does.
const SUPERVISED: &str =
    r#"PATH=$PATH:/usr/sbin; nginx "$@" & cat >/dev/null; kill $! 2>/dev/null; wait"#;

/// A running nginx; it ends and its files are removed when this is dropped.
pub(super) struct Nginx {
    port: u16,
    folder: PathBuf,
    supervisor: Child,
}

impl Nginx {
    /// In front of `upstream`, an address or `unix:PATH`, with lines for the location.
    pub(super) fn start(upstream: &str, lines: &str) -> Self {
        for _ in 0..5 {
            if let Some(nginx) = Self::start_on(free_port(), upstream, lines) {
                return nginx;
            }
        }
        panic!("nginx doesn't start: is it installed? ./test installs it");
    }

    /// `None`: somebody else took the port.
    fn start_on(port: u16, upstream: &str, lines: &str) -> Option<Self> {
        let folder = folder();
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("nginx.conf");
        fs::write(&file, configuration(&folder, port, upstream, lines)).unwrap();
        let supervisor = Command::new("sh")
            .args(["-c", SUPERVISED, "nginx", "-e", "stderr", "-p"])
            .arg(&folder)
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap();
        let nginx = Self {
            port,
            folder,
            supervisor,
        };
        nginx.is_up().then_some(nginx)
    }

    fn is_up(&self) -> bool {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return true;
            }
            let said = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            if said.contains("[emerg]") || said.contains("not found") {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    /// A connection from an address of this machine.
    pub(super) async fn connect(&self, from: IpAddr) -> Connection {
        let (socket, to) = match from {
            IpAddr::V4(_) => (TcpSocket::new_v4(), IpAddr::V4(Ipv4Addr::LOCALHOST)),
            IpAddr::V6(_) => (TcpSocket::new_v6(), IpAddr::V6(Ipv6Addr::LOCALHOST)),
        };
        let socket = socket.unwrap();
        socket.bind(SocketAddr::new(from, 0)).unwrap();
        let stream = socket.connect(SocketAddr::new(to, self.port)).await;
        Connection::of(stream.unwrap())
    }

    /// Asks on a connection of its own.
    pub(super) async fn ask(&self, from: &str, request: &str, headers: Lines<'_>) -> Reply {
        let mut connection = self.connect(from.parse().unwrap()).await;
        connection.ask(request, headers).await
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        drop(self.supervisor.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn configuration(folder: &Path, port: u16, upstream: &str, lines: &str) -> String {
    let folder = folder.display();
    format!(
        "daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        listen [::1]:{port};
        location / {{
            proxy_pass http://{upstream};
            proxy_http_version 1.1;
            {lines}
        }}
    }}
}}
"
    )
}

fn folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("guard-nginx-{}-{number}", std::process::id()))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}
