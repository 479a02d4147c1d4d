//! `guardctl replay`: requests of access logs through the decisions of a guard.
//!
//! Must not know: formats of logs, how a report looks.

mod agents;
mod progress;
mod tally;
mod timeline;
mod traffic;

use std::{fs, time::SystemTime};

use actix_web_guard::{PastRequest, Replay};

use crate::{
    access_log::Entry,
    arguments,
    configuration::{Effective, build, read},
    failure::{Failure, Kind},
    input::{Line, Logs},
    output::print,
    report::{Report, html, text},
};

use progress::Progress;

pub(crate) use tally::{NewBan, Tally};
pub(crate) use timeline::Bucket;
pub(crate) use traffic::Distribution;

pub(crate) fn run(arguments: &arguments::Replay) -> Result<(), Failure> {
    let builder = read(arguments.config.as_deref())?;
    let config = match arguments.no_detection {
        true => build(builder.enable_detection(false))?,
        false => build(builder)?,
    };
    let effective = Effective::of(&config)?;
    let logs = Logs::open(&arguments.logs)?;
    let tally = replay(logs, Replay::new(&config), &effective);
    let report = Report::of(&arguments.logs, &effective, tally);
    if let Some(path) = &arguments.html {
        fs::write(path, html::page(&report))
            .map_err(|error| Failure::new(Kind::NotDone, format!("{}: {error}", path.display())))?;
    }
    if arguments.json {
        let json = serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::new(Kind::NotDone, format!("json: {error}")))?;
        return print(&(json + "\n"));
    }
    print(&text::of(&report))
}

/// Puts all requests through the guard's decisions.
fn replay(logs: Logs, mut guard: Replay, effective: &Effective) -> Tally {
    let mut progress = Progress::start(&logs);
    let mut tally = Tally::new(effective);
    logs.each(&mut |line| {
        match line {
            Line::Request(entry) => {
                let decision = guard.decide(&past(&entry));
                tally.add(&entry, decision);
            }
            Line::Bad(why) => tally.skip(why),
        }
        progress.line();
    });
    progress.end();
    tally
}

fn past<'a>(entry: &'a Entry<'_>) -> PastRequest<'a> {
    let at: SystemTime = entry.at;
    let mut request = PastRequest::new(at, entry.client, &entry.method, &entry.target);
    request.user_agent = entry.user_agent.as_deref();
    request.referer = entry.referer.as_deref();
    request.status = entry.status;
    request
}
