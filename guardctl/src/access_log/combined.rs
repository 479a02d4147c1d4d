//! Common and combined log format, as Apache and nginx write it, with or without a virtual host before them.
//!
//! Must not know: files, other formats.

use std::str;

use super::{
    BadLine, Entry, address, header, lossy, quoted::field, split_request, time::common_log_time,
};

/// `client identity user [time] "request" status bytes "referer" "user agent"`, of which the last two may be missing.
pub(super) fn parse(line: &[u8]) -> Result<Entry<'_>, BadLine> {
    let bracket = memchr::memchr(b'[', skip_address(line)).ok_or(BadLine::Missing("time"))?;
    let bracket = bracket + line.len() - skip_address(line).len();
    let (before, rest) = line
        .split_at_checked(bracket)
        .ok_or(BadLine::Missing("time"))?;
    let end = memchr::memchr(b']', rest).ok_or(BadLine::Missing("time"))?;
    let (time, rest) = rest.split_at_checked(end).ok_or(BadLine::Missing("time"))?;
    let time = time.strip_prefix(b"[").unwrap_or(time);
    let at = common_log_time(time).ok_or_else(|| BadLine::unreadable("time", time))?;
    let client = client(before)?;
    let (request, rest) = field(rest).ok_or(BadLine::Missing("request"))?;
    let (method, target) = split_request(lossy(request))?;
    let (status, rest) = status(rest)?;
    let (referer, rest) = field(rest).map_or((None, rest), |(value, rest)| (header(value), rest));
    let user_agent = field(rest).and_then(|(value, _)| header(value));
    Ok(Entry {
        at,
        client,
        method,
        target,
        status,
        user_agent,
        referer,
    })
}

/// An address may stand in brackets as the time does.
fn skip_address(line: &[u8]) -> &[u8] {
    match memchr::memchr(b' ', line) {
        Some(space) => line.get(space..).unwrap_or_default(),
        None => line,
    }
}

/// The first word, or the second if the first is the virtual host.
fn client(before: &[u8]) -> Result<std::net::IpAddr, BadLine> {
    let text = str::from_utf8(before).map_err(|_| BadLine::unreadable("client", before))?;
    let mut words = text.split_ascii_whitespace();
    let first = words.next().ok_or(BadLine::Missing("client"))?;
    address(first).or_else(|error| {
        words
            .next()
            .and_then(|word| address(word).ok())
            .ok_or(error)
    })
}

fn status(rest: &[u8]) -> Result<(Option<u16>, &[u8]), BadLine> {
    let rest = rest.trim_ascii_start();
    let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
    let (word, rest) = rest.split_at_checked(end).unwrap_or((rest, &[]));
    if word.is_empty() || word == b"-" {
        return Ok((None, rest));
    }
    let status = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    match status {
        Some(status) => Ok((Some(status), rest)),
        None => Err(BadLine::unreadable("status", word)),
    }
}
