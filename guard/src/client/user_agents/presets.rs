//! User agents that have a name: what `"preset:uptime-monitors"` and `"preset:search-crawlers"` stand for.
//!
//! Must not know: in which list of the configuration a name stands.

/// A text that is in a user agent, and where it was read that it is.
type Source = (&'static str, &'static str);

/// A named set of texts, fixed when the crate is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preset {
    UptimeMonitors,
    SearchCrawlers,
}

impl Preset {
    pub(super) const ALL: [Self; 2] = [Self::UptimeMonitors, Self::SearchCrawlers];

    /// How the configuration names it, after `preset:`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::UptimeMonitors => "uptime-monitors",
            Self::SearchCrawlers => "search-crawlers",
        }
    }

    /// The texts, one of which is in each user agent of the set.
    pub(super) fn texts(self) -> impl Iterator<Item = &'static str> {
        self.sources().iter().map(|(text, _)| *text)
    }

    fn sources(self) -> &'static [Source] {
        match self {
            Self::UptimeMonitors => UPTIME_MONITORS,
            Self::SearchCrawlers => SEARCH_CRAWLERS,
        }
    }
}

/// Services and programs that ask again and again whether a site is up, and load balancers and orchestrators that do.
/// Where the operator's documentation doesn't name the user agent, the source is the page that the user agent itself names.
const UPTIME_MONITORS: &[Source] = &[
    (
        "Amazon-Route53-Health-Check-Service",
        "https://repost.aws/knowledge-center/route-53-fix-unwanted-health-checks",
    ),
    (
        "Amazon Route 53 Health Check Service",
        "https://repost.aws/knowledge-center/route-53-fix-unwanted-health-checks",
    ),
    ("Better Uptime Bot", "https://betterstack.com/docs/uptime/"),
    (
        "Blackbox Exporter/",
        "https://github.com/prometheus/blackbox_exporter/blob/master/prober/http.go",
    ),
    (
        "Checkly/",
        "https://www.checklyhq.com/docs/platform/allowlisting-traffic",
    ),
    (
        "Datadog/Synthetics",
        "https://docs.datadoghq.com/synthetics/guide/identify_synthetics_bots/",
    ),
    (
        "DatadogSynthetics",
        "https://docs.datadoghq.com/synthetics/guide/identify_synthetics_bots/",
    ),
    (
        "Edge Health Probe",
        "https://learn.microsoft.com/en-us/azure/frontdoor/health-probes",
    ),
    (
        "ELB-HealthChecker/",
        "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html",
    ),
    (
        "GoogleHC/",
        "https://cloud.google.com/load-balancing/docs/health-check-concepts",
    ),
    (
        "GoogleStackdriverMonitoring-UptimeChecks",
        "https://cloud.google.com/monitoring/uptime-checks/using-uptime-checks",
    ),
    (
        "HetrixTools Uptime Monitoring Bot",
        "https://hetrix.tools/uptime-monitoring-bot.html",
    ),
    (
        "kube-probe/",
        "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
    ),
    (
        "OhDear",
        "https://ohdear.app/docs/faq/what-is-the-oh-dear-crawler-doing-in-my-logs",
    ),
    ("Pingdom.com_bot", "http://www.pingdom.com/"),
    ("PingdomPageSpeed/", "http://www.pingdom.com/"),
    (
        "PingdomTMS/",
        "https://github.com/matomo-org/device-detector/issues/6597",
    ),
    (
        "SentryUptimeBot/",
        "https://docs.sentry.io/product/new-monitors-and-alerts/monitors/uptime-monitoring/troubleshooting/",
    ),
    ("Site24x7", "https://www.site24x7.com/website-faq.html"),
    (
        "SolarWindsTransactionBot/",
        "https://documentation.solarwinds.com/en/success_center/observability/content/intro/websites/custom-user-agent-headers-guidelines.htm",
    ),
    ("(StatusCake", "https://www.statuscake.com/"),
    ("updown.io daemon", "https://updown.io/faq"),
    (
        "Uptime-Kuma/",
        "https://github.com/louislam/uptime-kuma/blob/master/server/model/monitor.js",
    ),
    (
        "Uptime/1.0; http://uptime.com",
        "https://support.uptime.com/hc/en-us/articles/26061039101084",
    ),
    ("UptimeRobot/", "http://www.uptimerobot.com/"),
];

/// Crawlers from which search engines build their index; not those that gather text for training.
const SEARCH_CRAWLERS: &[Source] = &[
    ("Applebot/", "https://support.apple.com/en-us/HT204683"),
    ("Baiduspider", "http://www.baidu.com/search/spider.html"),
    (
        "bingbot/",
        "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
    ),
    (
        "DuckDuckBot",
        "https://duckduckgo.com/duckduckgo-help-pages/results/duckduckbot",
    ),
    (
        "Googlebot",
        "https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers",
    ),
    ("MojeekBot/", "https://www.mojeek.com/bot.html"),
    (
        "PetalBot",
        "https://webmaster.petalsearch.com/site/petalbot",
    ),
    ("Qwantbot", "https://help.qwant.com/bot/"),
    (
        "SeznamBot/",
        "https://napoveda.seznam.cz/en/seznambot-crawler/",
    ),
    (
        "Yahoo! Slurp",
        "https://help.yahoo.com/kb/search-for-desktop/SLN22600.html",
    ),
    (
        "YandexBot/",
        "https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html",
    ),
    // The slash keeps words that merely contain the name out.
    ("Yeti/", "https://naver.me/spd"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Of each operator one as it is documented, or was seen in logs.
    const MONITORS: &[&str] = &[
        "Amazon-Route53-Health-Check-Service (ref b5996862-d894-4595-88da-7940808e9665; report http://amzn.to/1vsZADi)",
        "Amazon Route 53 Health Check Service; ref:47d9bc51-39d6-4cd9-9a7f-4c981c5db165; report http://amzn.to/1vsZADi",
        "Better Stack Better Uptime Bot Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
        "Blackbox Exporter/0.23.0",
        "Checkly/1.0 (https://www.checklyhq.com)",
        "Datadog/Synthetics",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.0.0 Safari/537.36 DatadogSynthetics",
        "Edge Health Probe",
        "ELB-HealthChecker/2.0",
        "GoogleHC/1.0",
        "GoogleStackdriverMonitoring-UptimeChecks(https://cloud.google.com/monitoring)",
        "HetrixTools Uptime Monitoring Bot. https://hetrix.tools/uptime-monitoring-bot.html",
        "kube-probe/1.30",
        "OhDear.app (+https://ohdear.app/docs/features/application-health-monitoring)",
        "Mozilla/5.0 (compatible; Pingdom.com_bot_version_1.4_(http://www.pingdom.com/))",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/61.0.3163.100 Safari/537.36 PingdomPageSpeed/1.0 (pingbot/2.0; +http://www.pingdom.com/)",
        "Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/534.34 (KHTML, like Gecko) PingdomTMS/0.8.5 Safari/534.34",
        "SentryUptimeBot/1.0 (+http://docs.sentry.io/product/monitors/uptime-monitoring/)",
        "Site24x7",
        "Mozilla/5.0 (Linux) AppleWebKit/537.36 (KHTML, like Gecko) SolarWindsTransactionBot/1.0 Safari/537.36 Chrome/134.0.0.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 (StatusCake)",
        "updown.io daemon 2.11",
        "Uptime-Kuma/1.23.16",
        "Mozilla/5.0 (compatible; Uptime/1.0; http://uptime.com)",
        "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
    ];

    const CRAWLERS: &[&str] = &[
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Applebot/0.1)",
        "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/80.0.345.0 Safari/537.36",
        "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0 (compatible; MojeekBot/0.11; +https://www.mojeek.com/bot.html)",
        "Mozilla/5.0 (compatible;PetalBot; +https://webmaster.petalsearch.com/site/petalbot)",
        "Mozilla/5.0 (compatible; Qwantbot-news/2.0; +https://help.qwant.com/bot/)",
        "Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)",
        "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
        "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/81.0.4044.268",
        "Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)",
    ];

    const BROWSERS: &[&str] = &[
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 Edg/129.0.0.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0",
        "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1 Ddg/17.6",
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Mobile Safari/537.36",
        "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
        "Mozilla/5.0 (Linux; Android 12; HarmonyOS; NOH-AN00; HMSCore 6.14.0.322) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.5735.196 HuaweiBrowser/15.0.4.312 Mobile Safari/537.36",
        "Mozilla/5.0 (Linux; arm_64; Android 14; SM-A536B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 YaBrowser/24.10.0.0 Mobile Safari/537.36",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36 OPR/114.0.0.0",
        "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko",
        "Mozilla/5.0 (Linux; Android 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/97.0 Mobile Safari/537.36 baiduboxapp/13.10 (Baidu; P1 9)",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 NAVER(inapp; search; 2000; 12.8.0; 15PRO)",
        "curl/8.7.1",
        "",
    ];

    fn contains(user_agent: &str, text: &str) -> bool {
        user_agent
            .to_ascii_lowercase()
            .contains(&text.to_ascii_lowercase())
    }

    #[test]
    fn each_text_is_in_the_user_agent_that_it_was_taken_from() {
        for (preset, user_agents) in [
            (Preset::UptimeMonitors, MONITORS),
            (Preset::SearchCrawlers, CRAWLERS),
        ] {
            assert_eq!(preset.sources().len(), user_agents.len(), "{preset:?}");
            for text in preset.texts() {
                assert!(user_agents.iter().any(|it| it.contains(text)), "{text}");
            }
            for user_agent in user_agents {
                assert!(
                    preset.texts().any(|it| user_agent.contains(it)),
                    "{user_agent}"
                );
            }
        }
    }

    #[test]
    fn no_text_is_in_the_user_agent_of_a_browser() {
        for preset in Preset::ALL {
            for text in preset.texts() {
                for browser in BROWSERS {
                    assert!(!contains(browser, text), "{text}: {browser}");
                }
            }
        }
    }

    #[test]
    fn monitors_are_no_crawlers_and_crawlers_no_monitors() {
        for (preset, others) in [
            (Preset::UptimeMonitors, CRAWLERS),
            (Preset::SearchCrawlers, MONITORS),
        ] {
            for text in preset.texts() {
                for other in others {
                    assert!(!contains(other, text), "{text}: {other}");
                }
            }
        }
    }

    #[test]
    fn texts_are_long_enough_to_be_no_accident_and_have_a_source() {
        for preset in Preset::ALL {
            for (text, source) in preset.sources() {
                assert!(text.len() >= 5, "{text}");
                assert!(source.starts_with("http"), "{text}");
            }
        }
    }
}
