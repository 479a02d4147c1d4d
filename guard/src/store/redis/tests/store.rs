//! The store as it is used, on a server of the tests' own, with a clock of the test if there is one. A failure is a panic.

use std::{
    future::Future,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use redis::{Cmd, Connection, Value, cmd};
use redis_servers::Server;
use tokio::runtime::{Builder, Handle};

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    clock::{Clock as _, ManualClock},
    decision::{Answer, Decision, Hit, LogKey, Quota, Store, Subject},
    store::{
        contract::{Ask, Harness, Names},
        redis::{
            connection::{Failure, Servers},
            keys::{Keys, LogOf},
            script::Scripts,
            store::RedisStore as Calls,
        },
        unwritten::Change,
    },
};

#[cfg(feature = "admin")]
use crate::decision::{LogHit, Standing};

/// Each test has a database to itself.
const DATABASES: usize = 10_000;
/// A busy machine is no failure.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The server that all tests share.
static SHARED: LazyLock<Server> = LazyLock::new(|| {
    let databases = DATABASES.to_string();
    Server::builder().config("databases", databases).start()
});

/// Where tests wait for answers that do not bring a runtime of their own.
pub(super) static RUNTIME: LazyLock<Handle> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    handle
});

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
        RedisStore::new(scripts, Some(clock), false)
    }

    fn log_length(store: &RedisStore, key: LogKey, quotas: &[Quota]) -> usize {
        // A request that no quota admits and that is not recorded.
        let windows = quotas.iter().map(|quota| quota.window_millis);
        let look = Quota {
            requests: 0,
            window_millis: windows.max().unwrap(),
        };
        let look = Ask::request(client_of(key))
            .counted_in(key, &[look])
            .count_rejected(false)
            .without_bans();
        RUNTIME.block_on(look.put(store).wait());
        let mut count = cmd("ZCARD");
        count.arg(store.log(key));
        store.query(&count)
    }
}

/// Whose requests a log holds, if they are a client's.
fn client_of(key: LogKey) -> ClientKey {
    match key.subject {
        Subject::Client(client) => client,
        Subject::Value(_) => ClientKey::Unknown,
    }
}

/// See the module's documentation.
#[derive(Clone)]
pub(in crate::store) struct RedisStore {
    calls: Arc<Calls>,
    pub(super) keys: Arc<Keys>,
    /// For what tests do on the server by themselves.
    admin: Arc<Mutex<Connection>>,
    /// `None`: the server's.
    clock: Option<Arc<ManualClock>>,
}

impl RedisStore {
    /// On the server's clock, with the scripts as they are.
    pub(super) fn real(cluster: bool) -> Self {
        Self::new(Scripts::new(), None, cluster)
    }

    /// On a server that nobody else uses.
    pub(super) fn on(server: &Server) -> Self {
        Self::over(server, 0, Scripts::new(), None, false)
    }

    fn new(scripts: Scripts, clock: Option<Arc<ManualClock>>, cluster: bool) -> Self {
        static TAKEN: AtomicUsize = AtomicUsize::new(0);
        let database = TAKEN.fetch_add(1, Ordering::Relaxed) % DATABASES;
        let store = Self::over(&SHARED, database, scripts, clock, cluster);
        store.run(&["FLUSHDB"]);
        store
    }

    fn over(
        server: &Server,
        database: usize,
        scripts: Scripts,
        clock: Option<Arc<ManualClock>>,
        cluster: bool,
    ) -> Self {
        let url = format!("{}/{database}", server.url().trim_end_matches('/'));
        let servers = Servers::parse(&[url], None, false, TIMEOUT).unwrap();
        let calls = Calls::with_scripts(servers, "a*[guard]:", cluster, scripts);
        let store = Self {
            keys: Arc::clone(&calls.keys),
            calls: Arc::new(calls),
            admin: Arc::new(Mutex::new(server.connection())),
            clock,
        };
        store.run(&["SELECT", &database.to_string()]);
        store
    }

    /// Asks the server something.
    pub(super) fn query<T: redis::FromRedisValue>(&self, command: &Cmd) -> T {
        command.query(&mut *self.admin.lock().unwrap()).unwrap()
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

    /// The name of a log.
    pub(super) fn log(&self, key: LogKey) -> String {
        let names = Names::of(key);
        let name = names.name();
        let client = self.keys.whose(client_of(key));
        let of = match name.counted_by {
            None => LogOf::Client(&client),
            Some(by) => LogOf::Value {
                function: by.function,
                value: by.value.unwrap(),
            },
        };
        self.keys.log(of, name.endpoint)
    }

    /// Writes a ban of an outage.
    pub(super) fn write(&self, client: ClientKey, millis: u64) -> impl Future<Output = ()> + use<> {
        let ban = BanRecord {
            since_millis: 0,
            until_millis: millis,
            reason: "an outage".into(),
            by: BanSource::Automatic,
        };
        let change = Change::banned(&ban, 0, millis);
        let call = self.calls.write(client, &change, 0);
        async move { call.await.unwrap() }
    }

    /// The answer to a call at the test's time.
    fn at_its_time<T: Send + 'static>(
        &self,
        call: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Answer<T> {
        if let Some(clock) = &self.clock {
            self.run(&["SET", "virtual:now", &clock.now_millis().to_string()]);
        }
        Answer::Later(Box::pin(async move {
            call.await.unwrap_or_else(|failure| panic!("{failure}"))
        }))
    }
}

impl Store for RedisStore {
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision> {
        let (calls, question) = (Arc::clone(&self.calls), self.calls.question(hit));
        self.at_its_time(async move { Ok(calls.decide(&question).await?.decision) })
    }

    fn hot_ban(&self, _: ClientKey) -> Option<BanSource> {
        None
    }

    fn clear_strikes(&self, client: ClientKey) -> Answer<()> {
        self.at_its_time(self.calls.clear_strikes(client))
    }

    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban> {
        self.at_its_time(self.calls.ban(client, duration_millis, reason))
    }

    fn unban(&self, client: ClientKey) -> Answer<bool> {
        self.at_its_time(self.calls.unban(client))
    }

    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>> {
        self.at_its_time(self.calls.ban_of(client))
    }

    fn bans(&self) -> Answer<Vec<Ban>> {
        let call = self.calls.bans();
        self.at_its_time(async move {
            let (bans, missing) = call.await?;
            missing.map_or(Ok(bans), Err)
        })
    }

    #[cfg(feature = "admin")]
    fn standing(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
        strike_ttl_millis: u64,
    ) -> Answer<Standing> {
        self.at_its_time(self.calls.standing(client, logs, strike_ttl_millis))
    }

    #[cfg(feature = "admin")]
    fn redis_cli(&self, client: ClientKey, logs: &[LogHit<'_>]) -> Vec<String> {
        self.calls.redis_cli(client, logs)
    }
}
