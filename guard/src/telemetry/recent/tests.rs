//! The last hour on a clock of the tests' own.

use std::{
    net::Ipv4Addr,
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use crate::{
    client::ClientKey,
    clock::{Clock, ManualClock},
    telemetry::{Counted, Minute, RequestOutcome, Trace},
};

use super::Recent;

const MINUTE: Duration = Duration::from_secs(60);

fn fresh() -> (Arc<ManualClock>, Recent) {
    let clock = Arc::new(ManualClock::new());
    let as_clock: Arc<dyn Clock> = clock.clone();
    (clock, Recent::new(&as_clock))
}

fn limited() -> Counted {
    Counted::Request(RequestOutcome::Limited)
}

/// How often it was counted in each minute, with how many minutes ago that was; minutes without are left out.
fn counted(recent: &Recent, kind: Counted) -> Vec<(usize, u64)> {
    let minutes = recent.minutes();
    assert_eq!(minutes.len(), 60);
    let of = minutes.iter().rev().map(|minute| minute.counts.of(kind));
    of.enumerate().filter(|(_, count)| *count > 0).collect()
}

fn client(last: u8) -> ClientKey {
    ClientKey::V4(Ipv4Addr::new(192, 0, 2, last))
}

fn refuse(recent: &Recent, client: ClientKey, outcome: RequestOutcome) {
    recent.refused(client, outcome, || None);
}

fn trace(path: &str) -> Trace {
    Trace {
        method: "GET".into(),
        path: path.into(),
        user_agent: None,
    }
}

#[test]
fn each_minute_has_its_numbers_for_an_hour() {
    let (clock, recent) = fresh();
    for count in 1..=3 {
        recent.refresh(|| clock.now_millis());
        for _ in 0..count {
            recent.count(RequestOutcome::Limited);
        }
        recent.count(RequestOutcome::Admitted);
        clock.advance(MINUTE);
    }
    assert_eq!(counted(&recent, limited()), [(1, 3), (2, 2), (3, 1)]);
    let admitted = Counted::Request(RequestOutcome::Admitted);
    assert_eq!(counted(&recent, admitted), [(1, 1), (2, 1), (3, 1)]);

    clock.advance(MINUTE * 57);
    assert_eq!(counted(&recent, limited()), [(58, 3), (59, 2)]);
    clock.advance(MINUTE * 500);
    assert_eq!(counted(&recent, limited()), []);
}

#[test]
fn minutes_begin_at_full_minutes_of_the_wall_clock_and_end_with_the_running_one() {
    let (clock, recent) = fresh();
    clock.advance(Duration::from_secs(90));
    let minutes = recent.minutes();
    let starts: Vec<_> = minutes.iter().map(|minute| minute.start).collect();
    assert_eq!(
        starts.last(),
        Some(&(clock.wall() - Duration::from_secs(30)))
    );
    let apart = starts.windows(2).map(|pair| match pair {
        [one, two] => two.duration_since(*one).unwrap_or_default(),
        _ => Duration::ZERO,
    });
    assert!(apart.into_iter().all(|apart| apart == MINUTE), "{starts:?}");
}

/// Its milliseconds begin anywhere, as those of the system's monotonic clock do.
#[derive(Debug)]
struct OwnOrigin(ManualClock);

impl Clock for OwnOrigin {
    fn now_millis(&self) -> u64 {
        self.0.now_millis() - 1_700_000_012_345
    }

    fn wall(&self) -> SystemTime {
        self.0.wall()
    }
}

#[test]
fn minutes_are_those_of_people_whatever_the_clock_begins_with() {
    let clock = Arc::new(OwnOrigin(ManualClock::new()));
    let as_clock: Arc<dyn Clock> = clock.clone();
    let recent = Recent::new(&as_clock);
    let start = clock.wall();
    recent.count(RequestOutcome::Limited);
    clock.0.advance(Duration::from_secs(61));
    recent.refresh(|| clock.now_millis());
    recent.count(RequestOutcome::Limited);
    assert_eq!(counted(&recent, limited()), [(0, 1), (1, 1)]);
    let last = recent.minutes().last().map(|minute| minute.start);
    assert_eq!(last, Some(start + MINUTE));
}

#[test]
fn a_clock_that_steps_back_loses_nothing() {
    let (clock, recent) = fresh();
    recent.count(RequestOutcome::Limited);
    clock.step_back(MINUTE * 10);
    recent.refresh(|| clock.now_millis());
    recent.count(RequestOutcome::Limited);
    assert_eq!(counted(&recent, limited()), [(0, 2)]);
}

#[test]
fn bans_and_strikes_are_counted_without_a_request_before_them() {
    let (clock, recent) = fresh();
    clock.advance(MINUTE * 5);
    recent.banned();
    recent.ban_lifted();
    recent.struck();
    for kind in [Counted::BanCreated, Counted::BanLifted, Counted::Strike] {
        assert_eq!(counted(&recent, kind), [(0, 1)], "{kind:?}");
    }
}

#[test]
fn threads_lose_no_count() {
    let (clock, recent) = fresh();
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    recent.refresh(|| clock.now_millis());
                    recent.count(RequestOutcome::Limited);
                }
            });
        }
    });
    let sum = |minutes: Vec<Minute>| -> u64 {
        let counts = minutes.iter().map(|minute| minute.counts.of(limited()));
        counts.sum()
    };
    assert_eq!(sum(recent.minutes()), 12_000);
}

#[test]
fn offenders_are_those_who_were_refused_most_in_the_last_hour() {
    let (clock, recent) = fresh();
    refuse(&recent, client(1), RequestOutcome::Limited);
    for _ in 0..3 {
        refuse(&recent, client(2), RequestOutcome::Threat);
    }
    refuse(&recent, client(2), RequestOutcome::Banned);
    refuse(&recent, client(3), RequestOutcome::Admitted);
    refuse(&recent, client(3), RequestOutcome::Exempt);
    refuse(&recent, client(3), RequestOutcome::Unavailable);

    let offenders = recent.offenders(10);
    let [(first, last), (second, _)] = &offenders[..] else {
        panic!("{offenders:?}");
    };
    assert_eq!((first.client, first.refused()), (client(2), 4));
    assert_eq!(first.refused_as(RequestOutcome::Threat), 3);
    assert_eq!(first.refused_as(RequestOutcome::Banned), 1);
    assert_eq!(first.refused_as(RequestOutcome::Limited), 0);
    assert_eq!(*last, clock.wall());
    assert_eq!((second.client, second.refused()), (client(1), 1));
    assert_eq!(recent.offenders(1).len(), 1);

    clock.advance(MINUTE * 40);
    refuse(&recent, client(1), RequestOutcome::Denied);
    clock.advance(MINUTE * 25);
    let offenders = recent.offenders(10);
    let [(only, last)] = &offenders[..] else {
        panic!("{offenders:?}");
    };
    assert_eq!((only.client, only.refused()), (client(1), 1));
    assert_eq!(*last, clock.wall() - MINUTE * 25);
}

#[test]
fn what_an_offender_sends_is_looked_at_once_a_second() {
    let (clock, recent) = fresh();
    let path = || {
        let (offender, _) = recent.offenders(1).into_iter().next()?;
        Some(offender.trace?.path)
    };
    let refused = |path: Option<&str>| {
        recent.refused(client(1), RequestOutcome::Limited, || path.map(trace));
    };
    refused(Some("/first"));
    refused(Some("/too soon"));
    assert_eq!(path().as_deref(), Some("/first"));
    clock.advance(Duration::from_secs(1));
    refused(Some("/second"));
    assert_eq!(path().as_deref(), Some("/second"));
    clock.advance(Duration::from_secs(1));
    refused(None);
    assert_eq!(path().as_deref(), Some("/second"));
}

#[test]
fn a_flood_of_addresses_takes_bounded_room_and_leaves_the_worst_where_they_are() {
    let (_, recent) = fresh();
    for _ in 0..50 {
        refuse(&recent, client(1), RequestOutcome::Limited);
    }
    for address in 0..20_000_u32 {
        let client = ClientKey::V4(Ipv4Addr::from_bits(0x0A00_0000 + address));
        refuse(&recent, client, RequestOutcome::Limited);
    }
    let offenders = recent.offenders(usize::MAX);
    assert!(offenders.len() <= 1024, "{}", offenders.len());
    assert!(offenders.len() > 1000, "{}", offenders.len());
    let worst = offenders
        .first()
        .map(|(worst, _)| (worst.client, worst.refused()));
    assert_eq!(worst, Some((client(1), 50)));
}
