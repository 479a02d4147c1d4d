//! The report as one page that needs nothing else.
//!
//! Must not know: where its numbers come from.

mod window;

use super::{
    Report,
    markup::{Column, escaped, table},
    plot::{Bar, Bars},
    text::{late, length, percent, thousands},
};

const STYLE: &str = include_str!("page.css");

pub(crate) fn page(report: &Report) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>guardctl replay</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    html += &head(report);
    html += &refusals(report);
    html += &routes(report);
    html += &window::section(report);
    html += &agents(report);
    html += &bans(report);
    html += &findings(report);
    html + "</body>\n</html>\n"
}

fn head(report: &Report) -> String {
    let least = if report.all_clients_counted {
        ""
    } else {
        "at least "
    };
    let mut html = format!(
        "<h1>What the guard would have made of it</h1>\n<p class=\"quiet\">{}</p>\n",
        escaped(&report.logs.join(", "))
    );
    if let (Some(from), Some(until)) = (&report.from, &report.until) {
        let length = length(report.seconds);
        html += &format!(
            "<p>{from} to {until}, {length}. Detection is {}.</p>\n",
            match report.detection {
                true => "on",
                false => "off",
            }
        );
    }
    let outcomes = report.outcomes;
    let share = |count| percent(count, report.requests);
    html += "<ul class=\"cards\">\n";
    for (number, name) in [
        (thousands(report.requests), "requests".to_owned()),
        (
            format!("{least}{}", thousands(report.clients)),
            "clients".to_owned(),
        ),
        (
            thousands(outcomes.limited_429),
            format!("would be 429 ({})", share(outcomes.limited_429)),
        ),
        (
            thousands(outcomes.forbidden()),
            format!("would be 403 ({})", share(outcomes.forbidden())),
        ),
        (
            thousands(report.refused_clients),
            "clients refused something".to_owned(),
        ),
        (thousands(report.bans.total), "bans".to_owned()),
    ] {
        html += &format!(
            "<li><strong>{}</strong>{}</li>\n",
            escaped(&number),
            escaped(&name)
        );
    }
    html + "</ul>\n"
}

fn refusals(report: &Report) -> String {
    let steps = &report.timeline.steps;
    let bars = steps.iter().map(|step| Bar {
        pieces: vec![step.requests.limited, step.requests.forbidden],
        hint: format!(
            "{}: {} requests, {} times 429, {} times 403",
            step.at, step.requests.requests, step.requests.limited, step.requests.forbidden
        ),
    });
    let labels = [
        report.from.as_ref().map(|at| (0.0, at.clone())),
        report.until.as_ref().map(|at| (1.0, at.clone())),
    ];
    let plot = Bars {
        title: "Refusals over time",
        classes: &["limited", "forbidden"],
        bars: bars.collect(),
        labels: labels.into_iter().flatten().collect(),
        mark: None,
    };
    format!(
        "<h2>Refusals over time</h2>\n<p class=\"quiet\">In steps of {}.\
         <span class=\"key limited\"></span>429<span class=\"key forbidden\"></span>403</p>\n{}",
        length(report.timeline.step_seconds),
        plot.svg()
    )
}

fn routes(report: &Report) -> String {
    let rows: Vec<_> = report
        .routes
        .iter()
        .map(|route| {
            let name = route.pattern.as_deref().unwrap_or("(the global window)");
            let counts = route.requests;
            let refused = counts.limited + counts.forbidden;
            vec![
                name.to_owned(),
                thousands(counts.requests),
                thousands(counts.limited),
                thousands(counts.forbidden),
                percent(refused, counts.requests),
            ]
        })
        .collect();
    let heads = [
        ("Route", Column::Text),
        ("Requests", Column::Number),
        ("429", Column::Number),
        ("403", Column::Number),
        ("Refused", Column::Number),
    ];
    "<h2>Routes</h2>\n".to_owned()
        + &table("Patterns of [[routes]], and all the rest", &heads, &rows)
}

fn agents(report: &Report) -> String {
    let heading = "<h2>Monitors and search crawlers that would have been refused</h2>\n".to_owned();
    if report.refused_monitors_and_crawlers.is_empty() {
        return heading + "<p>None that is known.</p>\n";
    }
    let rows: Vec<_> = report
        .refused_monitors_and_crawlers
        .iter()
        .map(|agent| {
            vec![
                agent.kind.to_owned(),
                thousands(agent.refused.limited),
                thousands(agent.refused.forbidden),
                agent.user_agent.clone(),
            ]
        })
        .collect();
    let heads = [
        ("Kind", Column::Text),
        ("429", Column::Number),
        ("403", Column::Number),
        ("User agent", Column::Foreign),
    ];
    heading
        + &table(
            "By their user agents, which anybody can write",
            &heads,
            &rows,
        )
}

fn bans(report: &Report) -> String {
    let bans = &report.bans;
    if bans.total == 0 {
        return "<h2>Bans</h2>\n<p>Nobody would have been banned.</p>\n".to_owned();
    }
    let reasons: Vec<_> = bans
        .by_reason
        .iter()
        .map(|(reason, count)| vec![reason.clone(), thousands(*count)])
        .collect();
    let rows: Vec<_> = bans
        .first
        .iter()
        .map(|ban| {
            vec![
                ban.since.clone(),
                ban.client.clone(),
                ban.reason.clone(),
                ban.request.clone(),
            ]
        })
        .collect();
    let heads = [
        ("Since", Column::Text),
        ("Client", Column::Text),
        ("Reason", Column::Text),
        ("Request", Column::Foreign),
    ];
    let reason_heads = [("Reason", Column::Text), ("Bans", Column::Number)];
    let caption = format!("The first {} of {}", rows.len(), thousands(bans.total));
    "<h2>Bans</h2>\n".to_owned()
        + &table("By reason", &reason_heads, &reasons)
        + &table(&caption, &heads, &rows)
}

fn findings(report: &Report) -> String {
    let mut html = String::new();
    if !report.rules.is_empty() {
        let rows: Vec<_> = report
            .rules
            .iter()
            .map(|rule| vec![rule.rule.clone(), thousands(rule.requests)])
            .collect();
        let heads = [("Rule", Column::Text), ("Requests", Column::Number)];
        html += "<h2>Detectors</h2>\n";
        html += &table("What they would have flagged", &heads, &rows);
    }
    if report.late_requests > 0 {
        html += &format!("<p>{}</p>\n", escaped(&late(report)));
    }
    if report.bad_lines > 0 {
        let rows: Vec<_> = report
            .first_bad_lines
            .iter()
            .map(|line| vec![line.clone()])
            .collect();
        let caption = format!(
            "{} lines that are no request of HTTP, the first",
            thousands(report.bad_lines)
        );
        html += "<h2>Bad lines</h2>\n";
        html += &table(&caption, &[("Line", Column::Foreign)], &rows);
    }
    html
}
