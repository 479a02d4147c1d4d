//! Which limited routes a path could mean, found without a look at each of them.
//!
//! Patterns with literal segments in the same places are kept together, by a hash of these segments: one look-up answers for all of
//! them, and an application has few such groups, however many routes. What is found still has to be compared.
//! Must not know: registrations.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use smallvec::SmallVec;

use super::pattern::{Extent, Pattern};

/// Numbers of patterns.
type Members = SmallVec<[usize; 4]>;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Index {
    groups: Vec<Group>,
    /// Patterns that could match any path.
    anywhere: Vec<usize>,
    hasher: RandomState,
}

/// Patterns that differ in the texts of their literal segments only.
#[derive(Debug)]
struct Group {
    shape: Shape,
    /// With the hash of their literal segments.
    members: HashTable<(u64, Members)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    extent: Extent,
    length: usize,
    /// Bit n is set if segment n is literal.
    literals: u64,
}

impl Index {
    /// Of patterns with where they stand in a path; `None`: anywhere.
    pub(super) fn new<'a>(patterns: impl Iterator<Item = Option<(&'a Pattern, Extent)>>) -> Self {
        let mut index = Self::default();
        for (number, pattern) in patterns.enumerate() {
            match pattern
                .and_then(|(pattern, extent)| Shape::of(pattern, extent).zip(Some(pattern)))
            {
                Some((shape, pattern)) => index.add(shape, pattern, number),
                None => index.anywhere.push(number),
            }
        }
        index
    }

    /// Calls `visit` with the numbers of all patterns that could match a path, and perhaps of some others; once with each.
    pub(super) fn find(&self, path: &[&str], mut visit: impl FnMut(usize)) {
        self.anywhere.iter().copied().for_each(&mut visit);
        for group in &self.groups {
            let Some(part) = group.shape.part(path) else {
                continue;
            };
            let literals = part.iter().enumerate();
            let literals = literals.filter(|(nth, _)| group.shape.is_literal(*nth));
            let hash = self.hash(literals.map(|(_, segment)| *segment));
            let known = group.members.find(hash, |(other, _)| *other == hash);
            let members = known.into_iter().flat_map(|(_, members)| members);
            members.copied().for_each(&mut visit);
        }
    }

    fn add(&mut self, shape: Shape, pattern: &Pattern, number: usize) {
        let hash = self.hash(pattern.segments().flatten());
        let at = self.groups.iter().position(|group| group.shape == shape);
        let at = at.unwrap_or_else(|| {
            let members = HashTable::new();
            self.groups.push(Group { shape, members });
            self.groups.len() - 1
        });
        if let Some(group) = self.groups.get_mut(at) {
            let entry = group
                .members
                .entry(hash, |(other, _)| *other == hash, |(hash, _)| *hash);
            let mut entry = entry.or_insert_with(|| (hash, Members::new()));
            entry.get_mut().1.push(number);
        }
    }

    fn hash<'a>(&self, literals: impl Iterator<Item = &'a str>) -> u64 {
        literals.fold(0, |hash, segment| self.hasher.hash_one((hash, segment)))
    }
}

impl Shape {
    /// `None` for a pattern that could match too much.
    fn of(pattern: &Pattern, extent: Extent) -> Option<Self> {
        let (length, mut literals) = (pattern.segments().count(), 0);
        if length > 64 || extent == Extent::End && pattern.is_open() {
            return None;
        }
        for (nth, segment) in pattern.segments().enumerate() {
            literals |= u64::from(segment.is_some()) << nth;
        }
        let extent = match extent {
            Extent::Whole if pattern.is_open() => Extent::Beginning,
            extent => extent,
        };
        Some(Self {
            extent,
            length,
            literals,
        })
    }

    /// The part of a path that a pattern of this shape is compared with.
    fn part<'a, 'b>(&self, path: &'a [&'b str]) -> Option<&'a [&'b str]> {
        match self.extent {
            Extent::Whole => (path.len() == self.length).then_some(path),
            Extent::Beginning => path.get(..self.length),
            Extent::End => path.get(path.len().checked_sub(self.length)?..),
        }
    }

    fn is_literal(&self, nth: usize) -> bool {
        self.literals >> nth & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::route::pattern::path_segments;

    use super::*;

    /// In ascending order.
    fn found(index: &Index, path: &[&str]) -> Vec<usize> {
        let mut found = Vec::new();
        index.find(path, |number| found.push(number));
        found.sort_unstable();
        found
    }

    fn patterns() -> impl Strategy<Value = Vec<(String, Extent)>> {
        let segment = prop::sample::select(vec!["a", "b", "{x}", "a{x}", "{x:.*}", "{x}*", ""]);
        let pattern =
            prop::collection::vec(segment, 0..4).prop_map(|parts| format!("/{}", parts.join("/")));
        let extent = prop::sample::select(vec![Extent::Whole, Extent::End, Extent::Beginning]);
        prop::collection::vec((pattern, extent), 0..12)
    }

    proptest! {
        #[test]
        fn nothing_that_could_match_is_left_out(
            patterns in patterns(),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", ""]), 0..5),
        ) {
            let path = path.join("/");
            let path = path_segments(&path);
            let parsed: Vec<(Pattern, Extent)> =
                patterns.iter().map(|(text, extent)| (Pattern::parse(text), *extent)).collect();
            let index = Index::new(parsed.iter().map(|(pattern, extent)| Some((pattern, *extent))));
            let found = found(&index, &path);
            let expected: Vec<usize> = (0..parsed.len())
                .filter(|number| parsed[*number].0.could_match(&path, parsed[*number].1))
                .collect();
            let compared: Vec<usize> = found
                .iter()
                .copied()
                .filter(|number| parsed[*number].0.could_match(&path, parsed[*number].1))
                .collect();
            prop_assert_eq!(compared, expected);
        }
    }

    #[test]
    fn of_a_thousand_routes_one_is_found() {
        let patterns: Vec<Pattern> = (0..1000)
            .map(|n| Pattern::parse(&format!("/api/r{n}/{{id}}")))
            .collect();
        let index = Index::new(
            patterns
                .iter()
                .map(|pattern| Some((pattern, Extent::Whole))),
        );
        assert_eq!(found(&index, &path_segments("/api/r700/5")), [700]);
        assert!(found(&index, &path_segments("/api/r700")).is_empty());
    }
}
