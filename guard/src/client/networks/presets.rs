//! Networks that have a name: what `"cloudflare"`, `"loopback"` and `"private"` stand for.
//!
//! Must not know: in which list of the configuration a name stands.

/// A named set of networks, fixed when the crate is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preset {
    /// Addresses from which Cloudflare's proxies reach a server.
    Cloudflare,
    /// This machine itself.
    Loopback,
    /// Networks that the internet does not route. Not loopback, which is a preset of its own: who trusts the machines
    /// around has not yet said that he trusts whatever runs on this one.
    Private,
}

impl Preset {
    const ALL: [Self; 3] = [Self::Cloudflare, Self::Loopback, Self::Private];

    /// The preset with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// How the configuration names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cloudflare => "cloudflare",
            Self::Loopback => "loopback",
            Self::Private => "private",
        }
    }

    /// What it stands for.
    pub(super) fn networks(self) -> &'static [&'static str] {
        match self {
            Self::Cloudflare => &CLOUDFLARE,
            Self::Loopback => &LOOPBACK,
            Self::Private => &PRIVATE,
        }
    }
}

/// <https://www.cloudflare.com/ips-v4> and <https://www.cloudflare.com/ips-v6>, in their order, as of October 2026; copies
/// since October 2022 are the same. Behind a proxy that is missing here visitors are counted as that proxy; of a range
/// that Cloudflare gave up, headers would still be believed. So look whether the list has changed before each release.
const CLOUDFLARE: [&str; 22] = [
    "173.245.48.0/20",
    "103.21.244.0/22",
    "103.22.200.0/22",
    "103.31.4.0/22",
    "141.101.64.0/18",
    "108.162.192.0/18",
    "190.93.240.0/20",
    "188.114.96.0/20",
    "197.234.240.0/22",
    "198.41.128.0/17",
    "162.158.0.0/15",
    "104.16.0.0/13",
    "104.24.0.0/14",
    "172.64.0.0/13",
    "131.0.72.0/22",
    "2400:cb00::/32",
    "2606:4700::/32",
    "2803:f800::/32",
    "2405:b500::/32",
    "2405:8100::/32",
    "2a06:98c0::/29",
    "2c0f:f248::/32",
];

const LOOPBACK: [&str; 2] = [
    // RFC 1122, section 3.2.1.3
    "127.0.0.0/8",
    // RFC 4291, section 2.5.3
    "::1",
];

/// Carrier-grade NAT (100.64.0.0/10, RFC 6598) is left out: behind it are the provider's other customers, not one's own
/// machines.
const PRIVATE: [&str; 6] = [
    // RFC 1918, section 3
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    // Link-local: RFC 3927, section 2.1. Some clouds and container networks number their proxies so.
    "169.254.0.0/16",
    // Unique local: RFC 4193, section 3.1
    "fc00::/7",
    // Link-local: RFC 4291, section 2.5.6
    "fe80::/10",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_found_by_its_name_only() {
        for preset in Preset::ALL {
            assert_eq!(Preset::named(preset.name()), Some(preset));
        }
        for other in ["", "Cloudflare", "cloudflare ", "public", "10.0.0.0/8"] {
            assert_eq!(Preset::named(other), None, "{other}");
        }
    }
}
