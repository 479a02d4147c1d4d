//! Which entry of `[[routes]]` a path is for, where no router knows: in a replay, and for what an application serves without a route of its own,
//! as folders of files and a default service.
//!
//! Must not know: windows, decisions.

use std::{collections::HashMap, fmt, panic, rc::Rc};

use actix_web::dev::ResourceDef;

use super::pattern::{Extent, Pattern, path_segments};

/// The patterns of `[[routes]]`. One without dynamic segments goes before the others, and those are tried in their order.
#[derive(Default)]
pub(crate) struct EntryPaths {
    constants: HashMap<Rc<str>, Rc<str>>,
    dynamic: Vec<(ResourceDef, Rc<str>)>,
}

impl EntryPaths {
    pub(crate) fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
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

    pub(crate) fn find(&self, path: &str) -> Option<Rc<str>> {
        if let Some(pattern) = self.constants.get(path) {
            return Some(Rc::clone(pattern));
        }
        let mut dynamic = self.dynamic.iter();
        let found = dynamic.find(|(resource, _)| resource.is_match(path));
        found.map(|(_, pattern)| Rc::clone(pattern))
    }

    /// The pattern by which a request goes, from the one that the resource map gives. A mount's, as of a folder of files, is a prefix, and the map
    /// gives it for all that lies below.
    pub(super) fn or_find(&self, known: Option<String>, path: &str) -> Option<String> {
        let is_route = |pattern: &String| {
            Pattern::parse(pattern).could_match(&path_segments(path), Extent::Whole)
        };
        if known.as_ref().is_some_and(is_route) {
            return known;
        }
        self.find(path).map(|pattern| pattern.to_string()).or(known)
    }
}

impl fmt::Debug for EntryPaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dynamic = self.dynamic.iter().map(|(_, pattern)| pattern);
        f.debug_set()
            .entries(self.constants.keys().chain(dynamic))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_for_the_literal_pattern_and_else_for_the_first_that_matches() {
        let routes = EntryPaths::new([
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

    #[test]
    fn what_the_resource_map_knows_goes_before_but_for_mounts() {
        let routes = EntryPaths::new(["/items/{id}", "/files/{tail}*", "/{any}"]);
        for (known, path, expected) in [
            (Some("/items/new"), "/items/new", Some("/items/new")),
            (Some("/{a}/{b}"), "/items/1", Some("/{a}/{b}")),
            (Some("/{tail:.*}"), "/items/1", Some("/{tail:.*}")),
            (Some("/files"), "/files/a/b", Some("/files/{tail}*")),
            (Some("/files"), "/files", Some("/files")),
            (Some("/folder"), "/folder/a", Some("/folder")),
            (None, "/items/1", Some("/items/{id}")),
            (None, "/a/b/c", None),
        ] {
            let found = routes.or_find(known.map(str::to_owned), path);
            assert_eq!(found.as_deref(), expected, "{path}");
        }
    }
}
