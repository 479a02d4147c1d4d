//! `x-forwarded-for`: addresses separated by commas, each proxy appending the one it was reached from. No standard; as
//! [MDN](https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-For) describes it.
//!
//! A comma always separates, even in quotes: no proxy quotes more than one address.
//!
//! Must not know: who is trusted, or that there are other lines.

use std::net::IpAddr;

use super::hop;

/// The hops of a line from the right, without empty elements; `None` is an unreadable one.
pub(super) fn hops_from_right(line: &[u8]) -> impl Iterator<Item = Option<IpAddr>> {
    line.rsplit(|byte| *byte == b',')
        .map(hop::trim_blanks)
        .filter(|element| !element.is_empty())
        .map(hop::read_trimmed)
}
