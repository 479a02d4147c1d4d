//! The function stays what it is, and the generated code is no cause for warnings.

#![deny(warnings, missing_docs, unused_qualifications)]

use std::future::{Future, Ready, ready};

use actix_web::{App, HttpRequest, HttpResponse, Responder, get, post, web};
use actix_web_guard::rate_limit;

/// Documented above the attribute.
#[rate_limit(requests = 5, window = 60)]
#[get("/above")]
pub async fn documented_above() -> impl Responder {
    "above"
}

#[rate_limit(requests = 5, window = 60)]
/// Documented between
/// the attributes.
#[get("/between")]
#[doc(alias = "middle")]
pub async fn documented_between() -> impl Responder {
    "between"
}

mod visible {
    use super::*;

    #[rate_limit(requests = 5, window = 60)]
    #[get("/crate")]
    pub(crate) async fn in_the_crate() -> impl Responder {
        "crate"
    }

    #[rate_limit(requests = 5, window = 60)]
    #[get("/super")]
    pub(super) async fn above() -> impl Responder {
        "super"
    }
}

// The names that generated code might have taken.
#[rate_limit(requests = 5, window = 60)]
#[post("/req/{id}")]
async fn arguments(
    req: HttpRequest,
    request: web::Payload,
    config: web::Path<u32>,
    _: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, actix_web::Error> {
    let _ = (req, request);
    let __resource = config.into_inner();
    Ok(HttpResponse::Ok().body(__resource.to_string()))
}

#[rate_limit(requests = 5, window = 60)]
#[get("/raw")]
async fn r#type() -> impl Responder {
    "raw"
}

// Not `async`, and a handler all the same: it returns a future.
#[rate_limit(requests = 5, window = 60)]
#[get("/future")]
fn returns_a_future() -> impl Future<Output = impl Responder> {
    async { "future" }
}

#[rate_limit(requests = 5, window = 60)]
#[get("/ready")]
fn returns_ready() -> Ready<&'static str> {
    ready("ready")
}

// Attributes above, between and below.
#[allow(non_snake_case)]
#[rate_limit(requests = 5, window = 60)]
#[must_use]
#[get("/attributes")]
#[inline(never)]
async fn Attributes() -> impl Responder {
    "attributes"
}

// Of two functions with one name, one is there.
#[cfg(any())]
#[rate_limit(requests = 5, window = 60)]
#[get("/cfg")]
async fn configured() -> Missing {
    missing()
}

#[rate_limit(requests = 5, window = 60)]
#[cfg(all())]
#[get("/cfg")]
async fn configured() -> impl Responder {
    "cfg"
}

#[cfg_attr(all(), rate_limit(requests = 5, window = 60))]
#[cfg_attr(all(), get("/cfg-attr"))]
async fn configured_attributes() -> impl Responder {
    "cfg-attr"
}

#[rate_limit(requests = 5, window = 60)]
#[get("/cfg-below")]
#[cfg(any())]
async fn gone() -> Missing {
    missing()
}

macro_rules! handlers {
    ($($vis:vis $name:ident, $path:literal, $requests:expr, $key:path;)*) => {$(
        #[rate_limit(requests = $requests, window = "1m", key = $key)]
        #[get($path)]
        $vis async fn $name() -> impl Responder {
            $path
        }
    )*};
    ($item:item) => {
        #[rate_limit(requests = 5, window = 60, key = crate::by_nothing)]
        $item
    };
}

handlers! {
    from_macro, "/macro", 5, by_nothing;
    pub(crate) other_from_macro, "/other-macro", 6, crate::by_nothing;
}

handlers! {
    #[get("/item")]
    async fn item() -> impl Responder {
        "item"
    }
}

macro_rules! literals {
    ($($(#[$attribute:meta])* $vis:vis fn $name:ident();)*) => {$(
        $(#[$attribute])*
        $vis async fn $name() -> impl Responder {
            stringify!($name)
        }
    )*};
    ($name:ident, $path:literal, $requests:literal, $window:literal, $limit:expr) => {
        #[rate_limit(requests = $requests, window = $window, name = $limit)]
        #[get($path)]
        async fn $name() -> impl Responder {
            $path
        }
    };
}

literals! {
    #[rate_limit(requests = 5, window = 60, name = "stacked")]
    #[rate_limit(requests = 50, window = "1h")]
    #[actix_web::get("/attributes-through-macro")]
    pub(crate) fn with_attributes();
}

literals!(with_literals, "/literals", 1_000, 0x10, "limit");

fn by_nothing(_: &actix_web::dev::ServiceRequest) -> Option<std::borrow::Cow<'_, str>> {
    None
}

fn main() {
    let _ = App::new()
        .service(documented_above)
        .service(documented_between)
        .service(visible::in_the_crate)
        .service(visible::above)
        .service(arguments)
        .service(r#type)
        .service(returns_a_future)
        .service(returns_ready)
        .service(Attributes)
        .service(configured)
        .service(configured_attributes)
        .service(from_macro)
        .service(other_from_macro)
        .service(item)
        .service(with_attributes)
        .service(with_literals);
}
