//! A configuration over the requests of another time: the guard's own decisions, on the requests' own clock.
//!
//! Must not know: logs, reports.

use std::{
    borrow::Cow,
    fmt,
    net::IpAddr,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use actix_web::{
    dev::ResourceDef,
    http::{Method, header::HeaderMap},
};

use crate::{
    bans::{Ban, BanRecord},
    client::{Client, ProxyTrust, identify},
    clock::{Clock, millis},
    config::SecurityConfig,
    decision::{Answer, Cause, Decision, Outcome},
    detect::{Action, Threat, percent_decoded},
    engine::Engine,
    inspector::inspect,
    policy::{Barred, Course, Facts, Question, course},
    view::{View, Windows},
};

/// Goes through requests of the past, in the order of their times, as a guard with this configuration would have.
///
/// Windows, strikes and bans are those of a memory store of its own. What only a running application knows is left out: routes are
/// those of `[[routes]]`, functions such as `key_by` are not asked, and nobody is a verified crawler.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use actix_web_guard::{PastRequest, Replay, ReplayOutcome, SecurityConfig};
///
/// let config = SecurityConfig::builder().rate_limit(2).build()?;
/// let mut replay = Replay::new(&config);
/// let request = PastRequest::new(SystemTime::UNIX_EPOCH, [203, 0, 113, 9].into(), "GET", "/");
/// let outcomes: Vec<_> = (0..3).map(|_| replay.decide(&request).outcome).collect();
/// assert_eq!(outcomes, [ReplayOutcome::Served, ReplayOutcome::Served, ReplayOutcome::Limited]);
/// # Ok::<(), actix_web_guard::ConfigError>(())
/// ```
pub struct Replay {
    view: View,
    clock: Arc<PastClock>,
    routes: Vec<(ResourceDef, Rc<str>)>,
}

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

    fn path(&self) -> &'a str {
        self.target.split('?').next().unwrap_or_default()
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

/// What would have become of a request, and why.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReplayDecision {
    /// What.
    pub outcome: ReplayOutcome,
    /// The pattern of `[[routes]]` that it counts in; `None`: the global window.
    pub route: Option<Rc<str>>,
    /// The ban that it brought; of statuses that are strikes, it hits the requests after this one.
    pub new_ban: Option<Ban>,
    /// What a detector found.
    pub threat: Option<Threat>,
}

impl Replay {
    /// Nobody has been seen yet.
    #[must_use]
    pub fn new(config: &SecurityConfig) -> Self {
        let clock = Arc::new(PastClock(AtomicU64::new(0)));
        let config = config.for_replay(Arc::clone(&clock) as Arc<dyn Clock>);
        let routes = config.settings().routes.iter();
        let routes = routes
            .map(|route| {
                let pattern = route.pattern.as_str();
                (ResourceDef::new(pattern), Rc::from(pattern))
            })
            .collect();
        Self {
            view: View::new(Engine::of(&config)),
            clock,
            routes,
        }
    }

    /// Decides about a request. A time before that of the request before it counts as that.
    pub fn decide(&mut self, request: &PastRequest<'_>) -> ReplayDecision {
        self.clock.move_to(request.at);
        let settings = &self.view.settings;
        let (nobody, none) = (ProxyTrust::nobody(), HeaderMap::new());
        let client = identify(
            Some(request.client),
            &none,
            &nobody,
            settings.ipv6_prefix,
            self.view.engine.id(),
        );
        let facts = Past {
            request,
            client: &client,
            view: &self.view,
            path: percent_decoded(request.path()),
        };
        match course(settings, &client, &facts) {
            Course::Serve(_) => ReplayDecision::plain(ReplayOutcome::Exempt),
            Course::Refuse(barred) => ReplayDecision::of_barred(barred),
            Course::Decide(question) => {
                let path = facts.path.as_ref();
                let decision = self.ask(&client, question, request, path);
                self.answered(&client, request, decision)
            }
        }
    }

    fn ask(
        &self,
        client: &Client,
        question: Question,
        request: &PastRequest<'_>,
        path: &str,
    ) -> ReplayDecision {
        match question {
            Question::Threat(threat) => {
                let reason = crate::judge::reason(&threat);
                let answer = self
                    .view
                    .ask_without_windows(client, Cause::Threat(&reason));
                let mut decision = self.judged(client, answer, None, request);
                decision.threat = Some(threat);
                decision
            }
            Question::Uncounted => {
                let answer = self.view.ask_without_windows(client, Cause::Request);
                self.judged(client, answer, None, request)
            }
            Question::Counted | Question::Preflight | Question::Infrastructure => {
                let method = Method::from_bytes(request.method.as_bytes()).unwrap_or_default();
                let mut routes = self.routes.iter();
                let route = routes.find(|(route, _)| route.is_match(path));
                let route = route.map(|(_, pattern)| Rc::clone(pattern));
                let configured = self.view.configured_for(&method, route.as_deref());
                let route = route.filter(|_| configured.is_some());
                let windows = configured.unwrap_or_else(|| self.global());
                let answer = self.view.ask_detached(client, &windows, None);
                self.judged(client, answer, route, request)
            }
        }
    }

    fn global(&self) -> Windows {
        std::iter::once(self.view.global()).collect()
    }

    fn judged(
        &self,
        client: &Client,
        answer: Answer<Decision>,
        route: Option<Rc<str>>,
        request: &PastRequest<'_>,
    ) -> ReplayDecision {
        let Answer::Ready(decision) = answer else {
            // A memory store answers at once.
            return ReplayDecision::plain(ReplayOutcome::Served);
        };
        let outcome = match &decision.outcome {
            Outcome::Admitted | Outcome::Unavailable => ReplayOutcome::Served,
            Outcome::Limited => ReplayOutcome::Limited,
            Outcome::Threat => ReplayOutcome::Threat,
            Outcome::Banned(_) => ReplayOutcome::Banned,
        };
        let is_clean = outcome == ReplayOutcome::Served
            && !decision.quotas.is_empty()
            && !self.is_struck(request);
        if is_clean && decision.strikes > 0 && self.view.clean_requests_reset() {
            let Answer::Ready(()) = self.view.store().clear_strikes(client.key()) else {
                return ReplayDecision::plain(outcome);
            };
        }
        ReplayDecision {
            route,
            new_ban: self.new_ban(client, &decision),
            ..ReplayDecision::plain(outcome)
        }
    }

    /// What the status of the answer gives reason to.
    fn answered(
        &self,
        client: &Client,
        request: &PastRequest<'_>,
        mut decision: ReplayDecision,
    ) -> ReplayDecision {
        let settings = &self.view.settings;
        let Some(status) = request
            .status
            .filter(|_| decision.outcome == ReplayOutcome::Served && settings.enable_ip_banning)
        else {
            return decision;
        };
        let answer = if self.is_struck(request) {
            let reason = format!("status {status}");
            self.view
                .ask_without_windows(client, Cause::Threat(&reason))
        } else if status == 404 && settings.not_found_limit.is_some() {
            let windows = self.view.not_found();
            self.view.ask_detached(client, &windows, None)
        } else {
            return decision;
        };
        if let Answer::Ready(answer) = answer {
            decision.new_ban = self.new_ban(client, &answer);
        }
        decision
    }

    /// Whether the status of the answer is a strike.
    fn is_struck(&self, request: &PastRequest<'_>) -> bool {
        let statuses = &self.view.settings.strike_on_status;
        request
            .status
            .is_some_and(|status| statuses.contains(&status))
    }

    fn new_ban(&self, client: &Client, decision: &Decision) -> Option<Ban> {
        match &decision.outcome {
            Outcome::Banned(ban) if decision.newly_banned => {
                let (now, wall) = (self.clock.now_millis(), self.clock.wall());
                Some(ban.to_ban(client.key(), now, wall))
            }
            _ => None,
        }
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").finish_non_exhaustive()
    }
}

impl ReplayDecision {
    fn plain(outcome: ReplayOutcome) -> Self {
        Self {
            outcome,
            route: None,
            new_ban: None,
            threat: None,
        }
    }

    fn of_barred(barred: Barred) -> Self {
        let outcome = match barred {
            Barred::UserAgent | Barred::Address => ReplayOutcome::Denied,
            Barred::Banned(_) => ReplayOutcome::Banned,
            Barred::Threat(threat) => {
                return Self {
                    threat: Some(threat),
                    ..Self::plain(ReplayOutcome::Threat)
                };
            }
        };
        Self::plain(outcome)
    }
}

/// The facts of a request of the past.
struct Past<'a> {
    request: &'a PastRequest<'a>,
    client: &'a Client,
    view: &'a View,
    path: Cow<'a, str>,
}

impl Facts for Past<'_> {
    fn user_agent(&self) -> Option<&[u8]> {
        self.request.user_agent
    }

    fn path(&self) -> &str {
        &self.path
    }

    /// No log tells.
    fn is_preflight(&self) -> bool {
        false
    }

    fn is_proven_crawler(&self) -> bool {
        false
    }

    fn hot_ban(&self) -> Option<Arc<BanRecord>> {
        self.view.store().hot_ban(self.client.key())
    }

    fn threat(&self) -> Option<Threat> {
        let settings = &self.view.settings;
        if settings.detection.exempt_paths.matches(&self.path) {
            return None;
        }
        let headers = [
            ("user-agent", self.request.user_agent),
            ("referer", self.request.referer),
        ];
        let mut given = headers.iter();
        let given: smallvec::SmallVec<[(&str, &[u8]); 2]> = given
            .by_ref()
            .filter_map(|(name, value)| Some((*name, (*value)?)))
            .collect();
        let detection = &settings.detection.detection;
        let mut threat = None;
        inspect(
            detection,
            self.request.method,
            self.request.target,
            &given,
            &mut |finding, action| {
                let is_all = matches!(action, Action::Strike | Action::Refuse);
                if is_all {
                    threat = Some(Threat::of(finding, action == Action::Strike));
                }
                is_all
            },
        );
        threat
    }
}

/// The time of the request that is being looked at.
#[derive(Debug)]
struct PastClock(AtomicU64);

impl PastClock {
    fn move_to(&self, at: SystemTime) {
        let at = at.duration_since(UNIX_EPOCH).map_or(0, millis);
        self.0.fetch_max(at, Ordering::Relaxed);
    }
}

impl Clock for PastClock {
    fn now_millis(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.now_millis())
    }
}
