//! The scripts: what they are for, what is baked into their texts, and how to call them.
//!
//! Whatever stays the same from request to request (quotas, rules) stands in the text of a script as a constant, for
//! each argument of a call costs Redis more than the work that is done with it. There are as many scripts as there are
//! [`Shape`]s of questions, and those are bounded by the limits of the configuration.
//!
//! Must not know: connections, how keys are named.

use std::{
    collections::HashMap,
    fmt::Write as _,
    sync::{Arc, PoisonError, RwLock},
};

use foldhash::fast::RandomState;
use smallvec::SmallVec;

use crate::{
    bans::LONGEST_BAN,
    decision::{Cause, Hit, Quota, StrikeRules},
};

use super::connection::Script;

/// What comes before the constants. The texts of the scripts call Redis by this name only, so that tests can put a
/// clock of their own between them.
const PRELUDE: &str = "local call = redis.call\n";

/// The parts that several texts share; `--include NAME` is replaced by them. Whatever the shape, they may name `LONGEST_BAN` (milliseconds) and
/// `MOST_STRIKES`.
const INCLUDES: [(&str, &str); 6] = [
    ("--include clock.lua", include_str!("clock.lua")),
    ("--include standing.lua", include_str!("standing.lua")),
    ("--include strikes.lua", include_str!("strikes.lua")),
    ("--include unusual.lua", include_str!("unusual.lua")),
    ("--include leaving.lua", include_str!("leaving.lua")),
    ("--include unrecorded.lua", include_str!("unrecorded.lua")),
];

/// Where the decision's other constants come in: behind the way of a clean request, which would pay for them.
const RULES: &str = "--include rules\n";

/// A whole number up to here is exact in Lua.
const EXACT: u64 = 1 << 53;

/// Longer spans of time are cut off here (some 70,000 years): beyond, neither Lua nor Redis' own times would be exact.
pub(crate) const LONGEST_MILLIS: u64 = 1 << 51;

/// How a decision came out, as the script says it.
pub(super) mod outcome {
    pub(in crate::store::redis) const ADMITTED: i64 = 0;
    pub(in crate::store::redis) const LIMITED: i64 = 1;
    pub(in crate::store::redis) const VIOLATION: i64 = 2;
    pub(in crate::store::redis) const NEWLY_BANNED: i64 = 3;
    pub(in crate::store::redis) const BANNED: i64 = 4;
}

/// The quotas of one log.
pub(crate) type Quotas = SmallVec<[Quota; 1]>;

/// What a question has in common with all those that one script answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// A violation already; it is not counted in any log.
    pub(crate) threat: bool,
    /// Over a limit already, by a log that is asked elsewhere.
    pub(crate) exceeded: bool,
    /// The quotas of each log.
    pub(crate) logs: SmallVec<[Quotas; 2]>,
    pub(crate) count_rejected: bool,
    pub(crate) bans: bool,
    pub(crate) strikes: Option<StrikeRules>,
}

impl Shape {
    /// The shape of a question.
    pub(crate) fn of(hit: &Hit<'_>) -> Self {
        let threat = matches!(hit.cause, Cause::Threat(_));
        let logs = if threat { &[] } else { hit.logs };
        Self {
            threat,
            exceeded: false,
            logs: logs.iter().map(|log| log.quotas.into()).collect(),
            count_rejected: hit.count_rejected || logs.is_empty(),
            bans: hit.bans,
            strikes: hit.strikes,
        }
    }

    /// Whether the script is called with the key of the client's ban.
    pub(crate) fn has_ban_key(&self) -> bool {
        self.bans || self.strikes.is_some()
    }

    /// Whether the script is called with the key of the client's strikes.
    pub(crate) fn has_strikes_key(&self) -> bool {
        self.strikes.is_some()
    }

    /// The only quota, if there is one.
    pub(super) fn only_quota(&self) -> Option<Quota> {
        match self.logs.as_slice() {
            [quotas] => match quotas.as_slice() {
                [quota] => Some(*quota),
                _ => None,
            },
            _ => None,
        }
    }

    /// The number by which the script multiplies what remains of the only quota, before it adds the time until the
    /// reset.
    /// `None`: they are told apart, since they would not both fit into one number, or there are several.
    pub(super) fn scale(&self) -> Option<u64> {
        let quota = self.only_quota()?;
        let scale = bounded(quota.window_millis) + 1;
        let most = u64::from(quota.requests).checked_mul(scale)?;
        (most < EXACT - scale).then_some(scale)
    }

    /// The constants that every call looks at.
    fn constants(&self) -> String {
        let before_logs = u8::from(self.has_ban_key()) + u8::from(self.has_strikes_key());
        let quota = self.only_quota();
        let window = quota.map(|quota| bounded(quota.window_millis));
        let limits = quota.is_none().then(|| self.limits());
        locals(&[
            ("BANNED", outcome::BANNED.to_string()),
            ("THREAT", self.threat.to_string()),
            ("EXCEEDED", self.exceeded.to_string()),
            ("BANS", self.bans.to_string()),
            ("STRIKES", self.strikes.is_some().to_string()),
            ("BEFORE_LOGS", before_logs.to_string()),
            ("LOGS", self.logs.len().to_string()),
            ("REQUESTS", number(quota.map(|quota| quota.requests.into()))),
            ("WINDOW", number(window)),
            ("LIFE", digits(window)),
            ("SCALE", number(self.scale())),
            ("LIMITS", limits.unwrap_or_else(|| "nil".to_owned())),
        ])
    }

    /// The constants that a clean request has no need of.
    fn rules(&self) -> String {
        let rules = self.strikes;
        let life = rules.map(|rules| bounded(rules.ttl_millis));
        let ban = rules.map(|rules| bounded(rules.ban_millis));
        let interval = rules.map(|rules| rules.interval_millis.min(LONGEST_MILLIS));
        locals(&[
            ("ADMITTED", outcome::ADMITTED.to_string()),
            ("LIMITED", outcome::LIMITED.to_string()),
            ("VIOLATION", outcome::VIOLATION.to_string()),
            ("NEWLY_BANNED", outcome::NEWLY_BANNED.to_string()),
            ("COUNT_REJECTED", self.count_rejected.to_string()),
            (
                "THRESHOLD",
                number(rules.map(|rules| rules.threshold.into())),
            ),
            ("STRIKE_TTL", number(life)),
            ("STRIKE_LIFE", digits(life)),
            ("STRIKE_INTERVAL", number(interval)),
            ("BAN", number(ban)),
            ("BAN_LIFE", digits(ban)),
        ])
    }

    /// The quotas of several, as a table.
    fn limits(&self) -> String {
        let mut text = "{".to_owned();
        for quotas in &self.logs {
            let windows = quotas.iter().map(|quota| bounded(quota.window_millis));
            let longest = windows.max().unwrap_or(1);
            let requests = quotas.iter().map(|quota| u64::from(quota.requests));
            let most = requests.max().unwrap_or(0) + 1;
            // Writing to a String cannot fail.
            write!(
                text,
                "{{window = {longest}, life = '{longest}', most = {most}"
            )
            .ok();
            for quota in quotas {
                let window = bounded(quota.window_millis);
                write!(text, ", {{{}, {window}}}", quota.requests).ok();
            }
            text.push_str("}, ");
        }
        text.push('}');
        text
    }
}

/// A span of time as Redis takes it: not zero, not too long.
pub(super) fn bounded(millis: u64) -> u64 {
    millis.clamp(1, LONGEST_MILLIS)
}

fn locals(values: &[(&str, String)]) -> String {
    let line = |(name, value): &(&str, String)| format!("local {name} = {value}\n");
    values.iter().map(line).collect()
}

fn number(value: Option<u64>) -> String {
    value.map_or_else(|| "nil".to_owned(), |value| value.to_string())
}

/// A number as text: Redis takes arguments as texts, and what is one already need not be made one in each call.
fn digits(value: Option<u64>) -> String {
    value.map_or_else(|| "nil".to_owned(), |value| format!("'{value}'"))
}

fn new(text: &str) -> Script {
    Script::new(included(text))
}

fn included(text: &str) -> String {
    let parts = INCLUDES.iter();
    parts
        .fold(text.to_owned(), |text, (mark, part)| {
            text.replace(mark, part)
        })
        .replace("LONGEST_BAN", &LONGEST_BAN.as_millis().to_string())
        .replace("MOST_STRIKES", &u32::MAX.to_string())
}

/// The script of a [`Shape`].
#[derive(Debug)]
pub(crate) struct DecisionScript {
    pub(crate) script: Arc<Script>,
    pub(crate) shape: Shape,
}

/// All scripts of a store.
#[derive(Debug)]
pub(crate) struct Scripts {
    prelude: Box<str>,
    decisions: RwLock<HashMap<Shape, Arc<DecisionScript>, RandomState>>,
    /// KEYS: ban, strikes. ARGV: [`reason`], milliseconds, by whom, `any` or `shorter`. Replies with the time.
    pub(crate) ban: Arc<Script>,
    /// KEYS: ban, strikes. Replies with 1 if there was a ban.
    pub(crate) unban: Arc<Script>,
    /// KEYS: ban. Its reply is read by [`reply::ban`](super::reply::ban).
    pub(crate) ban_of: Arc<Script>,
    /// KEYS: strikes, logs. Only reads. Its reply is read by [`reply::standing`](super::reply::standing).
    #[cfg(feature = "admin")]
    pub(crate) state_of: Arc<Script>,
    /// KEYS: one for this. Writes, as decisions do.
    pub(crate) probe: Arc<Script>,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self::with_prelude(PRELUDE)
    }

    /// Scripts that begin with another text; it has to define `call`.
    pub(super) fn with_prelude(prelude: &str) -> Self {
        let script = |text| Arc::new(new(&format!("{prelude}{text}")));
        Self {
            prelude: prelude.into(),
            decisions: RwLock::default(),
            ban: script(include_str!("ban.lua")),
            unban: script(include_str!("unban.lua")),
            ban_of: script(include_str!("ban_of.lua")),
            #[cfg(feature = "admin")]
            state_of: script(include_str!("state_of.lua")),
            probe: script(include_str!("probe.lua")),
        }
    }

    /// The script that answers questions of a shape.
    pub(crate) fn decision(&self, shape: Shape) -> Arc<DecisionScript> {
        let known = self
            .decisions
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(script) = known.get(&shape) {
            return Arc::clone(script);
        }
        drop(known);
        let body = include_str!("decision.lua").replace(RULES, &shape.rules());
        let text = format!("{}{}{body}", self.prelude, shape.constants());
        let script = Arc::new(DecisionScript {
            script: Arc::new(new(&text)),
            shape: shape.clone(),
        });
        let mut known = self
            .decisions
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(shape).or_insert(script))
    }
}

/// A reason as the scripts take it: a JSON string.
pub(crate) fn reason(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The argument of a decision script, if it takes one.
pub(crate) fn argument(cause: &Cause<'_>) -> Option<String> {
    match cause {
        Cause::Request => None,
        Cause::Threat(text) => Some(reason(text)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::store::contract::{self, quota};

    fn shape(logs: &[&[Quota]]) -> Shape {
        Shape {
            threat: false,
            exceeded: false,
            logs: logs.iter().map(|quotas| Quotas::from(*quotas)).collect(),
            count_rejected: true,
            bans: true,
            strikes: Some(contract::RULES),
        }
    }

    #[test]
    fn equal_shapes_share_a_script_and_others_do_not() {
        let scripts = Scripts::new();
        let one = scripts.decision(shape(&[&[quota(5, 1000)]]));
        let same = scripts.decision(shape(&[&[quota(5, 1000)]]));
        assert!(Arc::ptr_eq(&one, &same));
        let others = [
            shape(&[&[quota(6, 1000)]]),
            shape(&[&[quota(5, 1001)]]),
            shape(&[&[quota(5, 1000), quota(5, 1000)]]),
            shape(&[&[quota(5, 1000)], &[quota(5, 1000)]]),
            Shape {
                strikes: None,
                ..shape(&[&[quota(5, 1000)]])
            },
            Shape {
                bans: false,
                ..shape(&[&[quota(5, 1000)]])
            },
            Shape {
                count_rejected: false,
                ..shape(&[&[quota(5, 1000)]])
            },
            Shape {
                threat: true,
                ..shape(&[])
            },
        ];
        for other in others {
            let script = scripts.decision(other);
            assert_ne!(
                script.script.hash(),
                one.script.hash(),
                "{:?}",
                script.shape
            );
        }
    }

    #[test]
    fn the_probe_calls_whatever_any_script_calls() {
        fn commands(text: &str) -> HashSet<&str> {
            let calls = text.split("call('").skip(1);
            calls.filter_map(|rest| rest.split('\'').next()).collect()
        }
        let scripts = Scripts::new();
        let probed = commands(scripts.probe.text());
        let decision = scripts.decision(shape(&[&[quota(5, 1000)], &[quota(5, 1000)]]));
        for script in [
            &scripts.ban,
            &scripts.unban,
            &scripts.ban_of,
            #[cfg(feature = "admin")]
            &scripts.state_of,
            &decision.script,
        ] {
            let called = commands(script.text());
            assert!(called.len() > 1);
            let missing: Vec<_> = called.difference(&probed).collect();
            assert_eq!(missing, [&""; 0]);
        }
    }

    #[test]
    fn nothing_is_left_to_include() {
        let scripts = Scripts::new();
        let decision = scripts.decision(shape(&[]));
        for script in [
            &scripts.ban,
            &scripts.unban,
            &scripts.ban_of,
            #[cfg(feature = "admin")]
            &scripts.state_of,
            &decision.script,
        ] {
            assert!(!script.text().contains("--include"));
            assert_eq!(script.hash().len(), 40);
        }
    }

    #[test]
    fn what_remains_and_the_reset_fit_into_one_number_or_are_told_apart() {
        for (requests, window_millis, scale) in [
            (50, 60_000, Some(60_001)),
            (0, 1, Some(2)),
            (1, u64::MAX, Some(LONGEST_MILLIS + 1)),
            (4, u64::MAX, None),
            (u32::MAX, 86_400_000, None),
            (u32::MAX, 1_000_000, Some(1_000_001)),
        ] {
            let shape = shape(&[&[quota(requests, window_millis)]]);
            assert_eq!(shape.scale(), scale, "{requests} in {window_millis}");
            let largest = scale.map(|scale| u64::from(requests) * scale + scale);
            assert!(largest.is_none_or(|largest| largest <= EXACT));
        }
        assert_eq!(shape(&[&[quota(5, 1000); 2]]).scale(), None);
        assert_eq!(shape(&[]).scale(), None);
    }

    #[test]
    fn a_reason_is_a_json_string_whatever_it_says() {
        for text in [
            "",
            "a \"quoted\" one",
            "\\ \u{0} \n é",
            "\"since\":1,\"until\":2",
        ] {
            let read: String = serde_json::from_str(&reason(text)).unwrap();
            assert_eq!(read, text);
            assert!(!reason(text).contains("\"since\":1"));
        }
    }
}
