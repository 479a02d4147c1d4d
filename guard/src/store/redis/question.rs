//! Questions about requests: the calls that they take, and how the answers are put together.
//!
//! Must not know: how calls are written, what is done about a failure.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use ::redis::Cmd;
use smallvec::SmallVec;

use crate::decision::{Cause, Decision, Outcome, QuotaState, QuotaStates};

use super::{
    connection::{Connections, Failure, first_key},
    reply,
    script::DecisionScript,
};

/// What Redis decided.
#[derive(Debug)]
pub(in crate::store) struct Asked {
    pub(in crate::store) decision: Decision,
    /// How much is left of the ban, if the client is banned.
    pub(in crate::store) ban_left_millis: u64,
}

/// A question about a request, ready to be asked.
pub(in crate::store) enum Question {
    One(Call),
    Apart(Box<Apart>),
}

/// One call of a decision script.
pub(in crate::store) struct Call {
    pub(super) script: Arc<DecisionScript>,
    pub(super) by_hash: Cmd,
    pub(super) reason: Option<Box<str>>,
}

impl Question {
    /// Asks it.
    pub(super) async fn ask(&self, connections: &Connections) -> Result<Asked, Failure> {
        match self {
            Self::One(call) => call.make(connections).await,
            // Elsewhere, so that other calls don't carry its size about.
            Self::Apart(apart) => Box::pin(apart.make(connections)).await,
        }
    }

    /// The first key of the client that is asked about.
    pub(super) fn key(&self) -> &[u8] {
        match self {
            Self::One(call) => call.key(),
            Self::Apart(apart) => apart.admitted.key(),
        }
    }

    /// The keys that are asked about beside the client's.
    pub(super) fn keys_apart(&self) -> impl Iterator<Item = &[u8]> {
        let values = match self {
            Self::One(_) => &[],
            Self::Apart(apart) => apart.values.as_slice(),
        };
        values.iter().map(Call::key)
    }

    /// The key that was asked about in vain, if it was not the client's.
    pub(super) fn failed_apart(&self) -> Option<&[u8]> {
        match self {
            Self::One(_) => None,
            Self::Apart(apart) => apart
                .values
                .get(apart.at.load(Ordering::Relaxed))
                .map(Call::key),
        }
    }
}

impl Call {
    fn key(&self) -> &[u8] {
        first_key(&self.by_hash)
    }

    async fn make(&self, connections: &Connections) -> Result<Asked, Failure> {
        let cause = self.reason.as_deref().map_or(Cause::Request, Cause::Threat);
        let script = &self.script;
        let value = connections.call(&script.script, &self.by_hash).await?;
        Ok(reply::decision(&script.shape, &cause, &value)?)
    }
}

/// The calls of a decision whose logs are in several slots.
pub(in crate::store) struct Apart {
    pub(super) values: SmallVec<[Call; 1]>,
    /// If the logs of all values admit the request.
    pub(super) admitted: Call,
    /// If one of them does not.
    pub(super) exceeded: Call,
    /// Of each log in the order of the hit: whether it is a value's, and how many quotas it has.
    pub(super) order: SmallVec<[(bool, usize); 2]>,
    /// The value that is asked about; beyond them, the client.
    pub(super) at: AtomicUsize,
}

impl Apart {
    async fn make(&self, connections: &Connections) -> Result<Asked, Failure> {
        let mut exceeded = false;
        let mut of_values: SmallVec<[QuotaState; 2]> = SmallVec::new();
        for call in &self.values {
            let answer = call.make(connections).await?;
            exceeded |= answer.decision.outcome == Outcome::Limited;
            of_values.extend(answer.decision.quotas);
            self.at.fetch_add(1, Ordering::Relaxed);
        }
        let call = match exceeded {
            true => &self.exceeded,
            false => &self.admitted,
        };
        let mut answer = call.make(connections).await?;
        if answer.decision.newly_banned || !matches!(answer.decision.outcome, Outcome::Banned(_)) {
            answer.decision.quotas = self.in_order(of_values, &answer.decision.quotas);
        }
        Ok(answer)
    }

    fn in_order(&self, of_values: SmallVec<[QuotaState; 2]>, home: &[QuotaState]) -> QuotaStates {
        let (mut of_values, mut home) = (of_values.into_iter(), home.iter().copied());
        let mut states = QuotaStates::new();
        for (is_value, quotas) in &self.order {
            match is_value {
                true => states.extend(of_values.by_ref().take(*quotas)),
                false => states.extend(home.by_ref().take(*quotas)),
            }
        }
        states
    }
}
