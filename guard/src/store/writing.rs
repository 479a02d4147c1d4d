//! Writes what was decided of bans while Redis could not be told.
//!
//! Must not know: when that is done, what else is known of bans.

use tokio::task::JoinSet;

use crate::{client::ClientKey, clock::Clock};

use super::{
    redis::{Failure, RedisStore},
    unwritten::{Change, Unwritten},
};

/// So many changes are on their way at once: thousands of bans may come of an outage.
const AT_ONCE: usize = 100;

/// Writes changes, and calls `written` for each client of whom nothing else has come meanwhile.
///
/// # Errors
///
/// One of the failures. What was not written is still there.
pub(super) async fn write_all(
    unwritten: &Unwritten,
    changes: &[(ClientKey, Change)],
    redis: &RedisStore,
    clock: &dyn Clock,
    written: impl Fn(ClientKey) + Send,
) -> Result<(), Failure> {
    for some in changes.chunks(AT_ONCE) {
        let mut writing: JoinSet<(ClientKey, Change, Result<(), Failure>)> = some
            .iter()
            .cloned()
            .map(|(client, change)| {
                let call = redis.write(client, &change, clock.now_millis());
                async move { (client, change, call.await) }
            })
            .collect();
        let mut failed = Ok(());
        while let Some(outcome) = writing.join_next().await {
            // A task that is lost has written nothing.
            let (client, change, outcome) = outcome.map_err(|_| Failure::Disconnected)?;
            if let Err(failure) = outcome {
                // The others may be written all the same: in a Cluster they may be another master's.
                failed = Err(failure);
                continue;
            }
            unwritten.settle(client, &change);
            if !unwritten.concerns(client) {
                written(client);
            }
        }
        failed?;
    }
    Ok(())
}
