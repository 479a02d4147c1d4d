//! How the table `[detection]` is read and written.
//!
//! Must not know: how anything is detected.

use std::ops::RangeInclusive;

use actix_web::http::header::HeaderName;
use regex_lite::RegexBuilder;

use crate::detect::{Action, Category, CustomRule, Detection, Place, rule_ids};

use super::{
    error::Problem,
    paths::Paths,
    raw::Raw,
    text,
    values::{as_integer, as_name, as_text, as_texts, as_word, known_keys, unknown},
};

const BODY_BYTES: RangeInclusive<u64> = 0..=1_048_576;
/// A pattern that takes more is a mistake.
const PATTERN_BYTES: usize = 1 << 20;

/// The names of categories come before these.
const KEYS: [&str; 7] = [
    "cross_site",
    "headers",
    "exempt_paths",
    "silenced_rules",
    "body_bytes",
    "body",
    "rules",
];

/// What the table says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DetectionTable {
    pub(crate) detection: Detection,
    /// Paths for which nothing is looked at.
    pub(crate) exempt_paths: Paths,
}

/// Reads the table.
pub(super) fn as_detection(raw: &Raw) -> Result<DetectionTable, Problem> {
    let Raw::Table(entries) = raw else {
        return Err(Problem::must(format_args!("be a table, not {raw}")));
    };
    let mut table = DetectionTable::default();
    for (key, raw) in entries {
        read_key(&mut table, key, raw).map_err(|problem| problem.at(format_args!(".{key}")))?;
    }
    check_silenced(&table.detection).map_err(|problem| problem.at(".silenced_rules"))?;
    Ok(table)
}

fn read_key(table: &mut DetectionTable, key: &str, raw: &Raw) -> Result<(), Problem> {
    let detection = &mut table.detection;
    if let Some(category) = category_of(key) {
        detection.set_action(category, as_action(raw)?);
        return Ok(());
    }
    match key {
        "cross_site" => detection.cross_site = as_action(raw)?,
        "headers" => detection.headers = as_headers(raw)?,
        "exempt_paths" => table.exempt_paths = Paths::parse(as_texts(raw)?)?,
        "silenced_rules" => {
            let rules = as_texts(raw)?.into_iter();
            detection.silenced = rules.map(|rule| rule.trim().to_owned()).collect();
        }
        "body_bytes" => detection.body_bytes = as_integer(raw, BODY_BYTES)?,
        "body" => detection.body = as_action(raw)?,
        "rules" => detection.rules = as_rules(raw)?,
        _ => {
            let known = Category::ALL.map(Category::name).into_iter().chain(KEYS);
            return Err(Problem::statement(unknown("field", key, known)));
        }
    }
    Ok(())
}

fn category_of(name: &str) -> Option<Category> {
    Category::ALL
        .into_iter()
        .find(|category| category.name() == name)
}

fn as_action(raw: &Raw) -> Result<Action, Problem> {
    as_word(raw, &Action::ALL.map(|action| (action.word(), action)))
}

fn as_headers(raw: &Raw) -> Result<Vec<HeaderName>, Problem> {
    as_texts(raw)?.into_iter().map(as_header).collect()
}

fn as_header(name: &str) -> Result<HeaderName, Problem> {
    HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| {
        let name = text::quoted(name);
        Problem::statement(format!("{name} is not the name of a header"))
    })
}

fn as_rules(raw: &Raw) -> Result<Vec<CustomRule>, Problem> {
    let Raw::List(items) = raw else {
        return Err(Problem::must(format_args!(
            "be tables under [[detection.rules]], not {raw}"
        )));
    };
    let mut rules: Vec<CustomRule> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = |problem: Problem| problem.at(format_args!("[{index}]"));
        let rule = as_rule(item).map_err(at)?;
        let known = rules.iter().any(|other| other.id == rule.id);
        if known || rule_ids().any(|id| id == rule.id) {
            let id = text::quoted(&rule.id);
            let taken = Problem::statement(format!("{id} is the name of another rule"));
            return Err(at(taken.at(".id")));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn as_rule(raw: &Raw) -> Result<CustomRule, Problem> {
    let Raw::Table(entries) = raw else {
        return Err(Problem::must(format_args!("be a table, not {raw}")));
    };
    let [id, category, place, pattern] =
        known_keys(entries, ["id", "category", "place", "pattern"])?;
    let required = |key: &str, raw: Option<&Raw>| {
        raw.cloned()
            .ok_or_else(|| Problem::statement("missing").at(format_args!(".{key}")))
    };
    let (id, category, place, pattern) = (
        required("id", id)?,
        required("category", category)?,
        required("place", place)?,
        required("pattern", pattern)?,
    );
    Ok(CustomRule {
        id: as_name(&id)
            .map_err(|problem| problem.at(".id"))?
            .to_owned(),
        category: as_word(
            &category,
            &Category::ALL.map(|category| (category.name(), category)),
        )
        .map_err(|problem| problem.at(".category"))?,
        place: as_place(&place).map_err(|problem| problem.at(".place"))?,
        pattern: as_regex(&pattern).map_err(|problem| problem.at(".pattern"))?,
    })
}

const HEADER: &str = "header:";

fn as_place(raw: &Raw) -> Result<Place, Problem> {
    let word = as_text(raw)?;
    match word {
        "path" => Ok(Place::Path),
        "query" => Ok(Place::Query),
        "body" => Ok(Place::Body),
        _ => match word.strip_prefix(HEADER) {
            Some(name) => as_header(name).map(|name| Place::Header(name.as_str().to_owned())),
            None => Err(Problem::must(format_args!(
                "be \"path\", \"query\", \"header:NAME\" or \"body\", not {raw}"
            ))),
        },
    }
}

fn as_regex(raw: &Raw) -> Result<regex_lite::Regex, Problem> {
    let pattern = as_text(raw)?;
    if pattern.is_empty() {
        return Err(Problem::must("not be empty"));
    }
    RegexBuilder::new(pattern)
        .size_limit(PATTERN_BYTES)
        .build()
        .map_err(|error| Problem::must(format_args!("be a regular expression, not {raw}: {error}")))
}

/// Who silences a rule that there is not wonders why it still finds something.
fn check_silenced(detection: &Detection) -> Result<(), Problem> {
    let stranger = detection
        .silenced
        .iter()
        .find(|rule| !all_rules(detection).any(|known| known == *rule));
    match stranger {
        None => Ok(()),
        Some(rule) => {
            let complaint = unknown("rule", rule, all_rules(detection));
            Err(Problem::statement(format!(
                "{}: {complaint}",
                text::quoted(rule)
            )))
        }
    }
}

/// The ids of its own rules, and of the built-in ones.
fn all_rules(detection: &Detection) -> impl Iterator<Item = &str> {
    let own = detection.rules.iter().map(|rule| rule.id.as_str());
    own.chain(rule_ids().map(|id| -> &str { id }))
}

/// The table as a value, with every key; rules only if there are some.
pub(super) fn from_detection(table: &DetectionTable) -> Raw {
    let detection = &table.detection;
    let action = |action: Action| Raw::text(action.word());
    let categories = Category::ALL.into_iter().map(|category| {
        let action = action(detection.action(category));
        (category.name(), action)
    });
    let rules = (!detection.rules.is_empty()).then(|| {
        let rules = detection.rules.iter().map(from_rule).collect();
        ("rules", Raw::List(rules))
    });
    let entries = categories
        .chain([
            ("cross_site", action(detection.cross_site)),
            (
                "headers",
                Raw::texts(detection.headers.iter().map(HeaderName::as_str)),
            ),
            ("exempt_paths", Raw::texts(table.exempt_paths.entries())),
            ("silenced_rules", Raw::texts(&detection.silenced)),
            (
                "body_bytes",
                Raw::Integer(i128::try_from(detection.body_bytes).unwrap_or(i128::MAX)),
            ),
            ("body", action(detection.body)),
        ])
        .chain(rules);
    Raw::Table(
        entries
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

fn from_rule(rule: &CustomRule) -> Raw {
    let place = match &rule.place {
        Place::Path => "path".to_owned(),
        Place::Query => "query".to_owned(),
        Place::Body => "body".to_owned(),
        Place::Header(name) => format!("{HEADER}{name}"),
    };
    let entries = [
        ("id", Raw::text(&rule.id)),
        ("category", Raw::text(rule.category.name())),
        ("place", Raw::text(place)),
        ("pattern", Raw::text(rule.pattern.as_str())),
    ];
    Raw::Table(
        entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

#[cfg(test)]
mod tests;
