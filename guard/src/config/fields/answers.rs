//! Fields of answers, and limits of single routes.
//!
//! Must not know: where values come from, or rules that concern several fields.

use super::super::{
    field::{Field, field},
    raw::Raw,
    routes::{as_routes, from_route},
    values::{Form, as_header_style},
};
use super::set;

/// In the order of the documentation.
pub(super) static FIELDS: &[Field] = &[
    field(
        "rate_limit_headers",
        Form::Word,
        |draft, raw| set(&mut draft.settings.rate_limit_headers, as_header_style(raw)),
        |settings| Some(Raw::text(settings.rate_limit_headers.word())),
    ),
    field(
        "routes",
        Form::Tables,
        |draft, raw| set(&mut draft.settings.routes, as_routes(raw)),
        |settings| match settings.routes.as_slice() {
            [] => None,
            routes => Some(Raw::List(routes.iter().map(from_route).collect())),
        },
    ),
];
