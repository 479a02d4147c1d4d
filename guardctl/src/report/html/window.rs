//! The part of the page about the global window.
//!
//! Must not know: the other parts.

use crate::report::{
    Report,
    markup::{Column, table},
    plot::{Bar, Bars},
    text::{percent, thousands},
    window::Percentiles,
};

pub(super) fn section(report: &Report) -> String {
    let window = &report.window;
    let mut html = format!(
        "<h2>Requests of a client in {} seconds</h2>\n<p class=\"quiet\">In the busiest window of each client; \
         routes with windows of their own are left out.</p>\n",
        window.seconds
    );
    html += &distribution(report);
    let row = |name: &str, of: &Percentiles| {
        let numbers = [of.p50, of.p90, of.p99, of.p99_9, of.max].map(thousands);
        std::iter::once(name.to_owned()).chain(numbers).collect()
    };
    let rows: Vec<Vec<String>> = vec![
        row(
            "each window in which a client sent any",
            &window.requests_per_client_and_window,
        ),
        row(
            "the busiest window of each client",
            &window.busiest_window_per_client,
        ),
    ];
    let heads = [
        ("Requests in", Column::Text),
        ("50 %", Column::Number),
        ("90 %", Column::Number),
        ("99 %", Column::Number),
        ("99.9 %", Column::Number),
        ("Most", Column::Number),
    ];
    html += &table("Percentiles", &heads, &rows);
    html += &suggestions(report);
    html
}

fn distribution(report: &Report) -> String {
    let window = &report.window;
    let count = window.distribution.len().max(1) as f64;
    let bars = window.distribution.iter().map(|(upper, clients)| Bar {
        pieces: vec![*clients],
        hint: format!("{} to {upper} requests: {clients} clients", upper / 2 + 1),
    });
    let labels = window.distribution.iter().enumerate();
    // Bars are powers of two: so is the way between them.
    let place = (window.limit.max(1) as f64).log2() + 1.0;
    let plot = Bars {
        title: "Clients, by requests in their busiest window",
        classes: &["clients"],
        labels: labels
            .map(|(index, (upper, _))| ((index as f64 + 0.5) / count, thousands(*upper)))
            .collect(),
        bars: bars.collect(),
        mark: (place <= count).then(|| (place / count, format!("limit {}", window.limit))),
    };
    plot.svg()
        + "<p class=\"quiet\">Clients, by how many requests they sent: up to 1, 2, 4 and so on.</p>\n"
}

fn suggestions(report: &Report) -> String {
    let window = &report.window;
    let clients = window.busiest_window_per_client.count;
    let mut rows = vec![vec![
        format!("{} (now)", thousands(window.limit)),
        thousands(window.clients_over_limit),
        percent(window.clients_over_limit, clients),
    ]];
    let fitting = window
        .suggestions
        .iter()
        .filter(|one| one.one_client_in <= clients);
    for suggestion in fitting {
        rows.push(vec![
            thousands(suggestion.limit),
            thousands(suggestion.clients_over),
            format!("at most 1 in {}", thousands(suggestion.one_client_in)),
        ]);
    }
    if clients > 0 {
        rows.push(vec![
            thousands(window.busiest_window_per_client.max),
            "0".to_owned(),
            "nobody of these".to_owned(),
        ]);
    }
    let heads = [
        ("A limit of", Column::Text),
        ("would be noticed by", Column::Number),
        ("of the clients", Column::Number),
    ];
    table("Limits for the global window", &heads, &rows)
}
