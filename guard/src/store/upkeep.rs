//! The thread beside a store on Redis: listens to what Redis tells of bans, looks whether Redis is back, writes what could not be written.
//!
//! It has a runtime of its own: there may be none when the store is made, and workers have better things to do.
//! Must not know: what is kept up.

use std::{future::Future, sync::Arc, thread, time::Duration};

use tokio::{runtime, sync::Notify, task, time::timeout};

use super::redis::{Event, RedisStore};

/// How often the upkeep has a turn, if nobody wakes it before.
const TURN: Duration = Duration::from_millis(250);

const TURNS_PER_TIDYING: u64 = 40;

/// What is kept up, as long as somebody else holds it.
pub(super) trait Upheld: Send + Sync + 'static {
    fn redis(&self) -> &RedisStore;

    /// Wakes the upkeep before its next turn is due.
    fn wake(&self) -> Arc<Notify>;

    /// Redis has told something.
    fn told(&self, event: Event) -> impl Future<Output = ()> + Send;

    /// The upkeep has a turn.
    fn turn(&self) -> impl Future<Output = ()> + Send;

    /// Lets go of what is over; now and then.
    fn tidy(&self);
}

/// Starts the thread.
pub(super) fn start(upheld: &Arc<impl Upheld>) {
    let weak = Arc::downgrade(upheld);
    let wake = upheld.wake();
    let mut events = upheld.redis().events();
    let body = move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => return tracing::error!(%error, "no runtime for the upkeep of Redis"),
        };
        let listener = weak.clone();
        runtime.block_on(async move {
            task::spawn(async move {
                while let Some(event) = events.next().await {
                    match listener.upgrade() {
                        Some(upheld) => upheld.told(event).await,
                        None => return,
                    }
                }
            });
            for number in 0_u64.. {
                // Woken or not: there is a turn.
                timeout(TURN, wake.notified()).await.ok();
                let Some(upheld) = weak.upgrade() else {
                    return;
                };
                if number.is_multiple_of(TURNS_PER_TIDYING) {
                    upheld.tidy();
                }
                upheld.turn().await;
            }
        });
    };
    let thread = thread::Builder::new().name("guard-redis".to_owned());
    if let Err(error) = thread.spawn(body) {
        tracing::error!(%error, "no thread for the upkeep of Redis: an outage will last until the next start");
    }
}
