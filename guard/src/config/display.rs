//! The effective configuration as TOML: every field with its value, on a line of its own.
//!
//! Must not know: how a field's value is made, or where it came from.

use std::fmt;

use super::{field::Field, fields::fields, raw::Raw, settings::Settings, values::Form};

/// Writes all fields; tables come last, for in TOML everything below a table belongs to it.
pub(super) fn write(settings: &Settings, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (tables, lines): (Vec<&Field>, Vec<&Field>) =
        fields().partition(|field| matches!(field.form, Form::Tables));
    for field in lines.into_iter().chain(tables) {
        match field.show(settings) {
            None => writeln!(f, "# {} = none", field.name)?,
            Some(Raw::List(items)) if field.form == Form::Tables => {
                write_tables(field.name, &items, f)?;
            }
            Some(Raw::Table(entries)) if field.form == Form::Tables => {
                write_table(field.name, &entries, f)?;
            }
            Some(raw) => writeln!(f, "{} = {}", field.name, raw.to_toml())?,
        }
    }
    Ok(())
}

/// A table; those inside it come last.
fn write_table(name: &str, entries: &[(String, Raw)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n[{name}]")?;
    let is_tables =
        |raw: &Raw| matches!(raw, Raw::List(items) if matches!(items.first(), Some(Raw::Table(_))));
    for (key, value) in entries.iter().filter(|(_, value)| !is_tables(value)) {
        writeln!(f, "{key} = {}", value.to_toml())?;
    }
    for (key, value) in entries {
        if let Raw::List(items) = value
            && is_tables(value)
        {
            write_tables(&format!("{name}.{key}"), items, f)?;
        }
    }
    Ok(())
}

fn write_tables(name: &str, items: &[Raw], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for item in items {
        writeln!(f, "\n[[{name}]]")?;
        let Raw::Table(entries) = item else { continue };
        for (key, value) in entries {
            writeln!(f, "{key} = {}", value.to_toml())?;
        }
    }
    Ok(())
}

/// As a configuration is printed. What only code can give has no printed form.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f)
    }
}

#[cfg(test)]
mod tests;
