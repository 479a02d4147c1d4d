//! Route patterns as text: could two of them match the same path?
//!
//! Must not know: routers, requests.

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

/// Where the second of two patterns stands in relation to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// It is the whole pattern.
    Whole,
    /// It is the end of a pattern: the prefixes of the scopes around it are not known.
    End,
    /// It is the beginning of patterns: those below a scope.
    Beginning,
}

/// Whether a path that matches `pattern` could also match `other`. Says yes when in doubt: what a regular expression matches
/// is not looked into.
pub(crate) fn could_overlap(pattern: &str, other: &str, extent: Extent) -> bool {
    let (pattern, other) = (segments(pattern), segments(other));
    if pattern
        .iter()
        .chain(&other)
        .any(|segment| *segment == Segment::Anything)
    {
        return true;
    }
    let compared: Box<dyn Iterator<Item = (&Segment<'_>, &Segment<'_>)>> = match extent {
        Extent::Whole if pattern.len() != other.len() => return false,
        Extent::End | Extent::Beginning if pattern.len() < other.len() => return false,
        Extent::Whole | Extent::Beginning => Box::new(pattern.iter().zip(&other)),
        Extent::End => Box::new(pattern.iter().rev().zip(other.iter().rev())),
    };
    compared.into_iter().all(|(one, two)| one.could_equal(two))
}

#[derive(Debug, PartialEq, Eq)]
enum Segment<'a> {
    Literal(&'a str),
    /// Some text without a slash.
    Dynamic,
    /// Any text, slashes included.
    Anything,
}

impl Segment<'_> {
    fn could_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(one), Self::Literal(two)) => one == two,
            _ => true,
        }
    }
}

/// The segments of a pattern, split at slashes outside of braces.
fn segments(pattern: &str) -> Vec<Segment<'_>> {
    let mut depth = 0_usize;
    let split = pattern.split(move |character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == '/' && depth == 0
    });
    split.skip(1).map(segment).collect()
}

fn segment(text: &str) -> Segment<'_> {
    match text.find('{') {
        None => Segment::Literal(text),
        Some(_) if text.contains(':') || text.ends_with("}*") => Segment::Anything,
        Some(_) => Segment::Dynamic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn whole_patterns() {
        for (one, two, expected) in [
            ("/items", "/items", true),
            ("/items", "/item", false),
            ("/items/special", "/items/{id}", true),
            ("/items/{id}", "/{kind}/{id}", true),
            ("/items/{id}", "/orders/{id}", false),
            ("/items/{id}", "/items", false),
            ("/a/b/c", "/{tail}*", true),
            ("/a/b/c", r"/{tail:.*}", true),
            ("/v{x}/list", "/v1/list", true),
            ("", "", true),
        ] {
            assert_eq!(
                could_overlap(one, two, Extent::Whole),
                expected,
                "{one} {two}"
            );
            assert_eq!(
                could_overlap(two, one, Extent::Whole),
                expected,
                "{two} {one}"
            );
        }
    }

    #[test]
    fn the_end_of_a_pattern_whose_scopes_are_unknown() {
        for (whole, end, expected) in [
            ("/v2/list", "/list", true),
            ("/v2/list", "/other", false),
            ("/list", "/v2/list", false),
            ("/api/{tenant}", "/items", true),
            ("/anything", "", true),
        ] {
            assert_eq!(
                could_overlap(whole, end, Extent::End),
                expected,
                "{whole} {end}"
            );
        }
    }

    #[test]
    fn the_beginning_of_patterns_below_a_scope() {
        for (whole, scope, expected) in [
            ("/api/items", "/api", true),
            ("/api", "/api", true),
            ("/apiary", "/api", false),
            ("/", "", true),
            ("/t1/items", "/{tenant}", true),
        ] {
            assert_eq!(
                could_overlap(whole, scope, Extent::Beginning),
                expected,
                "{whole} {scope}"
            );
        }
    }
}
