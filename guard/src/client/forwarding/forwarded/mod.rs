//! `forwarded`, in the grammar of [RFC 7239, section 4](https://www.rfc-editor.org/rfc/rfc7239#section-4), with the
//! nodes of [section 6](https://www.rfc-editor.org/rfc/rfc7239#section-6):
//!
//! ```text
//! Forwarded         = 1#forwarded-element
//! forwarded-element = [ forwarded-pair ] *( ";" [ forwarded-pair ] )
//! forwarded-pair    = token "=" value
//! value             = token / quoted-string
//! ```
//!
//! Elements are found from the right, each is read from the left. An element that breaks the grammar is unreadable, and
//! so is one without `for` or with two. More than the grammar allows, this much is read, because proxies send it:
//!
//! - A value without quotes may hold colons and brackets: `for=198.51.100.7:80`, `for=2001:db8::1`.
//! - Blanks may stand around `;`, as they may around `,`.
//!
//! Must not know: who is trusted, or that there are other lines.

mod element;
mod separator;
#[cfg(test)]
mod tests;
mod value;

use std::net::IpAddr;

use super::hop;

/// The hops of a line from the right, without empty elements; `None` is an unreadable one.
pub(super) fn hops_from_right(line: &[u8]) -> impl Iterator<Item = Option<IpAddr>> {
    separator::elements_from_right(line)
        .map(hop::trim_blanks)
        .filter(|element| !element.is_empty())
        .map(read)
}

fn read(element: &[u8]) -> Option<IpAddr> {
    let node = element::node(element)?;
    hop::parse_bytes(&node.content())
}
