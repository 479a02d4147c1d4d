//! What can be wrong with a call of the handle.

use std::{fmt, time::Duration};

use actix_web::{
    HttpResponse, ResponseError,
    http::{StatusCode, header::ContentType},
};

use crate::config::ConfigError;

/// Why a call of the [handle](crate::GuardHandle) failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GuardError {
    /// `enable_ip_banning` is off.
    BanningDisabled,
    /// Not an address.
    InvalidAddress(String),
    /// Bans last from a second to ten years.
    InvalidDuration(Duration),
    /// A reload can't read the files of this configuration.
    Config(ConfigError),
    /// A reload can't change this field.
    FixedAtStart(&'static str),
    /// No guard has seen the request.
    NoGuard,
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BanningDisabled => f.write_str("enable_ip_banning is off: nobody can be banned"),
            Self::InvalidAddress(text) => write!(f, "address: {text:?} is not an address"),
            Self::InvalidDuration(duration) => {
                write!(
                    f,
                    "duration: a ban lasts from 1 second to 10 years, not {duration:?}"
                )
            }
            Self::Config(error) => error.fmt(f),
            Self::FixedAtStart(field) => {
                write!(f, "{field}: can't be changed by a reload: restart")
            }
            Self::NoGuard => f.write_str("no Guard is wrapped around this request's application"),
        }
    }
}

impl std::error::Error for GuardError {}

/// For handlers that answer with it: what may come from the sender of a request is told to him; the rest is the application's, and
/// for the log.
impl ResponseError for GuardError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::InvalidAddress(_) | Self::InvalidDuration(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::BanningDisabled => StatusCode::CONFLICT,
            Self::Config(_) | Self::FixedAtStart(_) | Self::NoGuard => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    fn error_response(&self) -> HttpResponse {
        let status = self.status_code();
        if status.is_server_error() {
            tracing::error!(error = %self, "a handler asked for the guard");
            return HttpResponse::new(status);
        }
        HttpResponse::build(status)
            .content_type(ContentType::plaintext())
            .body(self.to_string())
    }
}
