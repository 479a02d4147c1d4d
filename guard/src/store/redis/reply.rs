//! Replies of the scripts, read.
//!
//! Must not know: connections, keys.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use redis::Value;

use crate::{
    bans::{Ban, BanRecord, BanSource},
    client::ClientKey,
    decision::{Cause, Decision, Outcome, QuotaState, QuotaStates},
};

#[cfg(feature = "admin")]
use crate::decision::{Quota, QuotaStanding, Standing};

use super::{
    question::Asked,
    script::{LONGEST_MILLIS, Shape, bounded, outcome},
};

/// Milliseconds may pass between the reading of the time and the reading of what is left.
const SLACK_MILLIS: u64 = 50;

/// The server replied with something that none of the scripts says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server's reply to a script is not one of the script's")
    }
}

impl std::error::Error for Unreadable {}

/// What the script of `shape` decided about a request with this cause.
pub(crate) fn decision(
    shape: &Shape,
    cause: &Cause<'_>,
    reply: &Value,
) -> Result<Asked, Unreadable> {
    match reply {
        Value::Int(packed) => clean(shape, unsigned(*packed)?).map(Asked::not_banned),
        Value::Array(parts) => match parts.as_slice() {
            [
                Value::Int(outcome::BANNED),
                Value::Int(now),
                Value::Int(left),
                value,
            ] => Ok(Asked {
                decision: refused(Outcome::Banned(record(*now, *left, value)?.into())),
                ban_left_millis: unsigned(*left)?,
            }),
            [Value::Int(told), Value::Int(number), states @ ..] => {
                counted(shape, cause, *told, unsigned(*number)?, states)
            }
            _ => Err(Unreadable),
        },
        _ => Err(Unreadable),
    }
}

/// One number: nothing is held against the client, and there is one quota or none.
fn clean(shape: &Shape, packed: u64) -> Result<Decision, Unreadable> {
    let mut decision = refused(Outcome::Admitted);
    if let Some(scale) = shape.scale() {
        decision.quotas.push(QuotaState {
            remaining: u32::try_from(packed / scale).map_err(|_| Unreadable)?,
            reset_millis: packed % scale,
            exceeded: false,
        });
    }
    Ok(decision)
}

fn counted(
    shape: &Shape,
    cause: &Cause<'_>,
    told: i64,
    number: u64,
    states: &[Value],
) -> Result<Asked, Unreadable> {
    let quotas = quotas(states)?;
    if told == outcome::NEWLY_BANNED {
        let rules = shape.strikes.ok_or(Unreadable)?;
        let ban = BanRecord {
            since_millis: number,
            until_millis: number + bounded(rules.ban_millis),
            reason: match cause {
                Cause::Request => "rate limit".into(),
                Cause::Threat(reason) => (*reason).into(),
            },
            by: BanSource::Automatic,
        };
        return Ok(Asked {
            ban_left_millis: bounded(rules.ban_millis),
            decision: Decision {
                outcome: Outcome::Banned(ban.into()),
                newly_banned: true,
                strikes: 0,
                quotas,
            },
        });
    }
    let outcome = match told {
        outcome::ADMITTED => Outcome::Admitted,
        outcome::LIMITED => Outcome::Limited,
        outcome::VIOLATION => Outcome::Threat,
        _ => return Err(Unreadable),
    };
    Ok(Asked::not_banned(Decision {
        outcome,
        newly_banned: false,
        strikes: u32::try_from(number).unwrap_or(u32::MAX),
        quotas,
    }))
}

impl Asked {
    fn not_banned(decision: Decision) -> Self {
        Self {
            decision,
            ban_left_millis: 0,
        }
    }
}

fn refused(outcome: Outcome) -> Decision {
    Decision {
        outcome,
        newly_banned: false,
        strikes: 0,
        quotas: QuotaStates::new(),
    }
}

/// Three numbers for each quota.
fn quotas(states: &[Value]) -> Result<QuotaStates, Unreadable> {
    let (threes, []) = states.as_chunks::<3>() else {
        return Err(Unreadable);
    };
    let state = |three: &[Value; 3]| match three {
        [
            Value::Int(remaining),
            Value::Int(reset),
            Value::Int(exceeded),
        ] => Ok(QuotaState {
            remaining: u32::try_from(*remaining).map_err(|_| Unreadable)?,
            reset_millis: unsigned(*reset)?,
            exceeded: *exceeded == 1,
        }),
        _ => Err(Unreadable),
    };
    threes.iter().map(state).collect()
}

/// A ban, and the time at which it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StandingBan {
    pub(crate) record: BanRecord,
    pub(crate) now_millis: u64,
}

impl StandingBan {
    /// How much of it is left.
    pub(crate) fn left_millis(&self) -> u64 {
        self.record.until_millis.saturating_sub(self.now_millis)
    }

    /// As people read it. The store's clock is the wall clock of the server.
    pub(crate) fn to_ban(&self, client: ClientKey) -> Ban {
        let wall = UNIX_EPOCH.checked_add(Duration::from_millis(self.now_millis));
        self.record.to_ban(
            client,
            self.now_millis,
            wall.unwrap_or_else(SystemTime::now),
        )
    }
}

/// The reply to the `ban_of` script; `None`: not banned.
pub(crate) fn ban(reply: &Value) -> Result<Option<StandingBan>, Unreadable> {
    match reply {
        Value::Nil => Ok(None),
        Value::Array(parts) => match parts.as_slice() {
            [Value::Int(now), Value::Int(left), value] => Ok(Some(StandingBan {
                record: record(*now, *left, value)?,
                now_millis: unsigned(*now)?,
            })),
            _ => Err(Unreadable),
        },
        _ => Err(Unreadable),
    }
}

/// The reply to the `ban` script, which set a ban of this length.
pub(crate) fn new_ban(
    reason: &str,
    duration_millis: u64,
    reply: &Value,
) -> Result<StandingBan, Unreadable> {
    let Value::Int(now) = reply else {
        return Err(Unreadable);
    };
    let now_millis = unsigned(*now)?;
    let record = BanRecord {
        since_millis: now_millis,
        until_millis: now_millis + duration_millis.min(LONGEST_MILLIS),
        reason: reason.into(),
        by: BanSource::Manual,
    };
    Ok(StandingBan { record, now_millis })
}

/// The reply to the `unban` script: whether there was a ban.
pub(crate) fn lifted(reply: &Value) -> Result<bool, Unreadable> {
    match reply {
        Value::Int(number) => Ok(*number == 1),
        _ => Err(Unreadable),
    }
}

/// The reply to the `state_of` script, which was asked about these quotas: two numbers, and two for each of them.
#[cfg(feature = "admin")]
pub(crate) fn standing(quotas: &[Quota], reply: &Value) -> Result<Standing, Unreadable> {
    let Value::Array(parts) = reply else {
        return Err(Unreadable);
    };
    let number = |value: &Value| match value {
        Value::Int(number) => Ok(*number),
        _ => Err(Unreadable),
    };
    let numbers: Vec<i64> = parts.iter().map(number).collect::<Result<_, _>>()?;
    let [strikes, left, states @ ..] = numbers.as_slice() else {
        return Err(Unreadable);
    };
    let (pairs, []) = states.as_chunks::<2>() else {
        return Err(Unreadable);
    };
    if pairs.len() != quotas.len() {
        return Err(Unreadable);
    }
    // A number that somebody else wrote may be any.
    let strikes = u32::try_from((*strikes).max(0)).unwrap_or(u32::MAX);
    let left = (strikes > 0).then(|| unsigned(*left)).transpose()?;
    let standing = |(quota, [remaining, reset]): (&Quota, &[i64; 2])| {
        let remaining = u32::try_from(*remaining).map_err(|_| Unreadable)?;
        Ok(QuotaStanding::new(quota, remaining, unsigned(*reset)?))
    };
    Ok(Standing {
        strikes,
        strikes_left_millis: left,
        quotas: quotas
            .iter()
            .zip(pairs)
            .map(standing)
            .collect::<Result<_, _>>()?,
    })
}

/// A ban of which the key tells how long it lasts, and the value, if it is one of ours, the rest.
fn record(now: i64, left: i64, value: &Value) -> Result<BanRecord, Unreadable> {
    let now = unsigned(now)?;
    let left = unsigned(left)?;
    let value = match value {
        Value::BulkString(json) => serde_json::from_slice(json).unwrap_or_default(),
        _ => serde_json::Value::Null,
    };
    let number = |name| value.get(name).and_then(serde_json::Value::as_u64);
    let text = |name| value.get(name).and_then(serde_json::Value::as_str);
    let until = now.saturating_add(left);
    Ok(BanRecord {
        since_millis: number("since").unwrap_or(now).min(now),
        // What is written there, unless the key was given another life since.
        until_millis: number("until")
            .filter(|written| written.abs_diff(until) <= SLACK_MILLIS)
            .unwrap_or(until),
        reason: text("reason").unwrap_or("unknown").into(),
        by: match text("by") {
            Some("automatic") => BanSource::Automatic,
            _ => BanSource::Manual,
        },
    })
}

/// The reply to `SCAN`: where to go on, and the keys that were found. Names that are no text are nobody's.
pub(crate) fn scanned(reply: Value) -> Result<(Vec<u8>, Vec<String>), Unreadable> {
    let Value::Array(parts) = reply else {
        return Err(Unreadable);
    };
    let Ok([Value::BulkString(next), Value::Array(names)]) = <[Value; 2]>::try_from(parts) else {
        return Err(Unreadable);
    };
    let name = |value| match value {
        Value::BulkString(name) => String::from_utf8(name).ok(),
        _ => None,
    };
    Ok((next, names.into_iter().filter_map(name).collect()))
}

fn unsigned(number: i64) -> Result<u64, Unreadable> {
    u64::try_from(number).map_err(|_| Unreadable)
}
