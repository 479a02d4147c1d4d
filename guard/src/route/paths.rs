//! What registrations and resource map say of a path. What the resource map says is remembered for the busy paths of a site.
//!
//! Must not know: who claimed what.

use std::{cell::RefCell, collections::HashMap, hash::BuildHasher, rc::Rc};

use actix_web::{dev::ServiceRequest, http::Method};
use foldhash::quality::RandomState;

use super::{
    entry_paths::EntryPaths,
    pattern::{PathSegments, path_segments, split_path},
    registry::{self, Candidates},
};

/// Paths remembered. One that is not costs a walk through the resource map.
const PATHS: usize = 1024;
/// Longer paths are not remembered.
const LONGEST_PATH: usize = 256;

/// The entries of `[[routes]]` in force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries<'a> {
    pub(crate) paths: &'a EntryPaths,
    /// Of the settings that they are from.
    pub(crate) version: u64,
}

/// The pattern that the resource map gives for a path: the first that matches, whatever guards say. Where it has none, or only that of a
/// mount, it is that of an entry of `[[routes]]` for the path.
#[derive(Clone, Debug)]
pub(crate) struct FirstPattern {
    pub(crate) pattern: Option<Rc<str>>,
    /// A limited route sits there, or may.
    pub(crate) shared: bool,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    places: RefCell<Vec<Option<Remembered>>>,
    /// One text for each pattern of the application.
    patterns: RefCell<HashMap<String, Rc<str>>>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Remembered {
    method: u8,
    path: String,
    /// What registrations are known of when this was found, and the version of the entries, if there were any.
    versions: (u64, Option<u64>),
    first: FirstPattern,
}

impl Paths {
    /// The limited routes that the request could reach. Found anew each time: ids in a path would fill any memory.
    #[inline]
    pub(crate) fn candidates(&self, request: &ServiceRequest) -> Candidates {
        let mut segments = PathSegments::new();
        split_path(request.match_info().as_str(), &mut segments);
        registry::candidates(request.method().as_str(), &segments)
    }

    /// The pattern that comes first for the request's path.
    pub(crate) fn first_pattern(
        &self,
        request: &ServiceRequest,
        entries: Option<Entries<'_>>,
    ) -> FirstPattern {
        self.remembered(request, entries)
            .unwrap_or_else(|| self.find_first(request, entries))
    }

    fn find_first(&self, request: &ServiceRequest, entries: Option<Entries<'_>>) -> FirstPattern {
        // The path that the router matches on: percent-decoded.
        let path = request.match_info().as_str();
        let pattern = request.resource_map().match_pattern(path);
        let shared = registry::shares_pattern(
            request.method().as_str(),
            &path_segments(path),
            pattern.as_deref(),
        );
        let pattern = match entries {
            Some(entries) => entries.paths.or_find(pattern, path),
            None => pattern,
        };
        FirstPattern {
            pattern: pattern.map(|pattern| self.text(pattern)),
            shared,
        }
    }

    fn text(&self, pattern: String) -> Rc<str> {
        let mut patterns = self.patterns.borrow_mut();
        Rc::clone(
            patterns
                .entry(pattern)
                .or_insert_with_key(|text| text.as_str().into()),
        )
    }

    /// What is remembered of the request's path, found if need be; `None` for paths that are not remembered.
    fn remembered(
        &self,
        request: &ServiceRequest,
        entries: Option<Entries<'_>>,
    ) -> Option<FirstPattern> {
        let (method, path, versions) = (
            method_slot(request.method()),
            request.match_info().as_str(),
            (registry::version(), entries.map(|entries| entries.version)),
        );
        if path.len() > LONGEST_PATH {
            return None;
        }
        let at = usize::try_from(self.hasher.hash_one((method, path))).unwrap_or(0) % PATHS;
        let mut places = self.places.borrow_mut();
        if places.is_empty() {
            places.resize_with(PATHS, || None);
        }
        let place = places.get_mut(at)?;
        let known = place.as_ref().filter(|one| {
            (one.versions, one.method, one.path.as_str()) == (versions, method, path)
        });
        if let Some(known) = known {
            return Some(known.first.clone());
        }
        let mut text = place.take().map(|one| one.path).unwrap_or_default();
        text.clear();
        text.push_str(path);
        let first = self.find_first(request, entries);
        *place = Some(Remembered {
            method,
            path: text,
            versions,
            first: first.clone(),
        });
        Some(first)
    }
}

/// A small number for each method; all that applications make up themselves share one, so that nobody can fill the memory.
pub(crate) fn method_slot(method: &Method) -> u8 {
    match *method {
        Method::GET => 0,
        Method::HEAD => 1,
        Method::POST => 2,
        Method::PUT => 3,
        Method::DELETE => 4,
        Method::PATCH => 5,
        Method::OPTIONS => 6,
        Method::CONNECT => 7,
        Method::TRACE => 8,
        _ => 9,
    }
}
