//! Something that listens where Redis should, and is not Redis.

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// What it says to those who say something.
#[derive(Clone, Copy, Debug)]
pub(super) enum Says {
    /// It takes everything in and never answers.
    Nothing,
    Http,
    Garbage,
    /// It hangs up.
    Goodbye,
}

/// Goes away with all its connections when this is dropped.
pub(super) struct Impostor {
    port: u16,
    is_over: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Impostor {
    pub(super) fn at(port: u16, says: Says) -> Self {
        let listener = bind(port);
        let is_over = Arc::new(AtomicBool::new(false));
        let streams = Arc::new(Mutex::new(Vec::new()));
        let (over, opened) = (Arc::clone(&is_over), Arc::clone(&streams));
        let thread = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                opened.lock().unwrap().push(stream.try_clone().unwrap());
                thread::spawn(move || talk(stream, says));
            }
        });
        Self {
            port,
            is_over,
            streams,
            thread: Some(thread),
        }
    }
}

impl Drop for Impostor {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Its thread waits for somebody to come.
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
        for stream in self.streams.lock().unwrap().drain(..) {
            stream.shutdown(Shutdown::Both).ok();
        }
    }
}

/// The port of a server that was killed just now may not be free yet.
fn bind(port: u16) -> TcpListener {
    let begun = Instant::now();
    loop {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => return listener,
            Err(error) => assert!(begun.elapsed() < Duration::from_secs(5), "{error}"),
        }
        thread::yield_now();
    }
}

fn talk(mut stream: TcpStream, says: Says) {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {
        let words: &[u8] = match says {
            Says::Nothing => b"",
            Says::Http => b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
            Says::Garbage => &[0x16, 0x03, 0xFF, b'\r', b'\n'],
            Says::Goodbye => break,
        };
        if stream.write_all(words).is_err() {
            break;
        }
    }
    stream.shutdown(Shutdown::Both).ok();
}
