//! Route patterns, taken apart: could a path match one?
//!
//! Must not know: routers, requests.

use smallvec::SmallVec;

/// A pattern without the regular expressions of its segments: `/items/{id:\d+}` is `/items/{id}`.
pub(crate) fn without_regexes(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let (mut depth, mut in_regex) = (0_usize, false);
    for character in pattern.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ':' if depth == 1 => in_regex = true,
            _ => {}
        }
        if depth == 0 && character == '}' {
            in_regex = false;
        }
        if !in_regex {
            plain.push(character);
        }
    }
    plain
}

/// Where a pattern stands in the paths that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// It is for the whole path.
    Whole,
    /// It is for the end: the prefixes of the scopes around it are not known.
    End,
    /// It is for the beginning: paths go on below a scope.
    Beginning,
}

/// A pattern in segments, made once and compared with every path.
#[derive(Debug)]
pub(crate) struct Pattern {
    segments: Vec<Segment>,
    /// From here on anything goes: what a regular expression or a tail matches is not looked into.
    open: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Segment {
    Literal(Box<str>),
    /// Some text without a slash.
    Dynamic,
}

impl Pattern {
    pub(crate) fn parse(text: &str) -> Self {
        let mut pattern = Self {
            segments: Vec::new(),
            open: false,
        };
        for segment in split(text) {
            match segment.find('{') {
                None => pattern.segments.push(Segment::Literal(segment.into())),
                Some(_) if segment.contains(':') || segment.ends_with("}*") => {
                    pattern.open = true;
                    break;
                }
                Some(_) => pattern.segments.push(Segment::Dynamic),
            }
        }
        pattern
    }

    /// The texts of its segments; `None` for a dynamic one.
    pub(super) fn segments(&self) -> impl Iterator<Item = Option<&str>> {
        self.segments.iter().map(|segment| match segment {
            Segment::Literal(text) => Some(&**text),
            Segment::Dynamic => None,
        })
    }

    /// Whether it says nothing of what comes after its segments.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Whether a path could match. Says yes when in doubt.
    pub(crate) fn could_match(&self, path: &[&str], extent: Extent) -> bool {
        let (mine, theirs) = (self.segments.len(), path.len());
        match (extent, self.open) {
            // Where the pattern begins is not known, and neither is where it ends.
            (Extent::End, true) => (0..=theirs).any(|skipped| self.begins(path.get(skipped..))),
            (Extent::End, false) => mine <= theirs && self.begins(path.get(theirs - mine..)),
            (Extent::Whole, false) => mine == theirs && self.begins(Some(path)),
            (Extent::Whole, true) | (Extent::Beginning, _) => self.begins(Some(path)),
        }
    }

    fn begins(&self, path: Option<&[&str]>) -> bool {
        path.is_some_and(|path| {
            path.len() >= self.segments.len()
                && self
                    .segments
                    .iter()
                    .zip(path)
                    .all(|(mine, theirs)| match mine {
                        Segment::Literal(text) => **text == **theirs,
                        Segment::Dynamic => true,
                    })
        })
    }
}

/// As many as most paths have are kept in place.
pub(super) type PathSegments<'a> = SmallVec<[&'a str; 16]>;

/// The segments of a path. Empty ones are left out, here and in patterns: a `NormalizePath` behind the guard merges slashes and drops
/// them at the end.
pub(crate) fn path_segments(path: &str) -> PathSegments<'_> {
    let mut segments = PathSegments::new();
    split_path(path, &mut segments);
    segments
}

/// As [`path_segments`], which moves a quarter of a kilobyte: this is for every request.
#[inline(always)]
pub(super) fn split_path<'a>(path: &'a str, segments: &mut PathSegments<'a>) {
    let mut start = 0;
    // By bytes: `str::split` sets up a search that costs more than paths are long.
    for (at, byte) in path.bytes().enumerate() {
        if byte == b'/' {
            if let Some(segment) = path.get(start..at)
                && !segment.is_empty()
            {
                segments.push(segment);
            }
            start = at + 1;
        }
    }
    if let Some(last) = path.get(start..)
        && !last.is_empty()
    {
        segments.push(last);
    }
}

/// The segments of a pattern, split at slashes outside of braces.
fn split(pattern: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let split = pattern.split(move |character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == '/' && depth == 0
    });
    split.filter(|segment| !segment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_segments_of_a_path_are_left_out() {
        for (path, segments) in [
            ("", &[][..]),
            ("/", &[]),
            ("/a", &["a"]),
            ("//a//é/", &["a", "é"]),
            ("a/b", &["a", "b"]),
        ] {
            assert_eq!(path_segments(path).as_slice(), segments, "{path}");
        }
    }

    #[test]
    fn regexes_are_left_out() {
        for (pattern, plain) in [
            ("/items/{id}", "/items/{id}"),
            (r"/items/{id:\d{1,3}}/x", "/items/{id}/x"),
            ("/{tail:.*}", "/{tail}"),
            ("/{tail}*", "/{tail}*"),
            ("", ""),
            ("/a:b", "/a:b"),
        ] {
            assert_eq!(without_regexes(pattern), plain);
        }
    }

    fn overlaps(path: &str, pattern: &str, extent: Extent) -> bool {
        Pattern::parse(pattern).could_match(&path_segments(path), extent)
    }

    #[test]
    fn whole_patterns() {
        for (path, pattern, expected) in [
            ("/items", "/items", true),
            ("/items", "/item", false),
            ("/items/special", "/items/{id}", true),
            ("/items/7", "/orders/{id}", false),
            ("/items", "/items/{id}", false),
            ("/a/b/c", "/{tail}*", true),
            ("/a/b/c", r"/{tail:.*}", true),
            ("/a/b/c", "/x/{tail}*", false),
            ("/v1/list", "/v{x}/list", true),
            ("", "", true),
            ("/public/", "/public", true),
            ("//public", "/public", true),
            ("/public", "/public/", true),
        ] {
            assert_eq!(
                overlaps(path, pattern, Extent::Whole),
                expected,
                "{path} {pattern}"
            );
        }
    }

    #[test]
    fn the_end_of_a_pattern_whose_scopes_are_unknown() {
        for (path, end, expected) in [
            ("/v2/list", "/list", true),
            ("/v2/list", "/other", false),
            ("/list", "/v2/list", false),
            ("/api/items", "/{id}", true),
            ("/x/a/b", "/a/{tail}*", true),
            ("/anything", "", true),
        ] {
            assert_eq!(overlaps(path, end, Extent::End), expected, "{path} {end}");
        }
    }

    #[test]
    fn the_beginning_of_paths_below_a_scope() {
        for (path, scope, expected) in [
            ("/api/items", "/api", true),
            ("/api", "/api", true),
            ("/apiary", "/api", false),
            ("/", "", true),
            ("/t1/items", "/{tenant}", true),
        ] {
            assert_eq!(
                overlaps(path, scope, Extent::Beginning),
                expected,
                "{path} {scope}"
            );
        }
    }
}
