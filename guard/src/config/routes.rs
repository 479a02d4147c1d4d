//! How `[[routes]]` are read and written.
//!
//! Must not know: which routes the application has, or where the tables came from.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::RangeInclusive,
};

use actix_web::http::Method;

use crate::decision::Quota;

use super::{
    error::Problem,
    paths, pattern,
    raw::Raw,
    settings::RouteOverride,
    text,
    values::{as_duration, as_integer, as_text, as_word, known_keys},
};

/// What a quota may be.
pub(super) const REQUESTS: RangeInclusive<u64> = 1..=1_000_000_000;
/// 366 days, in seconds.
pub(super) const WINDOW: RangeInclusive<u64> = 1..=31_622_400;

/// Reads the entries of `[[routes]]`.
pub(super) fn as_routes(raw: &Raw) -> Result<Vec<RouteOverride>, Problem> {
    let Raw::List(items) = raw else {
        return Err(Problem::must(format_args!(
            "be tables under [[routes]], not {raw}"
        )));
    };
    let routes = items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            as_route(item).map_err(|problem| problem.at(format_args!("[{index}]")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    check_unique(&routes)?;
    Ok(routes)
}

fn as_route(raw: &Raw) -> Result<RouteOverride, Problem> {
    let Raw::Table(entries) = raw else {
        return Err(Problem::must(format_args!("be a table, not {raw}")));
    };
    let [pattern, method, requests, window] =
        known_keys(entries, ["pattern", "method", "requests", "window"])?;
    Ok(RouteOverride {
        pattern: key(".pattern", required(pattern), as_pattern)?,
        method: match method {
            Some(method) => Some(key(".method", Ok(method), as_method)?),
            None => None,
        },
        quota: Quota {
            requests: key(".requests", required(requests), |raw| {
                as_integer(raw, REQUESTS)
            })?,
            window_millis: key(".window", required(window), as_window_millis)?,
        },
    })
}

fn required(value: Option<&Raw>) -> Result<&Raw, Problem> {
    value.ok_or_else(|| Problem::statement("missing"))
}

fn key<T>(
    path: &str,
    value: Result<&Raw, Problem>,
    read: impl Fn(&Raw) -> Result<T, Problem>,
) -> Result<T, Problem> {
    value.and_then(read).map_err(|problem| problem.at(path))
}

fn as_pattern(raw: &Raw) -> Result<String, Problem> {
    let pattern = as_text(raw)?;
    match pattern::check(pattern).and_then(|()| paths::check_expressions(pattern)) {
        Ok(()) => Ok(pattern.to_owned()),
        Err(what) => Err(Problem::must(format_args!("{what}, not {raw}"))),
    }
}

/// Methods that are not standard are more likely misspelt than meant, and would limit nothing.
fn as_method(raw: &Raw) -> Result<Method, Problem> {
    const METHODS: [&str; 9] = [
        "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE",
    ];
    let upper_case = Raw::text(as_text(raw)?.to_ascii_uppercase());
    let method = as_word(&upper_case, &METHODS.map(|method| (method, method)))?;
    Method::from_bytes(method.as_bytes())
        .map_err(|_| Problem::must(format_args!("be a method, not {raw}")))
}

/// Reads the length of a window, in milliseconds.
pub(super) fn as_window_millis(raw: &Raw) -> Result<u64, Problem> {
    let window = as_duration(raw, WINDOW)?;
    Ok(window.as_secs().saturating_mul(1000))
}

fn check_unique(routes: &[RouteOverride]) -> Result<(), Problem> {
    let mut seen = HashMap::new();
    for (index, route) in routes.iter().enumerate() {
        match seen.entry((&route.pattern, &route.method)) {
            Entry::Vacant(entry) => entry.insert(index),
            Entry::Occupied(first) => {
                let pattern = text::quoted(&route.pattern);
                let first = first.get();
                let sentence =
                    format!("{pattern} has the pattern and method of routes[{first}] again");
                return Err(Problem::statement(sentence).at(format_args!("[{index}]")));
            }
        };
    }
    Ok(())
}

/// An entry of `[[routes]]`, as a value.
pub(super) fn from_route(route: &RouteOverride) -> Raw {
    let method = route
        .method
        .as_ref()
        .map(|method| ("method", Raw::text(method.as_str())));
    let entries = [("pattern", Raw::text(&route.pattern))]
        .into_iter()
        .chain(method)
        .chain([
            ("requests", Raw::Integer(route.quota.requests.into())),
            (
                "window",
                Raw::Integer((route.quota.window_millis / 1000).into()),
            ),
        ]);
    Raw::Table(
        entries
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[(&str, Raw)]) -> Raw {
        let entries = entries.iter().cloned();
        Raw::Table(entries.map(|(key, raw)| (key.to_owned(), raw)).collect())
    }

    /// A good entry with one key replaced, or taken out.
    fn with(key: &str, value: Option<Raw>) -> Raw {
        let mut entries = vec![
            ("pattern", Raw::text("/login")),
            ("method", Raw::text("post")),
            ("requests", Raw::Integer(5)),
            ("window", Raw::text("1m")),
        ];
        entries.retain(|(name, _)| *name != key);
        if let Some(value) = value {
            entries.push((key, value));
        }
        table(&entries)
    }

    fn read(items: Vec<Raw>) -> Result<Vec<RouteOverride>, String> {
        as_routes(&Raw::List(items)).map_err(|problem| problem.in_field("routes").to_string())
    }

    #[test]
    fn routes_are_read_and_written() {
        let routes = read(vec![
            with("method", None),
            with("requests", Some(Raw::Integer(7))),
        ])
        .unwrap();
        let expected = [
            RouteOverride::new("/login", 5, 60),
            RouteOverride::new("/login", 7, 60).method(Method::POST),
        ];
        assert_eq!(routes, expected);
        assert_eq!(
            read(expected.iter().map(from_route).collect()).unwrap(),
            expected
        );
    }

    #[test]
    fn standard_methods_in_any_case() {
        for method in ["GET", "get", "Post", "options", "TRACE", "CONNECT"] {
            let routes = read(vec![with("method", Some(Raw::text(method)))]).unwrap();
            let read = routes[0].method.as_ref().unwrap();
            assert_eq!(read.as_str(), method.to_ascii_uppercase());
        }
    }

    #[test]
    fn errors_name_the_entry_and_the_key() {
        let cases = [
            (with("pattern", None), "routes[1].pattern: missing"),
            (with("requests", None), "routes[1].requests: missing"),
            (with("window", None), "routes[1].window: missing"),
            (
                with("pattern", Some(Raw::Integer(5))),
                "routes[1].pattern: must be a text, not 5",
            ),
            (
                with("pattern", Some(Raw::text("login"))),
                "routes[1].pattern: must begin with \"/\", not \"login\"",
            ),
            (
                with("pattern", Some(Raw::text("/{id"))),
                "routes[1].pattern: must have balanced braces, not \"/{id\"",
            ),
            (
                with("pattern", Some(Raw::text("/{id:[}"))),
                "routes[1].pattern: must have regular expressions that actix takes, not \"/{id:[}\"",
            ),
            (
                with("requests", Some(Raw::Integer(0))),
                "routes[1].requests: must be at least 1, not 0",
            ),
            (
                with("requests", Some(Raw::Integer(1_000_000_001))),
                "routes[1].requests: must be at most 1000000000, not 1000000001",
            ),
            (
                with("window", Some(Raw::Integer(0))),
                "routes[1].window: must be at least 1 second, not 0",
            ),
            (
                with("window", Some(Raw::text("367d"))),
                "routes[1].window: must be at most 31622400 seconds, not \"367d\"",
            ),
            (
                with("windw", Some(Raw::Integer(5))),
                "routes[1].windw: unknown field; did you mean window?",
            ),
            (Raw::Integer(5), "routes[1]: must be a table, not 5"),
        ];
        for (item, expected) in cases {
            let items = vec![with("pattern", Some(Raw::text("/other"))), item];
            assert_eq!(read(items).unwrap_err(), expected);
        }
    }

    #[test]
    fn methods_that_are_not_standard_are_refused() {
        for method in ["GTE", "", "PROPFIND", "GET ", "G\nET"] {
            let error = read(vec![with("method", Some(Raw::text(method)))]).unwrap_err();
            assert!(
                error.starts_with("routes[0].method: must be one of \"GET\", "),
                "{error}"
            );
        }
    }

    #[test]
    fn a_pattern_and_method_can_be_given_once() {
        let any = || with("method", None);
        let post = || with("method", Some(Raw::text("POST")));
        assert!(read(vec![any(), post()]).is_ok());
        for twice in [vec![any(), post(), any()], vec![post(), any(), post()]] {
            assert_eq!(
                read(twice).unwrap_err(),
                "routes[2]: \"/login\" has the pattern and method of routes[0] again"
            );
        }
    }

    #[test]
    fn what_is_not_a_list_of_tables_is_refused() {
        let problem = as_routes(&Raw::Switch(true)).unwrap_err();
        assert_eq!(
            problem.in_field("routes").to_string(),
            "routes: must be tables under [[routes]], not true"
        );
    }
}
