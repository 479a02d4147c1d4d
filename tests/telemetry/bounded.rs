//! What clients write never becomes the name of a series.

use std::collections::BTreeSet;

use actix_web_guard::Guard;

use super::{
    app,
    recorder::{of, recorded},
};
use crate::support::{config, peer, request, send};

/// Numbers that look random, and are the same in each run.
fn numbers() -> impl Iterator<Item = u32> {
    std::iter::successors(Some(2463534242_u32), |number| {
        let mut next = number ^ (number << 13);
        next ^= next >> 17;
        Some(next ^ (next << 5))
    })
}

#[actix_web::test]
async fn labels_are_patterns_whatever_is_asked_for() {
    let numbers: Vec<u32> = numbers().take(2000).collect();
    let counted = recorded(async || {
        let app = app!(Guard::new(config(|config| config)));
        for number in numbers {
            let path = match number % 8 {
                0 => format!("/items/{number}"),
                1 => format!("/keyed/{number}"),
                2 => format!("/scope/items/{number}"),
                3 => format!("/scope/{number}"),
                4 => format!("/limited?{number}"),
                5 => format!("/%2e%2e/{number}.php?q={number}' OR 1=1--").replace(' ', "%20"),
                6 => format!("/limited/{number}"),
                _ => format!("/{number}"),
            };
            let method = if number % 3 == 0 { "POST" } else { "GET" };
            let from = peer(&format!("203.0.113.{}", number % 199));
            let request = request(method, &path).peer_addr(from);
            send(
                &app,
                request.append_header(("User-Agent", format!("agent {number}"))),
            )
            .await;
        }
    })
    .await;
    let known = [
        "default",
        "/items/{id}",
        "/keyed/{name}",
        "/limited",
        "/scope",
        "/scope/items/{id}",
    ];
    let routes: BTreeSet<String> = of(&counted, "guard_requests_total")
        .into_keys()
        .map(|labels| {
            labels
                .split_once("route=")
                .unwrap()
                .1
                .trim_matches('"')
                .to_owned()
        })
        .collect();
    assert_eq!(routes, known.map(String::from).into());
    assert!(counted.len() < 60, "{counted:?}");
    let requests = of(&counted, "guard_requests_total");
    assert_eq!(requests.values().sum::<f64>(), 2000.0);
}
