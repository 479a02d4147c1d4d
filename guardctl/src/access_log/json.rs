//! JSON lines: nginx with the usual names of its variables, Caddy and Traefik.
//!
//! Must not know: files, other formats.

use std::borrow::Cow;

use serde::Deserialize;

use super::{
    BadLine, Entry, address,
    fields::{Either, Scalar},
    header, is_method,
    quoted::hex_digit,
    split_request,
    time::{common_log_time, iso_time, unix_time},
};

/// All names of fields that are looked at. What stands for the same is read in the order of this list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    // Times.
    #[serde(borrow)]
    msec: Scalar<'a>,
    #[serde(borrow)]
    ts: Scalar<'a>,
    #[serde(borrow)]
    time_iso8601: Scalar<'a>,
    #[serde(borrow, rename = "StartUTC")]
    start_utc: Scalar<'a>,
    #[serde(borrow)]
    time_local: Scalar<'a>,
    #[serde(borrow)]
    time: Scalar<'a>,
    #[serde(borrow, rename = "@timestamp")]
    at_timestamp: Scalar<'a>,
    #[serde(borrow)]
    timestamp: Scalar<'a>,
    // Clients.
    #[serde(borrow)]
    remote_addr: Scalar<'a>,
    #[serde(borrow, rename = "ClientHost")]
    client_host: Scalar<'a>,
    // Requests.
    #[serde(borrow)]
    request: Either<'a, Request<'a>>,
    #[serde(borrow)]
    request_method: Scalar<'a>,
    #[serde(borrow, rename = "RequestMethod")]
    traefik_method: Scalar<'a>,
    #[serde(borrow)]
    request_uri: Scalar<'a>,
    #[serde(borrow, rename = "RequestPath")]
    traefik_path: Scalar<'a>,
    #[serde(borrow)]
    uri: Scalar<'a>,
    #[serde(borrow)]
    args: Scalar<'a>,
    // Statuses.
    #[serde(borrow)]
    status: Scalar<'a>,
    #[serde(borrow, rename = "DownstreamStatus")]
    downstream_status: Scalar<'a>,
    // Headers.
    #[serde(borrow)]
    http_user_agent: Scalar<'a>,
    #[serde(borrow, rename = "request_User-Agent")]
    traefik_user_agent: Scalar<'a>,
    #[serde(borrow)]
    http_referer: Scalar<'a>,
    #[serde(borrow, rename = "request_Referer")]
    traefik_referer: Scalar<'a>,
}

/// Caddy's object `request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Request<'a> {
    /// Behind proxies that Caddy trusts, whom they name.
    #[serde(borrow)]
    client_ip: Scalar<'a>,
    #[serde(borrow)]
    remote_ip: Scalar<'a>,
    /// Of old releases, with a port.
    #[serde(borrow)]
    remote_addr: Scalar<'a>,
    #[serde(borrow)]
    method: Scalar<'a>,
    #[serde(borrow)]
    uri: Scalar<'a>,
    #[serde(borrow)]
    headers: Headers<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Headers<'a> {
    #[serde(borrow, rename = "User-Agent")]
    user_agent: Scalar<'a>,
    #[serde(borrow, rename = "Referer")]
    referer: Scalar<'a>,
}

type Text<'a> = Option<Cow<'a, str>>;

pub(super) fn parse(line: &[u8]) -> Result<Entry<'_>, BadLine> {
    let error = match serde_json::from_slice(line) {
        Ok(line) => return entry(line),
        Err(error) => error,
    };
    // Attackers' requests are in these lines, so they matter most.
    if let Some(line) = with_json_escapes(line)
        && let Ok(line) = serde_json::from_str(&line)
    {
        return Ok(entry(line)?.into_owned());
    }
    Err(BadLine::unreadable(
        "json",
        format!("column {}", error.column()),
    ))
}

/// nginx without `escape=json` writes `\x22`, which JSON does not know. `None` if there is no such escape.
fn with_json_escapes(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, b"\\x")?;
    let mut bytes = Vec::with_capacity(line.len() * 2);
    let mut rest = line;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match after.split_first_chunk() {
            Some((escape @ [b'x', _, _], after)) if byte == b'\\' => {
                json_escape(*escape, &mut bytes)?;
                after
            }
            _ if byte == b'\\' => {
                let (escape, after) = after.split_at_checked(1)?;
                bytes.push(byte);
                bytes.extend_from_slice(escape);
                after
            }
            _ => {
                bytes.push(byte);
                after
            }
        };
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes `x22` as JSON does. Bytes of letters beyond ASCII belong together, and stay bytes.
fn json_escape([_, high, low]: [u8; 3], bytes: &mut Vec<u8>) -> Option<()> {
    let byte = hex_digit(high)? << 4 | hex_digit(low)?;
    match byte.is_ascii() {
        true => bytes.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]),
        false => bytes.push(byte),
    }
    Some(())
}

fn entry(mut line: Line<'_>) -> Result<Entry<'_>, BadLine> {
    let at = line.time()?;
    let status = line.status()?;
    let request = std::mem::take(&mut line.request);
    let (request, whole) = match request {
        Either::Object(request) => (*request, None),
        Either::Scalar(scalar) => (Request::default(), scalar.text()),
    };
    let client = line.client(&request)?;
    let user_agent = first([
        request.headers.user_agent,
        line.http_user_agent,
        line.traefik_user_agent,
    ]);
    let referer = first([
        request.headers.referer,
        line.http_referer,
        line.traefik_referer,
    ]);
    let method = first([request.method, line.request_method, line.traefik_method]);
    let target = first([request.uri, line.request_uri, line.traefik_path]);
    let target = target.or_else(|| target_of(line.uri.text(), line.args.text()));
    let (method, target) = request_of(method, target, whole)?;
    Ok(Entry {
        at,
        client,
        method,
        target,
        status,
        user_agent: user_agent.and_then(sent),
        referer: referer.and_then(sent),
    })
}

impl Line<'_> {
    fn time(&self) -> Result<std::time::SystemTime, BadLine> {
        let times = [
            &self.msec,
            &self.ts,
            &self.time_iso8601,
            &self.start_utc,
            &self.time_local,
            &self.time,
            &self.at_timestamp,
            &self.timestamp,
        ];
        let given = times.into_iter().find(|time| !time.is_nothing());
        let given = given.ok_or(BadLine::Missing("time"))?;
        let time = match given {
            Scalar::Text(text) => iso_time(text)
                .or_else(|| common_log_time(text.as_bytes()))
                .or_else(|| unix_time(given.number()?)),
            _ => given.number().and_then(unix_time),
        };
        time.ok_or_else(|| BadLine::unreadable("time", shown(given)))
    }

    fn status(&self) -> Result<Option<u16>, BadLine> {
        let statuses = [&self.status, &self.downstream_status];
        let Some(given) = statuses.into_iter().find(|one| !one.is_nothing()) else {
            return Ok(None);
        };
        let status = given
            .number()
            .filter(|status| (0.0..1000.0).contains(status));
        match status {
            Some(status) => Ok(Some(status as u16)),
            None => Err(BadLine::unreadable("status", shown(given))),
        }
    }

    fn client(&self, request: &Request<'_>) -> Result<std::net::IpAddr, BadLine> {
        let clients = [
            &request.client_ip,
            &request.remote_ip,
            &request.remote_addr,
            &self.remote_addr,
            &self.client_host,
        ];
        let mut given = clients.into_iter().filter_map(|client| match client {
            Scalar::Text(text) => Some(text),
            _ => None,
        });
        address(given.next().ok_or(BadLine::Missing("client"))?)
    }
}

/// Method and target that stand apart go before a request line.
fn request_of<'a>(
    method: Text<'a>,
    target: Text<'a>,
    whole: Text<'a>,
) -> Result<(Cow<'a, str>, Cow<'a, str>), BadLine> {
    match (method, target, whole) {
        (Some(method), Some(target), _) if is_method(&method) => Ok((method, target)),
        (Some(method), Some(_), _) => Err(BadLine::unreadable("method", method.as_bytes())),
        (_, _, Some(whole)) => split_request(whole),
        _ => Err(BadLine::Missing("request")),
    }
}

/// nginx has the path without the query in `$uri`.
fn target_of<'a>(uri: Text<'a>, args: Text<'a>) -> Text<'a> {
    let uri = uri?;
    match args.filter(|args| !args.is_empty() && args != "-") {
        Some(args) => Some(format!("{uri}?{args}").into()),
        None => Some(uri),
    }
}

fn first<'a, const N: usize>(values: [Scalar<'a>; N]) -> Text<'a> {
    values.into_iter().find_map(Scalar::text)
}

fn sent(text: Cow<'_, str>) -> Option<Cow<'_, [u8]>> {
    header(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    })
}

fn shown(scalar: &Scalar<'_>) -> String {
    match scalar {
        Scalar::Text(text) => text.clone().into_owned(),
        Scalar::Number(number) => number.to_string(),
        Scalar::Nothing => String::new(),
    }
}
