//! The table.
//!
//! Must not know: how anything is measured.

use std::io;

use crate::{
    Setup,
    rounds::{self, Measured, Results},
};

/// What the table tells of each server: medians of the rounds, and for ratios, medians of each round's.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// Requests a second.
    Requests,
    /// Requests a second, in parts of the baseline's.
    RequestsOfBare,
    /// Requests a second, in parts of the peer's.
    RequestsOfPeer,
    /// Milliseconds that half of the requests waited at most.
    HalfWaited,
    /// Milliseconds that 99 of a hundred requests waited at most.
    NearlyAllWaited,
    /// The server's processor time, in parts of the baseline's.
    CpuOfBare,
    /// The server's processor seconds for 100,000 requests.
    Cpu,
    /// The same of what is behind the server.
    BackendCpu,
    /// Instructions a request.
    Instructions,
    /// Those that the baseline has no need of.
    InstructionsOverBare,
}

/// Measures in so many rounds and prints the table, of all servers or of those with these names and what they are compared with.
pub(crate) fn print<S: Setup>(rounds: usize, names: &[&str]) -> io::Result<()> {
    let results = rounds::measure(&wanted::<S>(names), rounds)?;
    let titles = S::COLUMNS.iter().map(|column| column.title());
    println!("{}", row("server".to_owned(), titles.map(str::to_owned)));
    println!("|{}", "---|".repeat(S::COLUMNS.len() + 1));
    for result in &results {
        let cells = S::COLUMNS
            .iter()
            .map(|column| column.cell(result, &results));
        println!("{}", row(result.setup.name(), cells));
    }
    Ok(())
}

fn wanted<S: Setup>(names: &[&str]) -> Vec<S> {
    let is_wanted = |setup: &&S| names.is_empty() || names.contains(&setup.name().as_str());
    let wanted: Vec<S> = S::ALL.iter().filter(is_wanted).copied().collect();
    let is_needed = |setup: &&S| {
        wanted.contains(setup) || wanted.iter().any(|other| other.baseline() == **setup)
    };
    S::ALL.iter().filter(is_needed).copied().collect()
}

fn row(first: String, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = [first].into_iter().chain(cells).collect();
    format!("| {} |", cells.join(" | "))
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Requests => "requests/s",
            Self::RequestsOfBare => "of bare",
            Self::RequestsOfPeer => "of the peer",
            Self::HalfWaited => "p50, ms",
            Self::NearlyAllWaited => "p99, ms",
            Self::CpuOfBare => "processor time, of bare",
            Self::Cpu => "processor s per 100,000",
            Self::BackendCpu => "behind it, s per 100,000",
            Self::Instructions => "instructions",
            Self::InstructionsOverBare => "over bare",
        }
    }

    fn cell<S: Setup>(self, own: &Results<S>, all: &[Results<S>]) -> String {
        let result_of = |setup: S| all.iter().find(|result| result.setup == setup);
        let bare = result_of(own.setup.baseline());
        let peer = S::PEER.and_then(result_of);
        let requests = |one: &Measured| Some(one.requests_per_second);
        let cpu = |one: &Measured| one.cpu_micros;
        match self {
            Self::Requests => number(0, of_rounds(own, requests)),
            Self::RequestsOfBare => number(2, ratio(own, bare, requests)),
            Self::RequestsOfPeer => number(2, ratio(own, peer, requests)),
            Self::HalfWaited => number(2, of_rounds(own, |one| Some(one.p50_millis))),
            Self::NearlyAllWaited => number(2, of_rounds(own, |one| Some(one.p99_millis))),
            Self::CpuOfBare => number(2, ratio(own, bare, cpu)),
            Self::Cpu => number(2, of_rounds(own, |one| Some(cpu(one)? / 10.0))),
            Self::BackendCpu => {
                let seconds = |one: &Measured| Some(one.backend_cpu_micros? / 10.0);
                number(2, of_rounds(own, seconds))
            }
            Self::Instructions => number(0, own.instructions),
            Self::InstructionsOverBare => {
                let bare = bare.and_then(|bare| bare.instructions);
                let over = own.instructions.zip(bare).map(|(own, bare)| own - bare);
                over.map_or_else(nothing, |over| format!("{over:+.0}"))
            }
        }
    }
}

fn of_rounds<S>(result: &Results<S>, value: impl Fn(&Measured) -> Option<f64>) -> Option<f64> {
    median(result.rounds.iter().map(value).collect::<Option<_>>()?)
}

/// The median of the ratios of each round.
fn ratio<S>(
    own: &Results<S>,
    other: Option<&Results<S>>,
    value: impl Fn(&Measured) -> Option<f64>,
) -> Option<f64> {
    let pairs = own.rounds.iter().zip(&other?.rounds);
    let ratios = pairs.map(|(own, other)| Some(value(own)? / value(other)?));
    median(ratios.collect::<Option<_>>()?)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn number(decimals: usize, value: Option<f64>) -> String {
    value.map_or_else(nothing, |value| format!("{value:.decimals$}"))
}

fn nothing() -> String {
    "–".to_owned()
}
