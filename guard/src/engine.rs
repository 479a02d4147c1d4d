//! The engine of one guard: its settings, its store, its routes. All workers share it, and so do all clones of the
//! configuration that it was made from.
//!
//! Must not know: HTTP, routing.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, ThreadId},
};

#[cfg(feature = "verify-crawlers")]
use crate::crawlers::{CrawlerVerifier, Resolvers};
#[cfg(feature = "admin")]
use crate::{ban_listing::BanListing, operator::Attempts, route::MetRoutes};
use crate::{
    client::ClientKey,
    config::{SecurityConfig, Settings},
    crawlers::Operator,
    decision::{RouteId, Store, ValueHash},
    log_pace::LogPace,
    proxy_warnings::ProxyWarnings,
    route::{CountedMethods, Route, RouteIdentity},
    store::{self, CountedApart},
    telemetry::Meters,
};

/// See the module's documentation.
pub(crate) struct Engine {
    settings: RwLock<Arc<Settings>>,
    version: AtomicU64,
    routes: Mutex<HashMap<RouteIdentity, Route>>,
    enforcing: Box<dyn Store>,
    /// Passive mode decides under keys of its own.
    passive: OnceLock<Box<dyn Store>>,
    /// Two secrets of the process: a value of a key function is hashed with both.
    value_hashers: [RandomState; 2],
    made_on: ThreadId,
    served_on: Mutex<Option<ThreadId>>,
    pub(crate) proxy_warnings: ProxyWarnings,
    pub(crate) log_pace: LogPace,
    pub(crate) meters: Meters,
    #[cfg(feature = "admin")]
    pub(crate) attempts: Attempts,
    #[cfg(feature = "admin")]
    pub(crate) ban_listing: BanListing,
    #[cfg(feature = "admin")]
    pub(crate) met_routes: MetRoutes,
    #[cfg(feature = "verify-crawlers")]
    crawlers: CrawlerVerifier,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    fn start(settings: Arc<Settings>) -> Arc<Self> {
        let enforcing = store::open(&settings, true);
        let meters = Meters::new(&settings.clock);
        #[cfg(feature = "verify-crawlers")]
        let crawlers = CrawlerVerifier::new(
            Arc::clone(&settings.clock),
            Resolvers::of(&settings.crawler_name_servers),
        );
        let engine = Arc::new(Self {
            settings: RwLock::new(settings),
            version: AtomicU64::new(0),
            routes: Mutex::default(),
            enforcing,
            passive: OnceLock::new(),
            value_hashers: [RandomState::new(), RandomState::new()],
            made_on: thread::current().id(),
            served_on: Mutex::new(None),
            proxy_warnings: ProxyWarnings::default(),
            log_pace: LogPace::default(),
            meters,
            #[cfg(feature = "admin")]
            attempts: Attempts::default(),
            #[cfg(feature = "admin")]
            ban_listing: BanListing::default(),
            #[cfg(feature = "admin")]
            met_routes: MetRoutes::default(),
            #[cfg(feature = "verify-crawlers")]
            crawlers,
        });
        let mut engines = lock(&ENGINES);
        // Those that are gone would still keep their memory.
        engines.retain(|engine| engine.strong_count() > 0);
        engines.push(Arc::downgrade(&engine));
        drop(engines);
        engine
    }

    /// The engine of a configuration: made once for it and all its clones.
    pub(crate) fn of(config: &SecurityConfig) -> Arc<Self> {
        Arc::clone(
            config
                .inner_engine()
                .get_or_init(|| Self::start(Arc::clone(config.settings()))),
        )
    }

    /// The engine with an [`id`](Self::id), while it lives.
    pub(crate) fn with_id(id: usize) -> Option<Arc<Self>> {
        lock(&ENGINES)
            .iter()
            .filter_map(Weak::upgrade)
            .find(|engine| engine.id() == id)
    }

    /// Tells engines apart.
    pub(crate) fn id(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes with each [`replace`](Self::replace): workers look at it on every request.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Puts other settings in force.
    pub(crate) fn replace(&self, settings: Arc<Settings>) {
        *self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner) = settings;
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The store for enforcing, or for passive mode.
    #[inline]
    pub(crate) fn store(&self, passive: bool) -> &dyn Store {
        if passive {
            self.passive
                .get_or_init(|| store::open(&self.settings(), false))
                .as_ref()
        } else {
            self.enforcing.as_ref()
        }
    }

    /// A route as stores know it. `pattern` is its full pattern as the router has it. `apart`: others may have the same pattern and methods.
    pub(crate) fn route(
        &self,
        identity: &RouteIdentity,
        pattern: &str,
        methods: CountedMethods<'_>,
        apart: bool,
    ) -> Route {
        let mut routes = lock(&self.routes);
        if let Some(known) = routes.get(identity) {
            return known.clone();
        }
        let number = u32::try_from(routes.len()).unwrap_or(u32::MAX - RouteId::FIRST);
        let mut endpoint = store::endpoint(pattern, methods, apart.then(|| identity.mark()));
        if endpoint.is_some() && routes.values().any(|other| other.endpoint == endpoint) {
            // Nothing told that there would be two: guards of scopes are not seen.
            let all_of_it = format!("{identity:?}");
            endpoint = store::endpoint(pattern, methods, Some(all_of_it));
        }
        let route = Route {
            id: RouteId(RouteId::FIRST + number),
            endpoint,
        };
        routes.insert(identity.clone(), route.clone());
        route
    }

    /// A route that stores may know, for it has been asked for.
    #[cfg(feature = "admin")]
    pub(crate) fn known_route(&self, identity: &RouteIdentity) -> Option<Route> {
        lock(&self.routes).get(identity).cloned()
    }

    /// Whether the address has proven to be the crawler's. Never waits: who is not known is not proven, and is asked about.
    pub(crate) fn is_proven_crawler(&self, crawler: &'static Operator, address: IpAddr) -> bool {
        #[cfg(feature = "verify-crawlers")]
        return self.crawlers.is_proven(crawler, address);
        #[cfg(not(feature = "verify-crawlers"))]
        {
            let _ = (crawler, address);
            false
        }
    }

    /// What is counted apart from the application's routes, as stores know it.
    pub(crate) fn apart(apart: CountedApart) -> Route {
        let id = match apart {
            CountedApart::Preflight => RouteId::PREFLIGHT,
            CountedApart::Infrastructure => RouteId::INFRASTRUCTURE,
            CountedApart::NotFound => RouteId::NOT_FOUND,
        };
        Route {
            id,
            endpoint: store::endpoint_apart(apart),
        }
    }

    /// The hash under which a value of a key function is counted, or the address where there is none. `name` keeps functions apart.
    pub(crate) fn value(&self, name: &str, value: Option<&str>, client: ClientKey) -> ValueHash {
        let subject = (name, value, value.is_none().then_some(client));
        let [one, two] = &self.value_hashers;
        let hash = u128::from(one.hash_one(subject)) << 64 | u128::from(two.hash_one(subject));
        ValueHash(hash.to_ne_bytes())
    }

    /// A worker has begun to serve with this engine. Warns if another engine with the same settings serves on another thread
    /// and each was made on its own: then every worker counts for itself.
    pub(crate) fn attach(&self) {
        let here = thread::current().id();
        let first = lock(&self.served_on).is_none();
        *lock(&self.served_on) = Some(here);
        if !first || self.made_on != here || !self.settings().counts_in_this_process() {
            return;
        }
        let mut engines = lock(&ENGINES);
        engines.retain(|engine| engine.strong_count() > 0);
        let twin = engines
            .iter()
            .filter_map(Weak::upgrade)
            .any(|other| self.is_twin(&other));
        drop(engines);
        if twin && !WARNED_OF_TWINS.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a SecurityConfig was built in each worker: every worker counts for itself, and clients get several times \
                 the limits. Build it (or the Guard) outside the HttpServer::new closure and clone it in"
            );
        }
    }

    fn is_twin(&self, other: &Self) -> bool {
        let elsewhere = lock(&other.served_on)
            .is_some_and(|thread| thread == other.made_on && thread != self.made_on);
        self.id() != other.id() && elsewhere && self.settings() == other.settings()
    }
}

/// All engines of the process.
static ENGINES: Mutex<Vec<Weak<Engine>>> = Mutex::new(Vec::new());
static WARNED_OF_TWINS: AtomicBool = AtomicBool::new(false);

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
