//! The crawlers whose operators say that reverse DNS tells them apart, and the domains that they name.
//!
//! Must not know: how names are looked up, or which crawlers a configuration lists.

/// A crawler and the domains of those who run it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Operator {
    /// In the configuration; in lower case.
    pub(crate) name: &'static str,
    /// What its user agents contain; in lower case.
    pub(crate) token: &'static str,
    /// The names of its addresses lie below one of these. No two crawlers share one.
    pub(crate) domains: &'static [&'static str],
    /// Where the operator says so.
    pub(crate) source: &'static str,
}

static OPERATORS: [Operator; 14] = [
    // Only the domain of the common crawlers. Names in google.com and googleusercontent.com are those of fetchers that anybody
    // can send somewhere, and of rented machines: none of them is Googlebot.
    Operator {
        name: "googlebot",
        token: "googlebot",
        domains: &["googlebot.com"],
        source: "https://developers.google.com/crawling/docs/crawlers-fetchers/verify-google-requests",
    },
    Operator {
        name: "bingbot",
        token: "bingbot",
        domains: &["search.msn.com"],
        source: "https://www.bing.com/webmaster/help/how-to-verify-bingbot-3905dc26",
    },
    Operator {
        name: "applebot",
        token: "applebot",
        domains: &["applebot.apple.com"],
        source: "https://support.apple.com/en-us/119829",
    },
    Operator {
        name: "yandexbot",
        token: "yandexbot",
        domains: &["yandex.ru", "yandex.net", "yandex.com"],
        source: "https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html",
    },
    Operator {
        name: "baiduspider",
        token: "baiduspider",
        domains: &["baidu.com", "baidu.jp"],
        source: "https://www.baidu.com/search/spider.html",
    },
    Operator {
        name: "seznambot",
        token: "seznambot",
        domains: &["seznam.cz"],
        source: "https://napoveda.seznam.cz/en/seznambot-crawler/",
    },
    Operator {
        name: "petalbot",
        token: "petalbot",
        domains: &["petalsearch.com", "aspiegel.com"],
        source: "https://aspiegel.com/petalbot",
    },
    Operator {
        name: "amazonbot",
        token: "amazonbot",
        domains: &["crawl.amazonbot.amazon"],
        source: "https://developer.amazon.com/amazonbot",
    },
    Operator {
        name: "slurp",
        token: "yahoo! slurp",
        domains: &["crawl.yahoo.net"],
        source: "http://www.ysearchblog.com/2007/06/05/yahoo-search-crawler-slurp-has-a-new-address-and-signature-card/",
    },
    Operator {
        name: "yeti",
        token: "yeti/",
        domains: &["web.naver.com"],
        source: "https://searchadvisor.naver.com/guide/seo-basic-firewall",
    },
    Operator {
        name: "ccbot",
        token: "ccbot",
        domains: &["crawl.commoncrawl.org"],
        source: "https://commoncrawl.org/ccbot",
    },
    Operator {
        name: "mojeekbot",
        token: "mojeekbot",
        domains: &["mojeek.com"],
        source: "https://www.mojeek.com/bot.html",
    },
    // One of its two user agents is "Pinterest/0.2 (+https://www.pinterest.com/bot.html)"; the application for phones says
    // "Pinterest", too, but not this.
    Operator {
        name: "pinterestbot",
        token: "pinterest.com/bot",
        domains: &["pinterest.com", "pinterestcrawler.com"],
        source: "https://developers.pinterest.com/docs/reference/control-pinterestbot-access-to-your-site/",
    },
    Operator {
        name: "qwantbot",
        token: "qwantbot",
        domains: &["qwant.com"],
        source: "https://help.qwant.com/bot/",
    },
];

/// The crawler of that name, in any case.
pub(crate) fn operator(name: &str) -> Option<&'static Operator> {
    OPERATORS
        .iter()
        .find(|operator| operator.name.eq_ignore_ascii_case(name))
}

/// The names of all crawlers.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|operator| operator.name)
}

/// All crawlers.
pub(super) fn all() -> impl Iterator<Item = &'static Operator> {
    OPERATORS.iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawler_is_found_by_its_name_in_any_case() {
        for name in ["googlebot", "Googlebot", "GOOGLEBOT"] {
            assert_eq!(
                operator(name).map(|found| found.name),
                Some("googlebot"),
                "{name}"
            );
        }
        for name in ["", "google", "googlebots", " googlebot", "goögle"] {
            assert_eq!(operator(name), None, "{name}");
        }
    }

    #[test]
    fn every_name_stands_for_one_crawler() {
        let mut sorted: Vec<_> = names().collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), OPERATORS.len());
    }

    #[test]
    fn entries_are_in_the_form_in_which_they_are_compared() {
        for operator in all() {
            assert!(!operator.token.is_empty(), "{operator:?}");
            assert!(!operator.domains.is_empty(), "{operator:?}");
            assert!(operator.source.starts_with("http"), "{operator:?}");
            let texts = [operator.name, operator.token];
            for text in texts.iter().chain(operator.domains) {
                assert_eq!(*text, text.to_ascii_lowercase(), "{operator:?}");
                assert!(
                    !text.starts_with('.') && !text.ends_with('.'),
                    "{operator:?}"
                );
            }
        }
    }

    #[test]
    fn no_domain_lies_in_that_of_another_crawler() {
        for (one, other) in all().flat_map(|one| all().map(move |other| (one, other))) {
            if one == other {
                continue;
            }
            for domain in one.domains {
                let below = |parent: &&str| format!(".{domain}").ends_with(&format!(".{parent}"));
                assert!(!other.domains.iter().any(below), "{domain} {other:?}");
            }
        }
    }

    #[test]
    fn domains_in_which_anybody_gets_names_are_not_there() {
        let domains: Vec<_> = all().flat_map(|operator| operator.domains).collect();
        for shared in [
            "google.com",
            "googleusercontent.com",
            "amazonaws.com",
            "apple.com",
            "msn.com",
            "yahoo.net",
        ] {
            assert!(!domains.contains(&&shared), "{shared}");
        }
    }
}
