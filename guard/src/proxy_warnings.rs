//! What is said of proxies that are not set up as they are meant to be: each once, for it is true of every request.
//!
//! Must not know: settings, requests.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::client::Client;

/// Which warnings were given.
#[derive(Debug, Default)]
pub(crate) struct ProxyWarnings {
    undeclared: AtomicBool,
    silent: AtomicBool,
}

impl ProxyWarnings {
    /// A local peer sends a header with which proxies name the client.
    pub(crate) fn undeclared(&self, peer: &Client) {
        let Some(address) = peer.address().filter(|_| first(&self.undeclared)) else {
            return;
        };
        tracing::warn!(
            peer = %address,
            "a local peer sends a forwarding header, but is no trusted proxy: everybody behind it shares one limit, and nobody is \
             banned. If it is your proxy, add this line to the configuration: trusted_proxies = [\"{address}\"]"
        );
    }

    /// A trusted proxy sent a request in whose header nobody can be read.
    pub(crate) fn silent(&self, proxy: &Client, header: &str) {
        if !first(&self.silent) {
            return;
        }
        tracing::warn!(
            proxy = %proxy, header,
            "a trusted proxy sent a request without a readable client address: such requests are served and not counted, unless \
             infrastructure_limit is set. Health checks of the proxy itself are like that; if visitors are, see whether the proxy sets \
             client_ip_header"
        );
    }
}

fn first(said: &AtomicBool) -> bool {
    !said.load(Ordering::Relaxed) && !said.swap(true, Ordering::Relaxed)
}
