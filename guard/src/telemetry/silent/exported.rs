//! Without the feature `metrics`.

use crate::{
    bans::BanSource,
    engine::Engine,
    telemetry::{StrikeCause, ThreatAction},
};

#[cfg(feature = "admin")]
use crate::telemetry::RequestOutcome;

#[cfg(feature = "admin")]
#[derive(Debug)]
pub(crate) struct RouteCounters(());

#[cfg(feature = "admin")]
impl RouteCounters {
    #[inline]
    pub(crate) fn new(_route: &str) -> Self {
        Self(())
    }

    #[inline]
    pub(crate) fn count(&self, _outcome: RequestOutcome) {}
}

#[derive(Debug, Default)]
pub(crate) struct Exported(());

impl Exported {
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
