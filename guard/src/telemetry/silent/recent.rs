//! Without the feature `admin`.

use std::sync::Arc;

use crate::{
    client::ClientKey,
    clock::Clock,
    telemetry::{RequestOutcome, Trace},
};

#[derive(Clone, Debug)]
pub(crate) struct Recent(());

impl Recent {
    #[inline]
    pub(crate) fn new(_clock: &Arc<dyn Clock>) -> Self {
        Self(())
    }

    #[inline]
    pub(crate) fn refresh(&self, _now_millis: impl FnOnce() -> u64) {}

    #[cfg(feature = "metrics")]
    #[inline]
    pub(crate) fn count(&self, _outcome: RequestOutcome) {}

    #[inline]
    pub(crate) fn struck(&self) {}

    #[inline]
    pub(crate) fn banned(&self) {}

    #[inline]
    pub(crate) fn ban_lifted(&self) {}

    #[inline]
    pub(crate) fn refused(
        &self,
        _client: ClientKey,
        _outcome: RequestOutcome,
        _trace: impl FnOnce() -> Option<Trace>,
    ) {
    }
}
