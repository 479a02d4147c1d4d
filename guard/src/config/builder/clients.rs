//! Setters of the fields about who is asking.
//!
//! Must not know: the rules of the fields.

use super::{Raw, SecurityConfigBuilder};

/// Who is asking: proxies, and lists of those that are exempt or denied.
impl SecurityConfigBuilder {
    /// Addresses and networks that are served without being counted, and never banned; also `cloudflare`, `loopback`, `private`, and
    /// `file:PATH` with one address or network a line, which a reload reads again. Default empty.
    pub fn exempt_ips(self, networks: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("exempt_ips", Raw::texts(networks))
    }

    /// User agents that are served without being counted, and never banned: texts that they contain, in any case, or
    /// `preset:uptime-monitors` and `preset:search-crawlers`. A user agent is the sender's to forge: detectors still look at such
    /// requests and refuse what they flag. Default empty.
    pub fn exempt_user_agents(self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("exempt_user_agents", Raw::texts(texts))
    }

    /// Paths that are served without being counted, for any method: route patterns such as `/health` or `/static/{tail}*`, never
    /// prefixes. Default empty.
    pub fn exempt_paths(self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("exempt_paths", Raw::texts(patterns))
    }

    /// Crawlers that are served without being counted once their address has proven that they are whom their user agent names:
    /// `googlebot`, `bingbot`, and others. Needs the feature `verify-crawlers`; default empty.
    pub fn exempt_crawlers(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("exempt_crawlers", Raw::texts(names))
    }

    /// User agents that are refused: texts that they contain, in any case, or presets as for
    /// [`exempt_user_agents`](Self::exempt_user_agents); default empty.
    pub fn banned_user_agents(self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("banned_user_agents", Raw::texts(texts))
    }

    /// Peers that are believed when they name the client: addresses and networks, `unix` for whatever comes over a Unix socket,
    /// `cloudflare`, `loopback`, `private`, and `file:PATH` with one address or network a line. Default empty.
    pub fn trusted_proxies(self, proxies: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("trusted_proxies", Raw::texts(proxies))
    }

    /// The header in which trusted proxies name the client: `x-forwarded-for` or `forwarded`, which are walked from the right past
    /// trusted addresses, or any other, such as `x-real-ip`, which names one. Default `x-forwarded-for`, and `cf-connecting-ip` with
    /// the preset `cloudflare`.
    pub fn client_ip_header(self, name: impl Into<String>) -> Self {
        self.give("client_ip_header", Raw::text(name))
    }

    /// Requests in a `rate_limit_window` of each trusted proxy that name no client, as health checks of the proxy itself: 1 to
    /// 1,000,000,000; default none: they are not counted.
    pub fn infrastructure_limit(self, requests: i64) -> Self {
        self.integer("infrastructure_limit", requests)
    }

    /// Whether peers on loopback are exempt. Behind a proxy on the same host this would exempt the world; default
    /// false.
    pub fn exempt_loopback(self, exempt: bool) -> Self {
        self.switch("exempt_loopback", exempt)
    }

    /// Addresses and networks that are refused, with presets and files as for [`exempt_ips`](Self::exempt_ips); default empty.
    pub fn denied_ips(self, networks: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.give("denied_ips", Raw::texts(networks))
    }

    /// IPv6 clients of one network of this prefix length are one client: 1 to 128 bits; default 64.
    pub fn ipv6_prefix(self, bits: i64) -> Self {
        self.integer("ipv6_prefix", bits)
    }
}
