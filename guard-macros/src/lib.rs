//! The [`macro@rate_limit`] attribute of [actix-web-guard].
//!
//! Use it through that crate, as `actix_web_guard::rate_limit`: the code it generates needs it.
//!
//! [actix-web-guard]: https://docs.rs/actix-web-guard

#![forbid(unsafe_code)]

mod annotation;
mod args;
mod check;
mod expand;
mod item;
mod mistakes;
mod route;
mod value;

use proc_macro::TokenStream;

/// Limits the requests to one handler, in place of the global limit.
///
/// ```ignore
/// use actix_web::{Responder, get};
/// use actix_web_guard::rate_limit;
///
/// /// At most 5 requests in any 60 seconds from one client.
/// #[rate_limit(requests = 5, window = 60)]
/// #[get("/public")]
/// async fn public_endpoint() -> impl Responder {
///     "hello"
/// }
/// ```
///
/// The attribute only describes the limit. It is enforced where the application is wrapped in the `Guard`
/// middleware; without it the handler is not limited.
///
/// # Arguments
///
/// | Argument | | Meaning |
/// |---|---|---|
/// | `requests = 5` | required | how many requests a window allows, a number from 1 to 4294967295 |
/// | `window = 60` | required | the length of the window: seconds, or a number with one unit in quotes: `"90s"`, `"5m"`, `"1h"`, `"1d"`; at least 1 second, at most 366 days |
/// | `name = "burst"` | optional | the name of the limit in the `RateLimit` headers, 1 to 64 printable ASCII characters without `"` and `\`; without it, the path pattern of the route |
/// | `key = path::to::function` | optional | what to count by, see [below](#counting-by-something-else) |
/// | `exempt` | alone | no limit, see [below](#no-limit) |
/// | `crate = path` | optional, with any others | where this crate finds actix-web-guard, if not by that name, see [below](#by-another-name) |
/// | `detection = "off"` | optional, with any others or alone | detectors leave the route alone, for handlers that people post code or markup to; alone, the route has no limit of its own |
///
/// Values are literals, but for the two paths. A mistake is a compile error that says what to write instead.
///
/// # Where to put it
///
/// **Above** the route attribute: `#[get]`, `#[post]`, `#[put]`, `#[delete]`, `#[head]`, `#[connect]`, `#[options]`,
/// `#[trace]`, `#[patch]`, `#[query]`, `#[route]` or `#[routes]`. Attributes take effect from top to bottom, and a
/// route attribute leaves nothing to annotate. Other attributes may stand above, between and below.
///
/// With several routes on one handler, each of them gets the limit. Routes with the same path share its count:
///
/// ```ignore
/// /// GET and POST of `/items` count together; `/things` counts on its own.
/// #[rate_limit(requests = 100, window = "1m")]
/// #[routes]
/// #[get("/items")]
/// #[post("/items")]
/// #[get("/things")]
/// async fn items() -> impl Responder {
///     "items"
/// }
/// ```
///
/// Inside a module with actix-web's `#[scope("/prefix")]` it works as anywhere else. Handlers that are registered
/// without a route attribute, and whole scopes, are limited with `.wrap(RouteLimit::new(5, 60))`.
///
/// # Several limits
///
/// Attributes stack; a request must be within all of them. The limits are told apart by name, and one may go
/// without:
///
/// ```ignore
/// #[rate_limit(requests = 10, window = "1s", name = "burst")]
/// #[rate_limit(requests = 1000, window = "1d")]
/// #[get("/search")]
/// async fn search() -> impl Responder {
///     "found"
/// }
/// ```
///
/// Stacked attributes must be written `rate_limit`, or with a path that ends in it. A name given by
/// `use actix_web_guard::rate_limit as limit` works for a single attribute, but is not recognised as part of a
/// stack.
///
/// # No limit
///
/// `exempt` takes the handler out of the global limit. It cannot be combined with other arguments or attributes:
///
/// ```ignore
/// #[rate_limit(exempt)]
/// #[get("/health")]
/// async fn health() -> impl Responder {
///     "ok"
/// }
/// ```
///
/// # Counting by something else
///
/// Requests are counted by the address of the client. With `key` they are counted by the text that a function finds in
/// the request: an API key, a user. For `None` the address counts.
///
/// ```ignore
/// use std::borrow::Cow;
///
/// use actix_web::dev::ServiceRequest;
///
/// fn by_api_key(request: &ServiceRequest) -> Option<Cow<'_, str>> {
///     let key = request.headers().get("x-api-key")?;
///     key.to_str().ok().map(Cow::Borrowed)
/// }
///
/// #[rate_limit(requests = 100, window = "1h", key = by_api_key)]
/// #[get("/reports")]
/// async fn reports() -> impl Responder {
///     "reports"
/// }
/// ```
///
/// Anyone can send any header: count by what has been verified before, or stack a limit by address on top.
///
/// # What it becomes
///
/// The function stays as it is. Each route attribute gets one more option, `wrap = "…"`, with the middleware that
/// carries the limit; it is the outermost of the route's own middleware.
///
/// # By another name
///
/// The generated code refers to the crate as `::actix_web_guard`. Where the dependency is renamed in `Cargo.toml`, or comes
/// through another crate that exports it, `crate` has the path to it, plain or in quotes:
///
/// ```ignore
/// // guard = { package = "actix-web-guard", version = "0.1" }
/// #[guard::rate_limit(requests = 5, window = 60, crate = guard)]
/// #[get("/renamed")]
/// async fn renamed() -> impl Responder {
///     "renamed"
/// }
///
/// #[framework::guard::rate_limit(requests = 5, window = 60, crate = framework::guard)]
/// #[get("/exported")]
/// async fn exported() -> impl Responder {
///     "exported"
/// }
/// ```
///
/// Of stacked attributes, one is enough to have it. A `macro_rules!` of another crate writes that crate's name rather than `$crate`.
#[proc_macro_attribute]
pub fn rate_limit(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::rate_limit(arguments.into(), item.into()).into()
}
