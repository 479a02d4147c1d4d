//! The calls: what the guard asks of Redis, and what the answers say.
//!
//! Must not know: what is done about a failure.

use std::{
    future::Future,
    sync::{Arc, atomic::AtomicUsize},
};

use ::redis::{Cmd, RedisWrite as _, cmd};
use smallvec::SmallVec;

use crate::{
    client::ClientKey,
    decision::{Cause, CountedBy, Hit, LogHit},
};

use super::{
    connection::{Connections, Failure, Servers},
    events::Events,
    keys::{Keys, LogOf, Whose},
    parts,
    question::{Apart, Asked, Call, Question},
    reply::Unreadable,
    script::{self, DecisionScript, Scripts, Shape},
};

/// See the module's documentation.
pub(in crate::store) struct RedisStore {
    pub(super) connections: Connections,
    pub(super) scripts: Scripts,
    pub(super) keys: Arc<Keys>,
    pub(super) servers: Arc<Servers>,
    pub(super) cluster: bool,
}

/// Most names of keys, with what stands before them, are shorter.
const LONG_NAME: usize = 64;

impl RedisStore {
    /// Connects to nobody yet.
    pub(super) fn new(servers: Servers, prefix: &str, cluster: bool) -> Self {
        Self::with_scripts(servers, prefix, cluster, Scripts::new())
    }

    pub(super) fn with_scripts(
        servers: Servers,
        prefix: &str,
        cluster: bool,
        scripts: Scripts,
    ) -> Self {
        let servers = Arc::new(servers);
        Self {
            connections: Connections::new(Arc::clone(&servers)),
            scripts,
            keys: Arc::new(Keys::new(prefix, cluster)),
            servers,
            cluster,
        }
    }

    /// Into how many [parts] the store is divided.
    pub(in crate::store) fn parts(&self) -> usize {
        parts::number(self.cluster)
    }

    /// The part of a client: all its keys are in one slot.
    #[inline]
    pub(in crate::store) fn part_of(&self, client: ClientKey) -> usize {
        if self.cluster {
            self.part_of_key(self.keys.ban(client).as_bytes())
        } else {
            0
        }
    }

    /// The part of a client that is given as it is shown.
    pub(in crate::store) fn part_of_shown(&self, client: &str) -> usize {
        self.part_of_key(client.as_bytes())
    }

    /// The part of the client that a question is about.
    #[inline]
    pub(in crate::store) fn part_asked(&self, question: &Question) -> usize {
        if self.cluster {
            self.part_of_key(question.key())
        } else {
            0
        }
    }

    /// Whether a question is about a part with this property beside that of its client.
    pub(in crate::store) fn asks_apart(
        &self,
        question: &Question,
        is_so: impl Fn(usize) -> bool,
    ) -> bool {
        question
            .keys_apart()
            .any(|key| is_so(self.part_of_key(key)))
    }

    /// The part that failed when a question was asked, if it was not that of the client, and the key to [probe](Self::probe).
    pub(in crate::store) fn failed_apart(&self, question: &Question) -> Option<(usize, Box<str>)> {
        let key = question.failed_apart()?;
        let name = str::from_utf8(key).ok()?;
        Some((self.part_of_key(key), self.keys.probe_beside(name).into()))
    }

    fn part_of_key(&self, key: &[u8]) -> usize {
        parts::part_of(key, self.cluster)
    }

    /// The key to [probe](Self::probe) for a client.
    pub(in crate::store) fn probe_key(&self, client: ClientKey) -> Box<str> {
        self.keys.probe(client).into()
    }

    /// What Redis tells of bans.
    pub(in crate::store) fn events(&self) -> Events {
        Events::new(Arc::clone(&self.servers), Arc::clone(&self.keys))
    }

    /// What stage 7 asks of Redis, to be [asked](Self::decide) when somebody waits for the answer.
    pub(in crate::store) fn question(&self, hit: &Hit<'_>) -> Question {
        let is_apart = |log: &LogHit<'_>| self.cluster && is_counted_by_value(log);
        match hit.logs.iter().any(is_apart) {
            false => Question::One(self.call(hit, None)),
            true => Question::Apart(Box::new(self.calls_apart(hit, is_apart))),
        }
    }

    /// Stage 7.
    pub(in crate::store) async fn decide(&self, question: &Question) -> Result<Asked, Failure> {
        question.ask(&self.connections).await
    }

    /// In a Cluster the log of a value is in another slot than the client's keys: it is asked first, and by a call of its own.
    fn calls_apart(&self, hit: &Hit<'_>, is_apart: impl Fn(&LogHit<'_>) -> bool) -> Apart {
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
        Apart {
            values,
            admitted: self.call(&hit, None),
            exceeded: self.call(&hit, Some(Exceeded)),
            order,
            at: AtomicUsize::new(0),
        }
    }

    fn call(&self, hit: &Hit<'_>, exceeded: Option<Exceeded>) -> Call {
        let mut shape = Shape::of(hit);
        shape.exceeded = exceeded.is_some();
        let script = self.scripts.decision(shape);
        let argument = script::argument(&hit.cause);
        Call {
            by_hash: self.by_hash(&script, hit, argument.as_deref()),
            script,
            reason: match hit.cause {
                Cause::Threat(reason) => Some(reason.into()),
                Cause::Request => None,
            },
        }
    }

    fn by_hash(&self, script: &DecisionScript, hit: &Hit<'_>, argument: Option<&str>) -> Cmd {
        let shape = &script.shape;
        let (ban, strikes) = (shape.has_ban_key(), shape.has_strikes_key());
        // A threat is counted in none.
        let logs = hit.logs.get(..shape.logs.len()).unwrap_or_default();
        let keys = usize::from(ban) + usize::from(strikes) + logs.len();
        let bytes = keys * LONG_NAME + argument.map_or(0, str::len);
        let mut command = script.script.begin(keys, argument.iter().len(), bytes);
        let client = self.keys.whose(hit.client);
        let mut name = String::with_capacity(LONG_NAME);
        if ban {
            self.keys.push_ban(&mut name, &client);
            write_name(&mut command, &mut name);
        }
        if strikes {
            self.keys.push_strikes(&mut name, &client);
            write_name(&mut command, &mut name);
        }
        for log in logs {
            let of = log_of(&client, log);
            self.keys.push_log(&mut name, of, log.name.endpoint);
            write_name(&mut command, &mut name);
        }
        if let Some(argument) = argument {
            command.write_arg(argument.as_bytes());
        }
        command
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

    /// Whether Redis does all that a decision needs, where it has a key. If so, no connection waits before it is made anew.
    pub(in crate::store) fn probe(
        &self,
        key: Option<&str>,
    ) -> impl Future<Output = Result<(), Failure>> + Send + use<> {
        let any = || self.probe_key(ClientKey::Unknown);
        let key = key.map_or_else(any, Box::from);
        let connections = self.connections.clone();
        let call = connections.eval(&self.scripts.probe, &[key.as_bytes()], &[]);
        async move {
            call.await?;
            connections.try_again();
            Ok(())
        }
    }

    /// Somebody has found Redis: no connection waits before it is made anew.
    pub(in crate::store) fn try_again(&self) {
        self.connections.try_again();
    }
}

/// Writes a name, and leaves room for the next one.
fn write_name(command: &mut Cmd, name: &mut String) {
    command.write_arg(name.as_bytes());
    name.clear();
}

/// The request is over the limit of a value already.
struct Exceeded;

fn is_counted_by_value(log: &LogHit<'_>) -> bool {
    log.name.counted_by.is_some_and(|by| by.value.is_some())
}

pub(super) fn log_of<'a>(client: &'a Whose, log: &LogHit<'a>) -> LogOf<'a> {
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

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Self {
        Self::Protocol(unreadable.to_string().into())
    }
}
