//! What is counted of a guard as a whole. All its workers share the handles.
//!
//! Must not know: requests, routes.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use metrics::{Counter, Gauge, counter, gauge};

use crate::{
    bans::BanSource,
    decision::{Store, StoreState},
    detect::Category,
    engine::Engine,
    telemetry::{StrikeCause, ThreatAction, names},
};

/// Gauges are set at most once in so long a time.
const REFRESH_MILLIS: u64 = 1000;

/// Not refreshed yet.
const NEVER: u64 = u64::MAX;

/// The label of threats that a detector of the application found, whose categories may be anything.
const OWN_CATEGORY: &str = "own";

const CATEGORIES: usize = Category::ALL.len() + 1;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Exported {
    strikes: [OnceLock<Counter>; 5],
    /// For each category, those of each action.
    threats: [[OnceLock<Counter>; 3]; CATEGORIES],
    bans_created: [OnceLock<Counter>; 2],
    bans_lifted: OnceLock<Counter>,
    bans_active: OnceLock<Gauge>,
    hot_ban_hits: OnceLock<Counter>,
    unresolved_clients: OnceLock<Counter>,
    store_available: OnceLock<Gauge>,
    refreshed_millis: AtomicU64,
}

impl Default for Exported {
    fn default() -> Self {
        Self {
            strikes: Default::default(),
            threats: Default::default(),
            bans_created: Default::default(),
            bans_lifted: OnceLock::new(),
            bans_active: OnceLock::new(),
            hot_ban_hits: OnceLock::new(),
            unresolved_clients: OnceLock::new(),
            store_available: OnceLock::new(),
            refreshed_millis: AtomicU64::new(NEVER),
        }
    }
}

impl Exported {
    pub(crate) fn struck(&self, cause: StrikeCause) {
        let label = match cause {
            StrikeCause::Limit => "limit",
            StrikeCause::Threat => "threat",
            StrikeCause::Report => "report",
            StrikeCause::Status => "status",
            StrikeCause::NotFound => "not_found",
        };
        increment(
            self.strikes.get(cause as usize),
            || counter!(names::STRIKES, "cause" => label),
        );
    }

    pub(crate) fn threat(&self, category: &str, action: ThreatAction) {
        let mut known = Category::ALL.iter().map(|known| known.name());
        let index = known.position(|name| name == category);
        let (index, category) =
            match index.and_then(|index| Some((index, Category::ALL.get(index)?))) {
                Some((index, category)) => (index, category.name()),
                None => (Category::ALL.len(), OWN_CATEGORY),
            };
        let label = match action {
            ThreatAction::Strike => "strike",
            ThreatAction::Refuse => "refuse",
            ThreatAction::Log => "log",
        };
        let counters = self.threats.get(index);
        increment(
            counters.and_then(|counters| counters.get(action as usize)),
            || counter!(names::THREATS, "category" => category, "action" => label),
        );
    }

    pub(crate) fn banned(&self, by: BanSource) {
        let index = usize::from(by == BanSource::Manual);
        increment(
            self.bans_created.get(index),
            || counter!(names::BANS_CREATED, "by" => by.as_str()),
        );
    }

    pub(crate) fn ban_lifted(&self) {
        increment(Some(&self.bans_lifted), || counter!(names::BANS_LIFTED));
    }

    pub(crate) fn hot_ban_hit(&self) {
        increment(Some(&self.hot_ban_hits), || counter!(names::HOT_BAN_HITS));
    }

    pub(crate) fn unresolved_client(&self) {
        increment(Some(&self.unresolved_clients), || {
            counter!(names::UNRESOLVED_CLIENTS)
        });
    }

    /// Sets the gauges, if it is time for it. Requests come by here, so nobody else needs to look after it.
    #[inline]
    pub(crate) fn refresh(&self, engine: &Engine, now_millis: impl FnOnce() -> u64) {
        let now = now_millis();
        let before = self.refreshed_millis.load(Ordering::Relaxed);
        if now.abs_diff(before) < REFRESH_MILLIS {
            return;
        }
        let mine = self.refreshed_millis.compare_exchange(
            before,
            now,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        if mine.is_ok() {
            if before == NEVER {
                names::describe();
            }
            self.set_gauges(engine);
        }
    }

    /// Bans have come or gone.
    pub(crate) fn bans_changed(&self, engine: &Engine) {
        self.set_gauges(engine);
    }

    fn set_gauges(&self, engine: &Engine) {
        let store = engine.store(engine.settings().passive);
        let is_available = store.state() == StoreState::Available;
        self.store_available
            .get_or_init(|| gauge!(names::STORE_AVAILABLE))
            .set(f64::from(u8::from(is_available)));
        if let Some(bans) = active_bans(store) {
            self.bans_active
                .get_or_init(|| gauge!(names::BANS_ACTIVE))
                .set(bans);
        }
    }
}

fn active_bans(store: &dyn Store) -> Option<f64> {
    let bans = store.active_bans()?;
    Some(f64::from(u32::try_from(bans).unwrap_or(u32::MAX)))
}

fn increment(counter: Option<&OnceLock<Counter>>, register: impl FnOnce() -> Counter) {
    if let Some(counter) = counter {
        counter.get_or_init(register).increment(1);
    }
}
