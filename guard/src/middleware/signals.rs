//! What shows only when a request is answered: a threat in its body, a status that is a strike.
//!
//! Must not know: how threats are found, how answers look.

use std::rc::Rc;

use actix_web::{
    Error,
    dev::{ServiceRequest, ServiceResponse},
    http::Method,
};

use crate::{
    client::Client,
    decision::{Answer, Cause, Decision},
    detect::Threat,
    judge::{bar, reason, say},
    policy::{Barred, StatusSign, status_sign},
    telemetry::StrikeCause,
    view::View,
};

use super::{
    after::refusal_error,
    body::{Verdict, watch},
    facts::is_preflight,
};

/// What an answer says about its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Clean,
    NotClean,
    /// A refusal has taken the place of the answer.
    Refused,
}

/// Of a request that is being served.
pub(super) struct Signals {
    client: Client,
    body: Option<Rc<Verdict>>,
    /// Not for preflights: any page has its visitors' browsers send them.
    may_strike: bool,
    method: Method,
    path: String,
}

impl Signals {
    /// `None` if nothing about the answer matters.
    #[inline]
    pub(super) fn of(
        request: &mut ServiceRequest,
        view: &Rc<View>,
        client: &Client,
    ) -> Option<Rc<Self>> {
        let settings = &view.settings;
        let statuses = !settings.strike_on_status.is_empty() || settings.not_found_limit.is_some();
        (statuses || settings.looks_at_bodies())
            .then(|| Self::where_it_may_matter(request, view, client, statuses))
            .flatten()
    }

    fn where_it_may_matter(
        request: &mut ServiceRequest,
        view: &Rc<View>,
        client: &Client,
        statuses: bool,
    ) -> Option<Rc<Self>> {
        let may_strike = !is_preflight(request);
        let body = watch(request, view, client);
        (body.is_some() || statuses && may_strike).then(|| {
            Rc::new(Self {
                client: client.clone(),
                body,
                may_strike,
                method: request.method().clone(),
                path: request.path().to_owned(),
            })
        })
    }

    /// Does what the answer gives reason to. One request is at most one strike.
    pub(super) fn heed<B>(
        &self,
        view: &Rc<View>,
        response: &mut Result<ServiceResponse<B>, Error>,
        is_struck: bool,
    ) -> Sign {
        let may_strike = self.may_strike && !is_struck;
        let threat = self.body.as_ref().and_then(|verdict| verdict.take());
        if let Some(threat) = threat {
            return self.refuse(view, response, threat, may_strike);
        }
        let status = match response {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        let sign = status_sign(&view.settings, status.as_u16());
        match sign {
            StatusSign::Strike if may_strike => {
                let reason = format!("status {}", status.as_u16());
                self.strike(view, &reason, StrikeCause::Status);
            }
            StatusSign::NotFound if may_strike => self.count_not_found(view),
            _ => {}
        }
        match sign {
            StatusSign::Clean => Sign::Clean,
            StatusSign::Strike | StatusSign::NotFound => Sign::NotClean,
        }
    }

    fn refuse<B>(
        &self,
        view: &Rc<View>,
        response: &mut Result<ServiceResponse<B>, Error>,
        threat: Threat,
        may_strike: bool,
    ) -> Sign {
        if threat.is_struck() && may_strike {
            self.strike(view, &reason(&threat), StrikeCause::Threat);
        }
        let barred = Barred::Threat(threat);
        if let Some(refusal) = bar(view, &self.client, &barred, &self.path) {
            *response = Err(refusal_error(view, refusal, self.method.clone()));
            return Sign::Refused;
        }
        Sign::NotClean
    }

    fn strike(&self, view: &Rc<View>, reason: &str, cause: StrikeCause) {
        if self.client.can_be_struck() && view.settings.enable_ip_banning {
            let answer = view.ask_without_windows(&self.client, Cause::Threat(reason));
            self.say_when_answered(view, answer, cause);
        }
    }

    /// One more 404 than its limit allows is a strike.
    fn count_not_found(&self, view: &Rc<View>) {
        let windows = view.not_found();
        if self.client.can_be_struck() && view.settings.enable_ip_banning {
            let answer = view.ask_detached(&self.client, &windows, None);
            self.say_when_answered(view, answer, StrikeCause::NotFound);
        }
    }

    fn say_when_answered(&self, view: &Rc<View>, answer: Answer<Decision>, cause: StrikeCause) {
        match answer {
            Answer::Ready(decision) => say(view, &self.client, &decision, Some(cause)),
            Answer::Later(decision) => {
                let (view, client) = (Rc::clone(view), self.client.clone());
                actix_web::rt::spawn(
                    async move { say(&view, &client, &decision.await, Some(cause)) },
                );
            }
        }
    }
}
