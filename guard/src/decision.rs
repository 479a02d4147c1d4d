//! The decision: what a store is asked about a request, what it answers, and the contract of a store.
//!
//! Must not know: actix-web, headers, statuses, or how a store keeps its data.

#[cfg(feature = "admin")]
mod standing;

use std::{future::Future, pin::Pin};

use smallvec::SmallVec;

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    config::StoreFailurePolicy,
};

#[cfg(feature = "admin")]
pub(crate) use standing::{QuotaStanding, Standing};

/// So many requests in so long a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Quota {
    pub(crate) requests: u32,
    pub(crate) window_millis: u64,
}

/// A route as the engine numbers them; see its constants for those that are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RouteId(pub(crate) u32);

impl RouteId {
    /// All requests that no other limit covers.
    pub(crate) const GLOBAL: Self = Self(0);
    /// CORS preflights.
    pub(crate) const PREFLIGHT: Self = Self(1);
    /// Requests of trusted proxies that name nobody.
    pub(crate) const INFRASTRUCTURE: Self = Self(2);
    /// Answers with 404.
    pub(crate) const NOT_FOUND: Self = Self(3);
    /// The first number for routes of the application.
    pub(crate) const FIRST: u32 = 4;
}

/// Whose requests a log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// The client of the hit.
    Client(ClientKey),
    /// The value of a key function.
    Value(ValueHash),
}

/// A value, hashed with the process's secret so that nobody can make two values meet. In bytes, for a [`LogKey`] to be small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ValueHash(pub(crate) [u8; 16]);

/// One log of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LogKey {
    pub(crate) subject: Subject,
    pub(crate) route: RouteId,
}

/// A log that a request counts in, with the quotas that read it. Quotas that count by the same key share one log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogHit<'a> {
    pub(crate) key: LogKey,
    #[cfg_attr(
        not(feature = "redis"),
        expect(dead_code, reason = "for stores that are shared")
    )]
    pub(crate) name: LogName<'a>,
    pub(crate) quotas: &'a [Quota],
}

/// What a log is called by all processes alike, where a [`LogKey`] tells logs apart in this one only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogName<'a> {
    /// The route; `None` for the requests that no other limit covers.
    pub(crate) endpoint: Option<&'a str>,
    /// `None`: it counts by the client.
    pub(crate) counted_by: Option<CountedBy<'a>>,
}

/// A key function, and what it gave for the request; `None`: it counts by the client all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountedBy<'a> {
    pub(crate) function: &'a str,
    pub(crate) value: Option<&'a str>,
}

/// When violations become a ban. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StrikeRules {
    /// The strike that exceeds this creates the ban.
    pub(crate) threshold: u32,
    /// Life of the counter, from its last strike.
    pub(crate) ttl_millis: u64,
    /// Strikes nearer together than this count as one; 0: each counts.
    pub(crate) interval_millis: u64,
    /// Length of the ban.
    pub(crate) ban_millis: u64,
}

/// Why the store is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause<'a> {
    /// A request that is to be counted in its logs.
    Request,
    /// A request that is a violation already; the text is the reason of the ban it may bring.
    Threat(&'a str),
}

/// One question to the store: stage 7.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit<'a> {
    pub(crate) client: ClientKey,
    pub(crate) cause: Cause<'a>,
    pub(crate) logs: &'a [LogHit<'a>],
    /// Rejected requests are recorded as well.
    pub(crate) count_rejected: bool,
    /// Look for a ban first.
    pub(crate) bans: bool,
    /// Violations are strikes, by these rules.
    pub(crate) strikes: Option<StrikeRules>,
    /// What to do if the store is out of reach.
    #[cfg_attr(
        not(feature = "redis"),
        expect(dead_code, reason = "for stores that are shared")
    )]
    pub(crate) on_store_failure: StoreFailurePolicy,
}

/// A quota after the request was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuotaState {
    /// Requests that would still be admitted now.
    pub(crate) remaining: u32,
    /// Time until one more than now would be admitted; the window, if it is empty.
    pub(crate) reset_millis: u64,
    /// The request was over this quota.
    pub(crate) exceeded: bool,
}

impl QuotaState {
    /// How long until the quota admits a request.
    pub(crate) fn wait_millis(&self) -> u64 {
        if self.remaining == 0 {
            self.reset_millis
        } else {
            0
        }
    }
}

/// The quotas of a decision, in the order in which the hit named them.
pub(crate) type QuotaStates = SmallVec<[QuotaState; 2]>;

/// What became of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Admitted,
    /// Over a quota.
    Limited,
    /// A violation already before it was counted.
    Threat,
    /// The client is banned.
    Banned(Box<BanRecord>),
    /// The store cannot tell, and nobody is to be served then.
    #[cfg_attr(
        not(feature = "redis"),
        expect(dead_code, reason = "for stores that are shared")
    )]
    Unavailable,
}

impl Outcome {
    /// Of a request that is refused for what it is, though its client is not banned.
    #[inline]
    pub(crate) fn is_violation(&self) -> bool {
        matches!(self, Self::Limited | Self::Threat)
    }
}

/// Whether a store can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreState {
    /// It answers. A store in memory always does.
    Available,
    /// Redis is out of reach: `on_store_failure` applies, or with local windows bans are not shared, until it is back. Of a Cluster one master
    /// may be: then the clients whose keys it has are those concerned.
    Unavailable,
}

/// The answer of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) outcome: Outcome,
    /// The ban was created by this very request.
    pub(crate) newly_banned: bool,
    /// The client's strikes, after this request.
    pub(crate) strikes: u32,
    /// Empty, unless the request was counted.
    pub(crate) quotas: QuotaStates,
}

impl Decision {
    /// The wait after which a request is admitted by every quota.
    pub(crate) fn wait_millis(&self) -> u64 {
        self.quotas
            .iter()
            .map(QuotaState::wait_millis)
            .max()
            .unwrap_or(0)
    }
}

/// An answer that is there at once (from memory) or comes over the network. Waiting costs an allocation only where there
/// is something to wait for.
pub(crate) enum Answer<T> {
    Ready(T),
    #[cfg_attr(
        not(any(test, feature = "redis")),
        expect(dead_code, reason = "for stores that do I/O")
    )]
    Later(Pin<Box<dyn Future<Output = T> + Send>>),
}

impl<T> Answer<T> {
    pub(crate) async fn wait(self) -> T {
        match self {
            Self::Ready(value) => value,
            Self::Later(future) => future.await,
        }
    }
}

/// Where windows, strikes and bans are kept.
///
/// The contract, which `store::contract` checks:
/// - [`decide`](Store::decide) is atomic: concurrent calls come out as if they had come one after another.
/// - A banned client is [`Outcome::Banned`] and nothing else changes: no entry, no strike, no longer ban.
/// - A request is admitted iff in each of its logs, for each quota, fewer than `requests` entries are younger than the
///   window (an entry exactly as old as the window is out). It is then recorded in all logs; a rejected one is recorded in
///   all of them or in none, by `count_rejected`. A log keeps at most `requests` + 1 entries.
/// - A violation adds one strike (unless the last one is nearer than the interval) and restarts the counter's life. If that
///   exceeds the threshold, the client is banned for exactly `ban_millis`, its strikes are gone, and so are the entries of
///   the logs that were over their quota.
/// - A ban that ends, is lifted or is set leaves no strikes.
/// - Looking at a client (`standing`) changes nothing: every decision afterwards is what it would have been.
pub(crate) trait Store: Send + Sync {
    /// Stage 7: ban, window, strikes, new ban.
    fn decide(&self, hit: &Hit<'_>) -> Answer<Decision>;

    /// Who banned the client, if a ban is known here without I/O.
    fn hot_ban(&self, client: ClientKey) -> Option<BanSource>;

    /// Puts the strikes back to zero after a clean request.
    fn clear_strikes(&self, client: ClientKey) -> Answer<()>;

    /// Bans a client by hand; replaces a ban that is there.
    fn ban(&self, client: ClientKey, duration_millis: u64, reason: &str) -> Answer<Ban>;

    /// Lifts a ban and clears strikes; whether there was a ban.
    fn unban(&self, client: ClientKey) -> Answer<bool>;

    /// The ban of a client.
    fn ban_of(&self, client: ClientKey) -> Answer<Option<Ban>>;

    /// All bans, the one that ends soonest first.
    fn bans(&self) -> Answer<Vec<Ban>>;

    /// How a client stands, in logs of its own: those that count by its address, also because a key function gave nothing. It counts
    /// nothing, makes nothing and keeps nothing alive; a log that isn't there is an empty one. `strike_ttl_millis`: the life of strikes by
    /// the rules in force, which a store may need after a clock step.
    #[cfg(feature = "admin")]
    fn standing(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
        strike_ttl_millis: u64,
    ) -> Answer<Standing>;

    /// Complete lines that show the client on the server and lift its ban, if there is a server: to be pasted into a shell. They have no
    /// host, port or password. `logs` are as for [`standing`](Store::standing).
    #[cfg(feature = "admin")]
    fn redis_cli(&self, _client: ClientKey, _logs: &[LogHit<'_>]) -> Vec<String> {
        Vec::new()
    }

    /// How many bans are in force, if that is known without I/O and without counting.
    #[cfg(feature = "metrics")]
    fn active_bans(&self) -> Option<usize> {
        None
    }

    /// Whether it can be asked.
    fn state(&self) -> StoreState {
        StoreState::Available
    }
}
