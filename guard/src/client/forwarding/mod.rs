//! The client as proxies name it: which header's lines say what.
//!
//! Lists are walked from the right. Each proxy appends the address that it was reached from, so what the nearest proxy wrote
//! stands rightmost, and everything to the left of what a trusted proxy wrote may be the invention of whoever sent it.
//!
//! Must not know: which peers may send the header, or what follows if nobody is named.

mod forwarded;
mod hop;
mod list;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod single;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use actix_web::http::header::{self, HeaderName};

pub(super) use hop::parse_address;

static X_FORWARDED_FOR: HeaderName = header::X_FORWARDED_FOR;
static FORWARDED: HeaderName = header::FORWARDED;

/// The header with which proxies name the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClientIpHeader {
    XForwardedFor,
    Forwarded,
    /// Any other name: a header that holds one address, such as `cf-connecting-ip`.
    Single(HeaderName),
}

impl ClientIpHeader {
    /// The header of this name.
    pub(crate) fn of(name: HeaderName) -> Self {
        if name == X_FORWARDED_FOR {
            Self::XForwardedFor
        } else if name == FORWARDED {
            Self::Forwarded
        } else {
            Self::Single(name)
        }
    }

    /// The header's name.
    pub(crate) fn name(&self) -> &HeaderName {
        match self {
            Self::XForwardedFor => &X_FORWARDED_FOR,
            Self::Forwarded => &FORWARDED,
            Self::Single(name) => name,
        }
    }
}

/// The client that the header's lines name; `None`: nobody readable.
///
/// In a list it is the rightmost address that is not trusted, if nothing unreadable stands to the right of it. A header
/// with a single address names the client as it stands, even if that is trusted. Addresses are canonical, here and
/// for `is_trusted`: IPv4-mapped IPv6 is IPv4.
pub(crate) fn named_client<'a>(
    header: &ClientIpHeader,
    lines: impl DoubleEndedIterator<Item = &'a [u8]>,
    is_trusted: impl Fn(IpAddr) -> bool,
) -> Option<IpAddr> {
    match header {
        ClientIpHeader::XForwardedFor => {
            first_untrusted(lines.rev().flat_map(list::hops_from_right), is_trusted)
        }
        ClientIpHeader::Forwarded => {
            first_untrusted(lines.rev().flat_map(forwarded::hops_from_right), is_trusted)
        }
        ClientIpHeader::Single(_) => single::address(lines),
    }
}

/// The first hop that is not trusted; an unreadable one (`None`) ends the walk, for what stands behind it was not
/// written by anybody trusted.
fn first_untrusted(
    mut hops: impl Iterator<Item = Option<IpAddr>>,
    is_trusted: impl Fn(IpAddr) -> bool,
) -> Option<IpAddr> {
    hops.find(|hop| hop.is_none_or(|address| !is_trusted(address)))
        .flatten()
}
