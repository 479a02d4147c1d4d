//! What is said when something is wrong (RFC 9457).
//!
//! Must not know: what was asked.

use std::fmt;

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
};

use crate::handle::GuardError;

/// A response that says in words what is wrong.
pub(super) fn problem(status: StatusCode, detail: impl fmt::Display) -> HttpResponse {
    let body = serde_json::json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or_default(),
        "status": status.as_u16(),
        "detail": detail.to_string(),
    });
    HttpResponse::build(status)
        .content_type("application/problem+json")
        .body(body.to_string())
}

/// Nothing is at that path.
pub(super) async fn not_found() -> HttpResponse {
    problem(StatusCode::NOT_FOUND, "there is nothing at this path")
}

/// There is something at that path, but only for these methods.
pub(super) fn method_not_allowed(allowed: &'static str) -> HttpResponse {
    let mut response = problem(
        StatusCode::METHOD_NOT_ALLOWED,
        "nothing at this path answers to this method",
    );
    let allowed = HeaderValue::from_static(allowed);
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}

/// A request that can't be done.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    detail: String,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl fmt::Display) -> Self {
        Self {
            status,
            detail: detail.to_string(),
        }
    }

    /// The request says something that can't be.
    pub(super) fn unprocessable(detail: impl fmt::Display) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        problem(self.status, &self.detail)
    }
}

impl From<GuardError> for Problem {
    fn from(error: GuardError) -> Self {
        Self::new(error.status_code(), error)
    }
}
