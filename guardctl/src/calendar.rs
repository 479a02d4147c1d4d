//! Days and dates of the Gregorian calendar, by Howard Hinnant's algorithms.
//!
//! Must not know: how times are written in logs.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY_SECONDS: u64 = 86_400;
/// Days of 400 years.
const ERA_DAYS: i64 = 146_097;
/// From the first of March of the year 0 to the beginning of 1970.
const EPOCH_DAYS: i64 = 719_468;

/// Days since 1970.
pub(crate) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * ERA_DAYS + day_of_era - EPOCH_DAYS
}

/// Year, month and day, of days since 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH_DAYS;
    let (era, day_of_era) = (days.div_euclid(ERA_DAYS), days.rem_euclid(ERA_DAYS));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// `2015-05-17T10:05:03Z`.
pub(crate) fn utc(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let days = i64::try_from(seconds / DAY_SECONDS).unwrap_or(0);
    let (year, month, day) = date_of(days);
    let rest = seconds % DAY_SECONDS;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_day_of_nine_centuries_is_found_again() {
        let mut expected = days_of(1800, 1, 1);
        for year in 1800..2700 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                for day in 1..=length {
                    assert_eq!(days_of(year, month, day), expected, "{year}-{month}-{day}");
                    assert_eq!(date_of(expected), (year, month, day));
                    expected += 1;
                }
            }
        }
        assert_eq!(days_of(1970, 1, 1), 0);
    }

    #[test]
    fn times_are_written_in_utc() {
        let time = UNIX_EPOCH + Duration::from_millis(1_431_857_103_999);
        assert_eq!(utc(time), "2015-05-17T10:05:03Z");
    }
}
