//! Whether a client is the crawler that it claims to be: answered from what is known, while what is not known is being asked.
//!
//! Must not know: how DNS is asked, or what a claim looks like.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::sync::mpsc;

use crate::clock::Clock;

use super::{
    cache::{Cache, Outcome},
    inquiry::{self, Patience},
    operators::Operator,
    resolvers::Resolvers,
};

/// One for all workers of a guard.
#[derive(Debug)]
pub(crate) struct CrawlerVerifier {
    known: Arc<Known>,
    resolvers: Resolvers,
    patience: Patience,
    /// To the thread that asks; it is started by the first claim.
    questions: OnceLock<mpsc::Sender<IpAddr>>,
}

impl CrawlerVerifier {
    /// Asks nobody anything yet.
    pub(crate) fn new(clock: Arc<dyn Clock>, resolvers: Resolvers) -> Self {
        Self::with_patience(clock, resolvers, Patience::default())
    }

    pub(super) fn with_patience(
        clock: Arc<dyn Clock>,
        resolvers: Resolvers,
        patience: Patience,
    ) -> Self {
        Self {
            known: Arc::new(Known::new(clock)),
            resolvers,
            patience,
            questions: OnceLock::new(),
        }
    }

    /// Whether the address is known to be the crawler's. Never waits for DNS: an address that nothing is known of is not proven, and is
    /// asked about.
    pub(crate) fn is_proven(&self, operator: &'static Operator, address: IpAddr) -> bool {
        let questions = self.questions.get_or_init(|| self.start());
        self.known.owner_of(address.to_canonical(), questions) == Some(operator)
    }

    fn start(&self) -> mpsc::Sender<IpAddr> {
        let (resolvers, attempt) = (self.resolvers.clone(), self.patience.attempt);
        let known = Arc::clone(&self.known);
        inquiry::start(
            known,
            move || resolvers.open(attempt),
            self.patience.address,
        )
    }

    #[cfg(test)]
    pub(super) fn known(&self) -> &Known {
        &self.known
    }
}

/// What those who ask and the thread that answers share.
#[derive(Debug)]
pub(super) struct Known {
    cache: Mutex<Cache>,
    clock: Arc<dyn Clock>,
    #[cfg(test)]
    settled: std::sync::Condvar,
}

impl Known {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            cache: Mutex::new(Cache::new()),
            clock,
            #[cfg(test)]
            settled: std::sync::Condvar::new(),
        }
    }

    /// Looked up and asked under one lock, so that a question is never asked twice.
    pub(super) fn owner_of(
        &self,
        address: IpAddr,
        questions: &mpsc::Sender<IpAddr>,
    ) -> Option<&'static Operator> {
        let now = self.now_millis();
        let mut cache = self.lock();
        let standing = cache.look_up(address, now);
        if standing.is_due && questions.try_send(address).is_ok() {
            cache.ask(address);
        }
        standing.operator
    }

    /// The question about the address has ended.
    pub(super) fn settle(&self, address: IpAddr, outcome: Outcome) {
        let now = self.now_millis();
        self.lock().settle(address, outcome, now);
        #[cfg(test)]
        self.settled.notify_all();
    }

    pub(super) fn now_millis(&self) -> u64 {
        self.clock.now_millis()
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many questions are on their way.
    #[cfg(test)]
    pub(super) fn asked(&self) -> usize {
        self.lock().asked()
    }

    /// Waits until what is known is as expected; false if it doesn't come to that.
    #[cfg(test)]
    pub(super) fn wait_until(&self, is_expected: impl Fn(&Cache) -> bool) -> bool {
        let patience = std::time::Duration::from_secs(30);
        let (_cache, waited) = self
            .settled
            .wait_timeout_while(self.lock(), patience, |cache| !is_expected(cache))
            .unwrap();
        !waited.timed_out()
    }
}
