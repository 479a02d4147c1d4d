//! How a single value is read: numbers in bounds, durations, switches, words, lists; and how environment text becomes a
//! value.
//!
//! Must not know: the names of fields, or where a value came from.

use std::{fmt::Display, ops::RangeInclusive, path::PathBuf, time::Duration};

use super::{
    error::Problem,
    raw::Raw,
    settings::{HeaderStyle, StrikeReset},
    text,
};

/// What a field's value looks like, to read it from environment text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A whole number, or a duration: whole seconds or a text such as `5m`.
    Number,
    Switch,
    Word,
    /// A word, or several, separated by commas.
    Words,
    /// Taken as it stands, spaces included.
    Path,
    /// Separated by commas.
    List,
    StrikeReset,
    /// Tables, for which environment text has no form.
    Tables,
}

impl Form {
    /// The value that the text of an environment variable stands for. Text that doesn't have the form stays text, which
    /// the field's rule refuses.
    pub(super) fn read(self, value: &str) -> Raw {
        let trimmed = value.trim();
        match self {
            Self::Number => number(trimmed),
            Self::Switch => switch(trimmed),
            Self::Word => Raw::text(trimmed),
            Self::Words if !trimmed.contains(',') => Raw::text(trimmed),
            Self::Path | Self::Tables => Raw::text(value),
            Self::List if trimmed.is_empty() => Raw::List(Vec::new()),
            Self::List | Self::Words => Raw::texts(trimmed.split(',').map(str::trim)),
            Self::StrikeReset => strike_reset(trimmed),
        }
    }
}

fn number(text: &str) -> Raw {
    text.parse().map_or_else(|_| Raw::text(text), Raw::Integer)
}

fn switch(text: &str) -> Raw {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Raw::Switch(true),
        "false" | "0" | "no" | "off" => Raw::Switch(false),
        _ => Raw::text(text),
    }
}

fn strike_reset(text: &str) -> Raw {
    match text.split_once('=') {
        Some((key, value)) => Raw::Table(vec![(key.trim().to_owned(), number(value.trim()))]),
        None => Raw::text(text),
    }
}

/// Reads a whole number within bounds.
pub(super) fn as_integer<T: TryFrom<i128>>(
    raw: &Raw,
    bounds: RangeInclusive<u64>,
) -> Result<T, Problem> {
    let Raw::Integer(number) = raw else {
        return Err(Problem::must(format_args!("be a whole number, not {raw}")));
    };
    let number = within(*number, &bounds, "", raw)?;
    T::try_from(number.into()).map_err(|_| Problem::must(format_args!("be smaller, not {raw}")))
}

/// Reads a duration within bounds, which are seconds.
pub(super) fn as_duration(raw: &Raw, bounds: RangeInclusive<u64>) -> Result<Duration, Problem> {
    let seconds = match raw {
        Raw::Integer(seconds) => Some(*seconds),
        Raw::Text(text) => seconds_of(text),
        _ => None,
    };
    let Some(seconds) = seconds else {
        return Err(Problem::must(format_args!(
            "be whole seconds or a text such as \"90s\", \"5m\", \"1h\" or \"1d\", not {raw}"
        )));
    };
    within(seconds, &bounds, " seconds", raw).map(Duration::from_secs)
}

/// `None` if the text is not digits and a unit.
fn seconds_of(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let unit = match text.strip_prefix(digits)? {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return None,
    };
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    let count: i128 = all_digits.then(|| digits.parse().ok())??;
    count.checked_mul(unit)
}

fn within(
    number: i128,
    bounds: &RangeInclusive<u64>,
    unit: &str,
    raw: &Raw,
) -> Result<u64, Problem> {
    let (min, max) = (*bounds.start(), *bounds.end());
    if number < i128::from(min) {
        let unit = if min == 1 {
            unit.trim_end_matches('s')
        } else {
            unit
        };
        return Err(Problem::must(format_args!(
            "be at least {min}{unit}, not {raw}"
        )));
    }
    match u64::try_from(number) {
        Ok(number) if number <= max => Ok(number),
        _ => Err(Problem::must(format_args!(
            "be at most {max}{unit}, not {raw}"
        ))),
    }
}

/// Reads a switch.
pub(super) fn as_switch(raw: &Raw) -> Result<bool, Problem> {
    match raw {
        Raw::Switch(switch) => Ok(*switch),
        _ => Err(Problem::must(format_args!("be true or false, not {raw}"))),
    }
}

/// Reads a text.
pub(super) fn as_text(raw: &Raw) -> Result<&str, Problem> {
    match raw {
        Raw::Text(text) => Ok(text),
        _ => Err(Problem::must(format_args!("be a text, not {raw}"))),
    }
}

/// Reads a text without spaces that is not empty.
pub(super) fn as_name(raw: &Raw) -> Result<&str, Problem> {
    let text = as_text(raw)?;
    if text.is_empty() {
        return Err(Problem::must("not be empty"));
    }
    if text.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return Err(Problem::must(format_args!(
            "not contain spaces or control characters, as {raw} does"
        )));
    }
    Ok(text)
}

/// Reads a path that is not empty.
pub(super) fn as_path(raw: &Raw) -> Result<PathBuf, Problem> {
    match raw {
        Raw::Text(path) if !path.is_empty() => Ok(PathBuf::from(path)),
        _ => Err(Problem::must(format_args!("be a path, not {raw}"))),
    }
}

/// Reads one of a few words.
pub(super) fn as_word<T: Copy>(raw: &Raw, words: &[(&str, T)]) -> Result<T, Problem> {
    let meant = words
        .iter()
        .find(|(word, _)| matches!(raw, Raw::Text(text) if text == word));
    match meant {
        Some((_, value)) => Ok(*value),
        None => Err(not_one_of(raw, words.iter().map(|(word, _)| *word))),
    }
}

fn not_one_of<'a>(raw: impl Display, words: impl Iterator<Item = &'a str>) -> Problem {
    let words: Vec<_> = words.map(text::quoted).collect();
    Problem::must(format_args!("be one of {}, not {raw}", words.join(", ")))
}

/// Reads a style of headers.
pub(super) fn as_header_style(raw: &Raw) -> Result<HeaderStyle, Problem> {
    as_word(raw, &HeaderStyle::ALL.map(|style| (style.word(), style)))
}

/// Reads a list of texts, none of which is empty.
pub(super) fn as_texts(raw: &Raw) -> Result<Vec<&str>, Problem> {
    let Raw::List(items) = raw else {
        return Err(Problem::must(format_args!("be a list of texts, not {raw}")));
    };
    items.iter().map(as_item).collect()
}

pub(super) fn as_item(raw: &Raw) -> Result<&str, Problem> {
    match raw {
        Raw::Text(text) if text.trim().is_empty() => {
            Err(Problem::must("be a list without empty items"))
        }
        Raw::Text(text) => Ok(text),
        _ => Err(Problem::must(format_args!(
            "be a list of texts, not of {raw}"
        ))),
    }
}

/// Reads a list of statuses that answers to bad requests have. 404 is not one: everybody gets some.
pub(super) fn as_statuses(raw: &Raw) -> Result<Vec<u16>, Problem> {
    let Raw::List(items) = raw else {
        return Err(Problem::must(format_args!(
            "be a list of statuses, not {raw}"
        )));
    };
    items.iter().map(as_status).collect()
}

fn as_status(raw: &Raw) -> Result<u16, Problem> {
    // Environment text has no numbers.
    let number = match raw {
        Raw::Text(text) => number(text),
        other => other.clone(),
    };
    match as_integer(&number, 400..=599)? {
        404 => Err(Problem::must(
            "not hold 404, which everybody gets at times: set not_found_limit, a limit of its own",
        )),
        status => Ok(status),
    }
}

/// Statuses as a value.
pub(super) fn from_statuses(statuses: &[u16]) -> Raw {
    let statuses = statuses.iter().map(|status| Raw::Integer((*status).into()));
    Raw::List(statuses.collect())
}

const CLEAN_REQUEST: &str = "clean_request";

/// Reads what resets strikes; the bounds are for the time of [`StrikeReset::After`].
pub(super) fn as_strike_reset(
    raw: &Raw,
    bounds: RangeInclusive<u64>,
) -> Result<StrikeReset, Problem> {
    match raw {
        Raw::Text(text) if text == CLEAN_REQUEST => Ok(StrikeReset::CleanRequest),
        Raw::Table(entries) => {
            let [after] = known_keys(entries, ["after"])?;
            let after =
                after.ok_or_else(|| Problem::must("have a key: { after = 3600 }, for example"))?;
            as_duration(after, bounds)
                .map(StrikeReset::After)
                .map_err(|problem| problem.at(".after"))
        }
        _ => Err(Problem::must(format_args!(
            "be \"{CLEAN_REQUEST}\" or {{ after = SECONDS }}, not {raw}"
        ))),
    }
}

/// What resets strikes, as a value.
pub(super) fn from_strike_reset(strike_reset: StrikeReset) -> Raw {
    match strike_reset {
        StrikeReset::CleanRequest => Raw::text(CLEAN_REQUEST),
        StrikeReset::After(duration) => {
            Raw::Table(vec![("after".to_owned(), Raw::seconds(duration))])
        }
    }
}

/// The values of a table's keys, in the order of the names; a key of another name is a problem.
pub(super) fn known_keys<'a, const N: usize>(
    entries: &'a [(String, Raw)],
    names: [&str; N],
) -> Result<[Option<&'a Raw>; N], Problem> {
    if let Some((key, _)) = entries
        .iter()
        .find(|(key, _)| !names.contains(&key.as_str()))
    {
        return Err(Problem::statement(unknown("field", key, names)).at(format_args!(".{key}")));
    }
    Ok(names.map(|name| {
        entries
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }))
}

/// What to say of a name that is not known, with the known name that may have been meant.
pub(super) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    match text::nearest(name, known) {
        Some(nearest) => format!("unknown {kind}; did you mean {nearest}?"),
        None => format!("unknown {kind}"),
    }
}

#[cfg(test)]
mod tests;
