//! The list of bans as a stream.

use std::{
    collections::VecDeque,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;

use crate::bans::Ban;

/// All bans in force: see [`GuardHandle::bans`](crate::GuardHandle::bans).
pub struct BanStream {
    reading: Option<Pin<Box<dyn Future<Output = Vec<Ban>> + Send>>>,
    bans: VecDeque<Ban>,
}

impl BanStream {
    /// A stream that reads the bans when it is first polled.
    pub(super) fn reading(read: impl Future<Output = Vec<Ban>> + Send + 'static) -> Self {
        Self {
            reading: Some(Box::pin(read)),
            bans: VecDeque::new(),
        }
    }
}

impl fmt::Debug for BanStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BanStream").finish_non_exhaustive()
    }
}

impl Stream for BanStream {
    type Item = Ban;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Ban>> {
        if let Some(reading) = &mut self.reading {
            let bans = ready!(reading.as_mut().poll(context));
            self.bans = bans.into();
            self.reading = None;
        }
        Poll::Ready(self.bans.pop_front())
    }
}
