//! The table of fields: every name a configuration may use, with the rule that reads its value and the value that is
//! printed for it. TOML, environment, builder, printing and suggestions all read this one table.
//!
//! Must not know: where values come from, or rules that concern several fields.

mod answers;
mod clients;
mod limits;
mod stores;

use std::sync::Arc;

use super::{error::Problem, field::Field, raw::Raw, settings::Settings};

/// All fields, in the order of the documentation, in which they are checked and printed.
pub(super) fn fields() -> impl Iterator<Item = &'static Field> {
    [
        limits::FIELDS,
        clients::FIELDS,
        stores::FIELDS,
        answers::FIELDS,
    ]
    .into_iter()
    .flatten()
}

/// The field of a name.
pub(super) fn find(name: &str) -> Option<&'static Field> {
    fields().find(|field| field.name == name)
}

fn set<T>(slot: &mut T, value: Result<T, Problem>) -> Result<(), Problem> {
    *slot = value?;
    Ok(())
}

fn number(value: impl TryInto<i128>) -> Option<Raw> {
    value.try_into().ok().map(Raw::Integer)
}

fn switch(value: bool) -> Option<Raw> {
    Some(Raw::Switch(value))
}

/// Equal values, the same clock, and as many detectors and hooks: whether code does the same cannot be told.
impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        fields()
            .all(|field| field.show(self) == field.show(other))
            // What is shown leaves the passwords out.
            && self.store == other.store
            && self.detectors.len() == other.detectors.len()
            && self.on_refusal.is_some() == other.on_refusal.is_some()
            && self.key_by.is_some() == other.key_by.is_some()
            && Arc::ptr_eq(&self.clock, &other.clock)
    }
}

#[cfg(test)]
mod tests;
