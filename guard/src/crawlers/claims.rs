//! The crawlers that a configuration lists, and which of them a client claims to be.
//!
//! Must not know: whether a claim is true.

use std::{error::Error, fmt};

use super::operators::{Operator, names, operator};

/// Crawlers in the order in which they were given, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crawlers {
    operators: Vec<&'static Operator>,
}

impl Crawlers {
    /// Reads names of crawlers, in any case.
    ///
    /// # Errors
    /// The first name that no crawler has.
    pub(crate) fn parse<I>(items: I) -> Result<Self, CrawlerError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut operators = Vec::new();
        for item in items {
            let operator = parse_entry(item.as_ref())?;
            if !operators.contains(&operator) {
                operators.push(operator);
            }
        }
        Ok(Self { operators })
    }

    /// The crawler that a client with this user agent claims to be.
    #[inline]
    pub(crate) fn claimed(&self, user_agent: &[u8]) -> Option<&'static Operator> {
        self.operators
            .iter()
            .copied()
            .find(|operator| contains(user_agent, operator.token.as_bytes()))
    }

    /// Whether there are no entries.
    pub(crate) fn is_empty(&self) -> bool {
        self.operators.is_empty()
    }

    /// The names in the order in which they were given.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.operators.iter().map(|operator| operator.name)
    }
}

/// A name that no crawler has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CrawlerError {
    entry: String,
}

impl CrawlerError {
    /// The error in words; what it cites is put into quotes by `quote`. Begins with the entry.
    pub(crate) fn message(&self, quote: impl Fn(&str) -> String) -> String {
        let known: Vec<_> = names().collect();
        format!(
            "{} is not a crawler that can be verified; these can: {}",
            quote(&self.entry),
            known.join(", ")
        )
    }
}

impl fmt::Display for CrawlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|text| format!("{text:?}")))
    }
}

impl Error for CrawlerError {}

fn parse_entry(text: &str) -> Result<&'static Operator, CrawlerError> {
    let text = text.trim();
    operator(text).ok_or_else(|| CrawlerError {
        entry: text.to_owned(),
    })
}

/// Whether the text contains a token, in any case.
fn contains(text: &[u8], token: &[u8]) -> bool {
    text.windows(token.len())
        .any(|window| window.eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_kept_once() {
        let crawlers = Crawlers::parse([" Bingbot ", "GOOGLEBOT", "bingbot"]).unwrap();
        assert_eq!(
            crawlers.entries().collect::<Vec<_>>(),
            ["bingbot", "googlebot"]
        );
        assert_eq!(Crawlers::parse(crawlers.entries()), Ok(crawlers));
    }

    #[test]
    fn an_empty_list_has_no_claims() {
        let none = Crawlers::parse::<[&str; 0]>([]).unwrap();
        assert!(none.is_empty());
        assert_eq!(none, Crawlers::default());
        assert_eq!(none.claimed(b"Googlebot"), None);
        assert!(!Crawlers::parse(["googlebot"]).unwrap().is_empty());
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_are_known() {
        for name in ["", "goglebot", "googlebot,bingbot", "google.com"] {
            let error = Crawlers::parse(["googlebot", name]).unwrap_err();
            assert_eq!(error.entry, name);
            let text = error.to_string();
            assert!(text.starts_with(&format!("{name:?} is not a crawler")));
            for known in names() {
                assert!(text.contains(known), "{known}");
            }
        }
    }

    #[test]
    fn a_user_agent_claims_a_listed_crawler() {
        let google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
        let pinterest = "Pinterest/0.2 (+https://www.pinterest.com/bot.html)";
        let cases: &[(&[&str], &str, Option<&str>)] = &[
            (&["googlebot"], google, Some("googlebot")),
            (&["googlebot"], "GOOGLEBOT", Some("googlebot")),
            (&["googlebot"], "xgOOglebotx", Some("googlebot")),
            (&["bingbot"], google, None),
            (&["bingbot", "googlebot"], google, Some("googlebot")),
            (
                &["bingbot", "googlebot"],
                "googlebot bingbot",
                Some("bingbot"),
            ),
            (&["googlebot"], "", None),
            (&["googlebot"], "googlebo", None),
            (&["googlebot"], "google bot", None),
            (&["pinterestbot"], pinterest, Some("pinterestbot")),
            (
                &["pinterestbot"],
                "Mozilla/5.0 (iPhone) [Pinterest/iOS]",
                None,
            ),
        ];
        for (listed, user_agent, expected) in cases {
            let crawlers = Crawlers::parse(*listed).unwrap();
            let claimed = crawlers.claimed(user_agent.as_bytes());
            assert_eq!(
                claimed.map(|operator| operator.name),
                *expected,
                "{listed:?} {user_agent}"
            );
        }
    }

    #[test]
    fn a_user_agent_may_be_any_bytes() {
        let crawlers = Crawlers::parse(["googlebot"]).unwrap();
        assert_eq!(crawlers.claimed(&[0xff; 300]), None);
        assert!(crawlers.claimed(b"\xff\xfeGoogleBot\x80").is_some());
    }

    /// As the operators document them.
    #[test]
    fn the_user_agents_of_each_crawler_claim_that_crawler() {
        let all = Crawlers::parse(names()).unwrap();
        for (name, user_agent) in [
            (
                "bingbot",
                "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
            ),
            (
                "applebot",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) Safari/600.2.5 (Applebot/0.1)",
            ),
            (
                "yandexbot",
                "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
            ),
            (
                "baiduspider",
                "Mozilla/5.0 (compatible; Baiduspider-render/2.0; +http://www.baidu.com/search/spider.html)",
            ),
            (
                "seznambot",
                "Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)",
            ),
            (
                "petalbot",
                "Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
            ),
            (
                "amazonbot",
                "Mozilla/5.0 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)",
            ),
            (
                "slurp",
                "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
            ),
            (
                "yeti",
                "Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)",
            ),
            ("ccbot", "CCBot/2.0 (https://commoncrawl.org/faq/)"),
            (
                "mojeekbot",
                "Mozilla/5.0 (compatible; MojeekBot/0.11; +https://www.mojeek.com/bot.html)",
            ),
            (
                "pinterestbot",
                "Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)",
            ),
            (
                "qwantbot",
                "Mozilla/5.0 (compatible; Qwantbot-news/2.0; +https://help.qwant.com/bot/)",
            ),
        ] {
            let claimed = all.claimed(user_agent.as_bytes());
            assert_eq!(claimed.map(|operator| operator.name), Some(name));
        }
    }
}
