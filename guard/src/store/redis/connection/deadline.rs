//! Deadlines, cheaper than a timer for each call: one ticker per worker wakes the calls that are overdue.
//!
//! All calls may wait equally long, so they become due in the order in which they began. Time is counted in ticks, and a call
//! waits on the tick at which it is due. The ticker sleeps while no call is under way.
//! Must not know: Redis.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use pin_project_lite::pin_project;
use tokio::{
    sync::{Notify, futures::Notified},
    task::JoinHandle,
    time::MissedTickBehavior,
};

/// Ticks in the time a call may wait.
const TICKS: u32 = 16;

/// A call begins within a tick, which does not count as one of its own; and after the thread was busy with something else,
/// two ticks may come close together. So calls are due after the timeout, and before nine eighths of it.
const DUE_AFTER: u64 = TICKS as u64 + 2;

/// More than the ticks that a call lasts.
const SLOTS: usize = 32;

/// The ticker of a worker.
pub(super) struct Deadlines {
    ticks: Arc<Ticks>,
    ticker: JoinHandle<()>,
}

struct Ticks {
    now: AtomicU64,
    under_way: AtomicUsize,
    /// The ticker is not asleep.
    awake: AtomicBool,
    wake: Notify,
    /// Who waits for which tick, modulo their number.
    slots: [Notify; SLOTS],
}

/// When a call is due. The call is under way for as long as this exists.
pub(super) struct Deadline {
    ticks: Arc<Ticks>,
    due: u64,
}

/// The deadline passed.
#[derive(Debug)]
pub(super) struct Expired;

impl Deadlines {
    /// Starts the ticker in the current runtime.
    pub(super) fn new(timeout: Duration) -> Self {
        let ticks = Arc::new(Ticks {
            now: AtomicU64::new(0),
            under_way: AtomicUsize::new(0),
            awake: AtomicBool::new(true),
            wake: Notify::new(),
            slots: [const { Notify::const_new() }; SLOTS],
        });
        let ticker = tokio::spawn(tick(Arc::clone(&ticks), timeout / TICKS));
        Self { ticks, ticker }
    }

    /// Begins a call, unless so many are under way.
    pub(super) fn begin(&self, most: usize) -> Option<Deadline> {
        let ticks = &self.ticks;
        if ticks.under_way.fetch_add(1, Ordering::SeqCst) >= most {
            ticks.under_way.fetch_sub(1, Ordering::SeqCst);
            return None;
        }
        if !ticks.awake.load(Ordering::SeqCst) {
            ticks.wake.notify_one();
        }
        Some(Deadline {
            due: ticks.now.load(Ordering::Relaxed) + DUE_AFTER,
            ticks: Arc::clone(ticks),
        })
    }

    /// The runtime that drove the ticker has gone.
    pub(super) fn are_over(&self) -> bool {
        self.ticker.is_finished()
    }
}

impl Drop for Deadlines {
    fn drop(&mut self) {
        self.ticker.abort();
    }
}

impl Deadline {
    /// Waits for the future, until the deadline at most.
    pub(super) fn limit<F: Future>(&self, future: F) -> Limited<'_, F> {
        Limited {
            future,
            due: self.ticks.slot(self.due).notified(),
            deadline: self,
        }
    }

    pub(super) fn has_passed(&self) -> bool {
        self.ticks.now.load(Ordering::Acquire) >= self.due
    }
}

pin_project! {
    /// A future with a deadline.
    pub(super) struct Limited<'a, F> {
        #[pin]
        future: F,
        #[pin]
        due: Notified<'a>,
        deadline: &'a Deadline,
    }
}

impl<F: Future> Future for Limited<'_, F> {
    type Output = Result<F::Output, Expired>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(output) = this.future.poll(context) {
            return Poll::Ready(Ok(output));
        }
        // The tick may have passed before this began to wait for it.
        if this.due.poll(context).is_ready() || this.deadline.has_passed() {
            return Poll::Ready(Err(Expired));
        }
        Poll::Pending
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.ticks.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Ticks {
    fn slot(&self, tick: u64) -> &Notify {
        let [first, rest @ ..] = &self.slots;
        match usize::try_from(tick % SLOTS as u64) {
            Ok(index @ 1..) => rest.get(index - 1).unwrap_or(first),
            _ => first,
        }
    }

    /// Sleeps while no call is under way.
    async fn rest(&self) {
        self.awake.store(false, Ordering::SeqCst);
        // A call that begins after this was read finds the ticker asleep, and wakes it.
        if self.under_way.load(Ordering::SeqCst) == 0 {
            self.wake.notified().await;
        }
        self.awake.store(true, Ordering::SeqCst);
    }
}

async fn tick(ticks: Arc<Ticks>, length: Duration) {
    let mut interval = tokio::time::interval(length);
    // Calls that began while the thread was busy with something else would be overdue at once if ticks were made up for.
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        if ticks.under_way.load(Ordering::SeqCst) == 0 {
            ticks.rest().await;
        }
        interval.tick().await;
        let now = ticks.now.load(Ordering::Relaxed) + 1;
        ticks.now.store(now, Ordering::Release);
        ticks.slot(now).notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::{
        task::JoinSet,
        time::{Instant, pause, sleep},
    };

    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(160);

    /// What the clock says is exact: it stands still while there is something to do.
    fn is_due(took: Duration) -> bool {
        took >= TIMEOUT && took <= TIMEOUT * 9 / 8 + Duration::from_millis(2)
    }

    fn started() -> Deadlines {
        pause();
        Deadlines::new(TIMEOUT)
    }

    #[actix_web::test]
    async fn calls_are_due_shortly_after_the_timeout_whenever_they_begin() {
        let deadlines = started();
        let mut calls = JoinSet::new();
        for _ in 0..100 {
            let deadline = deadlines.begin(usize::MAX).unwrap();
            let begun = Instant::now();
            calls.spawn(async move {
                deadline.limit(pending::<()>()).await.unwrap_err();
                begun.elapsed()
            });
            sleep(Duration::from_millis(7)).await;
        }
        while let Some(took) = calls.join_next().await {
            let took = took.unwrap();
            assert!(is_due(took), "{took:?}");
        }
    }

    #[actix_web::test]
    async fn a_deadline_is_for_all_that_a_call_waits_for() {
        let deadlines = started();
        let deadline = deadlines.begin(1).unwrap();
        let begun = Instant::now();
        for _ in 0..3 {
            let waited = deadline.limit(sleep(TIMEOUT / 4)).await;
            waited.unwrap();
        }
        assert!(!deadline.has_passed());
        deadline.limit(sleep(TIMEOUT)).await.unwrap_err();
        assert!(is_due(begun.elapsed()), "{:?}", begun.elapsed());
        assert!(deadline.has_passed());
        // What is there at once is not late.
        deadline.limit(async {}).await.unwrap();
        deadline.limit(pending::<()>()).await.unwrap_err();
        assert!(is_due(begun.elapsed()), "{:?}", begun.elapsed());
    }

    #[actix_web::test]
    async fn a_call_after_a_long_rest_has_all_its_time() {
        let deadlines = started();
        for _ in 0..3 {
            let deadline = deadlines.begin(1).unwrap();
            let begun = Instant::now();
            deadline.limit(pending::<()>()).await.unwrap_err();
            assert!(is_due(begun.elapsed()), "{:?}", begun.elapsed());
            drop(deadline);
            sleep(TIMEOUT * 50).await;
            assert!(!deadlines.ticks.awake.load(Ordering::SeqCst));
        }
    }

    #[actix_web::test]
    async fn a_thread_that_was_busy_does_not_make_calls_late() {
        // On the real clock: the other one does not go on while a thread is busy.
        let deadlines = Deadlines::new(TIMEOUT);
        let _busy = deadlines.begin(2).unwrap();
        sleep(TIMEOUT / 8).await;
        std::thread::sleep(TIMEOUT * 3);
        let call = deadlines.begin(2).unwrap();
        let begun = Instant::now();
        call.limit(pending::<()>()).await.unwrap_err();
        assert!(begun.elapsed() >= TIMEOUT, "{:?}", begun.elapsed());
    }

    #[actix_web::test]
    async fn so_many_calls_may_be_under_way_and_no_more() {
        let deadlines = started();
        let one = deadlines.begin(2);
        let two = deadlines.begin(2);
        assert!(one.is_some() && two.is_some());
        assert!(deadlines.begin(2).is_none());
        assert!(deadlines.begin(2).is_none());
        drop(one);
        assert!(deadlines.begin(2).is_some());
    }
}
