//! The command line.
//!
//! Must not know: what commands do.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};

/// Checks configurations of actix-web-guard, replays access logs through them, and manages bans.
#[derive(Debug, Parser)]
#[command(name = "guardctl", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Validates a configuration, with GUARD_* variables over it, and prints what is in force
    Check(Check),
    /// Tells what a configuration would have made of the requests in access logs
    Replay(Replay),
    /// Lists, shows, adds and lifts bans on Redis
    Bans(Bans),
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The configuration, in TOML
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The configuration, in TOML; without one, the defaults
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Access logs, in any order, also compressed by gzip; "-" is standard input
    #[arg(required = true)]
    pub(crate) logs: Vec<String>,
    /// The report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Writes the report as a page with plots as well
    #[arg(long, value_name = "FILE", value_parser = page)]
    pub(crate) html: Option<PathBuf>,
    /// Asks no detectors: limits alone
    #[arg(long)]
    pub(crate) no_detection: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Bans {
    #[command(subcommand)]
    pub(crate) command: BansCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BansCommand {
    /// All bans, the one that ends soonest first
    List {
        #[command(flatten)]
        place: Place,
        #[arg(long)]
        json: bool,
    },
    /// The ban of a client, and how redis-cli finds it
    Show {
        address: String,
        #[command(flatten)]
        place: Place,
        #[arg(long)]
        json: bool,
    },
    /// Bans a client, in place of a ban that is there
    Add {
        address: String,
        /// How long: seconds, or 90s, 5m, 1h, 1d
        #[arg(long = "for", value_name = "DURATION", default_value = "1h", value_parser = duration)]
        length: Duration,
        #[arg(long, default_value = "by hand")]
        reason: String,
        #[command(flatten)]
        place: Place,
    },
    /// Lifts the ban of a client, and clears its strikes
    Lift {
        address: String,
        #[command(flatten)]
        place: Place,
    },
}

/// Where bans are.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Place {
    /// URL of a Redis server
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// What all keys begin with [default: guard:]
    #[arg(long)]
    pub(crate) prefix: Option<String>,
    /// The configuration of the guard, in TOML, which says both
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

fn page(text: &str) -> Result<PathBuf, String> {
    match text {
        "" => Err("names no file".to_owned()),
        "-" => Err("standard output has the report itself: the page needs a file".to_owned()),
        path => Ok(path.into()),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let bad = || "is no duration such as 90, \"90s\", \"5m\", \"1h\" or \"1d\"".to_owned();
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = match text.strip_prefix(digits) {
        Some("" | "s") => 1,
        Some("m") => 60,
        Some("h") => 3600,
        Some("d") => 86_400,
        _ => return Err(bad()),
    };
    let number: u64 = digits.parse().map_err(|_| bad())?;
    let seconds = number.checked_mul(unit).ok_or_else(bad)?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_makes_sense() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_page_goes_to_a_file() {
        assert_eq!(page("report.html"), Ok(PathBuf::from("report.html")));
        assert!(page("-").is_err());
        assert!(page("").is_err());
    }

    #[test]
    fn durations_are_those_of_the_configuration() {
        for (text, expected) in [
            ("90", Some(90)),
            ("90s", Some(90)),
            ("5m", Some(300)),
            ("1h", Some(3600)),
            ("2d", Some(172_800)),
            ("", None),
            ("h", None),
            ("1w", None),
            ("-1", None),
            ("1.5h", None),
            ("99999999999999999999", None),
            ("999999999999999999d", None),
        ] {
            let seconds = duration(text).ok().map(|duration| duration.as_secs());
            assert_eq!(seconds, expected, "{text}");
        }
    }
}
