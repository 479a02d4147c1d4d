//! A configuration over the requests of another time: the guard's own decisions, on the requests' own clock.
//!
//! Must not know: logs, reports.

mod agents;
mod clock;
mod decision;
mod facts;

use std::{fmt, net::IpAddr, rc::Rc, sync::Arc};

use actix_web::http::{Method, header::HeaderMap};

use crate::{
    bans::Ban,
    client::{Client, ClientKey, identify},
    clock::Clock,
    config::SecurityConfig,
    decision::{Answer, Cause, Decision, Outcome},
    detect::Threat,
    engine::Engine,
    judge::reason,
    policy::{Barred, Course, Question, StatusSign, course, status_sign},
    route::EntryPaths,
    view::View,
};

use agents::KnownAgents;
use clock::PastClock;
use facts::{Past, routed_path};

pub use decision::{KnownAgent, PastRequest, ReplayDecision, ReplayOutcome};

/// Goes through requests of the past, in the order of their times, as a guard with this configuration would have.
///
/// Windows, strikes and bans are those of a memory store of its own. What only a running application knows is left out: routes are
/// those of `[[routes]]`, functions such as `key_by` and detectors of your own are not asked, nobody is a verified crawler, and any
/// `OPTIONS` is a preflight. An address of `trusted_proxies` is a proxy that names nobody.
///
/// ```
/// use std::time::SystemTime;
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
    routes: EntryPaths,
    agents: KnownAgents,
}

/// What the chain and the store make of a request.
struct Verdict {
    outcome: ReplayOutcome,
    new_ban: Option<Ban>,
    threat: Option<Threat>,
    /// A clean answer puts the client's strikes back to zero.
    resets: bool,
}

impl Replay {
    /// Nobody has been seen yet.
    #[must_use]
    pub fn new(config: &SecurityConfig) -> Self {
        let clock = Arc::new(PastClock::default());
        let config = config.for_replay(Arc::clone(&clock) as Arc<dyn Clock>);
        let routes = config.settings().routes.iter();
        Self {
            routes: EntryPaths::new(routes.map(|route| route.pattern.as_str())),
            view: View::new(Engine::of(&config)),
            clock,
            agents: KnownAgents::new(),
        }
    }

    /// Decides about a request. A time before that of the request before it counts as that.
    pub fn decide(&mut self, request: &PastRequest<'_>) -> ReplayDecision {
        self.clock.move_to(request.at);
        let settings = &self.view.settings;
        let client = identify(
            Some(request.client),
            &HeaderMap::new(),
            &settings.proxy_trust,
            settings.ipv6_prefix,
            self.view.engine.id(),
        );
        let path = routed_path(request.target);
        let method = Method::from_bytes(request.method.as_bytes()).unwrap_or_default();
        let route = self.route(&method, &path);
        let facts = Past {
            request,
            client: &client,
            view: &self.view,
            routes: &self.routes,
            path: &path,
        };
        let verdict = match course(settings, &client, &facts) {
            Course::Serve(_) => Verdict::plain(ReplayOutcome::Exempt),
            Course::Refuse(barred) => Verdict::of_barred(barred),
            Course::Decide(question) => {
                let verdict = self.ask(&client, question, &method, route.as_deref());
                self.answered(&client, request, verdict)
            }
        };
        ReplayDecision {
            outcome: verdict.outcome,
            client: address(client.key(), request.client),
            route,
            new_ban: verdict.new_ban,
            threat: verdict.threat,
            refused_agent: request
                .user_agent
                .filter(|_| verdict.outcome.is_refused())
                .and_then(|agent| self.agents.find(agent)),
        }
    }

    /// The pattern of `[[routes]]` that has a window for the request.
    fn route(&self, method: &Method, path: &str) -> Option<Rc<str>> {
        let route = self.routes.find(path)?;
        let configured = self.view.configured_for(method, &route);
        configured.map(|_| route)
    }

    fn ask(
        &self,
        client: &Client,
        question: Question,
        method: &Method,
        route: Option<&str>,
    ) -> Verdict {
        let view = &self.view;
        match question {
            Question::Threat(threat) => {
                let answer = view.ask_without_windows(client, Cause::Threat(&reason(&threat)));
                Verdict {
                    threat: Some(threat),
                    ..self.judged(client, answer)
                }
            }
            Question::Uncounted => {
                self.judged(client, view.ask_without_windows(client, Cause::Request))
            }
            Question::Preflight => {
                let windows = view.preflight();
                self.judged(client, view.ask_detached_apart(client, &windows))
            }
            Question::Infrastructure => {
                let windows = view.infrastructure();
                self.judged(client, view.ask_detached_apart(client, &windows))
            }
            Question::Counted => {
                let windows = view.unclaimed(method, route);
                self.judged(client, view.ask_detached(client, &windows, None))
            }
        }
    }

    fn judged(&self, client: &Client, answer: Answer<Decision>) -> Verdict {
        let Answer::Ready(decision) = answer else {
            // A memory store answers at once.
            return Verdict::plain(ReplayOutcome::Served);
        };
        let outcome = match &decision.outcome {
            Outcome::Admitted | Outcome::Unavailable => ReplayOutcome::Served,
            Outcome::Limited => ReplayOutcome::Limited,
            Outcome::Threat => ReplayOutcome::Threat,
            Outcome::Banned(_) => ReplayOutcome::Banned,
        };
        Verdict {
            new_ban: self.new_ban(client, &decision),
            resets: self.view.resets(&decision),
            ..Verdict::plain(outcome)
        }
    }

    /// What the status of the answer gives reason to, in the order in which a guard does it.
    fn answered(&self, client: &Client, request: &PastRequest<'_>, verdict: Verdict) -> Verdict {
        if verdict.outcome != ReplayOutcome::Served || request.is_preflight() {
            return verdict;
        }
        let settings = &self.view.settings;
        let can_be_struck = settings.enable_ip_banning && client.can_be_struck();
        let status = request.status.unwrap_or(200);
        let sign = status_sign(settings, status);
        let answer = match sign {
            StatusSign::Strike if can_be_struck => {
                let reason = format!("status {status}");
                let cause = Cause::Threat(&reason);
                Some(self.view.ask_without_windows(client, cause))
            }
            StatusSign::NotFound if can_be_struck => {
                let windows = self.view.not_found();
                Some(self.view.ask_detached(client, &windows, None))
            }
            _ => None,
        };
        if verdict.resets && sign == StatusSign::Clean {
            // A memory store has done it when it answers.
            drop(self.view.store().clear_strikes(client.key()));
        }
        let new_ban = match answer {
            Some(Answer::Ready(decision)) => self.new_ban(client, &decision),
            _ => None,
        };
        Verdict { new_ban, ..verdict }
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

impl Verdict {
    fn plain(outcome: ReplayOutcome) -> Self {
        Self {
            outcome,
            new_ban: None,
            threat: None,
            resets: false,
        }
    }

    fn of_barred(barred: Barred) -> Self {
        match barred {
            Barred::UserAgent | Barred::Address => Self::plain(ReplayOutcome::Denied),
            Barred::Banned => Self::plain(ReplayOutcome::Banned),
            Barred::Threat(threat) => Self {
                threat: Some(threat),
                ..Self::plain(ReplayOutcome::Threat)
            },
        }
    }
}

/// The address that stands for a client.
fn address(key: ClientKey, sender: IpAddr) -> IpAddr {
    match key {
        ClientKey::V4(address) => address.into(),
        ClientKey::V6 { network, .. } => network.into(),
        ClientKey::Unknown => sender,
    }
}

#[cfg(test)]
mod tests;
