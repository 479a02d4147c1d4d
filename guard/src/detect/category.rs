//! Kinds of threats, and what is done about each.
//!
//! Must not know: how threats are found.

/// A kind of threat that the built-in detectors find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Category {
    /// A path that nobody asks for by accident; in TOML `probe`.
    Probe,
    /// A path or value that climbs out of its folder, or reaches for files of the system; `traversal`.
    Traversal,
    /// A piece of SQL that breaks out of a statement; `sqli`.
    Sqli,
    /// Markup that runs a script in somebody else's browser; `xss`.
    Xss,
    /// A command for a shell, a template engine or a look-up; `command`.
    Command,
    /// A tool that looks for weaknesses, by its user agent; `scanner`.
    Scanner,
}

impl Category {
    pub(crate) const ALL: [Self; 6] = [
        Self::Probe,
        Self::Traversal,
        Self::Sqli,
        Self::Xss,
        Self::Command,
        Self::Scanner,
    ];

    /// The category in TOML and in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Traversal => "traversal",
            Self::Sqli => "sqli",
            Self::Xss => "xss",
            Self::Command => "command",
            Self::Scanner => "scanner",
        }
    }
}

/// What is done about a request in which a detector has found something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Refused with 403, and a strike. The default; in TOML `"strike"`.
    #[default]
    Strike,
    /// Refused with 403, without a strike; `"refuse"`.
    Refuse,
    /// Said in the log, and served; `"log"`.
    Log,
    /// Nothing; `"off"`.
    Off,
}

impl Action {
    pub(crate) const ALL: [Self; 4] = [Self::Strike, Self::Refuse, Self::Log, Self::Off];

    /// The action in TOML.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Strike => "strike",
            Self::Refuse => "refuse",
            Self::Log => "log",
            Self::Off => "off",
        }
    }

    /// The milder of two.
    pub(crate) fn at_most(self, other: Self) -> Self {
        let harshness = |action| Self::ALL.iter().rev().position(|one| *one == action);
        if harshness(self) <= harshness(other) {
            self
        } else {
            other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_milder_of_two_actions() {
        for (index, harsher) in Action::ALL.iter().enumerate() {
            for milder in Action::ALL.iter().skip(index) {
                assert_eq!(harsher.at_most(*milder), *milder);
                assert_eq!(milder.at_most(*harsher), *milder);
            }
        }
    }
}
