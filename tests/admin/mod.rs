//! The admin scope: who gets in, and what operators see and do.

mod access;
mod bans;
mod clients;
mod cross_site;
mod described;
mod overview;
mod page;

use actix_web::test::TestRequest;
use actix_web_guard::admin::Auth;

use crate::support::request;

pub(crate) const TOKEN: &str = "b7Ypd0QWnL2kZ8sT";

/// A guarded application with an admin scope at `/guard`; everything else is answered.
macro_rules! app {
    ($config:expr) => {
        crate::admin::app!($config, crate::admin::operators())
    };
    ($config:expr, $auth:expr) => {
        actix_web::test::init_service(
            actix_web::App::new()
                .service(actix_web_guard::admin::scope("/guard", $auth))
                .default_service(actix_web::web::to(actix_web::HttpResponse::Ok))
                .wrap(actix_web_guard::Guard::new($config.clone())),
        )
        .await
    };
}

pub(crate) use app;

pub(crate) fn operators() -> Auth {
    Auth::token(TOKEN).unwrap()
}

/// A request of an operator, from the peer of all requests.
pub(crate) fn operator(method: &str, path: &str) -> TestRequest {
    request(method, path).insert_header(("authorization", format!("Bearer {TOKEN}")))
}

/// The JSON of an answer.
pub(crate) fn json(answer: &crate::support::Answer) -> serde_json::Value {
    let parsed = serde_json::from_str(&answer.body);
    parsed.unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}
