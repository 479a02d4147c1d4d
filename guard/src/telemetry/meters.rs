//! What is counted of a guard as a whole: each number goes to the exported metrics and to the memory of the last hour, as far as
//! there are such.
//!
//! Must not know: what either does with it.

use std::sync::Arc;

use crate::{bans::BanSource, client::ClientKey, clock::Clock, engine::Engine};

use super::{Exported, Recent, RequestOutcome, RouteMeter, StrikeCause, ThreatAction, Trace};

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Meters {
    exported: Exported,
    recent: Recent,
}

impl Meters {
    pub(crate) fn new(clock: &Arc<dyn Clock>) -> Self {
        Self {
            exported: Exported::default(),
            recent: Recent::new(clock),
        }
    }

    /// Counts the requests of a route in the worker that asks for it. `label` is its pattern, never what somebody asked for.
    pub(crate) fn route(&self, label: &str) -> RouteMeter {
        RouteMeter::new(label, self.recent.clone())
    }

    /// To be called with each request: sets the gauges, and turns to the next minute, if it is time for it. Requests come by
    /// here, so nobody else needs to look after it.
    #[inline]
    pub(crate) fn refresh(&self, engine: &Engine, now_millis: impl Fn() -> u64) {
        self.exported.refresh(engine, &now_millis);
        self.recent.refresh(&now_millis);
    }

    pub(crate) fn struck(&self, cause: StrikeCause) {
        self.exported.struck(cause);
        self.recent.struck();
    }

    pub(crate) fn threat(&self, category: &str, action: ThreatAction) {
        self.exported.threat(category, action);
    }

    pub(crate) fn banned(&self, by: BanSource) {
        self.exported.banned(by);
        self.recent.banned();
    }

    pub(crate) fn ban_lifted(&self) {
        self.exported.ban_lifted();
        self.recent.ban_lifted();
    }

    /// Bans have come or gone.
    pub(crate) fn bans_changed(&self, engine: &Engine) {
        self.exported.bans_changed(engine);
    }

    pub(crate) fn hot_ban_hit(&self) {
        self.exported.hot_ban_hit();
    }

    pub(crate) fn unresolved_client(&self) {
        self.exported.unresolved_client();
    }

    /// A request of a client is refused, or would be in passive mode. What is not a refusal is passed over.
    #[inline]
    pub(crate) fn refused(
        &self,
        client: ClientKey,
        outcome: RequestOutcome,
        trace: impl FnOnce() -> Option<Trace>,
    ) {
        self.recent.refused(client, outcome, trace);
    }

    /// The last hour.
    #[cfg(feature = "admin")]
    pub(crate) fn recent(&self) -> &Recent {
        &self.recent
    }
}
