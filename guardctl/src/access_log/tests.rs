//! Whole lines, of every format.

use std::time::{Duration, UNIX_EPOCH};

use super::*;

const AT: u64 = 1_431_857_103_000;

/// Time in milliseconds, client, method, target, status, user agent, referer.
type Told = (u128, String, String, String, Option<u16>, String, String);

fn told(line: &str) -> Result<Told, String> {
    let entry = parse(line.as_bytes()).map_err(|error| error.to_string())?;
    let header = |value: Option<Cow<'_, [u8]>>| {
        value.map_or("-".to_owned(), |value| value.escape_ascii().to_string())
    };
    Ok((
        entry.at.duration_since(UNIX_EPOCH).unwrap().as_millis(),
        entry.client.to_string(),
        entry.method.into_owned(),
        entry.target.into_owned(),
        entry.status,
        header(entry.user_agent),
        header(entry.referer),
    ))
}

fn request(
    client: &str,
    request: (&str, &str),
    status: Option<u16>,
    headers: (&str, &str),
) -> Told {
    (
        u128::from(AT),
        client.to_owned(),
        request.0.to_owned(),
        request.1.to_owned(),
        status,
        headers.0.to_owned(),
        headers.1.to_owned(),
    )
}

#[test]
fn common_and_combined_format() {
    let get = ("GET", "/a?b=c");
    for (line, expected) in [
        (
            r#"203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 12 "http://e/" "Agent/1 (x)""#,
            request("203.0.113.9", get, Some(200), ("Agent/1 (x)", "http://e/")),
        ),
        (
            r#"203.0.113.9 - frank smith [17/May/2015:12:05:03 +0200] "GET /a?b=c HTTP/1.1" 304 -"#,
            request("203.0.113.9", get, Some(304), ("-", "-")),
        ),
        (
            r#"2001:db8::1 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/2.0" 200 12 "-" "-""#,
            request("2001:db8::1", get, Some(200), ("-", "-")),
        ),
        (
            r#"[2001:db8::1]:4711 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/2.0" 200 12 "-" "x""#,
            request("2001:db8::1", get, Some(200), ("x", "-")),
        ),
        (
            r#"www.example.com:443 203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 1 "-" "x" 12 "more""#,
            request("203.0.113.9", get, Some(200), ("x", "-")),
        ),
        (
            r#"203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /a\"b HTTP/1.1" 404 1 "-" "say \"hi\" \xe4\\""#,
            request(
                "203.0.113.9",
                ("GET", "/a\"b"),
                Some(404),
                (r#"say \"hi\" \xe4\\"#, "-"),
            ),
        ),
        (
            r#"192.0.2.80:443 203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 1"#,
            request("203.0.113.9", get, Some(200), ("-", "-")),
        ),
        (
            r#"203.0.113.9:4711 - - [2015-05-17T12:05:03+02:00] [pid 7] "GET /a?b=c HTTP/1.1" 200 1"#,
            request("203.0.113.9", get, Some(200), ("-", "-")),
        ),
        (
            r#"203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /with a space HTTP/1.1" 400 1"#,
            request(
                "203.0.113.9",
                ("GET", "/with a space"),
                Some(400),
                ("-", "-"),
            ),
        ),
    ] {
        assert_eq!(told(line), Ok(expected), "{line}");
    }
}

#[test]
fn users_cannot_forge_the_time_by_their_names() {
    let expected = request("203.0.113.9", ("GET", "/"), Some(401), ("-", "-"));
    for user in [
        "[17/May/2035:10:05:03 +0000]",
        "[[[",
        "]",
        r#"a\"b\" [17/May/2035:10:05:03 +0000]"#,
        r#"[17/May/2035:10:05:03 +0000] \"GET /x HTTP/1.1\" 200"#,
    ] {
        let line =
            format!("203.0.113.9 - {user} [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 401 1");
        assert_eq!(told(&line), Ok(expected.clone()), "{line}");
    }
}

#[test]
fn brackets_without_end_take_no_time_worth_mentioning() {
    let line = format!("203.0.113.9 {}", "[".repeat(1_000_000));
    assert_eq!(told(&line).unwrap_err(), "time: missing");
}

#[test]
fn json_with_the_escapes_of_nginx_is_read_as_it_is_meant() {
    let line = r#"{"ts":1431857103,"remote_addr":"203.0.113.9","request":"GET /\x22\x5C\xC3\xA9 HTTP/1.1","status":"","http_user_agent":"\x1B\\x41\x22","http_referer":"\xFF"}"#;
    let expected = request(
        "203.0.113.9",
        ("GET", "/\"\\é"),
        None,
        (r#"\x1b\\x41\""#, r"\xef\xbf\xbd"),
    );
    assert_eq!(told(line), Ok(expected));
    for broken in [r#"{"ts":1431857103,"x":"\x2"#, r#"{"x":"\xZZ"}"#] {
        assert!(told(broken).unwrap_err().starts_with("json: "), "{broken}");
    }
}

#[test]
fn json_of_nginx() {
    let expected = request(
        "203.0.113.9",
        ("GET", "/a?b=c"),
        Some(200),
        ("Agent", "http://e/"),
    );
    for line in [
        r#"{"time_iso8601":"2015-05-17T10:05:03+00:00","remote_addr":"203.0.113.9","request":"GET /a?b=c HTTP/1.1","status":"200","http_user_agent":"Agent","http_referer":"http://e/"}"#,
        r#"{"time_local":"17/May/2015:12:05:03 +0200","remote_addr":"203.0.113.9","request_method":"GET","request_uri":"/a?b=c","status":200,"http_user_agent":"Agent","http_referer":"http://e/","upstream":{"a":[1,{}]},"b":null,"c":true}"#,
        r#"{"msec":"1431857103.000","remote_addr":"203.0.113.9","request_method":"GET","uri":"/a","args":"b=c","status":200,"http_user_agent":"Agent","http_referer":"http:\/\/e\/"}"#,
        r#"{"msec":1431857103.000,"remote_addr":"203.0.113.9","request":"GET \u002fa?b=c HTTP/1.1","status":200,"http_user_agent":"Agent","http_referer":"http://e/"}"#,
    ] {
        assert_eq!(told(line), Ok(expected.clone()), "{line}");
    }
}

#[test]
fn json_of_caddy_and_traefik() {
    let expected = request(
        "203.0.113.9",
        ("POST", "/a?b=c"),
        Some(201),
        ("Agent", "http://e/"),
    );
    for line in [
        r#"{"level":"info","ts":1431857103.0,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","remote_port":"4711","client_ip":"203.0.113.9","proto":"HTTP/2.0","method":"POST","host":"example.com","uri":"/a?b=c","headers":{"Accept":["*/*"],"User-Agent":["Agent"],"Referer":["http://e/","x"]},"tls":{"version":772}},"duration":0.001,"size":12,"status":201,"resp_headers":{"Server":["Caddy"]}}"#,
        r#"{"ts":"2015-05-17T10:05:03Z","request":{"remote_ip":"203.0.113.9","method":"POST","uri":"/a?b=c","headers":{"User-Agent":["Agent"],"Referer":["http://e/"]}},"status":201}"#,
        r#"{"ts":1431857103000,"request":{"remote_ip":"203.0.113.9","method":"POST","uri":"/a?b=c","headers":{"User-Agent":["Agent"],"Referer":["http://e/"]}},"status":201}"#,
        r#"{"ClientAddr":"203.0.113.9:4711","ClientHost":"203.0.113.9","DownstreamStatus":201,"RequestMethod":"POST","RequestPath":"/a?b=c","StartUTC":"2015-05-17T10:05:03.000000001Z","time":"2015-05-17T10:05:09Z","request_User-Agent":"Agent","request_Referer":"http://e/"}"#,
        r#"{"ClientHost":"203.0.113.9","DownstreamStatus":201,"RequestMethod":"POST","RequestPath":"/a?b=c","time":"2015-05-17T10:05:03Z","request_User-Agent":"Agent","request_Referer":"http://e/"}"#,
    ] {
        assert_eq!(told(line), Ok(expected.clone()), "{line}");
    }
}

#[test]
fn a_broken_line_says_what_is_wrong_with_it() {
    for (line, expected) in [
        ("", "time: missing"),
        ("garbage", "time: missing"),
        (
            "203.0.113.9 - - [17/May/2015:10:05:03 +0000",
            "time: missing",
        ),
        (
            "203.0.113.9 - - [yesterday] \"GET / HTTP/1.1\" 200 1",
            "time: cannot read \"yesterday\"",
        ),
        (
            "example.com - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1",
            "client: cannot read \"example.com\"",
        ),
        (
            "[x - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1",
            "client: cannot read \"[x\"",
        ),
        (
            "203.0.113.9 - - [17/May/2015:10:05:03 +0000] \"GET /",
            "request: missing",
        ),
        (
            "203.0.113.9 - - [17/May/2015:10:05:03 +0000] \"\\x16\\x03\\x01\" 400 0",
            "request: cannot read \"\\u{16}\\u{3}\\u{1}\"",
        ),
        (
            "203.0.113.9 - - [17/May/2015:10:05:03 +0000] \"-\" 408 0",
            "request: cannot read \"-\"",
        ),
        (
            "203.0.113.9 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" abc 0",
            "status: cannot read \"abc\"",
        ),
        ("{", "json: cannot read \"column 1\""),
        ("{}", "time: missing"),
        (r#"{"ts":"soon"}"#, "time: cannot read \"soon\""),
        (r#"{"ts":1431857103}"#, "client: missing"),
        (
            r#"{"ts":1431857103,"remote_addr":"x"}"#,
            "client: cannot read \"x\"",
        ),
        (
            r#"{"ts":1431857103,"remote_addr":"::1"}"#,
            "request: missing",
        ),
        (
            r#"{"ts":1431857103,"remote_addr":"::1","status":"up"}"#,
            "status: cannot read \"up\"",
        ),
        (
            r#"{"ts":1,"remote_addr":"::1","request_method":"G T","request_uri":"/"}"#,
            "method: cannot read \"G T\"",
        ),
    ] {
        assert_eq!(told(line).unwrap_err(), expected, "{line}");
    }
}

#[test]
fn no_beginning_of_a_line_is_fatal() {
    let line = r#"{"ts":1431857103.5,"request":{"client_ip":"203.0.113.9","method":"GET","uri":"/a\u00e9","headers":{"User-Agent":["A"]}}}"#;
    let combined =
        r#"203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /\x e HTTP/1.1" 200 12 "é" "A\""#;
    let whole = parse(line.as_bytes()).unwrap();
    assert_eq!(whole.at, UNIX_EPOCH + Duration::from_millis(AT + 500));
    for text in [line, combined] {
        for length in 0..text.len() {
            // Whatever it is, it does not panic; only all of the JSON is JSON.
            let beginning = parse(&text.as_bytes()[..length]);
            assert!(text == combined || beginning.is_err(), "{length}");
        }
    }
}
