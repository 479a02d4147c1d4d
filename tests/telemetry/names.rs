//! The names are public: README, dashboard and code say the same.

use std::collections::BTreeSet;

const CODE: &str = include_str!("../../guard/src/telemetry/names.rs");
const README: &str = include_str!("../../README.md");
const DASHBOARD: &str = include_str!("../../examples/grafana-dashboard.json");

/// All names of metrics in a text, without what Prometheus adds to those of histograms.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let names = words.filter(|word| word.starts_with("guard_") && !word.ends_with('_'));
    names
        .map(|name| name.trim_end_matches("_bucket"))
        .filter(|name| *name != "guard_requests")
        .collect()
}

#[test]
fn readme_and_dashboard_have_exactly_the_names_of_the_code() {
    let code = names(CODE);
    assert_eq!(code.len(), 10);
    assert_eq!(names(README), code);
    assert_eq!(names(DASHBOARD), code);
}

#[test]
fn the_dashboard_is_json_with_an_expression_in_each_panel() {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() > 5);
    for panel in panels {
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty());
        for target in targets {
            assert!(
                target["expr"].as_str().unwrap().contains("guard_"),
                "{panel}"
            );
        }
    }
}
