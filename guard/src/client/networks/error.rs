//! What is wrong with a list of networks.
//!
//! Must not know: the names of lists, or what becomes of the error.

use std::{error::Error, fmt, io};

/// Longer lines of a file are cut: what was meant to be text may be one line of megabytes.
const SHOWN_CHARS: usize = 80;

/// Why a list of networks cannot be had. Each case says first which entry is to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NetworkError {
    /// An entry that is no address, network, preset or file.
    NotANetwork { entry: String },
    /// A file that cannot be opened or read, or is too large.
    Unreadable { entry: String, reason: String },
    /// A line of a file, counted from 1.
    BadLine {
        entry: String,
        line: usize,
        text: String,
    },
    /// A file in which there is nothing, as after a download that broke off.
    NoEntries { entry: String },
}

impl NetworkError {
    pub(super) fn not_a_network(entry: &str) -> Self {
        Self::NotANetwork {
            entry: entry.to_owned(),
        }
    }

    pub(super) fn unreadable(entry: String, error: &io::Error) -> Self {
        Self::Unreadable {
            entry,
            reason: error.to_string(),
        }
    }

    pub(super) fn bad_line(entry: String, line: usize, text: &str) -> Self {
        Self::BadLine {
            entry,
            line,
            text: text.chars().take(SHOWN_CHARS).collect(),
        }
    }

    /// The error in words; what it cites is put into quotes by `quote`. Begins with the entry.
    pub(crate) fn message(&self, quote: impl Fn(&str) -> String) -> String {
        match self {
            Self::NotANetwork { entry } => {
                format!("{} is not an address or network", quote(entry))
            }
            Self::Unreadable { entry, reason } => {
                format!("{} cannot be read: {reason}", quote(entry))
            }
            Self::BadLine { entry, line, text } => format!(
                "{} line {line}: {} is not an address or network",
                quote(entry),
                quote(text)
            ),
            Self::NoEntries { entry } => format!("{} has no entries", quote(entry)),
        }
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|text| format!("{text:?}")))
    }
}

impl Error for NetworkError {}
