//! Without the features `admin` and `metrics`.

use crate::telemetry::RequestOutcome;

#[derive(Clone, Debug)]
pub(crate) struct RouteMeter(());

impl RouteMeter {
    #[inline]
    pub(crate) fn new(_route: &str, _recent: super::Recent) -> Self {
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
