//! A naive model of a store, and random interleavings in which a store must agree with it after every step.
//!
//! The model follows the words of the contract and knows none of the means: it keeps every entry of a window until the
//! window has passed, and looks through all of them for every answer.

mod naive;

use std::time::Duration;

use proptest::{prelude::*, test_runner::TestRunner};

use crate::{
    bans::BanSource,
    client::ClientKey,
    clock::Clock as _,
    decision::{Decision, LogKey, Quota, RouteId, Store, StrikeRules, Subject, ValueHash},
};

use super::contract::{ALICE, Ask, BOB, Harness, Memory, Rig, quota};

use naive::{Model, ModelHit};

const NETWORK: ClientKey = ClientKey::V6 {
    network: std::net::Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 0, 0, 0, 0),
    prefix: 64,
};
const CLIENTS: [ClientKey; 3] = [ALICE, BOB, NETWORK];
const SEARCH: RouteId = RouteId(RouteId::FIRST);
const REASONS: [&str; 2] = ["one reason", "another reason"];

/// What stays as it is while a store runs.
#[derive(Clone, Debug)]
struct Scene {
    global: Vec<Quota>,
    search: Vec<Quota>,
    value: Vec<Quota>,
    rules: StrikeRules,
    count_rejected: bool,
}

/// Which logs a request counts in.
#[derive(Clone, Copy, Debug)]
enum Counted {
    Global,
    Search,
    GlobalAndSearch,
    ValueAndGlobal(u128),
}

#[derive(Clone, Debug)]
enum Step {
    Request(usize, Counted),
    /// A request whose violations are no strikes.
    Preflight(usize),
    Threat(usize, usize),
    ClearStrikes(usize),
    Ban(usize, u64, usize),
    Unban(usize),
    Advance(u64),
    Back(u64),
}

fn scenes() -> impl Strategy<Value = Scene> {
    let quotas = || {
        let quota = (1u32..6, 1u64..300).prop_map(|(requests, window)| quota(requests, window));
        prop::collection::vec(quota, 1..4)
    };
    let rules = (
        0u32..4,
        1u64..300,
        prop_oneof![Just(0), 1u64..50],
        1u64..300,
    )
        .prop_map(
            |(threshold, ttl_millis, interval_millis, ban_millis)| StrikeRules {
                threshold,
                ttl_millis,
                interval_millis,
                ban_millis,
            },
        );
    (quotas(), quotas(), quotas(), rules, any::<bool>()).prop_map(
        |(global, search, value, rules, count_rejected)| Scene {
            global,
            search,
            value,
            rules,
            count_rejected,
        },
    )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let client = 0..CLIENTS.len();
    let counted = prop_oneof![
        Just(Counted::Global),
        Just(Counted::Search),
        Just(Counted::GlobalAndSearch),
        (0u128..3).prop_map(Counted::ValueAndGlobal),
    ];
    let step = prop_oneof![
        24 => (client.clone(), counted).prop_map(|(client, counted)| Step::Request(client, counted)),
        3 => client.clone().prop_map(Step::Preflight),
        4 => (client.clone(), 0..REASONS.len()).prop_map(|(client, why)| Step::Threat(client, why)),
        1 => client.clone().prop_map(Step::ClearStrikes),
        1 => (client.clone(), 0u64..500, 0..REASONS.len())
            .prop_map(|(client, millis, why)| Step::Ban(client, millis, why)),
        1 => client.prop_map(Step::Unban),
        10 => (0u64..40).prop_map(Step::Advance),
        2 => (0u64..400).prop_map(Step::Advance),
        1 => (0u64..400).prop_map(Step::Back),
    ];
    prop::collection::vec(step, 100..400)
}

impl Scene {
    /// The logs that anybody can count in.
    fn logs(&self) -> Vec<(LogKey, &[Quota])> {
        let of_client = |client| {
            [
                (log(client, RouteId::GLOBAL), self.global.as_slice()),
                (log(client, SEARCH), self.search.as_slice()),
                (log(client, RouteId::PREFLIGHT), self.global.as_slice()),
            ]
        };
        let of_values = (0..3).map(|value| (value_log(value), self.value.as_slice()));
        CLIENTS
            .into_iter()
            .flat_map(of_client)
            .chain(of_values)
            .collect()
    }

    /// The logs of one request.
    fn counted(&self, client: ClientKey, counted: Counted) -> Vec<(LogKey, Vec<Quota>)> {
        let global = (log(client, RouteId::GLOBAL), self.global.clone());
        let search = (log(client, SEARCH), self.search.clone());
        match counted {
            Counted::Global => vec![global],
            Counted::Search => vec![search],
            Counted::GlobalAndSearch => vec![global, search],
            Counted::ValueAndGlobal(value) => {
                vec![(value_log(value), self.value.clone()), global]
            }
        }
    }

    fn hit(&self, client: ClientKey) -> ModelHit {
        ModelHit {
            client,
            threat: None,
            logs: Vec::new(),
            count_rejected: self.count_rejected,
            strikes: Some(self.rules),
        }
    }

    /// The question of a step, if it is one.
    fn question(&self, step: &Step) -> Option<ModelHit> {
        match *step {
            Step::Request(client, counted) => Some(ModelHit {
                logs: self.counted(CLIENTS[client], counted),
                ..self.hit(CLIENTS[client])
            }),
            Step::Preflight(client) => Some(ModelHit {
                logs: vec![(
                    log(CLIENTS[client], RouteId::PREFLIGHT),
                    self.global.clone(),
                )],
                strikes: None,
                ..self.hit(CLIENTS[client])
            }),
            Step::Threat(client, why) => Some(ModelHit {
                threat: Some(REASONS[why]),
                ..self.hit(CLIENTS[client])
            }),
            _ => None,
        }
    }
}

fn log(client: ClientKey, route: RouteId) -> LogKey {
    let subject = Subject::Client(client);
    LogKey { subject, route }
}

fn value_log(value: u128) -> LogKey {
    let subject = Subject::Value(ValueHash(value.to_ne_bytes()));
    LogKey {
        subject,
        route: SEARCH,
    }
}

fn ask(hit: &ModelHit) -> Ask {
    let mut ask = match hit.threat {
        Some(reason) => Ask::threat(hit.client, reason),
        None => Ask::request(hit.client),
    }
    .count_rejected(hit.count_rejected);
    for (key, quotas) in &hit.logs {
        ask = ask.counted_in(*key, quotas);
    }
    match hit.strikes {
        Some(rules) => ask.struck(rules),
        None => ask,
    }
}

/// Looks at everything, as the next requests would: a store may leave what is over, or what a step of the clock moved,
/// as it is until it is looked at, and need not know of steps that nobody saw.
fn look_at_everything<H: Harness>(
    rig: &Rig<H::Store>,
    model: &mut Model,
    scene: &Scene,
) -> Result<(), TestCaseError> {
    for (key, quotas) in scene.logs() {
        let length = H::log_length(&rig.store, key, quotas);
        let most = quotas.iter().map(|quota| quota.requests as usize).max();
        prop_assert!(length <= most.unwrap_or(0) + 1);
        model.look_at(key, quotas);
    }
    for client in CLIENTS {
        let hit = scene.hit(client);
        agree(rig, model, &hit)?;
    }
    Ok(())
}

/// Puts a question to both.
fn agree<S: Store>(rig: &Rig<S>, model: &mut Model, hit: &ModelHit) -> Result<(), TestCaseError> {
    let decision: Decision = rig.decide(&ask(hit));
    let expected = model.decide(hit);
    prop_assert_eq!(&decision, &expected, "to {:?}", hit);
    prop_assert_eq!(decision.wait_millis(), expected.wait_millis());
    Ok(())
}

/// The lists of bans.
fn agree_on_bans<S: Store>(rig: &Rig<S>, model: &mut Model) -> Result<(), TestCaseError> {
    let wall = rig.clock.wall();
    let expected = model.bans();
    let mut listed = rig.bans();
    prop_assert!(listed.is_sorted_by_key(|ban| ban.remaining));
    listed.sort_by(|one, other| one.client.cmp(&other.client));
    prop_assert_eq!(listed.len(), expected.len());
    for (ban, (client, record)) in listed.into_iter().zip(&expected) {
        let since = Duration::from_millis(rig.now() - record.since_millis);
        let left = Duration::from_millis(record.until_millis - rig.now());
        prop_assert_eq!(&ban.client, &client.to_string());
        prop_assert_eq!(&*ban.reason, &*record.reason);
        prop_assert_eq!((ban.since, ban.until), (wall - since, wall + left));
        prop_assert_eq!((ban.remaining, ban.by), (left, record.by));
        prop_assert_eq!(rig.ban_of(*client), Some(ban));
    }
    for client in CLIENTS {
        let banned = expected.iter().find(|(other, _)| *other == client);
        prop_assert_eq!(rig.ban_of(client).is_some(), banned.is_some());
        if let Some(by) = rig.store.hot_ban(client) {
            prop_assert_eq!(Some(by), banned.map(|(_, record)| record.by));
        }
    }
    Ok(())
}

/// How everybody stands in all logs of their own.
#[cfg(feature = "admin")]
fn agree_on_standing<S: Store>(
    rig: &Rig<S>,
    model: &Model,
    scene: &Scene,
) -> Result<(), TestCaseError> {
    for client in CLIENTS {
        let of_client = |(key, _): &(LogKey, _)| key.subject == Subject::Client(client);
        let logs: Vec<_> = scene.logs().into_iter().filter(of_client).collect();
        let mut look = Ask::request(client);
        for (key, quotas) in &logs {
            look = look.counted_in(*key, quotas);
        }
        let ttl = scene.rules.ttl_millis;
        let answer = look.with_hit(|hit| rig.store.standing(client, hit.logs, ttl));
        prop_assert_eq!(rig.wait(answer), model.standing(client, &logs));
    }
    Ok(())
}

fn run<H: Harness>(harness: &H, scene: &Scene, steps: &[Step]) -> Result<(), TestCaseError> {
    let rig = Rig::new(harness);
    let mut model = Model::at(rig.now());
    for step in steps {
        if let Some(hit) = scene.question(step) {
            agree(&rig, &mut model, &hit)?;
        }
        match *step {
            Step::ClearStrikes(client) => {
                rig.clear_strikes(CLIENTS[client]);
                model.clear_strikes(CLIENTS[client]);
            }
            Step::Ban(client, millis, why) => {
                let ban = rig.ban(CLIENTS[client], millis, REASONS[why]);
                prop_assert_eq!(ban.remaining, Duration::from_millis(millis));
                prop_assert_eq!((&*ban.reason, ban.by), (REASONS[why], BanSource::Manual));
                model.ban(CLIENTS[client], millis, REASONS[why]);
            }
            Step::Unban(client) => {
                let lifted = rig.unban(CLIENTS[client]);
                prop_assert_eq!(lifted, model.unban(CLIENTS[client]));
            }
            Step::Advance(millis) => {
                rig.advance(millis);
                model.now += millis;
            }
            Step::Back(millis) => {
                look_at_everything::<H>(&rig, &mut model, scene)?;
                rig.step_back(millis);
                model.now -= millis;
                look_at_everything::<H>(&rig, &mut model, scene)?;
            }
            Step::Request(..) | Step::Preflight(_) | Step::Threat(..) => {}
        }
        prop_assert_eq!(rig.now(), model.now);
        #[cfg(feature = "admin")]
        agree_on_standing(&rig, &model, scene)?;
        agree_on_bans(&rig, &mut model)?;
    }
    Ok(())
}

/// Runs random interleavings on the stores of a harness.
fn agrees_with_the_model<H: Harness>(harness: &H) {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: H::CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let seen = std::cell::Cell::new(0);
    let result = runner.run(&(scenes(), steps()), |(scene, steps)| {
        seen.set(seen.get() + steps.len());
        run(harness, &scene, &steps)
    });
    result.unwrap();
    assert!(
        seen.get() > H::CASES as usize * 150,
        "only {} steps",
        seen.get()
    );
}

#[test]
fn the_memory_store_agrees_with_the_model() {
    agrees_with_the_model(&Memory);
}

#[cfg(feature = "redis")]
#[test]
fn the_redis_store_agrees_with_the_model() {
    agrees_with_the_model(&super::redis::tests::Redis::Frozen);
}

#[cfg(feature = "redis")]
#[test]
fn the_redis_store_agrees_with_the_model_between_milliseconds() {
    agrees_with_the_model(&super::redis::tests::Redis::Ticking);
}
