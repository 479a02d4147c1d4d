//! `guardctl check` and `guardctl replay`, as they are called.

mod support;

use std::io::Write as _;

use support::{Folder, guardctl, guardctl_with_input};

const CONFIG: &str = r#"
rate_limit = 3
rate_limit_window = 60
auto_ban_threshold = 1
auto_ban_duration = 300
enable_detection = true

[[routes]]
pattern = "/login"
method = "POST"
requests = 1
window = 60
"#;

/// 198.51.100.1 sends five requests (429 at the fourth; the fifth, which is flagged as well, bans), and one while it is banned; a monitor logs in three times; one
/// client asks for what nobody asks for by accident; and there are lines that are no requests.
const LOG: &str = r#"198.51.100.1 - - [17/May/2015:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "Firefox"
198.51.100.1 - - [17/May/2015:10:00:01 +0000] "GET /b HTTP/1.1" 200 1 "-" "Firefox"
198.51.100.1 - - [17/May/2015:12:00:02 +0200] "GET /c HTTP/1.1" 200 1 "-" "Firefox"
what is this
{"ts":1431856803.5,"request":{"client_ip":"198.51.100.1","method":"GET","uri":"/d","headers":{"User-Agent":["Firefox"]}},"status":200}
198.51.100.1 - - [17/May/2015:10:00:04 +0000] "GET /<script>e HTTP/1.1" 200 1 "-" "Firefox"
198.51.100.1 - - [17/May/2015:10:05:03 +0000] "GET /f HTTP/1.1" 200 1 "-" "Firefox"
198.51.100.1 - - [17/May/2015:10:05:04 +0000] "GET /g HTTP/1.1" 200 1 "-" "Firefox"
2001:db8:1:2::1 - - [17/May/2015:10:06:00 +0000] "POST /login HTTP/1.1" 200 1 "-" "UptimeRobot/2.0 <b>"
2001:db8:1:2::2 - - [17/May/2015:10:06:01 +0000] "POST /login HTTP/1.1" 200 1 "-" "UptimeRobot/2.0 <b>"
198.51.100.9 - - [17/May/2015:10:07:00 +0000] "GET /.env HTTP/1.1" 404 1 "-" "curl"
198.51.100.9 - - [17/May/2015:10:07:01 +0000] "\x16\x03\x01" 400 1 "-" "-"
"#;

#[test]
fn check_prints_what_is_in_force_or_the_one_line_that_is_wrong() {
    let folder = Folder::new();
    let good = folder.file("good.toml", CONFIG);
    let done = guardctl(&["check", &good]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out.contains("rate_limit = 3\n"), "{}", done.out);
    assert!(done.out.contains("pattern = \"/login\""), "{}", done.out);
    let bad = folder.file("bad.toml", "rate_limit = -1\n");
    for file in [bad, folder.path("missing.toml")] {
        let done = guardctl(&["check", &file]);
        assert_eq!((done.code, done.out.as_str()), (2, ""));
        assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    }
}

#[test]
fn the_environment_counts_as_for_a_server() {
    let folder = Folder::new();
    let file = folder.file("guard.toml", CONFIG);
    let environment = [("GUARD_RATE_LIMIT", "77")];
    let done = guardctl_with_input(&["check", &file], b"", &environment);
    assert!(done.out.contains("rate_limit = 77\n"), "{}", done.out);
    let done = guardctl_with_input(&["check", &file], b"", &[("GUARD_RATE_LIMITS", "77")]);
    assert_eq!(done.code, 2);
    assert!(done.err.starts_with("GUARD_RATE_LIMITS:"), "{}", done.err);
}

#[test]
fn a_small_log_has_a_report_that_is_known() {
    let folder = Folder::new();
    let config = folder.file("guard.toml", CONFIG);
    let log = folder.file("access.log", LOG);
    let html = folder.path("report.html");
    let done = guardctl(&[
        "replay", "--config", &config, "--json", "--html", &html, &log,
    ]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    for (pointer, expected) in [
        ("/requests", serde_json::json!(10)),
        ("/clients", serde_json::json!(3)),
        ("/bad_lines", serde_json::json!(2)),
        ("/from", serde_json::json!("2015-05-17T10:00:00Z")),
        ("/until", serde_json::json!("2015-05-17T10:07:00Z")),
        ("/outcomes/served", serde_json::json!(5)),
        ("/outcomes/limited_429", serde_json::json!(2)),
        ("/outcomes/banned_403", serde_json::json!(2)),
        ("/outcomes/threat_403", serde_json::json!(1)),
        ("/refused_clients", serde_json::json!(3)),
        (
            "/routes/0",
            serde_json::json!({"pattern": null, "requests": 8, "limited": 1, "forbidden": 3}),
        ),
        (
            "/routes/1",
            serde_json::json!({"pattern": "/login", "requests": 2, "limited": 1, "forbidden": 0}),
        ),
        ("/bans/total", serde_json::json!(1)),
        (
            "/bans/first/0",
            serde_json::json!({
                "client": "198.51.100.1",
                "since": "2015-05-17T10:00:04Z",
                "until": "2015-05-17T10:05:04Z",
                "reason": "threat: xss (xss.script-element)",
                "request": "GET /<script>e",
            }),
        ),
        (
            "/refused_monitors_and_crawlers",
            serde_json::json!([{
                "kind": "uptime monitor", "user_agent": "UptimeRobot/2.0 <b>",
                "requests": 1, "limited": 1, "forbidden": 0,
            }]),
        ),
        (
            "/window/busiest_window_per_client/max",
            serde_json::json!(5),
        ),
        ("/window/clients_over_limit", serde_json::json!(1)),
    ] {
        assert_eq!(
            report.pointer(pointer),
            Some(&expected),
            "{pointer}: {}",
            done.out
        );
    }
    let page = std::fs::read_to_string(html).unwrap();
    for expected in [
        "<svg",
        "GET /&lt;script&gt;e",
        "UptimeRobot/2.0 &lt;b&gt;",
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    for forbidden in ["<script", "<b>", "http://", "https://"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn the_text_says_it_in_lines() {
    let folder = Folder::new();
    let config = folder.file("guard.toml", CONFIG);
    let log = folder.file("access.log", LOG);
    let done = guardctl(&["replay", "--config", &config, "--no-detection", &log]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    for expected in [
        "10 requests of 3 clients, 2015-05-17T10:00:00Z to 2015-05-17T10:07:00Z (7 minutes)\n",
        "access.log:4: time: missing\n",
        "           6  60.00 %  served\n",
        "           2  20.00 %  429, over a limit\n",
        "           2           1           0  /login\n",
        "2015-05-17T10:00:04Z  198.51.100.1            rate limit: GET /<script>e\n",
        "uptime monitor: UptimeRobot/2.0 <b>\n",
        "The limit of 3: 1 of 2 clients (50.00 %) send more in a window.\n",
        "A limit of 5 would be noticed by nobody of these.\n",
    ] {
        assert!(done.out.contains(expected), "{expected}{}", done.out);
    }
    assert!(!done.out.contains("detector"), "{}", done.out);
}

#[test]
fn logs_may_be_packed_in_any_order_and_come_from_standard_input() {
    let folder = Folder::new();
    let config = folder.file("guard.toml", CONFIG);
    let (old, new) = LOG.split_at(LOG.find("2001:db8").unwrap());
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(old.as_bytes()).unwrap();
    let old = folder.file("rotated", packed.finish().unwrap());
    let whole = folder.file("access.log", LOG);
    let expected = guardctl(&["replay", "--config", &config, &whole]).out;
    let done = guardctl_with_input(
        &["replay", "--config", &config, "-", &old],
        new.as_bytes(),
        &[],
    );
    let told = |text: &str| {
        let places = |line: &&str| !line.starts_with("  ") || !line.contains("cannot read");
        text.lines()
            .filter(places)
            .skip(3)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(told(&done.out), told(&expected));
    assert!(
        done.out.starts_with("10 requests of 3 clients"),
        "{}",
        done.out
    );
}

#[test]
fn what_cannot_be_read_is_said_in_one_line() {
    let folder = Folder::new();
    let bad = folder.file("bad.toml", "rate_limit = 0\n");
    let log = folder.file("access.log", "");
    for arguments in [
        ["replay", "--config", &bad, &log],
        [
            "replay",
            "--no-detection",
            &log,
            &folder.path("missing.log"),
        ],
    ] {
        let done = guardctl(&arguments);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    }
    let done = guardctl(&["replay", &log]);
    assert_eq!(done.code, 0);
    assert!(
        done.out.starts_with("0 requests of 0 clients\n"),
        "{}",
        done.out
    );
}

/// `/dev/full` takes nothing.
#[cfg(target_os = "linux")]
#[test]
fn the_exit_code_is_the_same_where_nobody_can_be_told() -> std::io::Result<()> {
    let full = std::fs::File::options().write(true).open("/dev/full")?;
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_guardctl"))
        .args(["check", "/no/such/file"])
        .stderr(full)
        .status()?;
    assert_eq!(status.code(), Some(2));
    Ok(())
}

#[test]
fn a_log_without_requests_suggests_nothing() {
    let folder = Folder::new();
    let log = folder.file("access.log", "what is this\n");
    let html = folder.path("report.html");
    let done = guardctl(&["replay", "--html", &html, &log]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("0 requests"), "{}", done.out);
    assert!(!done.out.contains("would be noticed"), "{}", done.out);
    let page = std::fs::read_to_string(html).unwrap();
    assert!(!page.contains("nobody of these"));
}

#[test]
fn a_line_with_a_time_far_ahead_is_told() {
    let folder = Folder::new();
    let line =
        |time: &str| format!("192.0.2.1 - - [17/May/{time} +0000] \"GET / HTTP/1.1\" 200 1\n");
    let in_order = line("2015:10:06:00") + &line("2015:10:05:00");
    let ahead = line("2035:10:05:00") + &in_order;
    for (log, late) in [(in_order, 0), (ahead, 2)] {
        let log = folder.file("access.log", &log);
        let html = folder.path("report.html");
        let done = guardctl(&["replay", "--html", &html, &log]);
        let told = format!("{late} requests are more than a window earlier");
        assert_eq!(done.out.contains(&told), late > 0, "{}", done.out);
        let page = std::fs::read_to_string(html).unwrap();
        assert_eq!(page.contains(&told), late > 0, "{page}");
        let json = guardctl(&["replay", "--json", &log]).out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["late_requests"], late);
    }
}
