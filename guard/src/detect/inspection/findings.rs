//! The way through the surfaces of a request, and where findings go.
//!
//! Must not know: how detectors find anything, what becomes of the client.

use std::borrow::Cow;

use actix_web::http::header;

use super::{
    super::{
        RequestFacts,
        category::{Action, Category},
        command,
        custom::CustomRule,
        decode,
        finding::{Finding, Surface},
        harmless, markup, probe, scanner, sql, traversal,
    },
    Application, Detection,
};

/// As much of a value is looked at; of a query, so much in all.
pub(super) const VALUE_BYTES: usize = 8 << 10;
pub(super) const QUERY_BYTES: usize = 8 << 10;
/// And of a header, where there is nothing so long to say.
const HEADER_BYTES: usize = 4 << 10;

/// Detectors of values, with the category of what they find.
pub(super) type ValueDetector = fn(&[u8]) -> Option<&'static str>;
pub(super) const VALUE_DETECTORS: [(Category, ValueDetector); 4] = [
    (Category::Traversal, traversal::inspect),
    (Category::Sqli, sql::inspect),
    (Category::Xss, markup::inspect),
    (Category::Command, command::inspect),
];

/// What nobody else is called for whom header values are remembered: [`Detection::value_detectors`] are small numbers.
const SCANNER: u64 = u64::MAX;
/// And this sets apart those that look at paths.
const PATH: u64 = 1 << 32;

/// Each finding is given to this, with what is done about it; it says whether that is all.
pub(super) type Hear<'a> = &'a mut dyn FnMut(Finding, Action) -> bool;

/// Another site made the browser send this request: its visitor may not know of it. Only browsers say so, and only because nothing
/// else in them can write this header; any other client may write it, or leave it out.
pub(super) fn is_cross_site(request: &RequestFacts<'_>) -> bool {
    request.header("sec-fetch-site") == Some(b"cross-site")
}

/// Where findings go. All methods say whether that is all.
pub(super) struct Findings<'a> {
    pub(super) detection: &'a Detection,
    /// No finding of this request leads to more; asked when there is one.
    pub(super) most: &'a dyn Fn() -> Action,
    /// How often a detector has found anything, whatever was done about it.
    pub(super) hits: usize,
    pub(super) hear: Hear<'a>,
}

impl Findings<'_> {
    pub(super) fn in_user_agent(&mut self, request: &RequestFacts<'_>) -> bool {
        if self.detection.action(Category::Scanner) == Action::Off {
            return false;
        }
        let Some(user_agent) = request.first_named(&header::USER_AGENT) else {
            return false;
        };
        let user_agent = beginning_of_header(user_agent);
        if harmless::is_known(SCANNER, user_agent) {
            return false;
        }
        let Some(rule) = scanner::inspect(user_agent) else {
            harmless::remember(SCANNER, user_agent);
            return false;
        };
        let surface = Surface::Header("user-agent");
        self.found(Category::Scanner, rule.into(), surface, user_agent)
    }

    pub(super) fn in_path(
        &mut self,
        request: &RequestFacts<'_>,
        application: &dyn Application,
    ) -> bool {
        let raw = beginning(request.path.as_bytes());
        let detectors = PATH | self.detection.path_detectors();
        if raw != b"/" && !harmless::is_known(detectors, raw) {
            let before = self.hits;
            if self.by_path_detectors(raw, application) {
                return true;
            }
            if self.hits == before {
                harmless::remember(detectors, raw);
            }
        }
        self.by_own_rules(Surface::Path, raw, false)
    }

    fn by_path_detectors(&mut self, raw: &[u8], application: &dyn Application) -> bool {
        let is_on = |category| self.detection.action(category) != Action::Off;
        let (probes, climbs) = (is_on(Category::Probe), is_on(Category::Traversal));
        for path in decode::layers(raw, false).iter() {
            if probes && let Some(found) = probe::inspect(path) {
                self.hits += 1;
                if !application.routes_literally(&found)
                    && self.found(Category::Probe, found.rule().into(), Surface::Path, raw)
                {
                    return true;
                }
            }
            if climbs && let Some(rule) = traversal::inspect_path(path) {
                self.hits += 1;
                if self.found(Category::Traversal, rule.into(), Surface::Path, raw) {
                    return true;
                }
            }
        }
        // A path is not one value: its segments are.
        raw.split(|byte| *byte == b'/')
            .filter(|segment| !segment.is_empty())
            .any(|segment| self.in_raw_value(Surface::Path, segment, false))
    }

    pub(super) fn in_query(&mut self, query: &str) -> bool {
        if query.is_empty() {
            return false;
        }
        let query = query.as_bytes();
        let query = query.get(..QUERY_BYTES).unwrap_or(query);
        for pair in query.split(|byte| *byte == b'&') {
            let mut parts = pair.splitn(2, |byte| *byte == b'=');
            let name = parts.next().unwrap_or_default();
            let value = parts.next().unwrap_or_default();
            let shown = std::str::from_utf8(name).unwrap_or_default();
            let surface = Surface::Query(shown);
            if self.in_raw_value(surface, value, true)
                || self.by_own_rules(surface, value, true)
                || self.in_raw_value(surface, name, true)
            {
                return true;
            }
        }
        false
    }

    pub(super) fn in_headers(&mut self, request: &RequestFacts<'_>) -> bool {
        let detection = self.detection;
        let mut is_all = false;
        for name in &detection.headers {
            let surface = Surface::Header(name.as_str());
            request.each_named(name, &mut |value| {
                is_all = is_all || self.in_header(surface, beginning_of_header(value));
            });
        }
        for rule in &detection.rules {
            let Some(name) = rule.header() else { continue };
            let surface = Surface::Header(name);
            request.each_header(name, &mut |value| {
                let value = beginning_of_header(value);
                is_all = is_all || rule.finds(surface, value) && self.by_rule(rule, surface, value);
            });
        }
        is_all
    }

    fn in_header(&mut self, surface: Surface<'_>, value: &[u8]) -> bool {
        let detectors = self.detection.value_detectors();
        if harmless::is_known(detectors, value) {
            return false;
        }
        let before = self.hits;
        let is_all = self.in_raw_value(surface, value, false);
        if self.hits == before {
            harmless::remember(detectors, value);
        }
        is_all
    }

    /// A value as sent.
    fn in_raw_value(&mut self, surface: Surface<'_>, raw: &[u8], plus_is_space: bool) -> bool {
        if is_plain(raw) {
            return false;
        }
        let raw = beginning(raw);
        let layers = decode::layers(raw, plus_is_space);
        layers.iter().any(|value| self.by_detectors(surface, value))
    }

    /// A value that was decoded already, however long: piece by piece.
    pub(super) fn in_value(&mut self, surface: Surface<'_>, value: &[u8]) -> bool {
        value.chunks(VALUE_BYTES).any(|piece| {
            !is_plain(piece) && self.by_detectors(surface, piece) || self.by_rules(surface, piece)
        })
    }

    fn by_rules(&mut self, surface: Surface<'_>, value: &[u8]) -> bool {
        let detection = self.detection;
        let mut found = detection
            .rules
            .iter()
            .filter(|rule| rule.finds(surface, value));
        found.any(|rule| self.by_rule(rule, surface, value))
    }

    fn by_rule(&mut self, rule: &CustomRule, surface: Surface<'_>, value: &[u8]) -> bool {
        self.found(rule.category, Cow::Owned(rule.id.clone()), surface, value)
    }

    fn by_detectors(&mut self, surface: Surface<'_>, value: &[u8]) -> bool {
        VALUE_DETECTORS.iter().any(|(category, inspect)| {
            if self.detection.action(*category) == Action::Off {
                return false;
            }
            let Some(rule) = inspect(value) else {
                return false;
            };
            self.hits += 1;
            self.found(*category, rule.into(), surface, value)
        })
    }

    fn by_own_rules(&mut self, surface: Surface<'_>, raw: &[u8], plus_is_space: bool) -> bool {
        let rules = &self.detection.rules;
        if rules.is_empty() {
            return false;
        }
        let layers = decode::layers(beginning(raw), plus_is_space);
        layers.iter().any(|value| self.by_rules(surface, value))
    }

    fn found(
        &mut self,
        category: Category,
        rule: Cow<'static, str>,
        surface: Surface<'_>,
        value: &[u8],
    ) -> bool {
        if self.detection.silenced.contains(rule.as_ref()) {
            return false;
        }
        let action = self.detection.action(category).at_most((self.most)());
        if action == Action::Off {
            return false;
        }
        (self.hear)(Finding::new(category, rule, surface, value), action)
    }
}

/// Letters, digits and a few signs that mean nothing to any detector: most values are like that.
fn is_plain(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~'))
}

fn beginning_of_header(value: &[u8]) -> &[u8] {
    value.get(..HEADER_BYTES).unwrap_or(value)
}

fn beginning(value: &[u8]) -> &[u8] {
    value.get(..VALUE_BYTES).unwrap_or(value)
}
