//! A value as it was given, before any rule was applied: one form for values from code, TOML and the environment.
//!
//! Must not know: fields, bounds, or what a value is for.

use std::{fmt, time::Duration};

use toml::de::{DeTable, DeValue};

use super::text;

/// A value as it was given. Whole numbers are wide, so that a rule can name the bound that one is beyond.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(super) enum Raw {
    Integer(i128),
    Switch(bool),
    Text(String),
    List(Vec<Raw>),
    /// In the order in which it is printed.
    Table(Vec<(String, Raw)>),
    /// What no field takes (a float, a date, a number beyond all bounds), as it is shown in an error.
    Other(String),
}

impl Raw {
    /// A text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A list of texts.
    pub(super) fn texts<I>(items: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self::List(items.into_iter().map(Self::text).collect())
    }

    /// Whole seconds. A remainder is kept, for it has to be refused and not dropped.
    pub(super) fn seconds(duration: Duration) -> Self {
        if duration.subsec_nanos() == 0 {
            Self::Integer(duration.as_secs().into())
        } else {
            Self::Other(format!("{duration:?}"))
        }
    }

    /// The value as TOML, on one line.
    pub(super) fn to_toml(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Switch(switch) => switch.to_string(),
            Self::Text(text) => text::basic_string(text),
            Self::Other(shown) => shown.clone(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::to_toml).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Table(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| format!("{key} = {}", value.to_toml()))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }
}

/// The value as an error shows it.
impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Switch(switch) => write!(f, "{switch}"),
            Self::Text(text) => f.write_str(&text::quoted(text)),
            Self::List(_) => f.write_str("a list"),
            Self::Table(_) => f.write_str("a table"),
            Self::Other(shown) => f.write_str(&text::name(shown)),
        }
    }
}

/// The entries of a TOML table.
pub(super) fn entries(table: &DeTable<'_>) -> Vec<(String, Raw)> {
    table
        .iter()
        .map(|(key, value)| (key.get_ref().to_string(), from_toml(value.get_ref())))
        .collect()
}

fn from_toml(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Raw::Integer(number),
            Err(_) => Raw::Other(number.to_string()),
        },
        DeValue::Float(number) => Raw::Other(number.to_string()),
        DeValue::Boolean(switch) => Raw::Switch(*switch),
        DeValue::Datetime(time) => Raw::Other(time.to_string()),
        DeValue::Array(items) => {
            Raw::List(items.iter().map(|item| from_toml(item.get_ref())).collect())
        }
        DeValue::Table(table) => Raw::Table(entries(table)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &str) -> Raw {
        let text = format!("a = {value}");
        let table = DeTable::parse(&text).unwrap();
        entries(table.get_ref()).remove(0).1
    }

    #[test]
    fn toml_values_and_how_errors_show_them() {
        let huge = "9".repeat(60);
        let cases = [
            ("5", Raw::Integer(5), "5"),
            ("-5", Raw::Integer(-5), "-5"),
            ("+1_000", Raw::Integer(1000), "1000"),
            ("0xff", Raw::Integer(255), "255"),
            (
                "9223372036854775808",
                Raw::Integer(1 << 63),
                "9223372036854775808",
            ),
            (&huge, Raw::Other(huge.clone()), &huge),
            ("true", Raw::Switch(true), "true"),
            ("\"5m\"", Raw::text("5m"), "\"5m\""),
            ("1.5", Raw::Other("1.5".into()), "1.5"),
            ("nan", Raw::Other("nan".into()), "nan"),
            ("2026-01-01", Raw::Other("2026-01-01".into()), "2026-01-01"),
            ("[\"a\"]", Raw::texts(["a"]), "a list"),
            (
                "{ b = 1 }",
                Raw::Table(vec![("b".into(), Raw::Integer(1))]),
                "a table",
            ),
        ];
        for (value, raw, shown) in cases {
            assert_eq!(parsed(value), raw, "{value}");
            assert_eq!(raw.to_string(), shown, "{value}");
            assert_eq!(parsed(&raw.to_toml()), raw, "{value}");
        }
    }

    #[test]
    fn only_whole_seconds_are_numbers() {
        assert_eq!(Raw::seconds(Duration::from_secs(90)), Raw::Integer(90));
        assert_eq!(
            Raw::seconds(Duration::from_millis(1500)),
            Raw::Other("1.5s".into())
        );
    }
}
