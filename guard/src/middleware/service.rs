//! The service of the guard: one request's way up to the inner service.
//!
//! Must not know: how clients are told apart, how decisions are made, how answers look.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
};

use actix_web::{
    Error, HttpMessage as _, HttpResponse,
    body::MessageBody,
    dev::{Service, ServiceRequest, ServiceResponse, forward_ready},
    http::{Method, StatusCode},
    web::Data,
};

use crate::{
    bans::{BanRecord, BanSource},
    client::{Client, identify},
    config::SecurityConfig,
    decision::{Answer, Cause, Decision},
    engine::Engine,
    judge::{bar, judge, reason},
    policy::{Course, Facts, Question, course},
    response::{Refusal, RefusalError, refuse},
    route::{
        Called, Expectation, Forecast, Prediction, Ticket, Tickets, any_registered, may_be_lazy,
    },
    view::{View, Windows},
};

use super::{
    facts::{Headers, is_preflight, request_facts, sender},
    future::{After, GuardFuture, Routed},
};

/// The service of [`Guard`](super::Guard).
#[derive(Debug)]
pub struct GuardService<S> {
    service: Rc<S>,
    worker: OnceCell<Rc<Worker>>,
}

/// What a guard keeps in each worker.
#[derive(Debug)]
pub(super) struct Worker {
    engine: Arc<Engine>,
    view: RefCell<Rc<View>>,
    pub(super) prediction: Prediction,
}

impl<S> GuardService<S> {
    pub(super) fn new(service: S, engine: Option<Arc<Engine>>) -> Self {
        let worker = OnceCell::new();
        if let Some(engine) = engine {
            worker.get_or_init(|| Worker::start::<S>(engine));
        }
        Self {
            service: Rc::new(service),
            worker,
        }
    }

    /// The worker, once the configuration is found.
    fn worker(&self, request: &ServiceRequest) -> Option<&Rc<Worker>> {
        if let Some(worker) = self.worker.get() {
            return Some(worker);
        }
        let config = request
            .app_data::<Data<SecurityConfig>>()
            .map(|data| data.get_ref());
        let config = config.or_else(|| request.app_data::<SecurityConfig>())?;
        Some(
            self.worker
                .get_or_init(|| Worker::start::<S>(Engine::of(config))),
        )
    }
}

impl Worker {
    fn start<S>(engine: Arc<Engine>) -> Rc<Self> {
        engine.attach();
        let view = RefCell::new(Rc::new(View::new(Arc::clone(&engine))));
        Rc::new(Self {
            engine,
            view,
            prediction: Prediction::new(may_be_lazy::<S>()),
        })
    }

    /// The settings in force.
    fn view(&self) -> Rc<View> {
        let mut view = self.view.borrow_mut();
        if view.version != self.engine.version() {
            *view = Rc::new(View::new(Arc::clone(&self.engine)));
        }
        Rc::clone(&view)
    }
}

impl<S, B> Service<ServiceRequest> for GuardService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<actix_web::body::EitherBody<B>>;
    type Error = Error;
    type Future = GuardFuture<S, B>;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let Some(worker) = self.worker(&request) else {
            return misconfigured(request);
        };
        let view = worker.view();
        let sender = sender(&request);
        let client = identify(sender, view.settings.ipv6_prefix, worker.engine.id());
        warn_of_proxy(&view, &client, sender.forwarded);
        if !introduce(&request, &client) {
            return GuardFuture::Forward {
                inner: self.service.call(request),
            };
        }
        let facts = Facts {
            client: &client,
            forwarded: sender.forwarded,
            preflight: is_preflight(&request),
        };
        let course = course(
            &view.settings,
            facts,
            || hot_ban(&view, &client),
            || detect(&view, &request),
        );
        let routes = any_registered();
        let passage = Passage {
            service: &self.service,
            worker,
            view,
            client,
            routes,
        };
        match course {
            Course::Serve => passage.serve_uncounted(request),
            Course::Refuse(barred) => match bar(&passage.view, &passage.client, &barred) {
                Some(refusal) => passage.refuse(request, &refusal),
                None => passage.serve_uncounted(request),
            },
            Course::Decide(question) => passage.decide(question, request),
        }
    }
}

/// A request on its way, with what has been found out about it.
pub(super) struct Passage<'a, S> {
    pub(super) service: &'a Rc<S>,
    pub(super) worker: &'a Rc<Worker>,
    pub(super) view: Rc<View>,
    pub(super) client: Client,
    /// The worker has limited routes.
    pub(super) routes: bool,
}

impl<S, B> Passage<'_, S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    fn decide(self, question: Question, request: ServiceRequest) -> GuardFuture<S, B> {
        match question {
            Question::Counted => self.count(request),
            Question::Threat(threat) => {
                tracing::info!(
                    client = %self.client, category = ?threat.category(), rule = ?threat.rule(), path = ?request.path(),
                    passive = self.view.settings.passive, "threat"
                );
                let answer = self
                    .view
                    .ask_without_windows(&self.client, Cause::Threat(&reason(&threat)));
                self.answered_or_wait(answer, Windows::new(), request)
            }
            Question::Uncounted => {
                let answer = self.view.ask_without_windows(&self.client, Cause::Request);
                self.answered_or_wait(answer, Windows::new(), request)
            }
            Question::Preflight => {
                let windows = self.view.preflight();
                let answer = self
                    .view
                    .ask(&self.client, Cause::Request, &windows, false, &request);
                self.answered_or_wait(answer, windows, request)
            }
        }
    }

    /// Counts the request where it belongs: in the global window before routing, or in the windows of its route.
    fn count(self, request: ServiceRequest) -> GuardFuture<S, B> {
        let configured = !self.view.settings.routes.is_empty();
        if !self.routes && !configured {
            return self.count_unclaimed(None, request);
        }
        match self.worker.prediction.forecast(&request) {
            Forecast::Global { pattern } => self.count_unclaimed(pattern.as_deref(), request),
            Forecast::Route(expectation) => self.route(expectation, request),
        }
    }

    fn count_unclaimed(self, pattern: Option<&str>, request: ServiceRequest) -> GuardFuture<S, B> {
        let windows = self.view.unclaimed(request.method(), pattern);
        let answer = self
            .view
            .ask(&self.client, Cause::Request, &windows, true, &request);
        self.answered_or_wait(answer, windows, request)
    }

    fn answered_or_wait(
        self,
        answer: Answer<Decision>,
        windows: Windows,
        request: ServiceRequest,
    ) -> GuardFuture<S, B> {
        match answer {
            Answer::Ready(decision) => self.answered(decision, windows, request),
            Answer::Later(answer) => GuardFuture::before_call(answer, windows, request, self),
        }
    }

    /// The decision is there before the inner service is called.
    pub(super) fn answered(
        self,
        decision: Decision,
        windows: Windows,
        request: ServiceRequest,
    ) -> GuardFuture<S, B> {
        if let Some(refusal) = judge(&self.view, &self.client, &decision, &windows) {
            return self.refuse(request, &refusal);
        }
        self.admit_to_all_routes(&request);
        let inner = self.service.call(request);
        let after = After::decided(self.view, &self.client, decision, windows);
        GuardFuture::serving(inner, after)
    }

    /// Calls the inner service without polling its future: limited routes claim the request in this call.
    fn route(self, expectation: Expectation, request: ServiceRequest) -> GuardFuture<S, B> {
        let ticket = Ticket::undecided(
            Rc::clone(&self.view),
            self.client.clone(),
            Rc::clone(&expectation.claims),
        );
        hand_over(&request, Rc::clone(&ticket));
        let method = request.method().clone();
        let inner = self.service.call(request);
        let undecided = match ticket.called() {
            Called::Claimed => self.overlooked(&ticket, &expectation, &method),
            Called::Waiting | Called::Nobody if expectation.late => Windows::new(),
            Called::Waiting => ticket.take_pending(),
            Called::Nobody => self.view.unclaimed(&method, expectation.pattern.as_deref()),
        };
        let asked =
            (!undecided.is_empty()).then(|| self.view.ask_detached(&self.client, &undecided));
        let routed = Routed {
            worker: Rc::clone(self.worker),
            ticket,
            expectation,
            method,
        };
        let after = After::routed(self.view, &self.client, routed);
        match asked {
            None => GuardFuture::serving(inner, Some(after)),
            Some(answer) => GuardFuture::before_poll(inner, after, answer, undecided),
        }
    }

    /// Windows that the configuration has for a route that only the scopes around it have claimed.
    fn overlooked(&self, ticket: &Ticket, expectation: &Expectation, method: &Method) -> Windows {
        let pattern = expectation.pattern.as_deref();
        let configured = self.view.configured_for(method, pattern);
        configured
            .filter(|_| !ticket.is_claimed_at(pattern))
            .unwrap_or_default()
    }

    fn serve_uncounted(self, request: ServiceRequest) -> GuardFuture<S, B> {
        self.admit_to_all_routes(&request);
        GuardFuture::Forward {
            inner: self.service.call(request),
        }
    }

    /// Limited routes find a ticket that lets the request through.
    fn admit_to_all_routes(&self, request: &ServiceRequest) {
        if self.routes {
            hand_over(
                request,
                Ticket::pass(Rc::clone(&self.view), self.client.clone()),
            );
        }
    }

    fn refuse(self, request: ServiceRequest, refusal: &Refusal) -> GuardFuture<S, B> {
        let settings = &self.view.settings;
        let response = refuse(
            refusal,
            settings.rate_limit_headers,
            settings.on_refusal.as_ref(),
            request.method(),
        );
        GuardFuture::Refused {
            response: Some(request.into_response(response)),
        }
    }
}

/// The refusal at the one point where the request is out of reach.
pub(super) fn refusal_error(view: &View, refusal: Refusal, method: Method) -> Error {
    let settings = &view.settings;
    RefusalError::new(
        refusal,
        settings.rate_limit_headers,
        settings.on_refusal.clone(),
        method,
    )
    .into()
}

fn hand_over(request: &ServiceRequest, ticket: Rc<Ticket>) {
    let mut extensions = request.extensions_mut();
    match extensions.get_mut::<Tickets>() {
        Some(tickets) => tickets.push(ticket),
        None => {
            extensions.insert(Tickets::from_iter([ticket]));
        }
    }
}

/// Puts the client into the request's extensions. No, if this guard has had its turn: it is wrapped twice.
fn introduce(request: &ServiceRequest, client: &Client) -> bool {
    let mut extensions = request.extensions_mut();
    match extensions.get_mut::<Client>() {
        Some(known) => known.introduce(client),
        None => {
            extensions.insert(client.clone());
            true
        }
    }
}

/// The ban of a client as far as it is known here. A proxy that nobody declared is refused only if somebody banned it by hand: a ban
/// that its address earned without it would hit everybody behind it.
fn hot_ban(view: &View, client: &Client) -> Option<Arc<BanRecord>> {
    let ban = view.store().hot_ban(client.key())?;
    (client.can_be_struck() || ban.by == BanSource::Manual).then_some(ban)
}

fn detect(view: &View, request: &ServiceRequest) -> Option<crate::detect::Threat> {
    if view.settings.detectors.is_empty() {
        return None;
    }
    let headers = Headers(request.headers());
    let facts = request_facts(request, &headers);
    view.settings
        .detectors
        .iter()
        .find_map(|detector| detector.inspect(&facts))
}

fn warn_of_proxy(view: &View, client: &Client, forwarded: bool) {
    use std::sync::atomic::Ordering;
    if forwarded
        && client.address().is_some()
        && !client.can_be_struck()
        && !view.engine.warned_of_proxy.swap(true, Ordering::Relaxed)
    {
        tracing::warn!(
            peer = %client,
            "a local peer sends forwarding headers: it looks like a proxy. All its clients share one limit, and none is banned"
        );
    }
}

/// Never an open door: without a configuration nothing is served.
fn misconfigured<S, B>(request: ServiceRequest) -> GuardFuture<S, B>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    tracing::error!(
        "Guard::default() finds no SecurityConfig in the application's data: add \
         .app_data(web::Data::new(config)) to the App, or use Guard::new(config)"
    );
    let response = HttpResponse::new(StatusCode::INTERNAL_SERVER_ERROR);
    GuardFuture::Refused {
        response: Some(request.into_response(response)),
    }
}
