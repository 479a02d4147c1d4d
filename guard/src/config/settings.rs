//! The settings that the rest of the crate reads: validated, with every default filled in.
//!
//! Must not know: how settings are written, loaded or printed.

#[cfg(feature = "verify-crawlers")]
use std::net::SocketAddr;
use std::{path::PathBuf, sync::Arc, time::Duration};

use actix_web::http::{Method, header::HeaderName};

use crate::{
    client::{ClientIpHeader, Networks, Preset, ProxyTrust, UserAgents},
    clock::{Clock, SystemClock},
    crawlers::Crawlers,
    decision::Quota,
    detect::Detector,
    response::RefusalHook,
    route::KeyFunction,
};

use super::detection::DetectionTable;
use super::paths::Paths;
use super::store::{RedisWindows, StoreChoice, StoreFailurePolicy};

/// Which rate limit headers an admitted or limited request is answered with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderStyle {
    /// `RateLimit-Policy` and `RateLimit`, as in draft-ietf-httpapi-ratelimit-headers. The default; in TOML `"draft"`.
    #[default]
    Draft,
    /// `X-RateLimit-*`; in TOML `"legacy"`.
    Legacy,
    /// Both; in TOML `"both"`.
    Both,
    /// None; in TOML `"off"`. `Retry-After` is sent all the same.
    Off,
}

impl HeaderStyle {
    pub(super) const ALL: [Self; 4] = [Self::Draft, Self::Legacy, Self::Both, Self::Off];

    /// The style in TOML and in the environment.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Legacy => "legacy",
            Self::Both => "both",
            Self::Off => "off",
        }
    }
}

/// What puts a client's strikes back to zero, besides a ban, its end, and lifting it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrikeReset {
    /// A clean request: admitted by a window and answered without a report. The default; in TOML `"clean_request"`.
    #[default]
    CleanRequest,
    /// Only time: strikes are kept for this long after the last one, 1 second to 3650 days in whole seconds. In TOML
    /// `{ after = 3600 }`.
    After(Duration),
}

/// A limit for a route that overrides its annotation, or limits a route that has none: one entry of `[[routes]]`.
///
/// ```
/// use actix_web::http::{Method, header::HeaderName};
/// use actix_web_guard::{RouteOverride, SecurityConfig};
///
/// let config = SecurityConfig::builder()
///     .route(RouteOverride::new("/login", 5, 60).method(Method::POST))
///     .build()?;
/// # Ok::<(), actix_web_guard::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteOverride {
    pub(crate) pattern: String,
    pub(crate) method: Option<Method>,
    pub(crate) quota: Quota,
}

impl RouteOverride {
    /// So many requests (1 to 1,000,000,000) in a window of so many seconds (1 to 366 days), for any method, at a full
    /// route pattern: with the prefixes of its scopes, as in `/v1/items/{id}`. It is checked when the configuration is
    /// built.
    #[must_use]
    pub fn new(pattern: impl Into<String>, requests: u32, window_seconds: u64) -> Self {
        Self {
            pattern: pattern.into(),
            method: None,
            quota: Quota {
                requests,
                window_millis: window_seconds.saturating_mul(1000),
            },
        }
    }

    /// Only for this method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }
}

/// Everything that the rest of the crate reads of a configuration.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) global: Quota,
    pub(crate) auto_ban_threshold: u32,
    pub(crate) auto_ban_duration: Duration,
    pub(crate) enable_rate_limiting: bool,
    pub(crate) enable_ip_banning: bool,
    pub(crate) enable_detection: bool,
    pub(crate) passive: bool,
    pub(crate) count_rejected: bool,
    pub(crate) strike_reset: StrikeReset,
    /// How long strikes are kept after the last one.
    pub(crate) strike_ttl: Duration,
    /// Strikes nearer together than this count as one; zero: every strike counts.
    pub(crate) strike_interval: Duration,
    pub(crate) routes: Vec<RouteOverride>,
    pub(crate) exempt_ips: Networks,
    pub(crate) exempt_user_agents: UserAgents,
    pub(crate) exempt_paths: Paths,
    pub(crate) exempt_loopback: bool,
    pub(crate) exempt_crawlers: Crawlers,
    /// Empty: those of the operating system.
    #[cfg(feature = "verify-crawlers")]
    pub(crate) crawler_name_servers: Vec<SocketAddr>,
    pub(crate) banned_user_agents: UserAgents,
    pub(crate) denied_ips: Networks,
    pub(crate) proxy_trust: ProxyTrust,
    /// Requests of each trusted proxy in the global window that name no client; `None`: they are not counted.
    pub(crate) infrastructure_limit: Option<u32>,
    /// What the global window counts by; `None`: the client's address.
    pub(crate) key_by: Option<KeyFunction>,
    pub(crate) ipv6_prefix: u8,
    pub(crate) store: StoreChoice,
    pub(crate) redis_sentinel_master: Option<String>,
    pub(crate) redis_prefix: String,
    pub(crate) redis_cluster: bool,
    pub(crate) redis_timeout: Duration,
    pub(crate) redis_windows: RedisWindows,
    pub(crate) on_store_failure: StoreFailurePolicy,
    pub(crate) max_clients: usize,
    pub(crate) max_bans: usize,
    pub(crate) ban_file: Option<PathBuf>,
    pub(crate) ban_cache_entries: usize,
    pub(crate) rate_limit_headers: HeaderStyle,
    /// Statuses of answers that are strikes.
    pub(crate) strike_on_status: Vec<u16>,
    /// Answers with 404 in the global window of which each more is a strike; `None`: none is.
    pub(crate) not_found_limit: Option<u32>,
    pub(crate) detection: DetectionTable,
    pub(crate) detectors: Vec<Arc<dyn Detector>>,
    pub(crate) on_refusal: Option<RefusalHook>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Settings {
    /// Whether windows are counted by this process for itself.
    pub(crate) fn counts_in_this_process(&self) -> bool {
        self.store == StoreChoice::Memory || self.redis_windows == RedisWindows::Local
    }

    /// Whether detectors look at bodies.
    #[inline]
    pub(crate) fn looks_at_bodies(&self) -> bool {
        self.enable_detection && self.detection.detection.body_bytes > 0
    }
}

/// For traffic of Workers, `X-Forwarded-For` has an address of Cloudflare's own on the right, and a walk would go past it:
/// <https://developers.cloudflare.com/fundamentals/reference/http-headers/>.
const CF_CONNECTING_IP: HeaderName = HeaderName::from_static("cf-connecting-ip");

const DEFAULT_BAN: Duration = Duration::from_secs(300);

impl Default for Settings {
    fn default() -> Self {
        Self {
            global: Quota {
                requests: 50,
                window_millis: 60_000,
            },
            auto_ban_threshold: 5,
            auto_ban_duration: DEFAULT_BAN,
            enable_rate_limiting: true,
            enable_ip_banning: true,
            enable_detection: true,
            passive: false,
            count_rejected: true,
            strike_reset: StrikeReset::CleanRequest,
            strike_ttl: DEFAULT_BAN,
            strike_interval: Duration::ZERO,
            routes: Vec::new(),
            exempt_ips: Networks::default(),
            exempt_user_agents: UserAgents::default(),
            exempt_paths: Paths::default(),
            exempt_loopback: false,
            exempt_crawlers: Crawlers::default(),
            #[cfg(feature = "verify-crawlers")]
            crawler_name_servers: Vec::new(),
            banned_user_agents: UserAgents::default(),
            denied_ips: Networks::default(),
            proxy_trust: ProxyTrust::nobody(),
            infrastructure_limit: None,
            key_by: None,
            ipv6_prefix: 64,
            store: StoreChoice::Memory,
            redis_sentinel_master: None,
            redis_prefix: "guard:".to_owned(),
            redis_cluster: false,
            redis_timeout: Duration::from_millis(250),
            redis_windows: RedisWindows::Shared,
            on_store_failure: StoreFailurePolicy::Local,
            max_clients: 1_000_000,
            max_bans: 100_000,
            ban_file: None,
            ban_cache_entries: 10_000,
            rate_limit_headers: HeaderStyle::Draft,
            strike_on_status: Vec::new(),
            not_found_limit: None,
            detection: DetectionTable::default(),
            detectors: Vec::new(),
            on_refusal: None,
            clock: SystemClock::shared(),
        }
    }
}

/// Settings under construction: fields whose default depends on others are still open.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) settings: Settings,
    pub(super) strike_ttl: Option<Duration>,
    pub(super) client_ip_header: Option<ClientIpHeader>,
}

impl Draft {
    /// Fills in the defaults that depend on other fields.
    pub(super) fn resolve(self) -> Settings {
        let mut settings = self.settings;
        let default_ttl = match settings.strike_reset {
            StrikeReset::CleanRequest => settings.auto_ban_duration,
            StrikeReset::After(duration) => duration,
        };
        settings.strike_ttl = self.strike_ttl.unwrap_or(default_ttl);
        let trust = &mut settings.proxy_trust;
        trust.header = match self.client_ip_header {
            Some(header) => header,
            None if trust.networks.has_preset(Preset::Cloudflare) => {
                ClientIpHeader::Single(CF_CONNECTING_IP)
            }
            None => ClientIpHeader::XForwardedFor,
        };
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strikes_live_as_long_as_was_said_or_as_the_reset_or_as_a_ban() {
        let [ban, after, ttl] = [100, 200, 300].map(Duration::from_secs);
        let cases = [
            (StrikeReset::CleanRequest, None, ban),
            (StrikeReset::CleanRequest, Some(ttl), ttl),
            (StrikeReset::After(after), None, after),
            (StrikeReset::After(after), Some(ttl), ttl),
        ];
        for (strike_reset, strike_ttl, expected) in cases {
            let settings = Settings {
                auto_ban_duration: ban,
                strike_reset,
                ..Settings::default()
            };
            let resolved = Draft {
                settings,
                strike_ttl,
                ..Draft::default()
            }
            .resolve();
            assert_eq!(resolved.strike_ttl, expected, "{strike_reset:?}");
        }
    }
}
