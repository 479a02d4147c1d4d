//! A route as a part of a key's name.
//!
//! Names are for people who look into the server, and injective: no two routes share one. `:`, `*`, `;`, `=` and `~`
//! have a meaning there, and are percent-encoded where a pattern has them itself, as is whatever is neither a letter
//! nor a digit nor one of a few signs. A brace would be a hash tag in a Cluster and send every client of a route to one
//! node.
//!
//! | in the pattern | in the name |
//! |---|---|
//! | `/items/{id}` | `/items/:id` |
//! | `/{tail}*` | `/*tail` |
//! | `/{id:\d+}` | `/:id=` and a short hash of the regular expression |
//! | `/v{major}.{minor}` | `/v;:major;.;:minor`: `;` stands where a parameter begins or ends inside a segment |
//!
//! Must not know: requests, routers.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::store::CountedApart;

/// Which requests of a pattern a route is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteMethod<'a> {
    /// A handler whose first method is this one.
    First(&'a str),
    /// A limit around a resource or scope: all methods.
    All,
}

/// The name of a route in a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EndpointPath(String);

impl EndpointPath {
    /// The name of the routes at a full pattern. A handler with GET has nothing behind the path.
    pub(crate) fn new(pattern: &str, method: RouteMethod<'_>) -> Self {
        let mut name = String::with_capacity(pattern.len() + 8);
        push_pattern(&mut name, pattern);
        if method != RouteMethod::First("GET") {
            // Behind a slash a colon begins a parameter.
            name.push_str(if name.ends_with('/') { ";:" } else { ":" });
        }
        match method {
            RouteMethod::First("GET") => {}
            RouteMethod::First(method) => push_literal(&mut name, method),
            RouteMethod::All => name.push('*'),
        }
        Self(name)
    }

    /// What is not a route of the application: no pattern begins so.
    pub(crate) fn apart(apart: CountedApart) -> Self {
        let name = match apart {
            CountedApart::Preflight => "~preflight",
            CountedApart::Infrastructure => "~infrastructure",
            CountedApart::NotFound => "~not-found",
        };
        Self(name.to_owned())
    }

    /// One of several routes that have their pattern and method in common. `which` must be the same in every process.
    pub(crate) fn distinct(mut self, which: u32) -> Self {
        write!(self.0, "~{which:08x}").ok();
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

fn push_pattern(name: &mut String, mut rest: &str) {
    while let Some(open) = rest.find('{') {
        let (literal, from_brace) = rest.split_at(open);
        push_literal(name, literal);
        let Some((parameter, behind)) = parameter(from_brace) else {
            // Never closed: the router would not have it.
            push_literal(name, from_brace);
            return;
        };
        if !name.ends_with('/') {
            name.push(';');
        }
        let is_tail = behind == "*";
        name.push(if is_tail { '*' } else { ':' });
        push_parameter(name, parameter);
        rest = if is_tail { "" } else { behind };
        if !rest.is_empty() && !rest.starts_with(['/', '{']) {
            name.push(';');
        }
    }
    push_literal(name, rest);
}

/// What stands between the braces at the beginning, and what comes behind.
fn parameter(from_brace: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, character) in from_brace.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((from_brace.get(1..at)?, from_brace.get(at + 1..)?));
        }
    }
    None
}

fn push_parameter(name: &mut String, parameter: &str) {
    let (own, regex) = match parameter.split_once(':') {
        Some((own, regex)) => (own, Some(regex)),
        None => (parameter, None),
    };
    push_encoded(name, own, |byte| {
        byte.is_ascii_alphanumeric() || b"-._".contains(&byte)
    });
    if let Some(regex) = regex {
        name.push('=');
        push_hash(name, regex, 4);
    }
}

fn push_literal(name: &mut String, literal: &str) {
    push_encoded(name, literal, |byte| {
        byte.is_ascii_alphanumeric() || b"/-._!$&'()+,@".contains(&byte)
    });
}

/// Percent-encodes every byte that is not to stand as it is.
pub(super) fn push_encoded(name: &mut String, text: &str, stands: impl Fn(u8) -> bool) {
    for byte in text.bytes() {
        if stands(byte) {
            name.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            write!(name, "%{byte:02X}").ok();
        }
    }
}

/// So many bytes of a text's hash, as hexadecimal digits. Cryptographic: whoever sends the text must not be able to
/// find another one with the same hash.
pub(super) fn push_hash(name: &mut String, text: &str, bytes: usize) {
    for byte in Sha256::digest(text).iter().take(bytes) {
        write!(name, "{byte:02x}").ok();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::{prelude::*, sample::select};

    use super::*;

    fn get(pattern: &str) -> String {
        EndpointPath::new(pattern, RouteMethod::First("GET")).0
    }

    #[test]
    fn names_look_like_the_patterns() {
        for (pattern, name) in [
            ("/public", "/public"),
            ("/items/{id}", "/items/:id"),
            ("/items/{id}/parts/{part}", "/items/:id/parts/:part"),
            ("/f/{tail}*", "/f/*tail"),
            (r"/x/{id:\d+}/y", "/x/:id=6b5d1a3d/y"),
            (r"/x/{id:\d{1,3}}", "/x/:id=1f0c9b5e"),
            ("/v{major}.{minor}", "/v;:major;.;:minor"),
            ("/{a}{b}", "/:a;:b"),
            ("/a:b", "/a%3Ab"),
            ("/a*", "/a%2A"),
            ("/100%", "/100%25"),
            ("/a b", "/a%20b"),
            ("/caf\u{e9}", "/caf%C3%A9"),
            ("/open{brace", "/open%7Bbrace"),
            ("/~me", "/%7Eme"),
            ("", ""),
        ] {
            let found = get(pattern);
            match name.split_once('=') {
                // The hash is another test's.
                Some((begin, end)) => {
                    assert!(found.starts_with(begin), "{found}");
                    assert!(found.ends_with(end.get(8..).unwrap()), "{found}");
                    assert_eq!(found.len(), name.len());
                }
                None => assert_eq!(found, name),
            }
        }
    }

    #[test]
    fn methods_and_marks_stand_behind_the_path() {
        let name = |pattern, method| EndpointPath::new(pattern, method).0;
        assert_eq!(name("/a", RouteMethod::First("POST")), "/a:POST");
        assert_eq!(name("/a", RouteMethod::All), "/a:*");
        assert_eq!(name("/a/", RouteMethod::First("POST")), "/a/;:POST");
        assert_eq!(name("/{id}", RouteMethod::First("POST")), "/:id:POST");
        let distinct = EndpointPath::new("/a", RouteMethod::All).distinct(0x1F);
        assert_eq!(distinct.as_str(), "/a:*~0000001f");
    }

    /// The names are in servers: they must not change from release to release.
    #[test]
    fn the_hash_of_a_regular_expression_is_stable() {
        let mut hash = String::new();
        push_hash(&mut hash, "abc", 4);
        assert_eq!(hash, "ba7816bf");
        assert_ne!(get(r"/{id:\d+}"), get(r"/{id:\w+}"));
        assert_ne!(get(r"/{id:\d+}"), get("/{id}"));
    }

    #[test]
    fn what_could_be_mistaken_for_one_another_is_not() {
        let one = |pattern| get(pattern);
        let post = |pattern| EndpointPath::new(pattern, RouteMethod::First("POST")).0;
        let all = |pattern| EndpointPath::new(pattern, RouteMethod::All).0;
        let names = [
            one("/a/{POST}"),
            post("/a/"),
            post("/a"),
            one("/a{POST}"),
            one("/a:POST"),
            one("{POST}"),
            post(""),
            one("/v{x}y"),
            one("/v{xy}"),
            one("/v{x};y"),
            one("/{a}{b}"),
            one("/{a;:b}"),
            one("/a/{tail}*"),
            one("/a/*tail"),
            one("/a/{*}"),
            one("/a/{}*"),
            all("/a"),
            all("/a/"),
            one("/a/{}{*}"),
            one("/{id=ba7816bf}"),
            one("/{id:abc}"),
            one("/a%3Ab"),
            one("/a:b"),
            one("~preflight"),
            one("~infrastructure"),
            one("~not-found"),
            EndpointPath::apart(CountedApart::Preflight).0,
            EndpointPath::apart(CountedApart::Infrastructure).0,
            EndpointPath::apart(CountedApart::NotFound).0,
            one("/a~0000001f"),
            EndpointPath::new("/a", RouteMethod::First("GET"))
                .distinct(0x1F)
                .0,
        ];
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} twice");
        }
    }

    /// Patterns made of what patterns are made of, so that they are often nearly equal.
    fn patterns() -> impl Strategy<Value = String> {
        let pieces = vec![
            "/",
            "a",
            "b",
            "{",
            "}",
            "{a}",
            "{b}",
            "{a:b}",
            "{a}*",
            "{}",
            "*",
            ":",
            ";",
            "=",
            "~",
            "%",
            "%3A",
            " ",
            "\u{e9}",
            "POST",
            "{POST}",
            ":POST",
            ":*",
            "%2A",
            "\\d",
            "{a:\\d{2}}",
            ".",
            "-",
        ];
        let piece = prop_oneof![6 => select(pieces).prop_map(str::to_owned), 1 => ".{0,3}"];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn different_routes_have_different_names_and_none_has_a_brace() {
        let methods = vec![
            Some("GET"),
            Some("POST"),
            Some("PUT"),
            Some("*"),
            Some("a"),
            None,
        ];
        let route = (patterns(), select(methods));
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 200,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let result = runner.run(&prop::collection::vec(route, 200), |routes| {
            let mut names = HashMap::new();
            for (pattern, method) in routes {
                let of = method.map_or(RouteMethod::All, RouteMethod::First);
                let name = EndpointPath::new(&pattern, of);
                let brace = name.as_str().contains(['{', '}']);
                prop_assert!(!brace);
                prop_assert!(name.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
                let before = names.insert(name, (pattern.clone(), method));
                prop_assert!(before.is_none_or(|before| before == (pattern, method)));
            }
            Ok(())
        });
        result.unwrap();
    }
}
