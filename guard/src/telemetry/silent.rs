//! Without the feature `metrics`: everything is nothing.
#![allow(clippy::unused_self, reason = "the same functions as with the feature")]

use crate::{bans::BanSource, engine::Engine};

use super::{RequestOutcome, StrikeCause, ThreatAction};

#[derive(Clone, Debug)]
pub(crate) struct RouteMeter(());

impl RouteMeter {
    #[inline]
    pub(crate) fn new(_route: &str) -> Self {
        Self(())
    }

    #[inline]
    pub(crate) fn count(&self, _outcome: RequestOutcome) {}
}

#[derive(Debug, Default)]
pub(crate) struct Tally(());

impl Tally {
    #[inline]
    pub(crate) fn none() -> Self {
        Self(())
    }

    #[inline]
    pub(crate) fn of(_outcome: RequestOutcome, _meter: &RouteMeter) -> Self {
        Self(())
    }

    #[inline]
    pub(crate) fn note(&self, _outcome: RequestOutcome, _meter: &RouteMeter) {}
}

#[derive(Debug, Default)]
pub(crate) struct Meters(());

impl Meters {
    #[inline]
    pub(crate) fn struck(&self, _cause: StrikeCause) {}

    #[inline]
    pub(crate) fn threat(&self, _category: &str, _action: ThreatAction) {}

    #[inline]
    pub(crate) fn banned(&self, _by: BanSource) {}

    #[inline]
    pub(crate) fn ban_lifted(&self) {}

    #[inline]
    pub(crate) fn hot_ban_hit(&self) {}

    #[inline]
    pub(crate) fn unresolved_client(&self) {}

    #[inline]
    pub(crate) fn refresh(&self, _engine: &Engine, _now_millis: impl FnOnce() -> u64) {}

    #[inline]
    pub(crate) fn bans_changed(&self, _engine: &Engine) {}
}

#[cfg(feature = "redis")]
#[derive(Debug, Default)]
pub(crate) struct StoreMeter(());

#[cfg(feature = "redis")]
impl StoreMeter {
    #[inline]
    pub(crate) async fn time<T>(&self, call: impl Future<Output = T>) -> T {
        call.await
    }
}
