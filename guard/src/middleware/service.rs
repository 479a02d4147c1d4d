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
    http::StatusCode,
    web::Data,
};

use crate::{
    bans::{BanRecord, BanSource},
    client::{Client, identify},
    config::SecurityConfig,
    engine::Engine,
    judge::bar,
    policy::{Course, Facts, course},
    route::{Prediction, may_be_lazy},
    view::View,
};

use super::{
    facts::{Headers, is_preflight, request_facts, sender},
    future::GuardFuture,
    passage::Passage,
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
        let passage = Passage::new(&self.service, worker, view, client);
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
