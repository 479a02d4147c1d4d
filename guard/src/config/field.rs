//! What a field is: a name, a form, and a rule that reads a value into a draft and shows it again.
//!
//! Must not know: which fields there are, or where values come from.

use super::{
    error::Problem,
    raw::Raw,
    settings::{Draft, Settings},
    values::Form,
};

/// A field of the configuration.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) form: Form,
    rule: Rule,
}

enum Rule {
    Available {
        apply: Apply,
        show: Show,
    },
    /// A later release has the field. Its default is accepted, so that a printed configuration can be read back.
    Later(fn() -> Option<Raw>),
}

type Apply = fn(&mut Draft, &Raw) -> Result<(), Problem>;
/// `None`: nothing is set.
type Show = fn(&Settings) -> Option<Raw>;

impl Field {
    /// The name of the environment variable.
    pub(super) fn variable(&self) -> String {
        format!("GUARD_{}", self.name.to_ascii_uppercase())
    }

    /// Sets the field in a draft.
    pub(super) fn apply(&self, draft: &mut Draft, raw: &Raw) -> Result<(), Problem> {
        match self.rule {
            Rule::Available { apply, .. } => apply(draft, raw),
            Rule::Later(default) if default().as_ref() == Some(raw) => Ok(()),
            Rule::Later(_) => Err(not_available()),
        }
    }

    /// Whether the value would be accepted.
    pub(super) fn check(&self, raw: &Raw) -> Result<(), Problem> {
        self.apply(&mut Draft::default(), raw)
    }

    /// The effective value; `None` if nothing is set.
    pub(super) fn show(&self, settings: &Settings) -> Option<Raw> {
        match self.rule {
            Rule::Available { show, .. } => show(settings),
            Rule::Later(default) => default(),
        }
    }

    /// Whether environment text cannot express the field, although the release has it.
    pub(super) fn only_in_files(&self) -> bool {
        self.form == Form::Tables && matches!(self.rule, Rule::Available { .. })
    }
}

/// What is said of values that a later release will accept.
pub(super) fn not_available() -> Problem {
    Problem::statement("not available in this release")
}

/// A field that this release has.
pub(super) const fn field(name: &'static str, form: Form, apply: Apply, show: Show) -> Field {
    let rule = Rule::Available { apply, show };
    Field { name, form, rule }
}

/// A field that a later release has, with its default.
pub(super) const fn later(name: &'static str, form: Form, default: fn() -> Option<Raw>) -> Field {
    let rule = Rule::Later(default);
    Field { name, form, rule }
}
