//! How a client stands, for whoever looks on.
//!
//! What is over is let go of, and what a clock step moved is moved, by decisions only. Here that is done to copies: the rules stay in one
//! place, and nothing changes. Must not know: how requests are decided.

use crate::{
    client::ClientKey,
    decision::{LogHit, Quota, QuotaStanding, Standing},
};

use super::shared::Shared;

impl Shared {
    /// Log by log: each is locked for as long as it is copied, and no longer.
    pub(super) fn standing(&self, client: ClientKey, logs: &[LogHit<'_>]) -> Standing {
        let now = self.clock.now_millis();
        let (strikes, strikes_left_millis) = self.strikes_standing(client, now);
        let quotas = logs.iter().flat_map(|log| self.log_standing(log, now));
        Standing {
            strikes,
            strikes_left_millis,
            quotas: quotas.collect(),
        }
    }

    fn strikes_standing(&self, client: ClientKey, now: u64) -> (u32, Option<u64>) {
        let (hash, mut shard) = self.home(client);
        let mut strikes = shard.kept_strikes(hash, client);
        drop(shard);
        strikes.catch_up(now);
        let count = strikes.count(now);
        (count, (count > 0).then(|| strikes.left_millis(now)))
    }

    fn log_standing(&self, log: &LogHit<'_>, now: u64) -> Vec<QuotaStanding> {
        let hash = self.log_hash(log.key);
        let mut copy = self.shard(self.shard_of(hash)).kept_log(hash, log.key);
        copy.catch_up(now, log.quotas);
        let standing = |quota: &Quota| {
            let state = copy.state(now, quota, false);
            QuotaStanding::new(quota, state.remaining, state.reset_millis)
        };
        log.quotas.iter().map(standing).collect()
    }
}
