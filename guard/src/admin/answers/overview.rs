//! How it is going: the state of the store, the last hour, and who was refused most.
//!
//! Must not know: requests.

use std::time::SystemTime;

use serde::Serialize;

use crate::{
    bans::Ban,
    config::{RedisWindows, Settings, StoreChoice},
    decision::StoreState,
    engine::Engine,
    telemetry::{Counted, Counts, Minute, Offender, RequestOutcome},
};

use super::{BanAnswer, time};

#[derive(Debug, Serialize)]
pub(in crate::admin) struct OverviewAnswer {
    version: &'static str,
    now: String,
    started: String,
    passive: bool,
    rate_limiting: bool,
    banning: bool,
    detection: bool,
    store: StoreAnswer,
    last_hour: HourAnswer,
    offenders: Vec<OffenderAnswer>,
}

#[derive(Debug, Serialize)]
struct StoreAnswer {
    kind: &'static str,
    windows: &'static str,
    state: &'static str,
}

#[derive(Debug, Serialize)]
struct HourAnswer {
    /// The oldest first.
    minutes: Vec<MinuteAnswer>,
    total: CountsAnswer,
}

#[derive(Debug, Serialize)]
struct MinuteAnswer {
    start: String,
    #[serde(flatten)]
    counts: CountsAnswer,
}

#[derive(Debug, Serialize)]
struct CountsAnswer {
    exempt: u64,
    admitted: u64,
    limited: u64,
    threat: u64,
    banned: u64,
    denied: u64,
    unavailable: u64,
    strikes: u64,
    bans_created: u64,
    bans_lifted: u64,
}

#[derive(Debug, Serialize)]
struct OffenderAnswer {
    client: String,
    refused: u64,
    limited: u64,
    threat: u64,
    banned: u64,
    denied: u64,
    last_seen: String,
    user_agent: Option<Box<str>>,
    method: Option<Box<str>>,
    path: Option<Box<str>>,
    ban: Option<BanAnswer>,
}

/// `offenders`, with when they were last refused, and their bans.
pub(in crate::admin) fn overview(
    engine: &Engine,
    offenders: Vec<(Offender, SystemTime, Option<Ban>)>,
) -> OverviewAnswer {
    let settings = engine.settings();
    let recent = engine.meters.recent();
    OverviewAnswer {
        version: env!("CARGO_PKG_VERSION"),
        now: time(settings.clock.wall()),
        started: time(recent.started()),
        passive: settings.passive,
        rate_limiting: settings.enable_rate_limiting,
        banning: settings.enable_ip_banning,
        detection: settings.enable_detection,
        store: store(&settings, engine),
        last_hour: hour(&recent.minutes()),
        offenders: offenders.into_iter().map(offender).collect(),
    }
}

fn store(settings: &Settings, engine: &Engine) -> StoreAnswer {
    let (kind, windows) = match (&settings.store, settings.redis_windows) {
        (StoreChoice::Memory, _) => ("memory", "local"),
        (StoreChoice::Redis(_), RedisWindows::Shared) => ("redis", "shared"),
        (StoreChoice::Redis(_), RedisWindows::Local) => ("redis", "local"),
    };
    StoreAnswer {
        kind,
        windows,
        state: match engine.store(settings.passive).state() {
            StoreState::Available => "available",
            StoreState::Unavailable => "unavailable",
        },
    }
}

fn hour(minutes: &[Minute]) -> HourAnswer {
    let mut total = Counts::default();
    for minute in minutes {
        total.add(&minute.counts);
    }
    let minutes = minutes.iter().map(|minute| MinuteAnswer {
        start: time(minute.start),
        counts: (&minute.counts).into(),
    });
    HourAnswer {
        minutes: minutes.collect(),
        total: (&total).into(),
    }
}

impl From<&Counts> for CountsAnswer {
    fn from(counts: &Counts) -> Self {
        let requests = |outcome| counts.of(Counted::Request(outcome));
        Self {
            exempt: requests(RequestOutcome::Exempt),
            admitted: requests(RequestOutcome::Admitted),
            limited: requests(RequestOutcome::Limited),
            threat: requests(RequestOutcome::Threat),
            banned: requests(RequestOutcome::Banned),
            denied: requests(RequestOutcome::Denied),
            unavailable: requests(RequestOutcome::Unavailable),
            strikes: counts.of(Counted::Strike),
            bans_created: counts.of(Counted::BanCreated),
            bans_lifted: counts.of(Counted::BanLifted),
        }
    }
}

fn offender((offender, last, ban): (Offender, SystemTime, Option<Ban>)) -> OffenderAnswer {
    let refused = |outcome| offender.refused_as(outcome);
    let (method, path, user_agent) = match &offender.trace {
        Some(trace) => (
            Some(trace.method.clone()),
            Some(trace.path.clone()),
            trace.user_agent.clone(),
        ),
        None => (None, None, None),
    };
    OffenderAnswer {
        client: offender.client.to_string(),
        refused: offender.refused(),
        limited: refused(RequestOutcome::Limited),
        threat: refused(RequestOutcome::Threat),
        banned: refused(RequestOutcome::Banned),
        denied: refused(RequestOutcome::Denied),
        last_seen: time(last),
        user_agent,
        method,
        path,
        ban: ban.as_ref().map(BanAnswer::from),
    }
}
