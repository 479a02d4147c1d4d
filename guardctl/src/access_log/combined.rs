//! Common and combined log format, as Apache and nginx write it, with or without a virtual host before them.
//!
//! Must not know: files, other formats.

use std::{net::IpAddr, str, time::SystemTime};

use super::{
    BadLine, Entry, address, header, lossy,
    quoted::field,
    split_request,
    time::{common_log_time, iso_time},
};

/// `client identity user [time] "request" status bytes "referer" "user agent"`, of which the last two may be missing.
pub(super) fn parse(line: &[u8]) -> Result<Entry<'_>, BadLine> {
    let (before, rest) = line
        .split_at_checked(first_quote(line))
        .unwrap_or((line, &[]));
    let (before, at) = time(before)?;
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

/// Where the first quotation mark is that is not escaped: users may have some in their names.
fn first_quote(line: &[u8]) -> usize {
    let mut quotes = memchr::memchr_iter(b'"', line);
    let begins = quotes.find(|at| {
        !line
            .get(..*at)
            .is_some_and(|before| before.ends_with(b"\\"))
    });
    begins.unwrap_or(line.len())
}

/// What stands in the last brackets that hold a time, and what is before them. Users, who may call themselves whatever they like, stand before it.
fn time(text: &[u8]) -> Result<(&[u8], SystemTime), BadLine> {
    /// Longer texts are no time.
    const LONGEST: usize = 48;
    let mut last = None;
    for start in memchr::memrchr_iter(b'[', text) {
        let inside = text.get(start + 1..).unwrap_or_default();
        let near = inside.get(..LONGEST).unwrap_or(inside);
        let Some(inside) = memchr::memchr(b']', near).and_then(|end| near.get(..end)) else {
            continue;
        };
        let before = text.get(..start).unwrap_or_default();
        match common_log_time(inside).or_else(|| iso_time(str::from_utf8(inside).ok()?)) {
            Some(at) => return Ok((before, at)),
            // An address may stand in brackets as well.
            None if !before.trim_ascii().is_empty() => last = last.or(Some(inside)),
            None => {}
        }
    }
    Err(last.map_or(BadLine::Missing("time"), |last| {
        BadLine::unreadable("time", last)
    }))
}

/// The first word, or the second if the first is the virtual host, which may be an address as well.
fn client(before: &[u8]) -> Result<IpAddr, BadLine> {
    let text = str::from_utf8(before).map_err(|_| BadLine::unreadable("client", before))?;
    let mut words = text.split_ascii_whitespace();
    let first = words.next().ok_or(BadLine::Missing("client"))?;
    let mut second = || words.next().and_then(|word| address(word).ok());
    match address(first) {
        Ok(client) if first.parse::<IpAddr>().is_ok() => Ok(client),
        Ok(client) => Ok(second().unwrap_or(client)),
        Err(error) => second().ok_or(error),
    }
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
