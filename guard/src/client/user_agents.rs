//! A set of user agents, as the lists of the configuration name them: by texts that they contain.
//!
//! Must not know: which list it is, or what a match leads to.

mod presets;
mod searcher;

use std::{error::Error, fmt, sync::Arc};

use presets::Preset;
use searcher::Searcher;

const PRESET_PREFIX: &str = "preset:";

/// Texts, one of which is in each user agent of the set. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct UserAgents {
    entries: Arc<[Entry]>,
    /// Nothing if there are no entries.
    searcher: Option<Arc<Searcher>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Text(String),
    Preset(Preset),
}

impl UserAgents {
    /// Reads texts and names of presets. Spaces around them don't count.
    ///
    /// # Errors
    /// The first entry that is empty or names a preset that there is not; or more text than can be searched for.
    pub(crate) fn parse<I>(items: I) -> Result<Self, UserAgentError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let entries: Vec<_> = items
            .into_iter()
            .map(|item| Entry::parse(item.as_ref()))
            .collect::<Result<_, _>>()?;
        if entries.is_empty() {
            return Ok(Self::default());
        }
        let searcher = Searcher::new(entries.iter().flat_map(Entry::texts))
            .map_err(|_| UserAgentError::TooMuchText)?;
        Ok(Self {
            entries: entries.into(),
            searcher: Some(Arc::new(searcher)),
        })
    }

    /// Whether one of the texts is in the user agent, in any case of ASCII letters.
    #[inline]
    pub(crate) fn matches(&self, user_agent: &[u8]) -> bool {
        self.searcher
            .as_ref()
            .is_some_and(|searcher| searcher.finds_in(user_agent))
    }

    /// Whether there are no entries.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries as they were given, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = String> + '_ {
        self.entries.iter().map(Entry::to_string)
    }
}

impl PartialEq for UserAgents {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for UserAgents {}

impl fmt::Debug for UserAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries()).finish()
    }
}

impl Entry {
    fn parse(text: &str) -> Result<Self, UserAgentError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(UserAgentError::Empty);
        }
        let Some(name) = text.strip_prefix(PRESET_PREFIX) else {
            return Ok(Self::Text(text.to_owned()));
        };
        Preset::ALL
            .into_iter()
            .find(|preset| preset.name() == name)
            .map(Self::Preset)
            .ok_or_else(|| UserAgentError::UnknownPreset {
                entry: text.to_owned(),
            })
    }

    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Preset(preset) => preset.texts().collect(),
        }
    }
}

/// Reads back as the same entry.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Preset(preset) => write!(f, "{PRESET_PREFIX}{}", preset.name()),
        }
    }
}

/// Why a list of user agents cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UserAgentError {
    /// An empty text is in every user agent.
    Empty,
    UnknownPreset {
        entry: String,
    },
    TooMuchText,
}

impl UserAgentError {
    /// The error in words; what it cites is put into quotes by `quote`. Begins with the entry.
    pub(crate) fn message(&self, quote: impl Fn(&str) -> String) -> String {
        match self {
            Self::Empty => format!("{} is in every user agent", quote("")),
            Self::UnknownPreset { entry } => {
                let presets = Preset::ALL.map(|preset| quote(&Entry::Preset(preset).to_string()));
                format!(
                    "{} is not a preset; there are {}",
                    quote(entry),
                    presets.join(" and ")
                )
            }
            Self::TooMuchText => "the entries are too long together".to_owned(),
        }
    }
}

impl fmt::Display for UserAgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|text| format!("{text:?}")))
    }
}

impl Error for UserAgentError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn user_agents(items: &[&str]) -> UserAgents {
        UserAgents::parse(items).unwrap()
    }

    /// Entries, user agents that match, and user agents that don't.
    type Case = (
        &'static [&'static str],
        &'static [&'static [u8]],
        &'static [&'static [u8]],
    );

    #[test]
    fn a_text_matches_wherever_it_stands_in_any_case() {
        let cases: &[Case] = &[
            (
                &["sqlmap", " Nikto "],
                &[b"sqlmap", b"x SQLMap/1.0", b"Mozilla/5.0 (NIKTO/2.1)"],
                &[b"", b"sqlma", b"sql map", b"curl/8.7.1"],
            ),
            (
                &["K\u{fc}che"],
                &[b"k\xc3\xbcCHE/1"],
                &[b"k\xc3\x9cche", b"kuche"],
            ),
            (&["a b"], &[b"\xff\x00A B\xfe"], &[b"ab", b"a  b"]),
            (
                &["preset:uptime-monitors"],
                &[b"kube-probe/1.30", b"x uptimerobot/2.0"],
                &[b"Googlebot/2.1", b"preset:uptime-monitors"],
            ),
            (
                &["preset:search-crawlers", "kube-probe"],
                &[b"Googlebot/2.1", b"KUBE-PROBE/1.30"],
                &[b"UptimeRobot/2.0"],
            ),
        ];
        for (items, inside, outside) in cases {
            let user_agents = user_agents(items);
            for user_agent in *inside {
                let shown = user_agent.escape_ascii();
                assert!(user_agents.matches(user_agent), "{items:?} {shown}");
            }
            for user_agent in *outside {
                let shown = user_agent.escape_ascii();
                assert!(!user_agents.matches(user_agent), "{items:?} {shown}");
            }
        }
    }

    #[test]
    fn the_empty_set_matches_nothing() {
        let empty = UserAgents::default();
        assert!(empty.is_empty());
        assert_eq!(empty, user_agents(&[]));
        assert!(!empty.matches(b""));
        assert!(!empty.matches(b"curl/8.7.1"));
        assert!(!user_agents(&["curl"]).is_empty());
    }

    #[test]
    fn entries_are_printed_as_written_and_are_the_same_set() {
        let set = user_agents(&[" BadBot ", "preset:search-crawlers", "badbot"]);
        let printed: Vec<_> = set.entries().collect();
        assert_eq!(printed, ["BadBot", "preset:search-crawlers", "badbot"]);
        assert_eq!(UserAgents::parse(&printed).unwrap(), set);
        assert_ne!(user_agents(&["BadBot"]), set);
        assert_eq!(
            format!("{set:?}"),
            r#"["BadBot", "preset:search-crawlers", "badbot"]"#
        );
    }

    #[test]
    fn what_is_no_entry_is_named() {
        for (entry, message) in [
            ("", "\"\" is in every user agent"),
            (" \t", "\"\" is in every user agent"),
            (
                " preset:monitors",
                "\"preset:monitors\" is not a preset; there are \"preset:uptime-monitors\" and \"preset:search-crawlers\"",
            ),
            (
                "preset:",
                "\"preset:\" is not a preset; there are \"preset:uptime-monitors\" and \"preset:search-crawlers\"",
            ),
        ] {
            let error = UserAgents::parse(["curl", entry]).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
