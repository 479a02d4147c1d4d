//! What most Sentinels agreed on when they were asked last, for all connections of the process.
//!
//! A master that was replaced by plan takes itself for one for a while, and goes on counting what is lost later. Only the Sentinels
//! can tell. Must not know: who asks them.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// See the module's documentation.
#[derive(Debug, Default)]
pub(in super::super) struct Agreement {
    /// Host and port.
    master: Mutex<Option<(Box<str>, u16)>>,
    /// How often there was one.
    reached: AtomicU64,
}

impl Agreement {
    pub(super) fn reach(&self, host: &str, port: u16) {
        *self.lock() = Some((host.into(), port));
        self.reached.fetch_add(1, Ordering::Release);
    }

    /// Nobody asks any more.
    pub(super) fn forget(&self) {
        *self.lock() = None;
    }

    /// Whether it is another server than this one. Not, if there is none.
    pub(super) fn is_on_another(&self, host: &str, port: u16) -> bool {
        let master = self.lock();
        let other =
            |(its_host, its_port): &(Box<str>, u16)| (&**its_host, *its_port) != (host, port);
        master.as_ref().is_some_and(other)
    }

    /// The same, if there was a new one since so many were `heard` of.
    #[inline]
    pub(super) fn is_newly_on_another(&self, host: &str, port: u16, heard: &AtomicU64) -> bool {
        let reached = self.reached.load(Ordering::Acquire);
        heard.load(Ordering::Relaxed) != reached && {
            heard.store(reached, Ordering::Relaxed);
            self.is_on_another(host, port)
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Box<str>, u16)>> {
        self.master.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
