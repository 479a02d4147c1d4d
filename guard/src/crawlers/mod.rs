//! Crawlers that are who they say they are.
//!
//! A user agent is easily forged. A client that claims to be a crawler is believed if its address proves it: the name that DNS
//! has for the address lies in a domain of the crawler's operator, and that name has the address (forward-confirmed reverse
//! DNS). Whoever writes a false name for an address of his own cannot also write into the operator's domain.
//!
//! Must not know: what is done for a proven crawler.
#![cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "the configuration and the middleware don't use it yet"
    )
)]
#![expect(
    unused_imports,
    reason = "the configuration and the middleware don't use it yet"
)]

mod claims;
mod operators;

pub(crate) use claims::{CrawlerError, Crawlers};
pub(crate) use operators::{Operator, names, operator};
