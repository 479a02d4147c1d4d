//! The calls: what the guard asks of Redis, and what the answers say.
//!
//! Must not know: what is done about a failure.

use std::{future::Future, sync::Arc};

use ::redis::{Value, cmd};
use smallvec::SmallVec;

use crate::{
    client::ClientKey,
    decision::{Cause, CountedBy, Decision, Hit, LogHit, Outcome, QuotaState, QuotaStates},
};

use super::{
    connection::{Connections, Failure, Servers},
    events::Events,
    keys::{Keys, LogOf},
    reply::{self, Unreadable},
    script::{self, DecisionScript, Scripts, Shape},
};

/// See the module's documentation.
pub(in crate::store) struct RedisStore {
    pub(super) connections: Connections,
    pub(super) scripts: Scripts,
    pub(super) keys: Arc<Keys>,
    servers: Arc<Servers>,
    cluster: bool,
}

/// What Redis decided.
#[derive(Debug)]
pub(in crate::store) struct Asked {
    pub(in crate::store) decision: Decision,
    /// How much is left of the ban, if the client is banned.
    pub(in crate::store) ban_left_millis: u64,
}

/// The names of the keys of one call.
type Names = SmallVec<[String; 4]>;

/// One call of a decision script.
struct Call {
    script: Arc<DecisionScript>,
    names: Names,
    reason: Option<Box<str>>,
}

impl RedisStore {
    /// Connects to nobody yet.
    pub(super) fn new(servers: Servers, prefix: &str, cluster: bool) -> Self {
        let servers = Arc::new(servers);
        Self {
            connections: Connections::new(Arc::clone(&servers)),
            scripts: Scripts::new(),
            keys: Arc::new(Keys::new(prefix, cluster)),
            servers,
            cluster,
        }
    }

    /// What Redis tells of bans.
    pub(in crate::store) fn events(&self) -> Events {
        Events::new(Arc::clone(&self.servers), Arc::clone(&self.keys))
    }

    /// Stage 7.
    pub(in crate::store) fn decide(
        &self,
        hit: &Hit<'_>,
    ) -> impl Future<Output = Result<Asked, Failure>> + Send + use<> {
        let is_apart = |log: &LogHit<'_>| self.cluster && is_counted_by_value(log);
        let calls = match hit.logs.iter().any(is_apart) {
            false => Calls::One(self.call(hit, None)),
            true => self.calls_apart(hit, is_apart),
        };
        let connections = self.connections.clone();
        async move {
            match calls {
                Calls::One(call) => call.make(&connections).await,
                Calls::Apart(apart) => apart.make(&connections).await,
            }
        }
    }

    /// In a Cluster the log of a value is in another slot than the client's keys: it is asked first, and by a call of its own.
    fn calls_apart(&self, hit: &Hit<'_>, is_apart: impl Fn(&LogHit<'_>) -> bool) -> Calls {
        let mut values = SmallVec::new();
        let mut home: SmallVec<[LogHit<'_>; 2]> = SmallVec::new();
        let mut order = SmallVec::new();
        for log in hit.logs {
            order.push((is_apart(log), log.quotas.len()));
            if !is_apart(log) {
                home.push(*log);
                continue;
            }
            values.push(self.call(
                &Hit {
                    logs: &[*log],
                    bans: false,
                    strikes: None,
                    ..*hit
                },
                None,
            ));
        }
        let hit = Hit {
            logs: &home,
            ..*hit
        };
        Calls::Apart(Box::new(Apart {
            values,
            admitted: self.call(&hit, None),
            exceeded: self.call(&hit, Some(Exceeded)),
            order,
        }))
    }

    fn call(&self, hit: &Hit<'_>, exceeded: Option<Exceeded>) -> Call {
        let mut shape = Shape::of(hit);
        shape.exceeded = exceeded.is_some();
        let mut names = Names::new();
        if shape.has_ban_key() {
            names.push(self.keys.ban(hit.client));
        }
        if shape.has_strikes_key() {
            names.push(self.keys.strikes(hit.client));
        }
        let (reason, logs) = match hit.cause {
            Cause::Threat(reason) => (Some(reason.into()), &[][..]),
            Cause::Request => (None, hit.logs),
        };
        for log in logs {
            names.push(self.keys.log(log_of(hit.client, log), log.name.endpoint));
        }
        Call {
            script: self.scripts.decision(shape),
            names,
            reason,
        }
    }

    pub(in crate::store) fn clear_strikes(
        &self,
        client: ClientKey,
    ) -> impl Future<Output = Result<(), Failure>> + Send + use<> {
        let mut command = cmd("DEL");
        command.arg(self.keys.strikes(client));
        let call = self.connections.command(command);
        async move { call.await.map(drop) }
    }

    /// Whether Redis does all that a decision about a client needs. If so, no connection waits before it is made anew.
    pub(in crate::store) async fn probe(&self, client: Option<ClientKey>) -> Result<(), Failure> {
        let key = self.keys.probe(client.unwrap_or(ClientKey::Unknown));
        let call = self
            .connections
            .eval(&self.scripts.probe, &[key.as_bytes()], &[]);
        call.await?;
        self.try_again();
        Ok(())
    }

    /// Somebody has found Redis: no connection waits before it is made anew.
    pub(in crate::store) fn try_again(&self) {
        self.connections.try_again();
    }
}

/// The request is over the limit of a value already.
struct Exceeded;

fn is_counted_by_value(log: &LogHit<'_>) -> bool {
    log.name.counted_by.is_some_and(|by| by.value.is_some())
}

fn log_of<'a>(client: ClientKey, log: &LogHit<'a>) -> LogOf<'a> {
    match log.name.counted_by {
        None => LogOf::Client(client),
        Some(CountedBy {
            function,
            value: Some(value),
        }) => LogOf::Value { function, value },
        Some(CountedBy {
            function,
            value: None,
        }) => LogOf::NoValue { function, client },
    }
}

impl Call {
    async fn make(&self, connections: &Connections) -> Result<Asked, Failure> {
        let names: SmallVec<[&[u8]; 4]> = self.names.iter().map(|name| name.as_bytes()).collect();
        let cause = self.reason.as_deref().map_or(Cause::Request, Cause::Threat);
        let argument = script::argument(&cause);
        let argument = argument.as_ref().map(|argument| argument.as_bytes());
        let call = connections.eval(&self.script.script, &names, argument.as_slice());
        let value: Value = call.await?;
        Ok(reply::decision(&self.script.shape, &cause, &value)?)
    }
}

/// The calls of one decision.
enum Calls {
    One(Call),
    Apart(Box<Apart>),
}

/// The calls of a decision whose logs are in several slots.
struct Apart {
    values: SmallVec<[Call; 1]>,
    /// If the logs of all values admit the request.
    admitted: Call,
    /// If one of them does not.
    exceeded: Call,
    /// Of each log in the order of the hit: whether it is a value's, and how many quotas it has.
    order: SmallVec<[(bool, usize); 2]>,
}

impl Apart {
    async fn make(&self, connections: &Connections) -> Result<Asked, Failure> {
        let mut exceeded = false;
        let mut of_values: SmallVec<[QuotaState; 2]> = SmallVec::new();
        for call in &self.values {
            let answer = call.make(connections).await?;
            exceeded |= answer.decision.outcome == Outcome::Limited;
            of_values.extend(answer.decision.quotas);
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

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Self {
        Self::Protocol(unreadable.to_string().into())
    }
}
