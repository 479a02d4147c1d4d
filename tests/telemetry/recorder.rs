//! A recorder of this test's thread.

use std::collections::BTreeMap;

use metrics::set_default_local_recorder;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

/// What was counted, by name and labels as Prometheus writes them, while `body` ran.
pub(super) async fn recorded(body: impl AsyncFnOnce()) -> BTreeMap<String, f64> {
    let recorder = DebuggingRecorder::new();
    let local = set_default_local_recorder(&recorder);
    body().await;
    drop(local);
    let series = recorder.snapshotter().snapshot().into_vec().into_iter();
    series
        .map(|(key, _, _, value)| {
            let key = key.key();
            let labels: Vec<_> = key
                .labels()
                .map(|label| format!("{}={:?}", label.key(), label.value()))
                .collect();
            let name = match labels.is_empty() {
                true => key.name().to_owned(),
                false => format!("{}{{{}}}", key.name(), labels.join(",")),
            };
            (name, number(&value))
        })
        .collect()
}

/// Of a histogram, how many were recorded.
fn number(value: &DebugValue) -> f64 {
    match value {
        DebugValue::Counter(count) => *count as f64,
        DebugValue::Gauge(value) => value.into_inner(),
        DebugValue::Histogram(values) => values.len() as f64,
    }
}

/// Those of one name, by their labels.
pub(super) fn of(recorded: &BTreeMap<String, f64>, name: &str) -> BTreeMap<String, f64> {
    let prefix = format!("{name}{{");
    recorded
        .iter()
        .filter_map(|(series, value)| {
            let labels = series.strip_prefix(&prefix)?.strip_suffix('}')?;
            Some((labels.to_owned(), *value))
        })
        .collect()
}
