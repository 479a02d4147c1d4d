//! A way to Redis that can be cut for one site while others still get there.

use std::{
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

#[derive(Default)]
struct Shared {
    is_cut: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

/// Its threads end with the test process.
pub(super) struct Wire {
    port: u16,
    shared: Arc<Shared>,
}

impl Wire {
    pub(super) fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let own = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                of_thread.connect(near, port).ok();
            }
        });
        Self { port: own, shared }
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Whoever is connected is not any more, and whoever connects is hung up on.
    pub(super) fn cut(&self) {
        let mut streams = self.shared.streams.lock().unwrap();
        self.shared.is_cut.store(true, Ordering::SeqCst);
        for stream in streams.drain(..) {
            stream.shutdown(Shutdown::Both).ok();
        }
    }

    pub(super) fn mend(&self) {
        self.shared.is_cut.store(false, Ordering::SeqCst);
    }
}

impl Shared {
    fn connect(&self, near: TcpStream, port: u16) -> io::Result<()> {
        let mut streams = self.streams.lock().unwrap();
        if self.is_cut.load(Ordering::SeqCst) {
            return Ok(());
        }
        let far = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        for stream in [&near, &far] {
            stream.set_nodelay(true)?;
            streams.push(stream.try_clone()?);
        }
        let (near_too, far_too) = (near.try_clone()?, far.try_clone()?);
        thread::spawn(move || carry(near, far));
        thread::spawn(move || carry(far_too, near_too));
        Ok(())
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    from.shutdown(Shutdown::Both).ok();
    to.shutdown(Shutdown::Both).ok();
}
