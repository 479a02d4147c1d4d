//! Times, as logs write them.
//!
//! Must not know: lines.

use std::{
    str,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::calendar::days_of;

const DAY_SECONDS: i64 = 86_400;
/// The year 10000: nobody logs that, and arithmetic stays far from its ends.
const LATEST_SECONDS: f64 = 253_402_300_800.0;

/// `17/May/2015:10:05:03 +0000`, also with a fraction of the second.
pub(super) fn common_log_time(text: &[u8]) -> Option<SystemTime> {
    let text = str::from_utf8(text).ok()?;
    let (date, rest) = text.split_once(':')?;
    let (clock, zone) = rest.split_once(' ')?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut date = date.split('/');
    let (day, month, year) = (date.next()?, date.next()?, date.next()?);
    let seconds = day_seconds(number(year)?, month_number(month)?, number(day)?)?
        + clock_seconds(clock)?
        - zone_seconds(zone)?;
    moment(seconds, millis_of(fraction)?)
}

/// `2015-05-17T10:05:03.123Z`, also with a space before the time, with slashes in the date, and with an offset such as `+02:00`.
pub(super) fn iso_time(text: &str) -> Option<SystemTime> {
    let (date, rest) = text.trim().split_once(['T', 't', ' '])?;
    let mut date = date.split(['-', '/']);
    let (year, month, day) = (date.next()?, date.next()?, date.next()?);
    let zone = rest.find(['Z', 'z', '+', '-', ' ']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(zone)?;
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    let seconds = day_seconds(number(year)?, number(month)?, number(day)?)? + clock_seconds(clock)?
        - zone_seconds(zone.trim())?;
    moment(seconds, millis_of(fraction)?)
}

/// Seconds since 1970, with a fraction; or milliseconds, microseconds or nanoseconds, which as seconds would be thousands of
/// years away.
pub(super) fn unix_time(number: f64) -> Option<SystemTime> {
    const SCALES: [(f64, f64); 3] = [(1e17, 1e9), (1e14, 1e6), (1e11, 1e3)];
    let scale = SCALES.iter().find(|(least, _)| number >= *least);
    let seconds = number / scale.map_or(1.0, |(_, in_a_second)| *in_a_second);
    let is_time = (0.0..LATEST_SECONDS).contains(&seconds);
    is_time.then(|| UNIX_EPOCH + Duration::from_millis((seconds * 1000.0).round() as u64))
}

fn moment(seconds: i64, millis: u64) -> Option<SystemTime> {
    let seconds = u64::try_from(seconds).ok()?;
    Some(UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(millis))
}

fn number(digits: &str) -> Option<i64> {
    let is_number = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

fn month_number(name: &str) -> Option<i64> {
    const NAMES: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let index = NAMES.iter().position(|known| *known == name)?;
    i64::try_from(index + 1).ok()
}

/// Midnight of a day, in seconds since 1970.
fn day_seconds(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| days_of(year, month, day) * DAY_SECONDS)
}

/// `10:05:03`.
fn clock_seconds(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute, second) = (
        number(parts.next()?)?,
        number(parts.next()?)?,
        number(parts.next()?)?,
    );
    // There are leap seconds.
    let is_time = hour < 24 && minute < 60 && second <= 60 && parts.next().is_none();
    is_time.then_some(hour * 3600 + minute * 60 + second)
}

/// `+0200`, `-03:30`, `Z` or nothing.
fn zone_seconds(text: &str) -> Option<i64> {
    let (sign, digits) = match text.chars().next() {
        None | Some('Z' | 'z') => return Some(0),
        Some('+') => (1, text.get(1..)?),
        Some('-') => (-1, text.get(1..)?),
        Some(_) => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(pair) => pair,
        None => digits.split_at_checked(2)?,
    };
    let minutes = if minutes.is_empty() {
        0
    } else {
        number(minutes)?
    };
    let hours = number(hours)?;
    (hours <= 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// The first three digits behind the point.
fn millis_of(fraction: &str) -> Option<u64> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = fraction.bytes().map(|byte| u64::from(byte - b'0'));
    let digits = digits.chain(std::iter::repeat(0)).take(3);
    Some(digits.fold(0, |millis, digit| millis * 10 + digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(time: Option<SystemTime>) -> Option<u128> {
        time.map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_millis())
    }

    #[test]
    fn times_of_the_common_log_format_have_a_zone() {
        for (text, expected) in [
            ("17/May/2015:10:05:03 +0000", Some(1_431_857_103_000)),
            ("17/May/2015:12:05:03 +0200", Some(1_431_857_103_000)),
            ("17/May/2015:06:35:03 -0330", Some(1_431_857_103_000)),
            ("29/Feb/2024:00:00:00 +0000", Some(1_709_164_800_000)),
            ("01/Jan/1970:00:00:00 +0000", Some(0)),
            ("31/Dec/2016:23:59:60 +0000", Some(1_483_228_800_000)),
            ("17/May/2015:10:05:03.25 +0000", Some(1_431_857_103_250)),
            ("31/Dec/1969:00:00:00 +0000", None),
            ("17/Foo/2015:10:05:03 +0000", None),
            ("17/May/2015:10:05 +0000", None),
            ("17/May/2015:25:05:03 +0000", None),
            ("17/May/2015:10:05:03", None),
            ("99/May/2015:10:05:03 +0000", None),
            ("17/May/2015:10:05:03 0000", None),
            ("17/May/999999999999:10:05:03 +0000", None),
            ("", None),
        ] {
            assert_eq!(millis(common_log_time(text.as_bytes())), expected, "{text}");
        }
    }

    #[test]
    fn iso_times_may_have_fractions_and_offsets() {
        for (text, expected) in [
            ("2015-05-17T10:05:03Z", Some(1_431_857_103_000)),
            ("2015-05-17T10:05:03.123456789Z", Some(1_431_857_103_123)),
            ("2015-05-17T12:05:03.5+02:00", Some(1_431_857_103_500)),
            ("2015-05-17 06:35:03-0330", Some(1_431_857_103_000)),
            ("2015-05-17T10:05:03", Some(1_431_857_103_000)),
            ("2015/05/17 10:05:03.123", Some(1_431_857_103_123)),
            ("2015-13-17T10:05:03Z", None),
            ("2015-05-17", None),
            ("2015-05-17T10:05:03.1x3Z", None),
            ("2015-05-17T10:05:03+é0", None),
            ("now", None),
        ] {
            assert_eq!(millis(iso_time(text)), expected, "{text}");
        }
    }

    #[test]
    fn unix_times_are_seconds_or_parts_of_them() {
        for (seconds, expected) in [
            (1_431_857_103.123, Some(1_431_857_103_123)),
            (1_431_857_103_123.0, Some(1_431_857_103_123)),
            (1_431_857_103_123_000.0, Some(1_431_857_103_123)),
            (1_431_857_103_123_000_000.0, Some(1_431_857_103_123)),
            (0.0, Some(0)),
            (-1.0, None),
            (1e300, None),
            (f64::NAN, None),
        ] {
            assert_eq!(millis(unix_time(seconds)), expected, "{seconds}");
        }
    }
}
