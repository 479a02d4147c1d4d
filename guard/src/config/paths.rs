//! A set of paths, as the lists of the configuration name them: by patterns of routes.
//!
//! Must not know: which list it is, requests, or what a match leads to.

use std::{collections::HashSet, fmt, panic};

use actix_web::dev::ResourceDef;
use foldhash::quality::RandomState;

use super::{error::Problem, pattern, text};

/// Patterns, each of which a path matches as a whole or not at all, as actix routes it: `/static` is neither
/// `/static/` nor `/static/x`.
#[derive(Clone, Default)]
pub(crate) struct Paths {
    patterns: Vec<String>,
    constants: HashSet<String, RandomState>,
    dynamic: Vec<Dynamic>,
}

impl Paths {
    /// Reads patterns.
    ///
    /// # Errors
    /// The first that actix would not take.
    pub(super) fn parse<I>(patterns: I) -> Result<Self, Problem>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut paths = Self::default();
        for pattern in patterns {
            paths.add(pattern.as_ref())?;
        }
        Ok(paths)
    }

    fn add(&mut self, pattern: &str) -> Result<(), Problem> {
        pattern::check(pattern).map_err(|reason| not_a_pattern(pattern, reason))?;
        match pattern.split_once('{') {
            None => {
                self.constants.insert(pattern.to_owned());
            }
            Some((constant, _)) => self.dynamic.push(Dynamic {
                constant: constant.to_owned(),
                resource: resource(pattern)?,
            }),
        }
        self.patterns.push(pattern.to_owned());
        Ok(())
    }

    /// Whether the whole path matches one of the patterns.
    pub(crate) fn matches(&self, path: &str) -> bool {
        !self.is_empty()
            && (self.constants.contains(path)
                || self.dynamic.iter().any(|dynamic| dynamic.matches(path)))
    }

    /// Whether there are no patterns.
    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The patterns as they were given, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(String::as_str)
    }
}

impl PartialEq for Paths {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Eq for Paths {}

impl fmt::Debug for Paths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.patterns).finish()
    }
}

/// A pattern with segments that vary.
#[derive(Clone)]
struct Dynamic {
    /// What stands before the first of them: most paths differ from it, and need no regular expression.
    constant: String,
    resource: ResourceDef,
}

impl Dynamic {
    fn matches(&self, path: &str) -> bool {
        path.starts_with(&self.constant) && self.resource.is_match(path)
    }
}

/// Checks the regular expressions of a pattern that is fine but for them.
pub(super) fn check_expressions(pattern: &str) -> Result<(), &'static str> {
    if pattern.contains('{') {
        compiled(pattern).map(|_| ())
    } else {
        Ok(())
    }
}

fn resource(pattern: &str) -> Result<ResourceDef, Problem> {
    compiled(pattern).map_err(|reason| not_a_pattern(pattern, reason))
}

/// actix has no other way to say that it does not take a regular expression, and which ones it takes depends on the
/// features with which the application uses it.
fn compiled(pattern: &str) -> Result<ResourceDef, &'static str> {
    panic::catch_unwind(|| ResourceDef::new(pattern))
        .map_err(|_| "have regular expressions that actix takes")
}

fn not_a_pattern(pattern: &str, reason: &str) -> Problem {
    Problem::statement(format!("{} must {reason}", text::quoted(pattern)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(patterns: &[&str]) -> Paths {
        Paths::parse(patterns).unwrap()
    }

    #[test]
    fn a_pattern_matches_whole_paths_only() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "/healthz",
                &["/healthz"],
                &[
                    "/HEALTHZ",
                    "//healthz",
                    "/healthz/",
                    "/healthz/x",
                    "/healthzx",
                    "healthz",
                    "/x/healthz",
                    "/healthz?a",
                    "",
                    "/",
                ],
            ),
            (
                "/static",
                &["/static"],
                &["/staticadmin", "/static/x", "/static/"],
            ),
            (
                "/static/{tail}*",
                &["/static/a", "/static/a/b", "/static/"],
                &["/static", "/staticadmin", "/x/static/a", "/STATIC/a"],
            ),
            (
                "/probes/{name}",
                &["/probes/live", "/probes/a.b"],
                &["/probes/", "/probes/a/b", "/probes/live/", "/probes"],
            ),
            (
                "/v{version:[0-9]+}/health",
                &["/v1/health", "/v22/health"],
                &["/v/health", "/va/health", "/v1/healthz", "/x/v1/health"],
            ),
            ("/{any}", &["/a"], &["/", "/a/", "/a/b", ""]),
            ("/", &["/"], &["", "//", "/a"]),
            ("/a*b", &["/a*b"], &["/ab", "/axb"]),
        ];
        for (pattern, inside, outside) in cases {
            let paths = paths(&["/other", pattern, "/other/{x}/y"]);
            for path in *inside {
                assert!(paths.matches(path), "{pattern} {path}");
            }
            for path in *outside {
                assert!(!paths.matches(path), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn what_actix_would_not_take_is_named() {
        for (pattern, message) in [
            ("static", "\"static\" must begin with \"/\""),
            ("/{a", "\"/{a\" must have balanced braces"),
            (
                "/static/*",
                "\"/static/*\" must give its tail a name, as in \"{tail}*\"",
            ),
            (
                "/{a:[}",
                "\"/{a:[}\" must have regular expressions that actix takes",
            ),
            (
                "/{a:(?<=x)y}",
                "\"/{a:(?<=x)y}\" must have regular expressions that actix takes",
            ),
        ] {
            let problem = Paths::parse(["/a", pattern]).unwrap_err();
            let error = problem.in_field("exempt_paths");
            assert_eq!(error.to_string(), format!("exempt_paths: {message}"));
        }
    }

    #[test]
    fn entries_are_printed_as_written_and_are_the_same_set() {
        let patterns = ["/b", "/a/{x}", "/b", "/{tail}*"];
        let set = paths(&patterns);
        assert_eq!(set.entries().collect::<Vec<_>>(), patterns);
        assert_eq!(Paths::parse(set.entries()).unwrap(), set);
        assert_ne!(paths(&["/b"]), set);
        assert_eq!(format!("{set:?}"), format!("{patterns:?}"));
    }

    #[test]
    fn the_empty_set_matches_nothing() {
        let empty = Paths::default();
        assert!(empty.is_empty());
        assert_eq!(empty, paths(&[]));
        assert!(!empty.matches("") && !empty.matches("/"));
        assert!(!paths(&["/"]).is_empty());
    }

    proptest! {
        #[test]
        fn a_path_matches_if_actix_says_so_of_one_of_the_patterns(
            patterns in prop::collection::vec(
                r"(/(a|b|\{x\}|a\{x\}b|\{x:a+\}|))((/|-)(a|\{y\}|\{y:[ab]\}))?((/|-)(b|\{w\}))?(/|/\{z\}\*)?",
                0..5,
            ),
            names in prop::collection::vec("/(a|b|ab|aab|)(/|-)?(a|b|a/b|)/?", 1..8),
        ) {
            let paths = Paths::parse(&patterns).unwrap();
            for path in &names {
                let expected = patterns.iter().any(|it| ResourceDef::new(it.as_str()).is_match(path));
                prop_assert_eq!(paths.matches(path), expected, "{} {:?}", path, patterns);
            }
        }
    }
}
