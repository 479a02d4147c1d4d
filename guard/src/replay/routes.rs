//! Which entry of `[[routes]]` a path is for, where no router can be asked.
//!
//! Must not know: windows, decisions.

use std::{collections::HashMap, panic, rc::Rc};

use actix_web::dev::ResourceDef;

use crate::detect::ProbeMatch;

/// The patterns of `[[routes]]`. One without dynamic segments goes before the others, and those are tried in their order.
#[derive(Default)]
pub(super) struct PastRoutes {
    constants: HashMap<Rc<str>, Rc<str>>,
    dynamic: Vec<(ResourceDef, Rc<str>)>,
}

impl PastRoutes {
    pub(super) fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut routes = Self::default();
        for pattern in patterns {
            routes.add(pattern);
        }
        routes
    }

    fn add(&mut self, pattern: &str) {
        let name: Rc<str> = Rc::from(pattern);
        if !pattern.contains('{') {
            self.constants.insert(Rc::clone(&name), name);
            return;
        }
        let is_known = self.dynamic.iter().any(|(_, known)| *known == name);
        // No application can have a route whose regular expression actix does not take.
        if !is_known && let Ok(resource) = panic::catch_unwind(|| ResourceDef::new(pattern)) {
            self.dynamic.push((resource, name));
        }
    }

    pub(super) fn find(&self, path: &str) -> Option<Rc<str>> {
        if let Some(pattern) = self.constants.get(path) {
            return Some(Rc::clone(pattern));
        }
        let mut dynamic = self.dynamic.iter();
        let found = dynamic.find(|(resource, _)| resource.is_match(path));
        found.map(|(_, pattern)| Rc::clone(pattern))
    }

    /// Whether the pattern for a path names literally what looks like a probe.
    pub(super) fn name_literally(&self, path: &str, probe: &ProbeMatch) -> bool {
        self.find(path)
            .is_some_and(|pattern| probe.is_named_by(&pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_for_the_literal_pattern_and_else_for_the_first_that_matches() {
        let routes = PastRoutes::new([
            "/items/{id}",
            "/items/new",
            "/{any}/{id}",
            "/static/{tail}*",
            "/items/{id}",
        ]);
        for (path, expected) in [
            ("/items/1", Some("/items/{id}")),
            ("/items/new", Some("/items/new")),
            ("/other/1", Some("/{any}/{id}")),
            ("/static/a/b", Some("/static/{tail}*")),
            ("/items", None),
            ("", None),
        ] {
            assert_eq!(routes.find(path).as_deref(), expected, "{path}");
        }
    }
}
