//! For operators: who is banned and why, what is refused, which limits are in force; bans are set and lifted. As JSON, and as one page
//! for people. With the feature `admin`.
//!
//! ```
//! use actix_web::{App, web};
//! use actix_web_guard::{Guard, SecurityConfig, admin};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let secret = "b7Ypd0QWnL2kZ8sT";
//! let guard = Guard::new(SecurityConfig::builder().build()?);
//! let operators = admin::Auth::token(secret)?; // at least 16 bytes
//! let factory = move || {
//!     App::new()
//!         .service(admin::scope("/guard", operators.clone()))
//!         .wrap(guard.clone())
//! };
//! # drop(factory);
//! # Ok(())
//! # }
//! ```
//!
//! The page is then at `/guard/`, and the description of the endpoints (OpenAPI 3.1) at `/guard/api/openapi.json`.
//!
//! - An operator gets in whose own address is banned or over a limit: the proof is looked at before bans and limits. Addresses in
//!   `denied_ips` and user agents in `banned_user_agents` are refused before that.
//! - Wrong attempts have a window of their own: 10 of a client in any minute, in each process; until then nothing is looked at, and the
//!   answer is 429. What operators do is in no window and never a strike.
//! - Requests that another site makes a browser send are refused, so a password that the browser remembers can't be misused (403).
//! - Counters and top offenders are those of this process in the last hour; with Redis, bans are those of all processes.
//!
// Must not know: how decisions are made.

mod access;
mod answers;
mod bans;
mod cross_site;
mod endpoints;
mod page;
mod problem;
mod resource;

use actix_web::{
    Error, Scope,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    web::{self, PayloadConfig},
};

use access::Access;

pub use crate::operator::{Auth, WeakToken};

/// No request that the endpoints understand is longer.
const LONGEST_BODY: usize = 16 * 1024;

/// A scope with the endpoints and the page for operators, to be mounted inside an application that the [`Guard`](crate::Guard) is
/// wrapped around; see the [module](self).
///
/// # Panics
///
/// If `path` is not a path of its own, such as `/guard`: when the application is built, not when it serves.
pub fn scope(
    path: &str,
    auth: Auth,
) -> Scope<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let path = path.trim_end_matches('/');
    let is_own = path.starts_with('/') && !path.contains(['{', '}', '?', '#', '%']);
    assert!(
        is_own,
        "admin::scope: {path:?} is no path to mount at: use one of its own without patterns, such as \"/guard\""
    );
    Scope::new(path)
        .app_data(PayloadConfig::new(LONGEST_BODY))
        .configure(page::mount)
        .service(
            web::scope("/api")
                .configure(endpoints::mount)
                .default_service(web::to(problem::not_found)),
        )
        .default_service(web::to(problem::not_found))
        .wrap(Access::new(path.to_owned(), auth))
}

#[cfg(test)]
mod tests;
