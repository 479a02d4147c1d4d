//! The order of the chain, pinned: for every pair of stages that can both apply, the earlier one decides.

use std::cell::RefCell;

use actix_web::http::header::HeaderMap;

use super::*;
use crate::{
    client::identify,
    config::{SecurityConfig, SecurityConfigBuilder},
};

/// What applies to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    ExemptAddress,
    ExemptLoopback,
    ExemptPath,
    ExemptCrawler,
    ExemptUserAgent,
    BannedUserAgent,
    DeniedAddress,
    Infrastructure,
    Operator,
    Banned,
    Detected,
    Preflight,
    Counted,
}

use Stage::{
    Banned, BannedUserAgent, Counted, DeniedAddress, Detected, ExemptAddress, ExemptCrawler,
    ExemptLoopback, ExemptPath, ExemptUserAgent, Infrastructure, Operator, Preflight,
};

/// The stages in their order.
const ORDER: [Stage; 13] = [
    ExemptAddress,
    ExemptLoopback,
    ExemptPath,
    ExemptCrawler,
    ExemptUserAgent,
    BannedUserAgent,
    DeniedAddress,
    Infrastructure,
    Operator,
    Banned,
    Detected,
    Preflight,
    Counted,
];

/// A request to which some stages apply, and what the chain looked at.
struct Request<'a> {
    stages: &'a [Stage],
    looked_at: RefCell<Vec<&'static str>>,
}

impl Request<'_> {
    fn look_at(&self, what: &'static str, stage: Stage) -> bool {
        self.looked_at.borrow_mut().push(what);
        self.stages.contains(&stage)
    }
}

impl Facts for Request<'_> {
    fn user_agent(&self) -> Option<&[u8]> {
        Some(b"Mozilla/5.0 (compatible; SomeBot/1.0)")
    }

    fn path(&self) -> &str {
        "/health"
    }

    fn is_preflight(&self) -> bool {
        self.look_at("preflight", Preflight)
    }

    fn is_proven_crawler(&self) -> bool {
        self.stages.contains(&ExemptCrawler)
    }

    fn is_operator(&self) -> bool {
        self.look_at("operator", Operator)
    }

    fn is_banned(&self) -> bool {
        self.look_at("ban", Banned)
    }

    fn threat(&self) -> Option<Threat> {
        self.look_at("threat", Detected)
            .then(|| Threat::new("probe", "test"))
    }
}

/// The configuration in which the stages apply to a request of [`client`].
fn config(stages: &[Stage]) -> SecurityConfigBuilder {
    let applies = |stage| stages.contains(&stage);
    let mut config = SecurityConfig::builder().exempt_loopback(applies(ExemptLoopback));
    if applies(ExemptAddress) {
        config = config.exempt_ips(["127.0.0.0/8"]);
    }
    if applies(ExemptPath) {
        config = config.exempt_paths(["/health"]);
    }
    if applies(ExemptUserAgent) {
        config = config.exempt_user_agents(["somebot"]);
    }
    if applies(BannedUserAgent) {
        config = config.banned_user_agents(["SOMEBOT"]);
    }
    if applies(DeniedAddress) {
        config = config.denied_ips(["127.0.0.1"]);
    }
    if applies(Infrastructure) {
        config = config.trusted_proxies(["127.0.0.1"]);
    }
    config
}

/// Somebody on loopback, without a forwarding header.
fn client(settings: &Settings) -> Client {
    let peer = Some("127.0.0.1".parse().unwrap());
    let headers = HeaderMap::new();
    identify(peer, &headers, &settings.proxy_trust, 64, 0)
}

/// The course of a request to which all of `stages` apply, and what was looked at.
fn decide(stages: &[Stage]) -> (Course, Vec<&'static str>) {
    let config = config(stages).build().unwrap();
    let mut settings = Settings::clone(config.settings());
    if stages.contains(&ExemptCrawler) {
        settings.exempt_crawlers = crate::crawlers::Crawlers::parse(["googlebot"]).unwrap();
    }
    let request = Request {
        stages,
        looked_at: RefCell::default(),
    };
    let course = course(&settings, &client(&settings), &request);
    (course, request.looked_at.into_inner())
}

/// Which stage has decided.
fn stage(course: &Course) -> Stage {
    match course {
        Course::Serve(Pass::Address) => ExemptAddress,
        Course::Serve(Pass::Loopback) => ExemptLoopback,
        Course::Serve(Pass::Path) => ExemptPath,
        Course::Serve(Pass::Crawler) => ExemptCrawler,
        Course::Serve(Pass::UserAgent) => ExemptUserAgent,
        Course::Serve(Pass::Infrastructure) => Infrastructure,
        Course::Serve(Pass::Operator) => Operator,
        Course::Refuse(Barred::UserAgent) => BannedUserAgent,
        Course::Refuse(Barred::Address) => DeniedAddress,
        Course::Refuse(Barred::Banned) => Banned,
        Course::Refuse(Barred::Threat(_)) | Course::Decide(Question::Threat(_)) => Detected,
        Course::Decide(Question::Infrastructure) => panic!("there is no limit for it"),
        Course::Decide(Question::Preflight) => Preflight,
        Course::Decide(Question::Counted) => Counted,
        Course::Decide(Question::Uncounted) => panic!("rate limiting is on"),
    }
}

/// Who is served by a pass that anybody can write, or without an address, is still looked at by detectors.
fn is_looked_at(earlier: Stage) -> bool {
    matches!(earlier, ExemptUserAgent | Infrastructure)
}

#[test]
fn of_two_stages_that_apply_the_earlier_one_decides() {
    for (index, earlier) in ORDER.iter().enumerate() {
        for later in &ORDER[index..] {
            let (course, _) = decide(&[*later, *earlier]);
            if is_looked_at(*earlier) && *later == Detected {
                let refused = matches!(course, Course::Refuse(Barred::Threat(_)));
                assert!(refused, "{earlier:?} and {later:?}: no strike");
            } else {
                assert_eq!(stage(&course), *earlier, "{earlier:?} and {later:?}");
            }
        }
    }
    assert_eq!(stage(&decide(&ORDER).0), ExemptAddress);
    assert_eq!(stage(&decide(&[]).0), Counted);
}

#[test]
fn later_stages_are_not_even_looked_at() {
    let cases: [(Stage, &[&str]); 12] = [
        (ExemptAddress, &[]),
        (ExemptLoopback, &[]),
        (ExemptPath, &[]),
        (ExemptCrawler, &[]),
        (ExemptUserAgent, &["threat"]),
        (BannedUserAgent, &[]),
        (DeniedAddress, &[]),
        (Infrastructure, &["threat"]),
        (Operator, &["operator"]),
        (Banned, &["operator", "ban"]),
        (Detected, &["operator", "ban", "threat", "preflight"]),
        (Counted, &["operator", "ban", "threat", "preflight"]),
    ];
    for (applies, expected) in cases {
        let (course, looked_at) = decide(&[applies]);
        assert_eq!(stage(&course), applies);
        assert_eq!(looked_at, expected, "{applies:?}");
    }
}

#[test]
fn a_threat_in_a_preflight_is_refused_and_no_strike() {
    let (course, _) = decide(&[Detected, Preflight]);
    assert!(matches!(course, Course::Refuse(Barred::Threat(threat)) if !threat.is_struck()));
    let (course, _) = decide(&[Detected]);
    assert!(matches!(course, Course::Decide(Question::Threat(threat)) if threat.is_struck()));
}

#[test]
fn infrastructure_with_a_limit_is_decided_about_by_the_store() {
    let config = |rate_limiting| {
        config(&[Infrastructure])
            .infrastructure_limit(5)
            .enable_rate_limiting(rate_limiting)
            .build()
            .unwrap()
    };
    for (rate_limiting, expected) in [
        (true, Course::Decide(Question::Infrastructure)),
        (false, Course::Serve(Pass::Infrastructure)),
    ] {
        let (config, request) = (
            config(rate_limiting),
            Request {
                stages: &[Banned],
                looked_at: RefCell::default(),
            },
        );
        let settings = config.settings();
        assert_eq!(course(settings, &client(settings), &request), expected);
    }
}

#[test]
fn switches() {
    let config = SecurityConfig::builder()
        .enable_ip_banning(false)
        .enable_detection(false)
        .enable_rate_limiting(false)
        .build()
        .unwrap();
    let request = Request {
        stages: &[Banned, Detected, Preflight],
        looked_at: RefCell::default(),
    };
    let settings = config.settings();
    let course = course(settings, &client(settings), &request);
    assert_eq!(course, Course::Decide(Question::Uncounted));
    assert_eq!(request.looked_at.into_inner(), ["operator"]);
}
