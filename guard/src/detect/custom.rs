//! Rules of the configuration's own.
//!
//! Must not know: how they are written there, or what is done about a match.

use regex_lite::Regex;

use super::{category::Category, finding::Surface};

/// A rule that was added to the built-in ones.
#[derive(Clone, Debug)]
pub(crate) struct CustomRule {
    pub(crate) id: String,
    pub(crate) category: Category,
    pub(crate) place: Place,
    pub(crate) pattern: Regex,
}

/// Where a rule looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The whole path, decoded.
    Path,
    /// Each value of the query.
    Query,
    /// A header, by its name in lower case.
    Header(String),
    /// Each value of the body, if bodies are looked at.
    Body,
}

impl CustomRule {
    /// The header that it looks at, if that is where it looks.
    pub(super) fn header(&self) -> Option<&str> {
        match &self.place {
            Place::Header(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it looks at a surface, and finds what it looks for in a value there.
    pub(super) fn finds(&self, surface: Surface<'_>, value: &[u8]) -> bool {
        let looks = match (&self.place, surface) {
            (Place::Path, Surface::Path)
            | (Place::Query, Surface::Query(_))
            | (Place::Body, Surface::Body) => true,
            (Place::Header(wanted), Surface::Header(name)) => wanted == name,
            _ => false,
        };
        looks && self.pattern.is_match(&String::from_utf8_lossy(value))
    }
}

impl PartialEq for CustomRule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.category == other.category
            && self.place == other.place
            && self.pattern.as_str() == other.pattern.as_str()
    }
}

impl Eq for CustomRule {}
