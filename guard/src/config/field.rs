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
    apply: Apply,
    show: Show,
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
        (self.apply)(draft, raw)
    }

    /// Whether the value would be accepted.
    pub(super) fn check(&self, raw: &Raw) -> Result<(), Problem> {
        self.apply(&mut Draft::default(), raw)
    }

    /// The effective value; `None` if nothing is set.
    pub(super) fn show(&self, settings: &Settings) -> Option<Raw> {
        (self.show)(settings)
    }

    /// Whether environment text cannot express the field.
    pub(super) fn only_in_files(&self) -> bool {
        self.form == Form::Tables
    }
}

/// A field, with its rules.
pub(super) const fn field(name: &'static str, form: Form, apply: Apply, show: Show) -> Field {
    Field {
        name,
        form,
        apply,
        show,
    }
}
