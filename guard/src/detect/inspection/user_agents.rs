//! The `User-Agent` of a request, which several detectors look at: looked up once for all of them.
//!
//! Must not know: what is looked for in it.

use actix_web::http::header::{self, HeaderName};

use super::{
    super::{RequestFacts, harmless},
    findings::beginning_of_header,
};

pub(super) static USER_AGENT: HeaderName = header::USER_AGENT;

/// The `User-Agent` lines of a request, of which all but a few have one.
pub(super) struct UserAgents<'a> {
    pub(super) first: Option<&'a [u8]>,
    /// Who is known to find nothing in the first.
    pub(super) known_to: u64,
    pub(super) others: Vec<&'a [u8]>,
}

impl<'a> UserAgents<'a> {
    #[inline]
    pub(super) fn of(request: &RequestFacts<'a>) -> Self {
        let (mut first, mut others) = (None, Vec::new());
        request.each_named(&USER_AGENT, &mut |value| {
            let value = beginning_of_header(value);
            if first.is_none() {
                first = Some(value);
            } else {
                others.push(value);
            }
        });
        Self {
            first,
            known_to: first.map_or(0, harmless::known_to),
            others,
        }
    }
}
