use std::time::{Duration, SystemTime};

use super::*;
use crate::config::SecurityConfigBuilder;

use ReplayOutcome::{Banned, Denied, Exempt, Limited, Served, Threat as Flagged};

const PEER: [u8; 4] = [203, 0, 113, 9];

fn replay(configure: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder) -> Replay {
    Replay::new(&configure(SecurityConfig::builder()).build().unwrap())
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
}

fn get(seconds: u64, target: &str) -> PastRequest<'_> {
    PastRequest::new(at(seconds), PEER.into(), "GET", target)
}

fn outcomes(replay: &mut Replay, requests: &[PastRequest<'_>]) -> Vec<ReplayOutcome> {
    let decided = requests
        .iter()
        .map(|request| replay.decide(request).outcome);
    decided.collect()
}

#[test]
fn windows_slide_on_the_clock_of_the_log() {
    let mut replay = replay(|config| config.rate_limit(2).rate_limit_window(60));
    let requests = [0, 30, 59, 60, 61, 130].map(|seconds| get(seconds, "/"));
    // The refused one at 59 counts as well.
    let expected = [Served, Served, Limited, Limited, Limited, Served];
    assert_eq!(outcomes(&mut replay, &requests), expected);
}

#[test]
fn a_line_that_is_out_of_order_counts_as_now() {
    let mut replay = replay(|config| config.rate_limit(2).rate_limit_window(60));
    let requests = [100, 98, 99].map(|seconds| get(seconds, "/"));
    assert_eq!(outcomes(&mut replay, &requests), [Served, Served, Limited]);
}

#[test]
fn a_ban_comes_when_the_strikes_exceed_the_threshold_and_ends_on_the_clock_of_the_log() {
    let mut replay = replay(|config| {
        config
            .rate_limit(1)
            .auto_ban_threshold(1)
            .auto_ban_duration(300)
    });
    assert_eq!(replay.decide(&get(0, "/")).outcome, Served);
    assert_eq!(replay.decide(&get(1, "/")).new_ban, None);
    let decision = replay.decide(&get(2, "/"));
    assert_eq!(decision.outcome, Banned);
    let ban = decision.new_ban.unwrap();
    assert_eq!(
        (ban.client.as_str(), ban.reason.as_str()),
        ("203.0.113.9", "rate limit")
    );
    assert_eq!((ban.since, ban.until), (at(2), at(302)));
    let later = replay.decide(&get(301, "/"));
    assert_eq!((later.outcome, later.new_ban), (Banned, None));
    assert_eq!(replay.decide(&get(302, "/")).outcome, Served);
}

#[test]
fn clean_requests_forgive_strikes_only_if_the_configuration_says_so() {
    for (after, expected) in [(None, Limited), (Some(3600), Banned)] {
        let mut replay = replay(|config| {
            let config = config
                .rate_limit(1)
                .rate_limit_window(10)
                .auto_ban_threshold(1);
            match after {
                None => config,
                Some(seconds) => {
                    config.strike_reset(crate::StrikeReset::After(Duration::from_secs(seconds)))
                }
            }
        });
        let requests = [0, 1, 100, 101].map(|seconds| get(seconds, "/"));
        let expected = [Served, Limited, Served, expected];
        assert_eq!(outcomes(&mut replay, &requests), expected, "{after:?}");
    }
}

#[test]
fn routes_of_the_configuration_have_windows_of_their_own() {
    let toml = "rate_limit = 1\nauto_ban_threshold = 99\n\
        [[routes]]\npattern = \"/login\"\nmethod = \"POST\"\nrequests = 2\nwindow = 60\n\
        [[routes]]\npattern = \"/items/{id}\"\nrequests = 1\nwindow = 60\n";
    let mut replay = Replay::new(&SecurityConfig::from_toml(toml).unwrap());
    let mut decided = Vec::new();
    for (method, target) in [
        ("POST", "/login"),
        ("POST", "/login?next=/"),
        ("POST", "/login"),
        ("GET", "/login"),
        ("GET", "/login"),
        ("GET", "/items/1"),
        ("HEAD", "/items/%32"),
    ] {
        let decision = replay.decide(&PastRequest::new(at(0), PEER.into(), method, target));
        decided.push((decision.route, decision.outcome));
    }
    let decided: Vec<_> = decided
        .iter()
        .map(|(route, outcome)| (route.as_deref(), *outcome))
        .collect();
    let (login, items) = (Some("/login"), Some("/items/{id}"));
    let expected = [
        (login, Served),
        (login, Served),
        (login, Limited),
        (None, Served),
        (None, Limited),
        (items, Served),
        (items, Limited),
    ];
    assert_eq!(decided, expected);
}

#[test]
fn lists_are_those_of_the_guard() {
    let mut replay = replay(|config| {
        config
            .rate_limit(1)
            .exempt_paths(["/healthz"])
            .exempt_user_agents(["Nice"])
            .banned_user_agents(["Nasty"])
            .denied_ips(["192.0.2.0/24"])
            .trusted_proxies(["198.51.100.1"])
    });
    let user_agent = |text: &'static str| PastRequest {
        user_agent: Some(text.as_bytes()),
        ..get(0, "/")
    };
    let from = |client: [u8; 4]| PastRequest {
        client: client.into(),
        ..get(0, "/")
    };
    for (request, expected) in [
        (get(0, "/healthz"), Exempt),
        (user_agent("a nice one"), Exempt),
        (user_agent("a nasty one"), Denied),
        (from([192, 0, 2, 7]), Denied),
        (from([198, 51, 100, 1]), Exempt),
        (from([198, 51, 100, 2]), Served),
    ] {
        // Twice: whoever counted nowhere is not limited.
        let other = if expected == Served {
            Limited
        } else {
            expected
        };
        assert_eq!(
            outcomes(&mut replay, &[request; 2]),
            [expected, other],
            "{request:?}"
        );
    }
}

#[test]
fn threats_are_strikes_unless_detection_is_off_or_the_route_is_named() {
    let probe = get(0, "/wp-login.php");
    let mut on = replay(|config| config.auto_ban_threshold(1));
    let decision = on.decide(&probe);
    assert_eq!(
        (decision.outcome, decision.threat.unwrap().category()),
        (Flagged, "probe")
    );
    let ban = on.decide(&probe).new_ban.unwrap();
    assert!(ban.reason.starts_with("threat: probe"), "{}", ban.reason);
    let mut off = replay(|config| config.enable_detection(false));
    assert_eq!(outcomes(&mut off, &[probe; 2]), [Served; 2]);
    let toml = "[[routes]]\npattern = \"/wp-login.php\"\nrequests = 5\nwindow = 60\n";
    let mut named = Replay::new(&SecurityConfig::from_toml(toml).unwrap());
    assert_eq!(named.decide(&probe).outcome, Served);
}

#[test]
fn statuses_are_strikes_if_the_configuration_says_so() {
    let answered = |status| PastRequest {
        status: Some(status),
        ..get(0, "/")
    };
    let mut by_status = replay(|config| config.auto_ban_threshold(1).strike_on_status([401]));
    assert_eq!(by_status.decide(&answered(401)).new_ban, None);
    // It was served; the ban hits the next one.
    let decision = by_status.decide(&answered(401));
    assert_eq!(decision.outcome, Served);
    assert_eq!(decision.new_ban.unwrap().reason, "status 401");
    assert_eq!(by_status.decide(&answered(200)).outcome, Banned);

    let mut not_found = replay(|config| config.auto_ban_threshold(0).not_found_limit(2));
    let bans =
        [404, 200, 404, 404].map(|status| not_found.decide(&answered(status)).new_ban.is_some());
    assert_eq!(bans, [false, false, false, true]);
}

#[test]
fn strikes_for_answers_with_404_add_up() {
    let answered = |status| PastRequest {
        status: Some(status),
        ..get(0, "/")
    };
    let mut replay = replay(|config| config.auto_ban_threshold(2).not_found_limit(1));
    let bans = [404; 5].map(|status| replay.decide(&answered(status)).new_ban.is_some());
    assert_eq!(bans, [false, false, false, true, false]);
}

#[test]
fn a_clean_answer_between_them_forgives_statuses() {
    let answered = |status| PastRequest {
        status: Some(status),
        ..get(0, "/")
    };
    let mut replay = replay(|config| config.auto_ban_threshold(1).strike_on_status([401]));
    let bans =
        [401, 200, 401, 401].map(|status| replay.decide(&answered(status)).new_ban.is_some());
    assert_eq!(bans, [false, false, false, true]);
}

#[test]
fn preflights_have_a_window_of_their_own_and_are_no_strikes() {
    let mut replay = replay(|config| config.rate_limit(1).auto_ban_threshold(0));
    let preflight = PastRequest {
        method: "OPTIONS",
        ..get(0, "/")
    };
    let requests = [preflight, preflight, preflight, get(0, "/")];
    assert_eq!(
        outcomes(&mut replay, &requests),
        [Served, Limited, Limited, Served]
    );
}

#[test]
fn an_ipv6_network_is_one_client() {
    let mut replay = replay(|config| config.rate_limit(1));
    let decided = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:3::1"].map(|text| {
        let request = PastRequest {
            client: text.parse().unwrap(),
            ..get(0, "/")
        };
        let decision = replay.decide(&request);
        (decision.client.to_string(), decision.outcome)
    });
    let network = |text: &str, outcome| (text.to_owned(), outcome);
    assert_eq!(
        decided,
        [
            network("2001:db8:1:2::", Served),
            network("2001:db8:1:2::", Limited),
            network("2001:db8:1:3::", Served)
        ]
    );
}

#[test]
fn known_programs_are_named_if_they_are_refused() {
    let mut replay = replay(|config| config.rate_limit(1));
    let request = PastRequest {
        user_agent: Some(b"UptimeRobot/2.0"),
        ..get(0, "/")
    };
    assert_eq!(replay.decide(&request).refused_agent, None);
    assert_eq!(
        replay.decide(&request).refused_agent,
        Some(KnownAgent::UptimeMonitor)
    );
}

#[test]
fn a_passive_configuration_is_replayed_as_if_it_enforced() {
    let mut replay = replay(|config| config.rate_limit(1).passive(true));
    assert_eq!(outcomes(&mut replay, &[get(0, "/"); 2]), [Served, Limited]);
}
