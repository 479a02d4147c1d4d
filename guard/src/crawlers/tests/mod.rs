//! The verifier against a real DNS server.

mod served;
mod server;

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use hickory_resolver::{net::NetError, proto::rr::RecordType};

use crate::clock::ManualClock;

use super::{
    inquiry::{self, AT_ONCE, Patience, QUEUE},
    operators::{Operator, operator},
    resolvers::Resolvers,
    verifier::{CrawlerVerifier, Known},
};
use server::{Manner, Server};

const GOOGLE_V4: &str = "66.249.66.1";
const GOOGLE_V6: &str = "2001:4860:4801:10::1";
const GOOGLE_NAME: &str = "crawl-66-249-66-1.googlebot.com";
const FORGER: &str = "203.0.113.9";
const HOUR: u32 = 3600;

/// A test on a busy machine waits for DNS rather than asking twice.
const PATIENT: Patience = Patience {
    address: Duration::from_secs(60),
    attempt: Duration::from_secs(60),
};
const IMPATIENT: Patience = Patience {
    address: Duration::from_millis(200),
    attempt: Duration::from_millis(100),
};

struct Fixture {
    server: Server,
    clock: Arc<ManualClock>,
    verifier: CrawlerVerifier,
}

impl Fixture {
    fn new() -> Self {
        Self::with_patience(PATIENT)
    }

    fn with_patience(patience: Patience) -> Self {
        let server = Server::start();
        let clock = Arc::new(ManualClock::new());
        let resolvers = Resolvers::Servers(vec![server.address()]);
        let verifier = CrawlerVerifier::with_patience(clock.clone(), resolvers, patience);
        Self {
            server,
            clock,
            verifier,
        }
    }

    /// With the records that make an address Google's.
    fn with_google(patience: Patience) -> Self {
        let fixture = Self::with_patience(patience);
        fixture.server.point(GOOGLE_V4, GOOGLE_NAME, HOUR);
        fixture.server.resolve(GOOGLE_NAME, GOOGLE_V4, HOUR);
        fixture
    }

    /// What is known now.
    fn is_proven(&self, crawler: &str, address: &str) -> bool {
        self.verifier.is_proven(named(crawler), ip(address))
    }

    /// What is known once the question is answered.
    fn becomes_proven(&self, crawler: &str, address: &str) -> bool {
        self.is_proven(crawler, address);
        self.wait_for(address);
        self.is_proven(crawler, address)
    }

    /// Waits until nothing about the address is being asked.
    fn wait_for(&self, address: &str) {
        let address = ip(address).to_canonical();
        let known = self.verifier.known();
        assert!(
            known.wait_until(|cache| !cache.is_asked(address)),
            "no outcome"
        );
    }

    fn asked(&self) -> usize {
        self.verifier.known().asked()
    }

    fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }
}

fn named(crawler: &str) -> &'static Operator {
    operator(crawler).unwrap()
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn a_crawler_is_proven_by_names_and_addresses_that_agree() {
    let cases: &[(&str, &str, &str)] = &[
        ("googlebot", GOOGLE_V4, GOOGLE_NAME),
        ("googlebot", GOOGLE_V6, "crawl-v6.googlebot.com"),
        (
            "googlebot",
            "66.249.66.2",
            "CRAWL-66-249-66-2.GOOGLEBOT.COM",
        ),
        ("googlebot", "66.249.66.3", "geo-crawl-3.geo.googlebot.com"),
        (
            "bingbot",
            "157.55.33.18",
            "msnbot-157-55-33-18.search.msn.com",
        ),
        ("yandexbot", "5.255.231.1", "5-255-231-1.spider.yandex.com"),
    ];
    let fixture = Fixture::new();
    for (crawler, address, name) in cases {
        fixture.server.point(address, name, HOUR);
        // Others may have the name, too.
        fixture.server.resolve(name, "192.0.2.1", HOUR);
        fixture.server.resolve(name, "2001:db8::1", HOUR);
        fixture.server.resolve(name, address, HOUR);
        assert!(fixture.becomes_proven(crawler, address), "{address}");
    }
}

#[test]
fn what_does_not_agree_proves_nothing() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("no name", &[]),
        ("another domain", &[("host.example.com", FORGER)]),
        ("almost the domain", &[("crawl.evilgooglebot.com", FORGER)]),
        (
            "the domain within",
            &[("googlebot.com.evil.example", FORGER)],
        ),
        ("the domain itself", &[("googlebot.com", FORGER)]),
        (
            "google's, not the crawler's",
            &[("google-proxy-1.google.com", FORGER)],
        ),
        (
            "another has the name",
            &[("crawl.googlebot.com", GOOGLE_V4)],
        ),
        (
            "another kind of address",
            &[("crawl.googlebot.com", GOOGLE_V6)],
        ),
        (
            "no single name agrees",
            &[
                ("crawl.googlebot.com", GOOGLE_V4),
                ("host.example.com", FORGER),
            ],
        ),
    ];
    for (case, names) in cases {
        let fixture = Fixture::new();
        for (name, address) in *names {
            fixture.server.point(FORGER, name, HOUR);
            fixture.server.resolve(name, address, HOUR);
        }
        assert!(!fixture.becomes_proven("googlebot", FORGER), "{case}");
        fixture.advance(u64::from(HOUR) - 1);
        assert!(!fixture.is_proven("googlebot", FORGER), "{case}");
        assert_eq!(fixture.asked(), 0, "not asked again within an hour: {case}");
        fixture.advance(1);
        fixture.server.point(FORGER, GOOGLE_NAME, HOUR);
        fixture.server.resolve(GOOGLE_NAME, FORGER, HOUR);
        assert!(fixture.becomes_proven("googlebot", FORGER), "{case}");
    }
}

#[test]
fn a_name_without_addresses_proves_nothing() {
    let fixture = Fixture::new();
    fixture.server.point(FORGER, GOOGLE_NAME, HOUR);
    assert!(!fixture.becomes_proven("googlebot", FORGER));
    assert_eq!(fixture.server.asked_for(GOOGLE_NAME, RecordType::A), 1);
}

#[test]
fn names_outside_of_the_domains_are_not_looked_up() {
    let fixture = Fixture::new();
    fixture.server.point(FORGER, "host.evil.example", HOUR);
    assert!(!fixture.becomes_proven("googlebot", FORGER));
    assert_eq!(fixture.server.questions(), 1);
}

#[test]
fn few_of_many_names_are_looked_up() {
    let fixture = Fixture::new();
    for number in 0..12 {
        let name = format!("crawl-{number}.googlebot.com");
        fixture.server.point(FORGER, &name, HOUR);
    }
    assert!(!fixture.becomes_proven("googlebot", FORGER));
    assert_eq!(fixture.server.questions(), 1 + 5);
}

#[test]
fn one_name_of_several_is_enough() {
    let fixture = Fixture::new();
    for name in ["host.example.com", "crawl-other.googlebot.com", GOOGLE_NAME] {
        fixture.server.point(GOOGLE_V4, name, HOUR);
    }
    fixture.server.resolve(GOOGLE_NAME, GOOGLE_V4, HOUR);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
}

#[test]
fn an_ipv4_address_written_as_ipv6_is_the_same() {
    let fixture = Fixture::with_google(PATIENT);
    assert!(fixture.becomes_proven("googlebot", "::ffff:66.249.66.1"));
    assert!(fixture.is_proven("googlebot", GOOGLE_V4));
    assert_eq!(fixture.server.asked_about(GOOGLE_V4), 1);
}

#[test]
fn an_address_is_asked_about_once_whatever_it_claims_to_be() {
    let fixture = Fixture::with_google(PATIENT);
    assert!(!fixture.becomes_proven("bingbot", GOOGLE_V4));
    assert!(fixture.is_proven("googlebot", GOOGLE_V4));
    assert_eq!(fixture.server.asked_about(GOOGLE_V4), 1);
}

#[test]
fn an_answer_too_long_for_udp_comes_over_tcp() {
    let fixture = Fixture::with_google(PATIENT);
    fixture.server.behave(Manner::AnswersOverTcp);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
    assert_eq!(fixture.server.asked_about(GOOGLE_V4), 2);
}

#[test]
fn a_delegated_address_is_proven_for_as_long_as_the_delegation_holds() {
    let fixture = Fixture::new();
    let delegated = "1.0-63.66.249.66.in-addr.arpa";
    fixture
        .server
        .delegate(GOOGLE_V4, delegated, GOOGLE_NAME, 600);
    fixture.server.resolve(GOOGLE_NAME, GOOGLE_V4, HOUR);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
    fixture.advance(599);
    fixture.server.behave(Manner::Holds);
    assert!(fixture.is_proven("googlebot", GOOGLE_V4));
    fixture.advance(1);
    assert!(!fixture.is_proven("googlebot", GOOGLE_V4));
}

#[test]
fn a_thousand_requests_are_one_question() {
    let fixture = Fixture::with_google(PATIENT);
    fixture.server.behave(Manner::Holds);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..250 {
                    assert!(!fixture.is_proven("googlebot", GOOGLE_V4));
                }
            });
        }
    });
    fixture.server.behave(Manner::Answers);
    fixture.wait_for(GOOGLE_V4);
    for _ in 0..1000 {
        assert!(fixture.is_proven("googlebot", GOOGLE_V4));
    }
    assert_eq!(fixture.server.asked_about(GOOGLE_V4), 1);
    assert_eq!(fixture.server.asked_for(GOOGLE_NAME, RecordType::A), 1);
}

#[test]
fn nobody_waits_for_an_answer() {
    let fixture = Fixture::with_google(PATIENT);
    fixture.server.behave(Manner::Holds);
    // Had it waited, it would have had to wait for what comes after it.
    assert!(!fixture.is_proven("googlebot", GOOGLE_V4));
    fixture.server.wait_for_questions(1);
    assert!(!fixture.is_proven("googlebot", GOOGLE_V4));
    fixture.server.behave(Manner::Answers);
    fixture.wait_for(GOOGLE_V4);
    assert!(fixture.is_proven("googlebot", GOOGLE_V4));
}

#[test]
fn a_proof_is_renewed_before_it_ends() {
    let fixture = Fixture::with_google(PATIENT);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
    for round in 2..5 {
        fixture.advance(54 * 60 - 1);
        assert!(fixture.is_proven("googlebot", GOOGLE_V4));
        assert_eq!(fixture.server.asked_about(GOOGLE_V4), round - 1);
        fixture.advance(1);
        fixture.server.behave(Manner::Holds);
        assert!(fixture.is_proven("googlebot", GOOGLE_V4), "it still holds");
        fixture.server.behave(Manner::Answers);
        fixture.wait_for(GOOGLE_V4);
        assert!(fixture.is_proven("googlebot", GOOGLE_V4));
        assert_eq!(fixture.server.asked_about(GOOGLE_V4), round);
    }
}

#[test]
fn a_proof_ends_with_the_shortest_of_its_records() {
    for (pointer, address) in [(HOUR, 900), (900, HOUR)] {
        let fixture = Fixture::new();
        fixture.server.point(GOOGLE_V4, GOOGLE_NAME, pointer);
        fixture.server.resolve(GOOGLE_NAME, GOOGLE_V4, address);
        assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
        fixture.server.behave(Manner::Holds);
        fixture.advance(899);
        assert!(fixture.is_proven("googlebot", GOOGLE_V4));
        fixture.advance(1);
        assert!(!fixture.is_proven("googlebot", GOOGLE_V4));
    }
}

#[test]
fn an_address_that_is_no_longer_the_crawlers_is_no_longer_proven() {
    let fixture = Fixture::with_google(PATIENT);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
    fixture.server.forget_all();
    fixture.advance(54 * 60);
    assert!(!fixture.becomes_proven("googlebot", GOOGLE_V4));
}

#[test]
fn while_dns_is_down_nothing_is_proven_anew() {
    for (manner, patience) in [
        (Manner::ServerFailure, PATIENT),
        (Manner::Silent, IMPATIENT),
    ] {
        let fixture = Fixture::with_google(patience);
        fixture.server.behave(manner);
        assert!(!fixture.becomes_proven("googlebot", GOOGLE_V4));
        let asked = fixture.server.questions();
        fixture.server.behave(Manner::Answers);
        fixture.advance(59);
        assert!(!fixture.is_proven("googlebot", GOOGLE_V4));
        assert_eq!(
            fixture.server.questions(),
            asked,
            "not asked within a minute"
        );
        // Who is impatient may have to ask more than once.
        let is_proven = (0..100).any(|minute| {
            fixture.advance(if minute == 0 { 1 } else { 60 });
            fixture.becomes_proven("googlebot", GOOGLE_V4)
        });
        assert!(is_proven);
    }
}

#[test]
fn settings_of_the_system_that_are_missing_may_come() {
    let server = Server::start();
    server.point(GOOGLE_V4, GOOGLE_NAME, HOUR);
    server.resolve(GOOGLE_NAME, GOOGLE_V4, HOUR);
    let clock = Arc::new(ManualClock::new());
    let known = Arc::new(Known::new(clock.clone()));
    let resolvers = Resolvers::Servers(vec![server.address()]);
    let mut missing = 2;
    let open = move || {
        if missing > 0 {
            missing -= 1;
            return Err(NetError::Message("no resolv.conf"));
        }
        resolvers.open(PATIENT.attempt)
    };
    let questions = inquiry::start(Arc::clone(&known), open, PATIENT.address);
    let address = ip(GOOGLE_V4);
    for is_proven in [false, false, true, true] {
        known.owner_of(address, &questions);
        assert!(known.wait_until(|cache| !cache.is_asked(address)));
        let owner = known.owner_of(address, &questions);
        assert_eq!(owner, is_proven.then(|| named("googlebot")));
        clock.advance(Duration::from_secs(60));
    }
}

#[test]
fn while_dns_is_down_a_proof_holds_to_its_end() {
    let fixture = Fixture::with_google(PATIENT);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
    fixture.server.behave(Manner::ServerFailure);
    fixture.advance(u64::from(HOUR) - 1);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
    fixture.advance(1);
    assert!(!fixture.is_proven("googlebot", GOOGLE_V4));
    fixture.server.behave(Manner::Answers);
    fixture.advance(60);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
}

/// Loopback addresses are answered without asking anybody.
#[test]
fn the_settings_of_the_system_are_read_or_nothing_is_proven() {
    let verifier = CrawlerVerifier::new(Arc::new(ManualClock::new()), Resolvers::System);
    let address = ip("127.0.0.1");
    assert!(!verifier.is_proven(named("googlebot"), address));
    assert!(
        verifier
            .known()
            .wait_until(|cache| !cache.is_asked(address))
    );
    assert!(!verifier.is_proven(named("googlebot"), address));
}

#[test]
fn without_name_servers_nothing_is_proven() {
    let verifier =
        CrawlerVerifier::new(Arc::new(ManualClock::new()), Resolvers::Servers(Vec::new()));
    let address = ip(GOOGLE_V4);
    assert!(!verifier.is_proven(named("googlebot"), address));
    assert!(
        verifier
            .known()
            .wait_until(|cache| !cache.is_asked(address))
    );
    assert!(!verifier.is_proven(named("googlebot"), address));
}

#[test]
fn a_flood_of_claims_fills_the_queue_and_nothing_more() {
    let fixture = Fixture::with_google(PATIENT);
    fixture.server.behave(Manner::Holds);
    let flood = QUEUE + 10 * AT_ONCE;
    let forger = |number| Ipv4Addr::from_bits(0xcb00_0000 + number).to_string();
    for number in 0..u32::try_from(flood).unwrap() {
        assert!(!fixture.is_proven("googlebot", &forger(number)));
    }
    fixture.server.wait_for_questions(AT_ONCE);
    for number in 0..u32::try_from(flood).unwrap() {
        assert!(!fixture.is_proven("googlebot", &forger(number)));
    }
    // One has left the queue and waits for one of those that are asked.
    assert!((QUEUE + AT_ONCE..=QUEUE + AT_ONCE + 1).contains(&fixture.asked()));
    assert!(!fixture.is_proven("googlebot", GOOGLE_V4), "dropped");
    assert_eq!(fixture.server.names().len(), AT_ONCE);

    fixture.server.behave(Manner::Answers);
    assert!(
        fixture
            .verifier
            .known()
            .wait_until(|cache| cache.asked() == 0)
    );
    assert_eq!(fixture.server.asked_about(GOOGLE_V4), 0);
    assert!(fixture.becomes_proven("googlebot", GOOGLE_V4));
}

#[test]
fn the_thread_is_started_by_the_first_claim_and_ends_with_the_verifier() {
    let Fixture {
        server,
        clock,
        verifier,
    } = Fixture::with_google(PATIENT);
    server.behave(Manner::Holds);
    verifier.is_proven(named("googlebot"), ip(GOOGLE_V4));
    server.wait_for_questions(1);
    drop(verifier);
    wait_for_end(&clock);
}

#[test]
fn what_still_waits_when_the_verifier_is_dropped_is_not_asked() {
    let Fixture {
        server,
        clock,
        verifier,
    } = Fixture::new();
    server.behave(Manner::Holds);
    for last in 0..u8::try_from(4 * AT_ONCE).unwrap() {
        verifier.is_proven(named("googlebot"), Ipv4Addr::new(203, 0, 113, last).into());
    }
    server.wait_for_questions(AT_ONCE);
    drop(verifier);
    server.behave(Manner::Answers);
    wait_for_end(&clock);
    assert_eq!(server.names().len(), AT_ONCE);
}

/// Nobody else holds the clock once the thread has ended.
fn wait_for_end(clock: &Arc<ManualClock>) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while Arc::strong_count(clock) > 1 {
        assert!(Instant::now() < deadline, "the thread goes on");
        thread::yield_now();
    }
}

#[test]
fn a_verifier_is_shared_by_all_workers() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<CrawlerVerifier>();
}
