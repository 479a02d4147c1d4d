//! Crawlers that are who they say they are.
//!
//! A user agent is easily forged. A client that claims to be a crawler is believed if its address proves it: the name that DNS
//! has for the address lies in a domain of the crawler's operator, and that name has the address (forward-confirmed reverse
//! DNS). Whoever writes a false name for an address of his own cannot also write into the operator's domain.
//!
//! Which crawlers there are is known without the feature `verify-crawlers`, too: the configuration names them.
//! Must not know: what is done for a proven crawler.

#[cfg(feature = "verify-crawlers")]
mod cache;
mod claims;
#[cfg(feature = "verify-crawlers")]
mod expiring;
#[cfg(feature = "verify-crawlers")]
mod health;
#[cfg(feature = "verify-crawlers")]
mod inquiry;
mod operators;
#[cfg(feature = "verify-crawlers")]
mod proof;
#[cfg(feature = "verify-crawlers")]
mod resolvers;
#[cfg(feature = "verify-crawlers")]
mod verifier;

pub(crate) use claims::Crawlers;
pub(crate) use operators::Operator;
#[cfg(feature = "verify-crawlers")]
pub(crate) use resolvers::Resolvers;
#[cfg(feature = "verify-crawlers")]
pub(crate) use verifier::CrawlerVerifier;

#[cfg(feature = "verify-crawlers")]
#[cfg(test)]
mod tests;
