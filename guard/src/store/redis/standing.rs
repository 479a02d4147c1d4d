//! How a client stands, as Redis has it.
//!
//! Must not know: who wants to know it, what is done about a failure.

use std::future::Future;

use crate::{
    client::ClientKey,
    decision::{LogHit, Quota, Standing},
};

use super::{
    connection::Failure,
    reply,
    script::{Quotas, bounded},
    store::{RedisStore, log_of},
};

impl RedisStore {
    /// See [`Store::standing`](crate::decision::Store::standing).
    pub(in crate::store) fn standing(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
        strike_ttl_millis: u64,
    ) -> impl Future<Output = Result<Standing, Failure>> + Send + use<> {
        let strikes = [self.keys.strikes(client)].into_iter();
        let keys: Vec<String> = strikes.chain(self.log_names(client, logs)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
        let arguments = arguments(logs, strike_ttl_millis);
        let arguments: Vec<&[u8]> = arguments.iter().map(String::as_bytes).collect();
        let call = self
            .connections
            .eval(&self.scripts.state_of, &keys, &arguments);
        let quotas: Quotas = quotas(logs).copied().collect();
        async move { Ok(reply::standing(&quotas, &call.await?)?) }
    }

    /// The names of logs of a client.
    pub(super) fn log_names(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
    ) -> impl Iterator<Item = String> {
        let whose = self.keys.whose(client);
        logs.iter().map(move |log| {
            let mut name = String::new();
            self.keys
                .push_log(&mut name, log_of(&whose, log), log.name.endpoint);
            name
        })
    }
}

fn quotas<'a>(logs: &[LogHit<'a>]) -> impl Iterator<Item = &'a Quota> {
    logs.iter().flat_map(|log| log.quotas)
}

/// See the script.
fn arguments(logs: &[LogHit<'_>], strike_ttl_millis: u64) -> Vec<String> {
    let mut arguments = vec![bounded(strike_ttl_millis).to_string()];
    for log in logs {
        arguments.push(log.quotas.len().to_string());
        for quota in log.quotas {
            arguments.push(quota.requests.to_string());
            arguments.push(bounded(quota.window_millis).to_string());
        }
    }
    arguments
}
