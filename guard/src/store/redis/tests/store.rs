//! A store as thin as can be: one connection, and no answer to failures but a panic.

use std::{collections::HashSet, future::Future, sync::Arc};

use redis::{Cmd, Value, aio::MultiplexedConnection, cmd};

use crate::{
    bans::{Ban, BanRecord},
    client::ClientKey,
    clock::{Clock as _, ManualClock},
    decision::{Answer, Cause, Decision, Hit, LogHit, LogKey, Quota, RouteId, Store, Subject},
    store::{
        contract::Harness,
        redis::{
            connection::Script,
            endpoint::{EndpointPath, RouteMethod},
            keys::{Keys, LogOf},
            reply,
            script::{self, Scripts, Shape},
        },
    },
};

use super::server::{RUNTIME, Server, database};

/// How a store over a server of Redis is made for a test.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Redis {
    /// The test's clock, on which all that happens in a millisecond happens in its first microsecond.
    Frozen,
    /// The test's clock, on which every call is some microseconds later than the one before.
    Ticking,
}

impl Redis {
    fn prelude(self) -> String {
        let ticking = matches!(self, Self::Ticking);
        format!("local TICKING = {ticking}\n{}", include_str!("virtual.lua"))
    }
}

impl Harness for Redis {
    type Store = RedisStore;

    /// Each step is a round trip.
    const CASES: u32 = 32;

    fn store(&self, clock: Arc<ManualClock>) -> RedisStore {
        let scripts = Scripts::with_prelude(&self.prelude());
        RedisStore::new(database(), scripts, Some(clock), false)
    }

    fn log_length(store: &RedisStore, key: LogKey, quotas: &[Quota]) -> usize {
        // A request that no quota admits and that is not recorded.
        let window_millis = quotas
            .iter()
            .map(|quota| quota.window_millis)
            .max()
            .unwrap();
        let look = Quota {
            requests: 0,
            window_millis,
        };
        let hit = Hit {
            client: ClientKey::Unknown,
            cause: Cause::Request,
            logs: &[LogHit {
                key,
                name: crate::decision::LogName::default(),
                quotas: &[look],
            }],
            count_rejected: false,
            bans: false,
            strikes: None,
            on_store_failure: crate::config::StoreFailurePolicy::Local,
        };
        let Answer::Later(answer) = store.decide(&hit) else {
            panic!("the answer comes over a network")
        };
        RUNTIME.block_on(answer);
        let mut count = cmd("ZCARD");
        count.arg(store.log(key));
        store.query(&count)
    }
}

/// See the module's documentation.
#[derive(Clone)]
pub(in crate::store) struct RedisStore {
    connection: MultiplexedConnection,
    scripts: Arc<Scripts>,
    pub(super) keys: Keys,
    /// `None`: the server's.
    clock: Option<Arc<ManualClock>>,
}

impl RedisStore {
    /// On the server's clock, with the scripts as they are.
    pub(super) fn real(cluster: bool) -> Self {
        Self::new(database(), Scripts::new(), None, cluster)
    }

    /// On a server that nobody else uses.
    pub(super) fn on(server: &Server) -> Self {
        Self::new(server.connect(0), Scripts::new(), None, false)
    }

    fn new(
        connection: MultiplexedConnection,
        scripts: Scripts,
        clock: Option<Arc<ManualClock>>,
        cluster: bool,
    ) -> Self {
        Self {
            connection,
            scripts: Arc::new(scripts),
            keys: Keys::new("a*[guard]:", cluster),
            clock,
        }
    }

    /// Asks the server something.
    pub(super) fn query<T: redis::FromRedisValue>(&self, command: &Cmd) -> T {
        RUNTIME
            .block_on(command.query_async(&mut self.connection.clone()))
            .unwrap()
    }

    /// Has the server do something, given as on a command line.
    pub(super) fn run(&self, words: &[&str]) -> Value {
        let mut command = Cmd::new();
        command.arg(words);
        self.query(&command)
    }

    /// The number that a command replies with.
    pub(super) fn number(&self, words: &[&str]) -> i64 {
        match self.run(words) {
            Value::Int(number) => number,
            other => panic!("{other:?} to {words:?}"),
        }
    }

    /// The server's clock.
    pub(super) fn now_millis(&self) -> u64 {
        let (seconds, micros): (u64, u64) = self.query(&cmd("TIME"));
        seconds * 1000 + micros / 1000
    }

    /// The key of a log.
    pub(super) fn log(&self, key: LogKey) -> String {
        let pattern = format!("/route/{}", key.route.0);
        let endpoint = match key.route {
            RouteId::GLOBAL => None,
            RouteId::PREFLIGHT => Some(EndpointPath::preflight()),
            _ => Some(EndpointPath::new(&pattern, RouteMethod::First("GET"))),
        };
        let (client, value);
        let of = match key.subject {
            Subject::Client(key) => {
                client = self.keys.whose(key);
                LogOf::Client(&client)
            }
            Subject::Value(number) => {
                value = number.to_string();
                LogOf::Value {
                    function: "test",
                    value: &value,
                }
            }
        };
        self.keys
            .log(of, endpoint.as_ref().map(EndpointPath::as_str))
    }

    /// Calls a script, which the server may not know yet.
    fn call(
        &self,
        script: &Script,
        keys: Vec<String>,
        mut arguments: Vec<String>,
    ) -> impl Future<Output = Value> + Send + 'static {
        if let Some(clock) = &self.clock {
            arguments.push(clock.now_millis().to_string());
        }
        let command = |name, script: &str| {
            let mut command = cmd(name);
            command
                .arg(script)
                .arg(keys.len())
                .arg(&keys)
                .arg(&arguments);
            command
        };
        let by_digest = command("EVALSHA", script.hash());
        let by_text = command("EVAL", script.text());
        let mut connection = self.connection.clone();
        async move {
            match by_digest.query_async(&mut connection).await {
                Err(error) if error.kind() == redis::ServerErrorKind::NoScript.into() => {
                    by_text.query_async(&mut connection).await.unwrap()
                }
                reply => reply.unwrap(),
            }
        }
    }

    fn both(&self, client: ClientKey) -> Vec<String> {
        vec![self.keys.ban(client), self.keys.strikes(client)]
    }
}

/// The whole names of keys that match.
async fn scan(mut connection: MultiplexedConnection, pattern: String) -> HashSet<Vec<u8>> {
    let (mut cursor, mut found) = (0_u64, HashSet::new());
    loop {
        let mut scan = cmd("SCAN");
        scan.arg(cursor)
            .arg("MATCH")
            .arg(&pattern)
            .arg("COUNT")
            .arg(1000);
        let (next, names): (u64, Vec<Vec<u8>>) = scan.query_async(&mut connection).await.unwrap();
        found.extend(names);
        cursor = next;
        if cursor == 0 {
            return found;
        }
    }
}

impl Store for RedisStore {
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision> {
        let script = self.scripts.decision(Shape::of(hit));
        let mut keys = Vec::new();
        if script.shape.has_ban_key() {
            keys.push(self.keys.ban(hit.client));
        }
        if script.shape.has_strikes_key() {
            keys.push(self.keys.strikes(hit.client));
        }
        if !script.shape.threat {
            keys.extend(hit.logs.iter().map(|log| self.log(log.key)));
        }
        let argument = script::argument(&hit.cause);
        let reply = self.call(&script.script, keys, argument.into_iter().collect());
        let threat = match hit.cause {
            Cause::Request => None,
            Cause::Threat(reason) => Some(reason.to_owned()),
        };
        Answer::Later(Box::pin(async move {
            let reply = reply.await;
            let cause = threat.as_deref().map_or(Cause::Request, Cause::Threat);
            reply::decision(&script.shape, &cause, &reply)
                .unwrap_or_else(|error| panic!("{error}: {reply:?}"))
                .decision
        }))
    }

    fn hot_ban(&self, _: ClientKey) -> Option<Arc<BanRecord>> {
        None
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        let mut delete = cmd("DEL");
        delete.arg(self.keys.strikes(client));
        let mut connection = self.connection.clone();
        Answer::Later(Box::pin(async move {
            delete.query_async(&mut connection).await.unwrap()
        }))
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        let duration = duration_millis.min(script::LONGEST_MILLIS);
        let arguments = vec![
            script::reason(reason),
            duration.to_string(),
            "manual".to_owned(),
        ];
        let reply = self.call(&self.scripts.ban, self.both(client), arguments);
        let reason = reason.to_owned();
        Answer::Later(Box::pin(async move {
            let ban = reply::new_ban(&reason, duration_millis, &reply.await);
            ban.unwrap().to_ban(client)
        }))
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        let reply = self.call(&self.scripts.unban, self.both(client), Vec::new());
        Answer::Later(Box::pin(
            async move { reply::lifted(&reply.await).unwrap() },
        ))
    }

    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>> {
        let keys = vec![self.keys.ban(client)];
        let reply = self.call(&self.scripts.ban_of, keys, Vec::new());
        Answer::Later(Box::pin(async move {
            let ban = reply::ban(&reply.await).unwrap();
            ban.map(|ban| ban.to_ban(client))
        }))
    }

    fn bans(&self) -> Answer<Vec<Ban>> {
        let store = self.clone();
        Answer::Later(Box::pin(async move {
            let mut bans = Vec::new();
            let pattern = store.keys.bans_pattern();
            for name in scan(store.connection.clone(), pattern).await {
                let name = String::from_utf8_lossy(&name);
                if let Some(client) = store.keys.banned_client(&name) {
                    bans.extend(store.ban_of(client).wait().await);
                }
            }
            bans.sort_by_key(|ban| ban.remaining);
            bans
        }))
    }
}
