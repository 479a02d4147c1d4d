//! Why a command failed: one line for people, one number for scripts.
//!
//! Must not know: commands.

use std::{fmt, process::ExitCode};

/// What kind of failure it is; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// What was asked for is not there, or could not be done.
    NotDone = 1,
    /// Arguments, configuration or files that cannot be used. clap exits with the same.
    Arguments = 2,
    /// The store is out of reach.
    OutOfReach = 3,
}

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl fmt::Display) -> Self {
        Self {
            kind,
            message: message.to_string(),
        }
    }

    pub(crate) fn arguments(message: impl fmt::Display) -> Self {
        Self::new(Kind::Arguments, message)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.kind as u8)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
