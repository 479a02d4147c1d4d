//! What may be asked about a request of the past.
//!
//! Must not know: what follows from the answers.

use std::borrow::Cow;

use actix_web::{dev::Url, http::Uri};
use smallvec::SmallVec;

use crate::{
    client::Client,
    detect::{Action, Application, ProbeMatch, Threat},
    inspector::inspect,
    policy::Facts,
    route::EntryPaths,
    view::View,
};

use super::PastRequest;

/// The facts of a request of the past.
pub(super) struct Past<'a> {
    pub(super) request: &'a PastRequest<'a>,
    pub(super) client: &'a Client,
    pub(super) view: &'a View,
    pub(super) routes: &'a EntryPaths,
    /// As a router reads it.
    pub(super) path: &'a str,
}

impl Facts for Past<'_> {
    fn user_agent(&self) -> Option<&[u8]> {
        self.request.user_agent
    }

    fn path(&self) -> &str {
        self.path
    }

    fn is_preflight(&self) -> bool {
        self.request.is_preflight()
    }

    fn is_proven_crawler(&self) -> bool {
        false
    }

    /// No log tells.
    fn is_operator(&self) -> bool {
        false
    }

    fn is_banned(&self) -> bool {
        self.view.store().hot_ban(self.client.key()).is_some()
    }

    fn threat(&self) -> Option<Threat> {
        let table = &self.view.settings.detection;
        let named = [
            ("user-agent", self.request.user_agent),
            ("referer", self.request.referer),
        ];
        let headers: SmallVec<[(&str, &[u8]); 2]> = named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        let mut threat = None;
        inspect(
            &table.detection,
            self,
            (self.request.method, origin_form(self.request.target)),
            &headers,
            &mut |finding, action| {
                if table.exempt_paths.matches(self.path) {
                    return true;
                }
                let is_refused = matches!(action, Action::Strike | Action::Refuse);
                if is_refused {
                    threat = Some(Threat::of(finding, action == Action::Strike));
                }
                is_refused
            },
        );
        threat
    }
}

/// Of the application's routes, those of the configuration are known.
impl Application for Past<'_> {
    fn routes_literally(&self, found: &ProbeMatch) -> bool {
        let pattern = self.routes.find(self.path);
        pattern.is_some_and(|pattern| found.is_named_by(&pattern))
    }
}

/// The path and query of a target, which may name a host before them.
fn origin_form(target: &str) -> &str {
    let Some((_, rest)) = target
        .split_once("://")
        .filter(|_| !target.starts_with('/'))
    else {
        return target;
    };
    rest.find(['/', '?'])
        .and_then(|index| rest.get(index..))
        .unwrap_or("/")
}

/// The path of a target as actix-web's router reads it.
pub(super) fn routed_path(target: &str) -> Cow<'_, str> {
    let target = origin_form(target);
    let path = target.split(['?', '#']).next().unwrap_or_default();
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    match path.parse::<Uri>() {
        Ok(uri) => Url::new(uri).path().to_owned().into(),
        Err(_) => Cow::Borrowed(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_the_router_reads_it() {
        for (target, expected) in [
            ("/", "/"),
            ("/a?b=/c", "/a"),
            ("/a%20b", "/a b"),
            ("/a%2Fb", "/a%2Fb"),
            ("/%zz", "/%zz"),
            ("http://example.com/a?b", "/a"),
            ("http://example.com", "/"),
            ("/a?to=http://example.com/b", "/a"),
            ("/http://example.com/b", "/http://example.com/b"),
            ("*", "*"),
            ("", ""),
        ] {
            assert_eq!(routed_path(target), expected, "{target}");
        }
    }
}
