//! The sliding window as clients see it.

use std::time::Duration;

use crate::{
    guard::app,
    support::{Answer, configure, get, seconds, send, statuses},
};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn remaining(answer: &Answer) -> Option<&str> {
    let (_, rest) = answer.header("ratelimit")?.split_once(";r=")?;
    rest.split(';').next()
}

#[actix_web::test]
async fn requests_of_one_millisecond_are_counted_one_by_one() {
    let (config, _clock) = configure(|config| config.rate_limit(5).enable_ip_banning(false));
    let app = app!(config);
    let mut left = Vec::new();
    let mut refused = 0;
    for _ in 0..50 {
        let answer = send(&app, get("/other")).await;
        match answer.status.as_u16() {
            200 => left.push(remaining(&answer).unwrap().to_owned()),
            429 => refused += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(left, ["4", "3", "2", "1", "0"]);
    assert_eq!(refused, 45);
}

#[actix_web::test]
async fn no_window_holds_more_than_the_limit_wherever_it_begins() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(5)
            .rate_limit_window(4)
            .count_rejected(false)
            .enable_ip_banning(false)
    });
    let app = app!(config);
    let five = ["/other"; 5];
    assert_eq!(statuses(&app, &["/other"]).await, [200]);
    clock.advance(seconds(3));
    assert_eq!(statuses(&app, &five[..4]).await, [200; 4]);
    clock.advance(millis(1300));
    assert_eq!(statuses(&app, &five).await, [200, 429, 429, 429, 429]);
    clock.advance(seconds(3));
    assert_eq!(statuses(&app, &five).await, [200, 200, 200, 200, 429]);
    clock.advance(millis(4700));
    let answer = send(&app, get("/other")).await;
    assert_eq!(
        (answer.status.as_u16(), remaining(&answer)),
        (200, Some("4"))
    );
}

#[actix_web::test]
async fn a_client_that_polls_stays_out_by_default_and_comes_free_when_rejected_requests_do_not_count()
 {
    for (count_rejected, after) in [(true, 429), (false, 200)] {
        let (config, clock) = configure(|config| {
            config
                .rate_limit(3)
                .rate_limit_window(3)
                .count_rejected(count_rejected)
                .enable_ip_banning(false)
        });
        let app = app!(config);
        assert_eq!(statuses(&app, &["/other"; 3]).await, [200; 3]);
        let mut waits = Vec::new();
        for _ in 0..27 {
            clock.advance(millis(100));
            let answer = send(&app, get("/other")).await;
            assert_eq!(answer.status, 429);
            waits.push(
                answer
                    .header("retry-after")
                    .unwrap()
                    .parse::<u32>()
                    .unwrap(),
            );
        }
        clock.advance(millis(500));
        assert_eq!(send(&app, get("/other")).await.status, after);
        if !count_rejected {
            assert!(waits.is_sorted_by(|one, two| one >= two), "{waits:?}");
            assert_eq!((waits.first(), waits.last()), (Some(&3), Some(&1)));
        }
    }
}

#[actix_web::test]
async fn whoever_waits_as_told_is_admitted() {
    for count_rejected in [true, false] {
        let (config, clock) = configure(|config| {
            config
                .rate_limit(3)
                .rate_limit_window(6)
                .count_rejected(count_rejected)
                .enable_ip_banning(false)
        });
        let app = app!(config);
        for step in [0, 1000, 1000] {
            clock.advance(millis(step));
            assert_eq!(send(&app, get("/other")).await.status, 200);
        }
        for early in [1000, 7, 13, 999, 1, 500] {
            clock.advance(millis(early));
            let mut answer = send(&app, get("/other")).await;
            if answer.status == 200 {
                answer = send(&app, get("/other")).await;
            }
            while answer.status == 200 {
                answer = send(&app, get("/other")).await;
            }
            let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=6).contains(&wait), "{wait}");
            clock.advance(seconds(wait));
            assert_eq!(
                send(&app, get("/other")).await.status,
                200,
                "after {wait} s"
            );
        }
    }
}

#[actix_web::test]
async fn the_wait_is_until_the_oldest_request_leaves_not_the_whole_window() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(3)
            .rate_limit_window(6)
            .count_rejected(false)
            .enable_ip_banning(false)
    });
    let app = app!(config);
    for _ in 0..3 {
        assert_eq!(send(&app, get("/other")).await.status, 200);
        clock.advance(seconds(1));
    }
    assert_eq!(
        send(&app, get("/other")).await.header("retry-after"),
        Some("3")
    );
}

#[actix_web::test]
async fn a_clock_that_is_set_back_blocks_nobody_longer_than_the_window_or_the_ban() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(2)
            .rate_limit_window(3)
            .count_rejected(false)
            .auto_ban_threshold(1)
            .auto_ban_duration(3)
    });
    let app = app!(config);
    assert_eq!(statuses(&app, &["/other", "/other"]).await, [200, 200]);
    clock.step_back(seconds(3600));
    let answer = send(&app, get("/other")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("retry-after")),
        (429, Some("3"))
    );
    clock.advance(seconds(3));
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other", "/other"]).await,
        [200, 200, 429, 403]
    );
    clock.step_back(seconds(3600));
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
    clock.advance(millis(2999));
    assert_eq!(statuses(&app, &["/other"]).await, [403]);
    clock.advance(millis(1));
    assert_eq!(statuses(&app, &["/other"]).await, [200]);
    clock.advance(seconds(3600));
    assert_eq!(statuses(&app, &["/other"]).await, [200]);
}

#[actix_web::test]
async fn the_smallest_limit_works() {
    let (config, clock) = configure(|config| {
        config
            .rate_limit(1)
            .rate_limit_window(1)
            .auto_ban_threshold(1)
            .auto_ban_duration(1)
    });
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/other"]).await,
        [200, 429, 403]
    );
    clock.advance(seconds(1));
    assert_eq!(statuses(&app, &["/other"]).await, [200]);
}

#[actix_web::test]
async fn with_rate_limiting_off_nothing_is_limited_and_bans_still_hold() {
    let (config, _clock) = configure(|config| {
        config
            .rate_limit(1)
            .enable_rate_limiting(false)
            .auto_ban_threshold(0)
    });
    let app = app!(config);
    assert_eq!(
        statuses(&app, &["/other", "/other", "/public", "/public", "/public"]).await,
        [200; 5]
    );
    assert_eq!(
        statuses(&app, &["POST /login", "/other", "/public"]).await,
        [401, 403, 403]
    );
}
