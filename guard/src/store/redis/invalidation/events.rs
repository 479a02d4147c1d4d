//! The events of the push channel, on their way to whom they concern.
//!
//! Must not know: where they come from.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::mpsc;

use super::super::connection::Failure;

/// What happened.
#[derive(Debug, PartialEq)]
pub(crate) enum Event {
    /// From now on each change is told. What happened before is not known.
    Up,
    /// The key was set, deleted, or has expired, or its life was changed.
    Invalidated(Box<[u8]>),
    /// Anything may have changed.
    FlushedAll,
    /// Changes are not told any more.
    Down(Failure),
}

/// So many events may wait. If there are more, nobody wants to know of each.
const MOST_EVENTS: usize = 4096;

/// Where events are put in.
#[derive(Clone)]
pub(crate) struct Queue {
    sender: mpsc::Sender<Event>,
    overflown: Arc<AtomicBool>,
}

/// Where events come out.
pub(crate) struct Events {
    receiver: mpsc::Receiver<Event>,
    overflown: Arc<AtomicBool>,
}

/// Nobody receives the events.
#[derive(Debug)]
pub(super) struct Closed;

pub(crate) fn channel() -> (Queue, Events) {
    let (sender, receiver) = mpsc::channel(MOST_EVENTS);
    let overflown = Arc::new(AtomicBool::new(false));
    let queue = Queue {
        sender,
        overflown: Arc::clone(&overflown),
    };
    let events = Events {
        receiver,
        overflown,
    };
    (queue, events)
}

impl Queue {
    /// For what must not be lost.
    pub(super) async fn send(&self, event: Event) -> Result<(), Closed> {
        self.sender.send(event).await.map_err(|_| Closed)
    }

    /// For changes of keys: if there are too many of them, all keys have changed.
    pub(super) fn put(&self, event: Event) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.sender.try_send(event) {
            self.overflown.store(true, Ordering::Release);
        }
    }
}

impl Events {
    /// The next event; `None` if there will be none.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        if self.overflown.swap(false, Ordering::AcqRel) {
            return Some(Event::FlushedAll);
        }
        self.receiver.recv().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn too_many_changes_are_a_change_of_everything() {
        let (queue, mut events) = channel();
        let key = |number: usize| Event::Invalidated(number.to_string().into_bytes().into());
        for number in 0..=MOST_EVENTS {
            queue.put(key(number));
        }
        assert_eq!(events.next().await, Some(Event::FlushedAll));
        for number in 0..MOST_EVENTS {
            assert_eq!(events.next().await, Some(key(number)));
        }
        queue.put(key(0));
        assert_eq!(events.next().await, Some(key(0)));
        drop(queue);
        assert_eq!(events.next().await, None);
    }
}
