//! How late this machine runs what is due: when it has too much to do, that is not a request's fault.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

const BEAT: Duration = Duration::from_millis(5);

/// A request goes through several threads and processes, and each of them may be late.
const THREADS: u32 = 3;

/// The microseconds by which a thread was late since the first question, in all.
static LATE: LazyLock<&'static AtomicU64> = LazyLock::new(|| {
    let late: &AtomicU64 = Box::leak(Box::default());
    thread::spawn(move || {
        loop {
            let begun = Instant::now();
            thread::sleep(BEAT);
            let over = begun.elapsed().saturating_sub(BEAT + BEAT / 2);
            let over = u64::try_from(over.as_micros()).unwrap();
            late.fetch_add(over, Ordering::Relaxed);
        }
    });
    late
});

/// A clock that does not count what the machine is late by.
pub(super) struct Stopwatch {
    begun: Instant,
    late: u64,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self {
            late: LATE.load(Ordering::Relaxed),
            begun: Instant::now(),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        let late = LATE.load(Ordering::Relaxed) - self.late;
        let late = Duration::from_micros(late) * THREADS;
        self.begun.elapsed().saturating_sub(late)
    }
}
