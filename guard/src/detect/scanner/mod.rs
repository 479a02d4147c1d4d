//! User agents of tools that look for holes.
//!
//! Whoever attacks in earnest sends a browser's; these are the many who don't care. Clients of honest programs
//! (curl, wget, python-requests, Go-http-client) and crawlers that only count hosts are not among them.
//! Must not know: which header a text is from.

mod tools;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use tools::{TOOLS, Tool};

/// Nothing if the texts cannot be searched for, which a test rules out.
static SEARCHER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(TOOLS.iter().map(|tool| tool.text))
        .ok()
});

/// One rule for each tool.
pub(super) fn rules() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.rule)
}

/// The first tool that is named in a user agent, in any case of ASCII letters.
pub(super) fn inspect(user_agent: &[u8]) -> Option<&'static str> {
    let searcher = SEARCHER.as_ref()?;
    searcher
        .find_iter(user_agent)
        .filter(|found| begins_a_word(user_agent, found.start()))
        .find_map(|found| TOOLS.get(found.pattern().as_usize()))
        .map(|tool: &Tool| tool.rule)
}

/// Names of tools are in words of others: `nikto` in `monikton`.
fn begins_a_word(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_is_found_wherever_its_name_stands() {
        assert!(SEARCHER.is_some());
        for tool in TOOLS {
            for user_agent in [
                tool.text.to_owned(),
                tool.text.to_uppercase(),
                format!("Mozilla/5.0 (X11; {}", tool.text),
            ] {
                let found = inspect(user_agent.as_bytes());
                assert_eq!(found, Some(tool.rule), "{user_agent}");
            }
        }
    }

    #[test]
    fn rules_are_told_apart_and_have_sources() {
        let mut rules: Vec<_> = rules().collect();
        rules.sort_unstable();
        rules.dedup();
        assert_eq!(rules.len(), TOOLS.len());
        for tool in TOOLS {
            assert!(tool.rule.starts_with("scanner."), "{}", tool.rule);
            assert!(tool.source.starts_with("https://"), "{}", tool.rule);
        }
    }

    #[test]
    fn what_people_use_is_no_tool() {
        for user_agent in [
            "",
            "-",
            "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            "Mozilla/5.0 (Linux; Android 4.4; VEGA IM-A890S) AppleWebKit/537.36 Mobile Safari/537.36",
            "curl/8.7.1",
            "Wget/1.21.4",
            "python-requests/2.32.3",
            "Go-http-client/1.1",
            "Java/17.0.9",
            "libwww-perl/6.77",
            "Googlebot/2.1 (+http://www.google.com/bot.html)",
            "Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)",
            "monikton/1.0",
        ] {
            assert_eq!(inspect(user_agent.as_bytes()), None, "{user_agent}");
        }
        assert_eq!(inspect(b"\xff\x00\xe9"), None);
    }
}
