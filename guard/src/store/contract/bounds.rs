//! What must hold whatever comes, without a model.

use proptest::{prelude::*, test_runner::TestRunner};

use crate::decision::{Outcome, RouteId};

use super::{ALICE, Ask, BOB, Harness, Rig, quota};

pub(super) fn no_window_ever_holds_more_than_the_quota<H: Harness>(harness: &H) {
    let quotas = prop::collection::vec((1u32..6, 1u64..500), 1..4);
    let requests = prop::collection::vec(
        (prop_oneof![Just(0), 0u64..20, 0u64..600], any::<bool>()),
        1..200,
    );
    let mut runner = TestRunner::new(ProptestConfig {
        cases: H::CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(
        &(quotas, requests, any::<bool>()),
        |(quotas, requests, count_rejected)| {
            let rig = Rig::new(harness);
            let quotas: Vec<_> = quotas
                .iter()
                .map(|(n, window)| quota(*n, *window))
                .collect();
            let ask = |client| {
                Ask::request(client)
                    .counted_by(1, RouteId::GLOBAL, &quotas)
                    .count_rejected(count_rejected)
            };
            let mut times = Vec::new();
            for (gap, alice) in requests {
                rig.advance(gap);
                let client = if alice { ALICE } else { BOB };
                if rig.decide(&ask(client)).outcome == Outcome::Admitted {
                    times.push(rig.now());
                }
            }
            // The window that ends with an admission holds the most.
            for quota in &quotas {
                for (index, end) in times.iter().enumerate() {
                    let inside = times[..=index]
                        .iter()
                        .filter(|time| **time + quota.window_millis > *end);
                    prop_assert!(inside.count() <= quota.requests as usize);
                }
            }
            Ok(())
        },
    );
    result.unwrap();
}
