//! Programs that are known by their user agents, as the presets name them.
//!
//! Must not know: what becomes of their requests.

use crate::client::UserAgents;

use super::KnownAgent;

/// The presets, ready to be looked for.
pub(super) struct KnownAgents([(KnownAgent, UserAgents); 2]);

impl KnownAgents {
    pub(super) fn new() -> Self {
        let preset = |kind, name| (kind, UserAgents::parse([name]).unwrap_or_default());
        Self([
            preset(KnownAgent::UptimeMonitor, "preset:uptime-monitors"),
            preset(KnownAgent::SearchCrawler, "preset:search-crawlers"),
        ])
    }

    pub(super) fn find(&self, user_agent: &[u8]) -> Option<KnownAgent> {
        let mut kinds = self.0.iter();
        let found = kinds.find(|(_, texts)| texts.matches(user_agent));
        found.map(|(kind, _)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_the_presets() {
        let agents = KnownAgents::new();
        for (user_agent, expected) in [
            (
                "Mozilla/5.0 (compatible; UptimeRobot/2.0)",
                Some(KnownAgent::UptimeMonitor),
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1)",
                Some(KnownAgent::SearchCrawler),
            ),
            ("Mozilla/5.0 (X11; Linux x86_64)", None),
        ] {
            assert_eq!(agents.find(user_agent.as_bytes()), expected, "{user_agent}");
        }
    }
}
