//! Whether a request is an operator's.
//!
//! Must not know: what is done about it.

use std::rc::Rc;

use actix_web::{HttpMessage as _, dev::ServiceRequest};

use crate::{client::Client, engine::Engine, judge::cut};

use super::{
    auth::Proven,
    mounts::{Mount, RESOURCE_NAME, meant_by},
};

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Operator,
    /// Nothing was tried.
    Stranger,
    Wrong,
    /// After too many wrong attempts nothing is looked at for so long.
    Locked {
        wait_millis: u64,
    },
}

/// What was found out about a request, kept in its extensions.
#[derive(Clone)]
struct Examined {
    mount: Rc<Mount>,
    verdict: Verdict,
}

/// Whether the request is an operator's, for the guard: `None` if it is for no admin scope.
#[inline]
pub(crate) fn examine(
    request: &ServiceRequest,
    client: &Client,
    engine: &Engine,
) -> Option<Verdict> {
    let path = request.match_info().as_str();
    let mounts = meant_by(path);
    if mounts.is_empty() || request.resource_map().match_name(path) != Some(RESOURCE_NAME) {
        return None;
    }
    let mut last = None;
    for mount in mounts {
        let verdict = examine_at(&mount, request, client, engine);
        last = Some(verdict);
        if verdict == Verdict::Operator {
            break;
        }
    }
    last
}

/// Whether the request is an operator's at one admin scope. What has been found out before stands.
pub(crate) fn examine_at(
    mount: &Rc<Mount>,
    request: &ServiceRequest,
    client: &Client,
    engine: &Engine,
) -> Verdict {
    let known = request.extensions().get::<Examined>().cloned();
    if let Some(known) = known.filter(|known| Rc::ptr_eq(&known.mount, mount)) {
        return known.verdict;
    }
    let verdict = look(mount, request, client, engine);
    request.extensions_mut().insert(Examined {
        mount: Rc::clone(mount),
        verdict,
    });
    verdict
}

fn look(mount: &Mount, request: &ServiceRequest, client: &Client, engine: &Engine) -> Verdict {
    let now = engine.settings().clock.now_millis();
    if let Some(wait_millis) = engine.attempts.wait_millis(client.key(), now) {
        return Verdict::Locked { wait_millis };
    }
    match mount.auth().proven(request) {
        Proven::Right => Verdict::Operator,
        Proven::Nothing => Verdict::Stranger,
        Proven::Wrong => {
            engine.attempts.wrong(client.key(), now);
            let path = cut(request.path());
            tracing::warn!(%client, ?path, "wrong credentials for the admin scope");
            Verdict::Wrong
        }
    }
}

/// Whether a request that the guard refuses may still be an operator's, who has to be asked for a password.
pub(crate) fn may_still_prove(request: &ServiceRequest) -> bool {
    let extensions = request.extensions();
    extensions.get::<Examined>().is_some_and(|examined| {
        let asks = examined.mount.auth().asks_for_password();
        asks && matches!(examined.verdict, Verdict::Stranger | Verdict::Wrong)
    })
}
