//! The report for a terminal.
//!
//! Must not know: where its numbers come from.

use std::fmt::{self, Write as _};

use crate::output::shown;

use super::{Report, window::Percentiles};

const MOST_REQUEST: usize = 70;
const MOST_RULES: usize = 15;

pub(crate) fn of(report: &Report) -> String {
    let mut text = String::new();
    // A string takes whatever is written to it.
    let _ = write(report, &mut text);
    text
}

fn write(report: &Report, out: &mut String) -> fmt::Result {
    write_head(report, out)?;
    write_outcomes(report, out)?;
    write_routes(report, out)?;
    write_bans(report, out)?;
    write_agents(report, out)?;
    write_window(report, out)
}

fn write_head(report: &Report, out: &mut String) -> fmt::Result {
    let least = if report.all_clients_counted {
        ""
    } else {
        "at least "
    };
    write!(
        out,
        "{} requests of {least}{} clients",
        report.requests, report.clients
    )?;
    if let (Some(from), Some(until)) = (&report.from, &report.until) {
        write!(out, ", {from} to {until} ({})", length(report.seconds))?;
    }
    writeln!(out)?;
    if report.late_requests > 0 {
        writeln!(out, "{}", late(report))?;
    }
    if report.bad_lines > 0 {
        writeln!(
            out,
            "Lines that are no request of HTTP: {}, the first:",
            report.bad_lines
        )?;
        for line in &report.first_bad_lines {
            writeln!(out, "  {}", shown(line, 150))?;
        }
    }
    Ok(())
}

/// One line with a time far ahead makes all that follow it come at once.
pub(super) fn late(report: &Report) -> String {
    format!(
        "{} requests are more than a window earlier than one before them, and count as if they came with that one: is there a line \
         with a wrong time, or are logs out of order?",
        report.late_requests
    )
}

fn write_outcomes(report: &Report, out: &mut String) -> fmt::Result {
    let outcomes = report.outcomes;
    writeln!(out, "\nWhat would have become of them:")?;
    let mut row = |name: &str, count: u64| -> fmt::Result {
        writeln!(
            out,
            "  {count:>10}  {:>7}  {name}",
            percent(count, report.requests)
        )
    };
    row("served", outcomes.served)?;
    if outcomes.exempt > 0 {
        row("served, exempt", outcomes.exempt)?;
    }
    row("429, over a limit", outcomes.limited_429)?;
    row("403, banned", outcomes.banned_403)?;
    if report.detection {
        row("403, flagged by a detector", outcomes.threat_403)?;
    }
    if outcomes.denied_403 > 0 {
        row("403, denied by a list", outcomes.denied_403)?;
    }
    writeln!(
        out,
        "  {:>10}  {:>7}  of the clients were refused something",
        report.refused_clients,
        percent(report.refused_clients, report.clients)
    )?;
    for rule in report.rules.iter().take(MOST_RULES) {
        writeln!(
            out,
            "  {:>10}           flagged by {}",
            rule.requests, rule.rule
        )?;
    }
    Ok(())
}

fn write_routes(report: &Report, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "\nOn which routes:\n    requests         429         403  route"
    )?;
    for route in &report.routes {
        let name = route.pattern.as_deref().unwrap_or("(the global window)");
        let counts = route.requests;
        writeln!(
            out,
            "  {:>10}  {:>10}  {:>10}  {name}",
            counts.requests, counts.limited, counts.forbidden
        )?;
    }
    Ok(())
}

fn write_bans(report: &Report, out: &mut String) -> fmt::Result {
    let bans = &report.bans;
    if bans.total == 0 {
        return writeln!(out, "\nNobody would have been banned.");
    }
    writeln!(out, "\nBans: {}", bans.total)?;
    for (reason, count) in &bans.by_reason {
        writeln!(out, "  {count:>10}  {}", shown(reason, MOST_REQUEST))?;
    }
    if bans.total > bans.first.len() as u64 {
        writeln!(out, "The first {}:", bans.first.len())?;
    }
    for ban in &bans.first {
        writeln!(
            out,
            "  {}  {:<22}  {}: {}",
            ban.since,
            ban.client,
            shown(&ban.reason, MOST_REQUEST),
            shown(&ban.request, MOST_REQUEST)
        )?;
    }
    Ok(())
}

fn write_agents(report: &Report, out: &mut String) -> fmt::Result {
    let agents = &report.refused_monitors_and_crawlers;
    if agents.is_empty() {
        return writeln!(
            out,
            "\nNo known monitor or search crawler would have been refused."
        );
    }
    writeln!(
        out,
        "\nMonitors and search crawlers that would have been refused, by their user agents, which anybody can write:\
         \n         429         403"
    )?;
    for agent in agents {
        writeln!(
            out,
            "  {:>10}  {:>10}  {}: {}",
            agent.refused.limited,
            agent.refused.forbidden,
            agent.kind,
            shown(&agent.user_agent, 100)
        )?;
    }
    Ok(())
}

fn write_window(report: &Report, out: &mut String) -> fmt::Result {
    let window = &report.window;
    writeln!(
        out,
        "\nRequests in windows of {} seconds, without routes that have windows of their own:\
         \n                                50 %    90 %    99 %  99.9 %     max",
        window.seconds
    )?;
    let busy = &window.requests_per_client_and_window;
    write_percentiles("of each client, if any", busy, out)?;
    let busiest = &window.busiest_window_per_client;
    write_percentiles("of each client, the busiest", busiest, out)?;
    writeln!(
        out,
        "The limit of {}: {} of {} clients ({}) send more in a window.",
        window.limit,
        window.clients_over_limit,
        busiest.count,
        percent(window.clients_over_limit, busiest.count)
    )?;
    // Nobody has told anything about nobody.
    let suggestions = window.suggestions.iter().filter(|_| busiest.count > 0);
    for suggestion in suggestions {
        if busiest.count < suggestion.one_client_in {
            writeln!(
                out,
                "A limit of {} would be noticed by nobody of these.",
                busiest.max
            )?;
            break;
        }
        writeln!(
            out,
            "A limit of {} would be noticed by 1 client in {} ({} of these).",
            suggestion.limit,
            thousands(suggestion.one_client_in),
            suggestion.clients_over
        )?;
    }
    if !window.each_client_once {
        writeln!(
            out,
            "There were more clients than max_clients: those that came back later count again."
        )?;
    }
    Ok(())
}

fn write_percentiles(name: &str, of: &Percentiles, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "  {name:<28} {:>5}   {:>5}   {:>5}   {:>5}   {:>5}",
        of.p50, of.p90, of.p99, of.p99_9, of.max
    )
}

pub(super) fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    format!("{share:.2} %")
}

pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn length(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} seconds"),
        120..7200 => format!("{} minutes", seconds / 60),
        7200..172_800 => format!("{:.1} hours", seconds as f64 / 3600.0),
        _ => format!("{:.1} days", seconds as f64 / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        let thousands = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(thousands, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(percent(1, 3), "33.33 %");
        assert_eq!(percent(0, 0), "0.00 %");
        let lengths = [5, 600, 9000, 200_000].map(length);
        assert_eq!(
            lengths,
            ["5 seconds", "10 minutes", "2.5 hours", "2.3 days"]
        );
    }
}
