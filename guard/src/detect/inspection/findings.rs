//! The way through the surfaces of a request, and where findings go.
//!
//! Must not know: how detectors find anything, what becomes of the client.

use std::borrow::Cow;

use actix_web::http::header::HeaderName;

use super::{
    super::{
        RequestFacts,
        category::{Action, Category},
        custom::CustomRule,
        decode,
        finding::{Finding, Surface},
        first_look::{FirstLook, VALUE_DETECTORS},
        harmless, probe, scanner, traversal,
    },
    Application, Detection,
    user_agents::{USER_AGENT, UserAgents},
};

/// As much of a value is looked at; of a query, so much in all.
pub(super) const VALUE_BYTES: usize = 8 << 10;
pub(super) const QUERY_BYTES: usize = 8 << 10;
/// And of a header, where there is nothing so long to say.
const HEADER_BYTES: usize = 4 << 10;

/// For whom values are remembered as harmless: the detectors of values by the bits of [`Detection::value_detectors`], and these.
const SCANNER: u64 = 1 << 8;
const PROBE: u64 = 1 << 9;
/// The detectors of values look at paths and queries in another way than at headers: there they have the bits from these on.
const OF_PATHS: u32 = 16;
const OF_QUERIES: u32 = 32;

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
    #[inline]
    pub(super) fn in_user_agent(&mut self, user_agents: &UserAgents<'_>) -> bool {
        user_agents.known_to & SCANNER == 0
            && user_agents
                .first
                .is_some_and(|first| self.by_scanner(first))
    }

    fn by_scanner(&mut self, user_agent: &[u8]) -> bool {
        if self.detection.action(Category::Scanner) == Action::Off {
            return false;
        }
        let Some(rule) = scanner::inspect(user_agent) else {
            harmless::remember(SCANNER, user_agent);
            return false;
        };
        let surface = Surface::Header("user-agent");
        self.found(Category::Scanner, rule.into(), surface, user_agent)
    }

    #[inline]
    pub(super) fn in_path(&mut self, path: &str, application: &dyn Application) -> bool {
        let raw = beginning(path.as_bytes());
        raw != b"/" && self.by_path_detectors(raw, application)
            || self.by_own_rules(Surface::Path, raw, false)
    }

    fn by_path_detectors(&mut self, raw: &[u8], application: &dyn Application) -> bool {
        let probes = self.detection.action(Category::Probe) != Action::Off;
        let detectors = self.detection.value_detectors() << OF_PATHS;
        let detectors = detectors | if probes { PROBE } else { 0 };
        self.unless_harmless(detectors, raw, |findings| {
            findings.by_path_detectors_anew(raw, application)
        })
    }

    /// Looks at what these detectors are not known to find nothing in, and remembers if they find nothing.
    #[inline]
    fn unless_harmless(
        &mut self,
        detectors: u64,
        raw: &[u8],
        look: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        if harmless::known_to(raw) & detectors == detectors {
            return false;
        }
        let before = self.hits;
        let is_all = look(self);
        if self.hits == before {
            harmless::remember(detectors, raw);
        }
        is_all
    }

    fn by_path_detectors_anew(&mut self, raw: &[u8], application: &dyn Application) -> bool {
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
            .any(|segment| self.in_raw_value(Surface::Path, segment))
    }

    #[inline]
    pub(super) fn in_query(&mut self, query: &str) -> bool {
        !query.is_empty() && self.in_pairs(query.as_bytes())
    }

    fn in_pairs(&mut self, query: &[u8]) -> bool {
        let mut rest = Some(query.get(..QUERY_BYTES).unwrap_or(query));
        while let Some(query) = rest {
            let (pair, behind) = split_once(query, b'&');
            rest = behind;
            let (name, value) = split_once(pair, b'=');
            let value = value.unwrap_or_default();
            let surface = Surface::Query(name);
            if self.in_query_text(surface, value)
                || self.by_own_rules(surface, value, true)
                || self.in_query_text(surface, name)
            {
                return true;
            }
        }
        false
    }

    #[inline]
    pub(super) fn in_headers(
        &mut self,
        request: &RequestFacts<'_>,
        user_agents: &UserAgents<'_>,
    ) -> bool {
        let detection = self.detection;
        let mut is_all = false;
        for name in &detection.headers {
            if *name == USER_AGENT {
                is_all = is_all || self.in_user_agents(user_agents);
            } else {
                request.each_named(name, &mut |value| {
                    is_all = is_all || self.in_header(name, beginning_of_header(value));
                });
            }
        }
        is_all || !detection.rules.is_empty() && self.by_rules_of_headers(request)
    }

    #[inline]
    fn in_user_agents(&mut self, user_agents: &UserAgents<'_>) -> bool {
        if user_agents.first.is_none() {
            return false;
        }
        let detectors = self.detection.value_detectors();
        let is_known = user_agents.known_to & detectors == detectors;
        let first = user_agents.first.filter(|_| !is_known);
        let mut values = first.iter().chain(&user_agents.others);
        values.any(|value| self.in_header(&USER_AGENT, value))
    }

    fn by_rules_of_headers(&mut self, request: &RequestFacts<'_>) -> bool {
        let detection = self.detection;
        let mut is_all = false;
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

    fn in_header(&mut self, name: &HeaderName, value: &[u8]) -> bool {
        let detectors = self.detection.value_detectors();
        self.unless_harmless(detectors, value, |findings| {
            findings.in_raw_value(Surface::Header(name.as_str()), value)
        })
    }

    /// A name or a value of a query. Links and forms bring the same ones again and again.
    #[inline]
    fn in_query_text(&mut self, surface: Surface<'_>, raw: &[u8]) -> bool {
        if FirstLook::at(raw).is_ordinary() {
            return false;
        }
        let detectors = self.detection.value_detectors() << OF_QUERIES;
        self.unless_harmless(detectors, raw, |findings| {
            findings.in_layers(surface, raw, true)
        })
    }

    /// A value as sent, in which a plus is a plus.
    #[inline]
    fn in_raw_value(&mut self, surface: Surface<'_>, raw: &[u8]) -> bool {
        !FirstLook::at(raw).is_ordinary() && self.in_layers(surface, raw, false)
    }

    fn in_layers(&mut self, surface: Surface<'_>, raw: &[u8], plus_is_space: bool) -> bool {
        let raw = beginning(raw);
        let layers = decode::layers(raw, plus_is_space);
        layers.iter().any(|value| self.by_detectors(surface, value))
    }

    /// A value that was decoded already, however long: piece by piece.
    pub(super) fn in_value(&mut self, surface: Surface<'_>, value: &[u8]) -> bool {
        value
            .chunks(VALUE_BYTES)
            .any(|piece| self.by_detectors(surface, piece) || self.by_rules(surface, piece))
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
        let first_look = FirstLook::at(value);
        let mut detectors = VALUE_DETECTORS.iter().enumerate();
        detectors.any(|(nth, (category, inspect))| {
            if !first_look.concerns(nth) || self.detection.action(*category) == Action::Off {
                return false;
            }
            let Some(rule) = inspect(value) else {
                return false;
            };
            self.hits += 1;
            self.found(*category, rule.into(), surface, value)
        })
    }

    #[inline]
    fn by_own_rules(&mut self, surface: Surface<'_>, raw: &[u8], plus_is_space: bool) -> bool {
        !self.detection.rules.is_empty() && self.by_rules_decoded(surface, raw, plus_is_space)
    }

    fn by_rules_decoded(&mut self, surface: Surface<'_>, raw: &[u8], plus_is_space: bool) -> bool {
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

/// What is before a byte, and what is behind it, if it is there.
fn split_once(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    let Some(index) = memchr::memchr(at, text) else {
        return (text, None);
    };
    let (before, rest) = text.split_at_checked(index).unwrap_or((text, &[]));
    (before, rest.get(1..))
}

pub(super) fn beginning_of_header(value: &[u8]) -> &[u8] {
    value.get(..HEADER_BYTES).unwrap_or(value)
}

fn beginning(value: &[u8]) -> &[u8] {
    value.get(..VALUE_BYTES).unwrap_or(value)
}
