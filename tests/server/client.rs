//! An HTTP/1.1 client that keeps its connection and shows every byte: nothing is tidied, retried or followed.

use std::{future::Future, net::SocketAddr, path::Path, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpStream, UnixStream},
};

/// An answer that takes longer will not come.
const PATIENCE: Duration = Duration::from_secs(10);

/// Header lines of a request.
pub(crate) type Lines<'a> = &'a [(&'a str, &'a str)];

/// One connection.
pub(crate) struct Connection {
    read: Box<dyn AsyncRead + Unpin>,
    write: Box<dyn AsyncWrite + Unpin>,
    unread: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// In the order in which they came, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// The value of a header that must not come twice.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert_eq!(values.next(), None, "{name} twice in {self:?}");
        value
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn closes(&self) -> bool {
        self.header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    /// What is left of the quota: the `r` of the `RateLimit` field.
    pub(crate) fn remaining(&self) -> Option<u32> {
        let (_, rest) = self.header("ratelimit")?.split_once(";r=")?;
        rest.split(';').next()?.parse().ok()
    }
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        Self::of(within(TcpStream::connect(address)).await.unwrap())
    }

    pub(crate) fn of(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        let (read, write) = stream.into_split();
        Self::over(read, write)
    }

    pub(crate) async fn open_unix(path: &Path) -> Self {
        let stream = within(UnixStream::connect(path)).await.unwrap();
        let (read, write) = stream.into_split();
        Self::over(read, write)
    }

    fn over(
        read: impl AsyncRead + Unpin + 'static,
        write: impl AsyncWrite + Unpin + 'static,
    ) -> Self {
        Self {
            read: Box::new(read),
            write: Box::new(write),
            unread: Vec::new(),
        }
    }

    /// Sends a request such as `GET /path` and reads the answer.
    pub(crate) async fn ask(&mut self, request: &str, headers: Lines<'_>) -> Reply {
        self.ask_with(request, headers, b"").await
    }

    /// The same with a body.
    pub(crate) async fn ask_with(
        &mut self,
        request: &str,
        headers: Lines<'_>,
        body: &[u8],
    ) -> Reply {
        self.send(&message(request, headers, body)).await;
        self.reply(request).await
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        within(self.write.write_all(bytes)).await.unwrap();
        within(self.write.flush()).await.unwrap();
    }

    /// Reads an answer while the request is still on its way, as clients with large bodies must.
    pub(crate) async fn exchange(&mut self, request: &str, bytes: &[u8]) -> Reply {
        let mut write = std::mem::replace(&mut self.write, Box::new(tokio::io::sink()));
        // Where the server stops reading, the rest can't be written: it is the answer that counts.
        let (_, reply) = tokio::join!(within(write.write_all(bytes)), self.reply(request));
        self.write = write;
        reply
    }

    /// Reads a whole answer to a request such as `HEAD /path`.
    pub(crate) async fn reply(&mut self, request: &str) -> Reply {
        let mut reply = self.head().await;
        if request.starts_with("HEAD ") || reply.status < 200 || [204, 304].contains(&reply.status)
        {
            return reply;
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk().await {
                reply.body.extend(chunk);
            }
        } else if let Some(length) = reply.header("content-length") {
            let length = length.parse().unwrap();
            reply.body = self.take(length).await;
        } else {
            while self.fill().await {}
            reply.body = std::mem::take(&mut self.unread);
        }
        reply
    }

    /// Reads the head of an answer.
    pub(crate) async fn head(&mut self) -> Reply {
        let head = self.take_until(b"\r\n\r\n").await;
        let head = String::from_utf8_lossy(&head);
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap();
        let status = status
            .strip_prefix("HTTP/1.1 ")
            .and_then(|rest| rest.get(..3)?.parse().ok())
            .unwrap_or_else(|| panic!("no status line of HTTP/1.1: {status:?}"));
        let headers = lines.map(|line| {
            let (name, value) = line
                .split_once(':')
                .unwrap_or_else(|| panic!("no header: {line:?}"));
            (name.to_ascii_lowercase(), value.trim().to_owned())
        });
        Reply {
            status,
            headers: headers.collect(),
            body: Vec::new(),
        }
    }

    /// Reads one chunk of a chunked body; `None` is the end of the body.
    pub(crate) async fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = String::from_utf8(self.take_until(b"\r\n").await).unwrap();
        let size = usize::from_str_radix(&size, 16)
            .unwrap_or_else(|_| panic!("no size of a chunk: {size:?}"));
        let chunk = self.take(size).await;
        assert_eq!(self.take(2).await, b"\r\n");
        (size > 0).then_some(chunk)
    }

    /// Reads exactly `length` bytes.
    pub(crate) async fn take(&mut self, length: usize) -> Vec<u8> {
        while self.unread.len() < length {
            assert!(
                self.fill().await,
                "closed after {} of {length}",
                self.unread.len()
            );
        }
        self.unread.drain(..length).collect()
    }

    /// Reads up to a mark, which is dropped.
    async fn take_until(&mut self, mark: &[u8]) -> Vec<u8> {
        loop {
            let found = self.unread.windows(mark.len()).position(|at| at == mark);
            if let Some(end) = found {
                let taken = self.unread.drain(..end).collect();
                self.unread.drain(..mark.len());
                return taken;
            }
            assert!(self.fill().await, "closed after {:?}", self.unread);
        }
    }

    /// Reads some more; no, if the connection has been closed.
    async fn fill(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        let length = within(self.read.read(&mut buffer)).await.unwrap();
        self.unread.extend(&buffer[..length]);
        length > 0
    }

    /// Says goodbye, and the server has nothing to add but its own.
    pub(crate) async fn assert_closes(mut self) {
        within(self.write.shutdown()).await.ok();
        assert!(!self.fill().await, "garbage: {:?}", self.unread);
    }

    /// Nothing has come that nobody asked for.
    pub(crate) fn assert_in_step(&self) {
        assert!(self.unread.is_empty(), "garbage: {:?}", self.unread);
    }
}

/// The bytes of a request; the length of a body is told, if there is one.
pub(crate) fn message(request: &str, headers: Lines<'_>, body: &[u8]) -> Vec<u8> {
    let mut text = format!("{request} HTTP/1.1\r\nHost: localhost\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    [text.as_bytes(), body].concat()
}

/// What a test waits for comes, or the test fails.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("nothing came: it hangs")
}
