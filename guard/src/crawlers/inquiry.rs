//! The thread that asks DNS about addresses.
//!
//! It has a runtime of its own: the verifier may be made where there is none, and workers have better things to do.
//! Must not know: who asks, or for whose sake.

use std::{
    fmt::Display,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use hickory_resolver::{TokioResolver, net::NetError};
use tokio::{runtime, sync::mpsc, task::JoinSet, time::timeout};

use super::{
    cache::Outcome,
    health::{Change, Health},
    proof::prove,
    verifier::Known,
};

/// So many questions wait for their turn; the next ones are dropped, and asked again when the client comes again.
pub(super) const QUEUE: usize = 1000;
/// So many are asked at once.
pub(super) const AT_ONCE: usize = 16;

/// How long DNS is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For all that there is to ask about one address.
    pub(super) address: Duration,
    /// For one answer, before the question is sent once more.
    pub(super) attempt: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            address: Duration::from_secs(5),
            attempt: Duration::from_secs(2),
        }
    }
}

/// Starts the thread. It ends when the queue is dropped.
pub(super) fn start(
    known: Arc<Known>,
    open: impl FnMut() -> Result<TokioResolver, NetError> + Send + 'static,
    patience: Duration,
) -> mpsc::Sender<IpAddr> {
    let (queue, questions) = mpsc::channel(QUEUE);
    let inquiry = Inquiry {
        known,
        open,
        patience,
        health: Arc::default(),
        dns: None,
    };
    let body = move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(inquiry.answer_all(questions)),
            Err(error) => {
                tracing::error!(%error, "no runtime to verify crawlers with: none is exempt")
            }
        }
    };
    let thread = thread::Builder::new().name("guard-crawlers".to_owned());
    if let Err(error) = thread.spawn(body) {
        tracing::error!(%error, "no thread to verify crawlers with: none is exempt");
    }
    queue
}

struct Inquiry<F> {
    known: Arc<Known>,
    /// Makes a resolver.
    open: F,
    /// For all that there is to ask about one address.
    patience: Duration,
    health: Arc<Mutex<Health>>,
    /// `None` as long as the operating system doesn't say whom to ask.
    dns: Option<TokioResolver>,
}

impl<F: FnMut() -> Result<TokioResolver, NetError>> Inquiry<F> {
    async fn answer_all(mut self, mut questions: mpsc::Receiver<IpAddr>) {
        let mut running = JoinSet::new();
        while let Some(address) = questions.recv().await {
            while running.len() >= AT_ONCE {
                running.join_next().await;
            }
            // What still waits when nobody wants to know any more is not asked.
            if questions.is_closed() {
                return;
            }
            while running.try_join_next().is_some() {}
            if let Some(dns) = self.dns(address) {
                running.spawn(answer(dns, self.question(address), self.patience));
            }
        }
    }

    /// Whom to ask. Settings that are missing may be there the next time.
    fn dns(&mut self, address: IpAddr) -> Option<TokioResolver> {
        if self.dns.is_none() {
            match (self.open)() {
                Ok(dns) => self.dns = Some(dns),
                Err(error) => self.question(address).fail(&error),
            }
        }
        self.dns.clone()
    }

    fn question(&self, address: IpAddr) -> Question {
        Question {
            address,
            outcome: Outcome::Failed,
            known: Arc::clone(&self.known),
            health: Arc::clone(&self.health),
        }
    }
}

async fn answer(dns: TokioResolver, question: Question, patience: Duration) {
    match timeout(patience, prove(&dns, question.address)).await {
        Ok(Ok(outcome)) => question.succeed(outcome),
        Ok(Err(error)) => question.fail(&error),
        Err(elapsed) => question.fail(&elapsed),
    }
}

/// A question about an address. However it is let go of, it is settled: one that is lost has failed.
struct Question {
    address: IpAddr,
    outcome: Outcome,
    known: Arc<Known>,
    health: Arc<Mutex<Health>>,
}

impl Question {
    fn succeed(mut self, outcome: Outcome) {
        self.outcome = outcome;
        let address = self.address;
        match outcome {
            Outcome::Proven { operator, ttl } => tracing::debug!(
                %address, crawler = operator.name, ?ttl, "the address is the crawler's"
            ),
            _ => tracing::debug!(%address, "the address is no crawler's"),
        }
        if let Some(Change::WorksAgain) = self.note(true) {
            tracing::info!("DNS answers again: crawlers are verified");
        }
    }

    fn fail(self, error: &dyn Display) {
        tracing::debug!(address = %self.address, %error, "DNS does not say whose the address is");
        if let Some(Change::Fails) = self.note(false) {
            tracing::warn!(
                %error,
                "DNS fails: crawlers that are not proven yet are not exempt"
            );
        }
    }

    fn note(&self, is_answered: bool) -> Option<Change> {
        self.health
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .note(is_answered, self.known.now_millis())
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.known.settle(self.address, self.outcome);
    }
}
