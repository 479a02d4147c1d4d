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
    client::{Client, Role},
    config::SecurityConfig,
    engine::Engine,
    judge::{bar, count_refusal, say_pass},
    policy::{Barred, Course, Pass, course},
    route::{Prediction, may_be_lazy},
    telemetry::RequestOutcome,
    view::View,
};

use super::{
    facts::{Asked, client_of},
    future::GuardFuture,
    passage::Passage,
    signals::Signals,
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
    #[inline]
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

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let Some(worker) = self.worker(&request) else {
            return misconfigured(request);
        };
        let view = worker.view();
        let now = || view.settings.clock.now_millis();
        view.engine.meters.refresh(&view.engine, now);
        let mut client = client_of(&request, &view);
        if !introduce(&request, &client) {
            return GuardFuture::Forward {
                inner: self.service.call(request),
            };
        }
        warn_of_proxies(&view, &client);
        let facts = Asked {
            request: &request,
            client: &client,
            view: &view,
        };
        let course = course(&view.settings, &client, &facts);
        if let Course::Serve(pass) = course {
            let_pass(&request, &view, &mut client, pass);
        }
        let signals = match course {
            Course::Decide(_) => Signals::of(&mut request, &view, &client),
            Course::Serve(_) | Course::Refuse(_) => None,
        };
        let passage = Passage::new(&self.service, worker, &view, &client, signals);
        match course {
            Course::Serve(_) => passage.serve_uncounted(request),
            Course::Refuse(barred) => {
                count_barred(&view, &client, &barred, &request);
                match bar(&view, &client, &barred, request.path()) {
                    Some(refusal) => passage.refuse(request, &refusal),
                    None => passage.serve_uncounted(request),
                }
            }
            Course::Decide(question) => passage.decide(question, request),
        }
    }
}

/// Whoever is served uncounted is not struck for what a handler reports either.
fn let_pass(request: &ServiceRequest, view: &View, client: &mut Client, pass: Pass) {
    say_pass(view, client, pass);
    if pass == Pass::Infrastructure {
        view.infrastructure_meter().count(RequestOutcome::Exempt);
        return;
    }
    if pass != Pass::Operator {
        view.default_meter().count(RequestOutcome::Exempt);
    }
    client.exempt();
    if let Some(known) = request.extensions_mut().get_mut::<Client>() {
        known.exempt();
    }
}

/// Counts a request that is refused at once.
fn count_barred(view: &View, client: &Client, barred: &Barred, request: &ServiceRequest) {
    let outcome = match barred {
        Barred::UserAgent | Barred::Address => RequestOutcome::Denied,
        Barred::Threat(_) => RequestOutcome::Threat,
        Barred::Banned => {
            view.engine.meters.hot_ban_hit();
            RequestOutcome::Banned
        }
    };
    view.default_meter().count(outcome);
    count_refusal(view, client, outcome, Some(request));
}

/// Puts the client into the request's extensions. No, if this guard has had its turn: it is wrapped twice.
#[inline]
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

/// Of proxies that don't do what they are there for, once.
#[inline]
fn warn_of_proxies(view: &View, client: &Client) {
    match client.role() {
        Role::Client | Role::Exempt | Role::Unknown => {}
        Role::UndeclaredProxy => view.engine.proxy_warnings.undeclared(client),
        Role::Infrastructure => {
            view.engine.meters.unresolved_client();
            let header = view.settings.proxy_trust.header.name().as_str();
            view.engine.proxy_warnings.silent(client, header);
        }
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
