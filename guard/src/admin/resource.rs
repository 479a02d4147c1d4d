//! What is at a path of the scope, and for which methods.
//!
//! Must not know: what is answered.

use actix_web::{
    Resource, Route, guard,
    web::{self, ServiceConfig},
};

use crate::operator::RESOURCE_NAME;

use super::problem::method_not_allowed;

/// To be looked at and nothing else.
const READS: &str = "GET, HEAD";

/// At a path; whatever has another method than these is told so.
pub(super) fn resource(path: &str, allowed: &'static str) -> Resource {
    let otherwise = web::to(move || async move { method_not_allowed(allowed) });
    let resource = web::resource(path).name(RESOURCE_NAME);
    resource.default_service(otherwise)
}

/// A route that only tells something.
pub(super) fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// Adds what one such route makes at a path.
pub(super) fn read_only(config: &mut ServiceConfig, path: &str, route: Route) {
    config.service(resource(path, READS).route(route));
}
