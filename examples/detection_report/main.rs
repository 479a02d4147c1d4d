//! What the detectors find in samples and access logs:
//! `cargo run --release --example detection_report -- [--json] FILES`.
//!
//! A file has JSON lines `{"kind": …, "value": …}`, or lines of an access log in combined format. A value is looked at as one of
//! the query, or as a whole request target if its kind is `target`. Kinds that are named after a category of the detectors
//! (`sqli`, `xss` …) are attacks: what is not found of them is a miss. What is found in any other kind is a false alarm. In
//! access logs nobody knows: what is found is listed.

mod report;
mod sample;

use std::{
    env,
    error::Error,
    fs,
    io::{self, IsTerminal as _, Write as _},
    path::Path,
    process::ExitCode,
};

use actix_web_guard::{Inspector, SecurityConfig};
use indicatif::{ProgressBar, ProgressStyle};

use report::{Report, Tally};
use sample::Sample;

const USAGE: &str = "usage: detection_report [--json] FILES";

/// Shorter files are done before anybody looks at a bar.
const LONG: usize = 2000;

struct Arguments {
    json: bool,
    files: Vec<String>,
}

impl Arguments {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (options, files): (Vec<_>, Vec<_>) =
            arguments.partition(|argument| argument.starts_with("--"));
        if let Some(option) = options.iter().find(|option| *option != "--json") {
            return Err(format!("{option}: unknown option; {USAGE}"));
        }
        if files.is_empty() {
            return Err(USAGE.to_owned());
        }
        Ok(Self {
            json: !options.is_empty(),
            files,
        })
    }
}

fn look_through(path: &str, inspector: &Inspector) -> Result<Tally, Box<dyn Error>> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let bar = progress(path, lines.len());
    let mut tally = Tally::default();
    for (number, line) in lines.iter().enumerate() {
        match Sample::read(line) {
            Ok(sample) => tally.add(&sample, sample.inspect(inspector)),
            Err(reason) => tally.skip(number + 1, &reason),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(tally)
}

/// Shown only on a terminal.
fn progress(path: &str, lines: usize) -> ProgressBar {
    if lines < LONG || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(lines as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(file_name(path).to_owned());
    bar
}

fn file_name(path: &str) -> &str {
    let name = Path::new(path).file_name();
    name.and_then(|name| name.to_str()).unwrap_or(path)
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    // Settings of the environment count, to see what a change of [detection] makes of the samples.
    let inspector = Inspector::new(&SecurityConfig::from_environment()?);
    let mut report = Report::default();
    for path in &arguments.files {
        report.add(path, look_through(path, &inspector)?);
    }
    let text = if arguments.json {
        report.to_json()?
    } else {
        report.to_string()
    };
    // Whoever reads may have seen enough.
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::read(env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
