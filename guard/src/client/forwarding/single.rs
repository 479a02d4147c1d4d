//! A header with one address, such as `cf-connecting-ip`, which the proxy writes itself instead of appending to it:
//! [Cloudflare](https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-connecting-ip).
//!
//! Must not know: who is trusted.

use std::net::IpAddr;

use super::hop;

/// The address in the only line. A second line or a list is unreadable: nothing says which value the proxy wrote.
pub(super) fn address<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> Option<IpAddr> {
    let line = lines.next()?;
    match lines.next() {
        Some(_) => None,
        None => hop::read(line),
    }
}
