//! The chain: in which order a request is looked at, and what the first stage that applies makes of it.
//!
//! Facts in, a course out. Must not know: actix-web, stores, responses.

#[cfg(test)]
mod tests;

use crate::{
    client::{Client, Networks, Role, UserAgents},
    config::Settings,
    detect::Threat,
};

/// What the chain looks at, each when its stage comes and not before.
pub(crate) trait Facts {
    /// The first `User-Agent`.
    fn user_agent(&self) -> Option<&[u8]>;
    /// The path by which the request is routed.
    fn path(&self) -> &str;
    /// A CORS preflight.
    fn is_preflight(&self) -> bool;
    /// The client has proven to be one of `exempt_crawlers`.
    fn is_proven_crawler(&self) -> bool;
    /// The request is an operator's: it is for an admin scope, and proves it.
    fn is_operator(&self) -> bool;
    /// A ban that holds for the client is known here.
    fn is_banned(&self) -> bool;
    /// What a detector sees in the request.
    fn threat(&self) -> Option<Threat>;
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// Served; nothing is counted.
    Serve(Pass),
    /// Refused without a look at the store; nothing is counted.
    Refuse(Barred),
    /// The store decides.
    Decide(Question),
}

/// Why a request is served uncounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// `exempt_ips`.
    Address,
    /// `exempt_loopback`.
    Loopback,
    /// `exempt_paths`.
    Path,
    /// `exempt_crawlers`.
    Crawler,
    /// `exempt_user_agents`.
    UserAgent,
    /// A trusted proxy that named nobody.
    Infrastructure,
    /// An operator at an admin scope.
    Operator,
}

/// Who is refused at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Barred {
    /// `banned_user_agents`.
    UserAgent,
    /// `denied_ips`.
    Address,
    /// Known to be banned.
    Banned,
    /// A threat that is no strike: by what it is, or by whose it is.
    Threat(Threat),
}

/// What the store is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A trusted proxy that named nobody: it has a window of its own and is never struck.
    Infrastructure,
    /// A violation.
    Threat(Threat),
    /// A preflight: it has a window of its own and is never a strike.
    Preflight,
    /// A request that counts in no window: rate limiting is off.
    Uncounted,
    /// A request that counts in windows.
    Counted,
}

/// The order of the stages. Stages 1 (identify) and 8 (serve) are before and after.
#[inline]
pub(crate) fn course(settings: &Settings, client: &Client, facts: &impl Facts) -> Course {
    // 2. Exempt.
    if let Some(pass) = exemption(settings, client, facts) {
        return pass;
    }
    // 3. Denied.
    if let Some(barred) = denial(settings, client, facts) {
        return Course::Refuse(barred);
    }
    // 4. Infrastructure.
    if client.role() == Role::Infrastructure {
        return infrastructure(settings, facts);
    }
    // Whoever can lift bans is not shut out by one, nor by limits.
    if facts.is_operator() {
        return Course::Serve(Pass::Operator);
    }
    // 5. Banned, hot.
    if settings.enable_ip_banning && facts.is_banned() {
        return Course::Refuse(Barred::Banned);
    }
    // 6. Detect.
    if let Some(threat) = detect(settings, facts) {
        return if !threat.is_struck() {
            Course::Refuse(Barred::Threat(threat))
        } else if facts.is_preflight() {
            // Any page has its visitors' browsers send them.
            Course::Refuse(Barred::Threat(threat.without_strike()))
        } else {
            Course::Decide(Question::Threat(threat))
        };
    }
    // 7. Decide.
    Course::Decide(match settings.enable_rate_limiting {
        false => Question::Uncounted,
        true if facts.is_preflight() => Question::Preflight,
        true => Question::Counted,
    })
}

/// What proves itself comes before what anybody can write.
#[inline]
fn exemption(settings: &Settings, client: &Client, facts: &impl Facts) -> Option<Course> {
    let pass = if is_in(&settings.exempt_ips, client) {
        Pass::Address
    } else if settings.exempt_loopback && client.is_direct_loopback() {
        Pass::Loopback
    } else if !settings.exempt_paths.is_empty() && settings.exempt_paths.matches(facts.path()) {
        Pass::Path
    } else if !settings.exempt_crawlers.is_empty() && facts.is_proven_crawler() {
        Pass::Crawler
    } else if is_agent_in(&settings.exempt_user_agents, facts) {
        return Some(match detect(settings, facts) {
            Some(threat) => Course::Refuse(Barred::Threat(threat)),
            None => Course::Serve(Pass::UserAgent),
        });
    } else {
        return None;
    };
    Some(Course::Serve(pass))
}

#[inline]
fn denial(settings: &Settings, client: &Client, facts: &impl Facts) -> Option<Barred> {
    if is_agent_in(&settings.banned_user_agents, facts) {
        return Some(Barred::UserAgent);
    }
    is_in(&settings.denied_ips, client).then_some(Barred::Address)
}

fn infrastructure(settings: &Settings, facts: &impl Facts) -> Course {
    if let Some(threat) = detect(settings, facts) {
        return Course::Refuse(Barred::Threat(threat));
    }
    if settings.enable_rate_limiting && settings.infrastructure_limit.is_some() {
        return Course::Decide(Question::Infrastructure);
    }
    Course::Serve(Pass::Infrastructure)
}

#[inline]
fn detect(settings: &Settings, facts: &impl Facts) -> Option<Threat> {
    settings.enable_detection.then(|| facts.threat()).flatten()
}

#[inline]
fn is_in(networks: &Networks, client: &Client) -> bool {
    !networks.is_empty()
        && client
            .address()
            .is_some_and(|address| networks.contains(address))
}

#[inline]
fn is_agent_in(user_agents: &UserAgents, facts: &impl Facts) -> bool {
    !user_agents.is_empty()
        && facts
            .user_agent()
            .is_some_and(|user_agent| user_agents.matches(user_agent))
}

/// What the status of an answer says about its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatusSign {
    Clean,
    /// One of `strike_on_status`.
    Strike,
    /// 404, where those have a limit: counted, and not clean, so that strikes for them add up.
    NotFound,
}

/// The rule about statuses.
pub(crate) fn status_sign(settings: &Settings, status: u16) -> StatusSign {
    if settings.strike_on_status.contains(&status) {
        StatusSign::Strike
    } else if status == 404 && settings.not_found_limit.is_some() {
        StatusSign::NotFound
    } else {
        StatusSign::Clean
    }
}
