//! Requests of the past as they are given, and what would have become of them.
//!
//! Must not know: how that is decided.

use std::{net::IpAddr, rc::Rc, time::SystemTime};

use crate::{bans::Ban, detect::Threat};

/// A request of the past.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PastRequest<'a> {
    /// When it came.
    pub at: SystemTime,
    /// Who sent it.
    pub client: IpAddr,
    /// Its method.
    pub method: &'a str,
    /// Its path and query, as sent.
    pub target: &'a str,
    /// Its `User-Agent`.
    pub user_agent: Option<&'a [u8]>,
    /// Its `Referer`.
    pub referer: Option<&'a [u8]>,
    /// The status of the answer.
    pub status: Option<u16>,
}

impl<'a> PastRequest<'a> {
    /// Of which no more is known.
    #[must_use]
    pub fn new(at: SystemTime, client: IpAddr, method: &'a str, target: &'a str) -> Self {
        Self {
            at,
            client,
            method,
            target,
            user_agent: None,
            referer: None,
            status: None,
        }
    }

    /// Its headers would tell. Hardly anybody sends `OPTIONS` for anything else.
    pub(super) fn is_preflight(&self) -> bool {
        self.method == "OPTIONS"
    }
}

/// What would have become of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReplayOutcome {
    /// Served, and counted nowhere: it is exempt.
    Exempt,
    /// Served.
    Served,
    /// Over a limit: 429.
    Limited,
    /// On a list of those that are never served: 403.
    Denied,
    /// A detector flags it: 403.
    Threat,
    /// The client was banned, by this request or before: 403.
    Banned,
}

impl ReplayOutcome {
    /// Whether the request would have been refused.
    #[must_use]
    pub fn is_refused(self) -> bool {
        !matches!(self, Self::Exempt | Self::Served)
    }
}

/// Programs that hardly anybody wants to refuse, by what their user agent says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KnownAgent {
    /// One of `preset:uptime-monitors`.
    UptimeMonitor,
    /// One of `preset:search-crawlers`.
    SearchCrawler,
}

/// What would have become of a request, and why.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReplayDecision {
    /// What.
    pub outcome: ReplayOutcome,
    /// Whom the request is counted for: the address, or the first one of an IPv6 client's network.
    pub client: IpAddr,
    /// The pattern of `[[routes]]` whose window is the request's; `None`: the global window.
    pub route: Option<Rc<str>>,
    /// The ban that it brought; of statuses that are strikes, it hits the requests after this one.
    pub new_ban: Option<Ban>,
    /// What a detector found.
    pub threat: Option<Threat>,
    /// Which of the known programs sent it, if it would have been refused.
    pub refused_agent: Option<KnownAgent>,
}
