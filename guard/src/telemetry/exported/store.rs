//! How long the calls of a store take that does I/O.
//!
//! Must not know: stores.

use std::{future::Future, sync::OnceLock, time::Instant};

use metrics::{Histogram, histogram};

use crate::telemetry::names;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct StoreMeter(OnceLock<Histogram>);

impl StoreMeter {
    /// Waits for a call, whether it succeeds or not.
    pub(crate) async fn time<T>(&self, call: impl Future<Output = T>) -> T {
        let begun = Instant::now();
        let answer = call.await;
        self.0
            .get_or_init(|| histogram!(names::STORE_SECONDS))
            .record(begun.elapsed());
        answer
    }
}
