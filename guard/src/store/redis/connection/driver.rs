//! What writes a connection's commands and reads its replies: a task of the runtime, which callers help along.
//!
//! A runtime's thread goes through all requests that are ready before it comes to the task that sends what they ask. So that the
//! server doesn't stand idle until the last of them, the caller of every so many commands does the task's work on the spot.
//! Must not know: commands, replies.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, Waker},
};

use tokio::task::AbortHandle;

/// So many commands are sent together at most, while there are more to come: few enough that the server works meanwhile, enough that
/// a call of the operating system for each lot costs little.
const COMMANDS_TOGETHER: u32 = 8;

/// Writes and reads until the connection is lost.
pub(super) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The task, which ends with this.
pub(super) struct Driver {
    shared: Arc<Shared>,
    task: AbortHandle,
}

struct Shared {
    state: Mutex<State>,
    /// Commands that were queued since the work was last done.
    queued: AtomicU32,
}

struct State {
    /// `None`: it is done, or was given up.
    work: Option<Work>,
    /// Of the task, whoever does its work.
    waker: Waker,
}

struct Task(Arc<Shared>);

impl Driver {
    /// Starts the task in the current runtime.
    pub(super) fn start(work: Work) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                work: Some(work),
                waker: Waker::noop().clone(),
            }),
            queued: AtomicU32::new(0),
        });
        let task = tokio::spawn(Task(Arc::clone(&shared))).abort_handle();
        Self { shared, task }
    }

    /// A command has been queued.
    #[inline]
    pub(super) fn queued(&self) {
        let queued = self.shared.queued.fetch_add(1, Ordering::Relaxed) + 1;
        if queued >= COMMANDS_TOGETHER {
            self.shared.help();
        }
    }

    /// The connection is lost, and every call that waits has been told.
    pub(super) fn is_over(&self) -> bool {
        self.task.is_finished()
    }
}

/// The task would wait for replies that nobody wants any more, and on a server that hangs, for ever.
impl Drop for Driver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Future for Task {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.state();
        state.waker.clone_from(context.waker());
        self.0.work(&mut state)
    }
}

/// Gone with the work or before it, because nobody needs the connection or the runtime ends: then it is closed.
impl Drop for Task {
    fn drop(&mut self) {
        let work = self.0.state().work.take();
        drop(work);
    }
}

impl Shared {
    /// Does the work of the task, unless somebody is at it.
    #[inline(never)]
    fn help(&self) {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if self.work(&mut state).is_ready() {
            // For the task to end.
            state.waker.wake_by_ref();
        }
    }

    fn work(&self, state: &mut State) -> Poll<()> {
        self.queued.store(0, Ordering::Relaxed);
        // Taken out, so that it is not polled again after a panic.
        let Some(mut work) = state.work.take() else {
            return Poll::Ready(());
        };
        let done = work.as_mut().poll(&mut Context::from_waker(&state.waker));
        if done.is_pending() {
            state.work = Some(work);
        }
        done
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::{runtime::Builder, sync::oneshot, task::yield_now};

    use super::*;

    /// How often the work was done, as long as there is somebody to do it.
    struct Done(Arc<AtomicU32>);

    impl Done {
        fn times(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }

        /// The work has been dropped.
        fn is_given_up(&self) -> bool {
            Arc::strong_count(&self.0) == 1
        }
    }

    /// Work that is done when the other end says so.
    fn work() -> (Work, Done, oneshot::Sender<()>) {
        let times = Arc::new(AtomicU32::new(0));
        let (end, mut ended) = oneshot::channel();
        let done = Done(Arc::clone(&times));
        let work = poll_fn(move |context| {
            times.fetch_add(1, Ordering::Relaxed);
            Pin::new(&mut ended).poll(context).map(drop)
        });
        (Box::pin(work), done, end)
    }

    fn queue(driver: &Driver, commands: u32) {
        for _ in 0..commands {
            driver.queued();
        }
    }

    #[actix_web::test]
    async fn the_caller_of_every_so_many_commands_sends_them() {
        let (work, done, _end) = work();
        let driver = Driver::start(work);
        queue(&driver, COMMANDS_TOGETHER - 1);
        assert_eq!(done.times(), 0);
        queue(&driver, 1);
        assert_eq!(done.times(), 1);
        queue(&driver, COMMANDS_TOGETHER - 1);
        assert_eq!(done.times(), 1);

        // Those that the task has sent are not counted again.
        yield_now().await;
        assert_eq!(done.times(), 2);
        queue(&driver, COMMANDS_TOGETHER - 1);
        assert_eq!(done.times(), 2);
        queue(&driver, 1);
        assert_eq!(done.times(), 3);
    }

    #[actix_web::test]
    async fn what_the_work_waits_for_wakes_the_task_whoever_began_to_wait() {
        let (work, done, end) = work();
        let driver = Driver::start(work);
        yield_now().await;
        queue(&driver, COMMANDS_TOGETHER);
        assert_eq!(done.times(), 2);
        end.send(()).unwrap();
        yield_now().await;
        assert!(driver.is_over() && done.is_given_up());
    }

    #[actix_web::test]
    async fn a_connection_that_is_lost_meanwhile_is_over() {
        let (work, done, end) = work();
        let driver = Driver::start(work);
        yield_now().await;
        end.send(()).unwrap();
        queue(&driver, COMMANDS_TOGETHER);
        assert!(done.is_given_up());
        yield_now().await;
        assert!(driver.is_over());
        // Calls that have not noticed change nothing.
        queue(&driver, COMMANDS_TOGETHER);
        assert_eq!(done.times(), 2);
    }

    #[actix_web::test]
    async fn the_work_is_given_up_with_the_connection() {
        let (work, done, _end) = work();
        let driver = Driver::start(work);
        yield_now().await;
        drop(driver);
        yield_now().await;
        assert!(done.is_given_up());
    }

    #[test]
    fn the_work_is_given_up_with_the_runtime() {
        let (work, done, _end) = work();
        let runtime = Builder::new_current_thread().build().unwrap();
        let driver = runtime.block_on(async { Driver::start(work) });
        assert!(!driver.is_over());
        drop(runtime);
        assert!(driver.is_over() && done.is_given_up());
        queue(&driver, COMMANDS_TOGETHER);
        assert_eq!(done.times(), 0);
    }
}
