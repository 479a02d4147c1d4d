//! What registrations and resource map say of a path, remembered for the busy paths of a site.
//!
//! Must not know: who claimed what.

use std::{cell::RefCell, collections::HashMap, hash::BuildHasher, rc::Rc};

use actix_web::{dev::ServiceRequest, http::Method};
use foldhash::quality::RandomState;

use super::{
    pattern::path_segments,
    registration::{Candidates, candidates, registry_version, shares_pattern},
};

/// Paths remembered. One that is not costs a look at each registration, and a walk through the resource map where its pattern is wanted.
const PATHS: usize = 1024;
/// Longer paths are not remembered.
const LONGEST_PATH: usize = 256;

/// The pattern that the resource map gives for a path: the first that matches, whatever guards say.
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
    /// What registrations are known of when this was found.
    version: u64,
    candidates: Candidates,
    first: Option<FirstPattern>,
}

impl Paths {
    /// The limited routes that the request could reach.
    pub(crate) fn candidates(&self, request: &ServiceRequest) -> Candidates {
        let find = || {
            candidates(
                request.method().as_str(),
                &path_segments(request.match_info().as_str()),
            )
        };
        self.remember(request, |one| one.candidates)
            .unwrap_or_else(find)
    }

    /// The pattern that comes first for the request's path.
    pub(crate) fn first_pattern(&self, request: &ServiceRequest) -> FirstPattern {
        let find = || self.find_first(request);
        let known = self.remember(request, |one| one.first.get_or_insert_with(find).clone());
        known.unwrap_or_else(|| self.find_first(request))
    }

    fn find_first(&self, request: &ServiceRequest) -> FirstPattern {
        // The path that the router matches on: percent-decoded.
        let path = request.match_info().as_str();
        let pattern = request.resource_map().match_pattern(path);
        let shared = shares_pattern(
            request.method().as_str(),
            &path_segments(path),
            pattern.as_deref(),
        );
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

    /// Reads what is remembered of the request's path; `None` for paths that are not.
    fn remember<T>(
        &self,
        request: &ServiceRequest,
        read: impl FnOnce(&mut Remembered) -> T,
    ) -> Option<T> {
        let (method, path, version) = (
            method_slot(request.method()),
            request.match_info().as_str(),
            registry_version(),
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
        let is_known = place.as_ref().is_some_and(|one| {
            (one.version, one.method, one.path.as_str()) == (version, method, path)
        });
        if !is_known {
            let mut text = place.take().map(|one| one.path).unwrap_or_default();
            text.clear();
            text.push_str(path);
            let candidates = candidates(request.method().as_str(), &path_segments(path));
            *place = Some(Remembered {
                method,
                path: text,
                version,
                candidates,
                first: None,
            });
        }
        place.as_mut().map(read)
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
