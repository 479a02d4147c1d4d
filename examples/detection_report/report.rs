//! What was found, and how it is told.

use std::{collections::BTreeMap, fmt};

use actix_web_guard::detect::{Category, Threat};
use serde::Serialize;

use crate::sample::Sample;

const CATEGORIES: [Category; 6] = [
    Category::Probe,
    Category::Traversal,
    Category::Sqli,
    Category::Xss,
    Category::Command,
    Category::Scanner,
];

/// Requests of a log, of which nobody says what they are.
const ACCESS: &str = "access";

/// What was found in one file.
#[derive(Default)]
pub(crate) struct Tally {
    kinds: BTreeMap<String, Count>,
    rules: BTreeMap<String, usize>,
    misses: Vec<String>,
    found: Vec<String>,
    false_alarms: Vec<String>,
    skipped: Vec<String>,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Count {
    total: usize,
    flagged: usize,
}

impl Tally {
    /// Adds a sample with what was found in it.
    pub(crate) fn add(&mut self, sample: &Sample, threat: Option<Threat>) {
        let count = self.kinds.entry(sample.kind.clone()).or_default();
        count.total += 1;
        let is_attack = CATEGORIES.iter().any(|one| one.name() == sample.kind);
        let text = sample.text.escape_debug();
        match threat {
            None if is_attack => self.misses.push(format!("{}: {text}", sample.kind)),
            None => {}
            Some(threat) => {
                count.flagged += 1;
                *self.rules.entry(threat.rule().to_owned()).or_default() += 1;
                let told = format!("{} in {}: {text}", threat.rule(), sample.kind);
                if sample.kind == ACCESS {
                    self.found.push(told);
                } else if !is_attack {
                    self.false_alarms.push(told);
                }
            }
        }
    }

    /// Notes a line that is no sample.
    pub(crate) fn skip(&mut self, line: usize, reason: &str) {
        self.skipped.push(format!("line {line}: {reason}"));
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, count) in &self.kinds {
            let percent = 100.0 * count.flagged as f64 / count.total.max(1) as f64;
            writeln!(
                f,
                "  {kind}: {} of {} ({percent:.2} %)",
                count.flagged, count.total
            )?;
        }
        if !self.rules.is_empty() {
            writeln!(f, "  rules:")?;
            let mut rules: Vec<_> = self.rules.iter().collect();
            rules.sort_by(|(_, one), (_, other)| other.cmp(one));
            for (rule, times) in rules {
                writeln!(f, "    {times:>6}  {rule}")?;
            }
        }
        for (title, lines) in [
            ("misses", &self.misses),
            ("false alarms", &self.false_alarms),
            ("found", &self.found),
            ("lines that could not be read", &self.skipped),
        ] {
            if !lines.is_empty() {
                writeln!(f, "  {title} ({}):", lines.len())?;
            }
            for line in lines {
                writeln!(f, "    {line}")?;
            }
        }
        Ok(())
    }
}

/// What was found in all files.
#[derive(Default)]
pub(crate) struct Report {
    files: Vec<(String, Tally)>,
}

impl Report {
    pub(crate) fn add(&mut self, file: &str, tally: Tally) {
        self.files.push((file.to_owned(), tally));
    }

    /// One object: `{"<file>": {"<kind>": {"total": n, "flagged": n}}}`.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        let files: BTreeMap<&str, &BTreeMap<String, Count>> = self
            .files
            .iter()
            .map(|(file, tally)| (file.as_str(), &tally.kinds))
            .collect();
        serde_json::to_string(&files).map(|json| json + "\n")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (file, tally) in &self.files {
            writeln!(f, "{file}")?;
            tally.fmt(f)?;
        }
        Ok(())
    }
}
