//! Bans for people and for programs.
//!
//! Must not know: where they come from.

use std::fmt::Write as _;

use actix_web_guard::Ban;
use serde::Serialize;

use crate::{
    calendar::utc,
    failure::{Failure, Kind},
    output::shown,
};

const MOST_REASON: usize = 80;

/// A ban, as JSON has it.
#[derive(Serialize)]
struct Told<'a> {
    client: &'a str,
    reason: &'a str,
    by: &'a str,
    since: String,
    until: String,
    remaining_seconds: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    redis_cli: &'a [String],
}

impl<'a> Told<'a> {
    fn of(ban: &'a Ban, redis_cli: &'a [String]) -> Self {
        Self {
            client: &ban.client,
            reason: &ban.reason,
            by: ban.by.as_str(),
            since: utc(ban.since),
            until: utc(ban.until),
            remaining_seconds: ban.remaining.as_secs(),
            redis_cli,
        }
    }
}

pub(super) fn json(bans: &[Ban]) -> Result<String, Failure> {
    let told: Vec<_> = bans.iter().map(|ban| Told::of(ban, &[])).collect();
    write_json(&told)
}

pub(super) fn json_of(ban: &Ban, commands: &[String]) -> Result<String, Failure> {
    write_json(&Told::of(ban, commands))
}

fn write_json(told: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(told)
        .map(|json| json + "\n")
        .map_err(|error| Failure::new(Kind::NotDone, format!("json: {error}")))
}

pub(super) fn text(bans: &[Ban]) -> String {
    if bans.is_empty() {
        return "Nobody is banned.\n".to_owned();
    }
    let longest = bans.iter().map(|ban| ban.client.len()).max().unwrap_or(0);
    let width = longest.max("CLIENT".len());
    let mut text = format!(
        "{:<width$}  {:<20}  {:>9}  {:<9}  REASON\n",
        "CLIENT", "UNTIL", "LEFT", "BY"
    );
    for ban in bans {
        let _ = writeln!(
            text,
            "{:<width$}  {:<20}  {:>9}  {:<9}  {}",
            ban.client,
            utc(ban.until),
            left(ban),
            ban.by.as_str(),
            shown(&ban.reason, MOST_REASON)
        );
    }
    text
}

pub(super) fn text_of(ban: &Ban, commands: &[String]) -> String {
    let mut text = format!(
        "{}\n  reason  {}\n  by      {}\n  since   {}\n  until   {} ({} left)\n\nBy redis-cli:\n",
        ban.client,
        shown(&ban.reason, usize::MAX),
        ban.by.as_str(),
        utc(ban.since),
        utc(ban.until),
        left(ban)
    );
    for command in commands {
        let _ = writeln!(text, "  {command}");
    }
    text
}

fn left(ban: &Ban) -> String {
    let seconds = ban.remaining.as_secs();
    match seconds {
        0..600 => format!("{seconds}s"),
        600..36_000 => format!("{}m", seconds / 60),
        36_000..864_000 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}
