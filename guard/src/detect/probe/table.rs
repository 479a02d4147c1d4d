//! Finds entries: a look-up for each segment of a path, however many entries there are.
//!
//! Must not know: the file that entries come from.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use smallvec::SmallVec;

use super::entry::{End, Entry};

/// Under these, names are topics: `/tags/.htaccess` is a page about it.
const TOPICS: &[&[u8]] = &[
    b"categories",
    b"category",
    b"keyword",
    b"label",
    b"labels",
    b"search",
    b"tag",
    b"tagged",
    b"tags",
    b"topic",
    b"topics",
    b"wiki",
];

type Places = SmallVec<[usize; 2]>;
type Index = HashMap<&'static [u8], Places, RandomState>;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    by_first_name: Index,
    /// No name is longer.
    longest_name: usize,
    /// Entries that are nothing but the beginning of a segment, by its first byte.
    by_first_byte: HashMap<u8, Places, RandomState>,
    /// Entries that are nothing but the ending of a path, by what follows the last dot.
    by_extension: Index,
}

impl Table {
    pub(super) fn new(entries: impl Iterator<Item = Entry>) -> Self {
        let mut table = Self::default();
        for entry in entries {
            table.add(entry);
        }
        table
    }

    fn add(&mut self, entry: Entry) {
        let place = self.entries.len();
        let places = match (entry.first_name(), entry.end()) {
            (Some(name), _) => {
                self.longest_name = self.longest_name.max(name.len());
                Some(self.by_first_name.entry(name.as_bytes()).or_default())
            }
            (None, End::Beginning(text)) => text
                .bytes()
                .next()
                .map(|byte| self.by_first_byte.entry(byte).or_default()),
            (None, End::Ending(text)) => extension(text.as_bytes())
                .map(|extension| self.by_extension.entry(extension).or_default()),
            (None, End::Anything) => None,
        };
        if let Some(places) = places {
            places.push(place);
            self.entries.push(entry);
        }
    }

    /// The first entry that is in a path in lower case.
    pub(super) fn find(&self, path: &[&[u8]]) -> Option<&Entry> {
        let mut before: &[u8] = b"";
        for (at, segment) in path.iter().enumerate() {
            let is_last = at + 1 == path.len();
            if is_last && TOPICS.contains(&before) {
                return None;
            }
            let found = self
                .by_name(segment)
                .and_then(|places| self.first_match(places, path, at))
                .or_else(|| self.first_match(self.by_beginning(segment)?, path, at))
                .or_else(|| self.first_match(self.by_ending(segment, is_last)?, path, at));
            if found.is_some() {
                return found;
            }
            before = segment;
        }
        None
    }

    fn by_name(&self, segment: &[u8]) -> Option<&Places> {
        (segment.len() <= self.longest_name)
            .then(|| self.by_first_name.get(segment))
            .flatten()
    }

    fn by_beginning(&self, segment: &[u8]) -> Option<&Places> {
        self.by_first_byte.get(segment.first()?)
    }

    fn by_ending(&self, segment: &[u8], is_last: bool) -> Option<&Places> {
        is_last
            .then(|| self.by_extension.get(extension(segment)?))
            .flatten()
    }

    fn first_match(&self, places: &Places, path: &[&[u8]], at: usize) -> Option<&Entry> {
        let mut entries = places.iter().filter_map(|place| self.entries.get(*place));
        entries.find(|entry| entry.matches(path, at))
    }
}

/// What follows the last dot.
fn extension(name: &[u8]) -> Option<&[u8]> {
    let mut parts = name.rsplitn(2, |byte| *byte == b'.');
    let extension = parts.next();
    parts.next().and(extension)
}
