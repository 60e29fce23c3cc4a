//! Civil dates: days since 1970-01-01 to year, month and day, and back.
//!
//! The calendar is the proleptic Gregorian one; year 0 is the one before year 1. Years begin in
//! March while they are computed with, so that the leap day is their last.

/// Days of 400 years.
const CYCLE_DAYS: i64 = 146_097;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_DAYS: i64 = 719_468;

/// A day of the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// Year; 0 is the one before year 1.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

impl Date {
    /// Date of a day, which is a number of days since 1970-01-01. Every number has one.
    #[inline]
    pub fn of_day(day: i64) -> Date {
        let cycle = day.div_euclid(CYCLE_DAYS);
        let of_cycles = day.rem_euclid(CYCLE_DAYS) + EPOCH_DAYS;
        let century = (4 * of_cycles + 3) / CYCLE_DAYS;
        let of_century = of_cycles - century * CYCLE_DAYS / 4;
        let year = (4 * of_century + 3) / 1461;
        let of_year = of_century - 1461 * year / 4;
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, is_next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        Date { year: cycle * 400 + century * 100 + year + is_next, month, day }
    }

    /// Days since 1970-01-01 of a date that exists. Dates whose days don't fit in 64 bits overflow.
    #[inline]
    pub fn to_day(self) -> i64 {
        let (year, month) = if self.month > 2 {
            (self.year, self.month - 3)
        } else {
            (self.year - 1, self.month + 9)
        };
        let of_year = (153 * month + 2) / 5 + self.day - 1;
        let century = year.div_euclid(100);
        // In this order no sum overflows where the last one doesn't.
        of_year - EPOCH_DAYS + 365 * year - century + (century >> 2) + (year >> 2)
    }

    /// Whether the month has such a day.
    #[inline]
    pub fn exists(self) -> bool {
        (1..=month_days(self.year, self.month)).contains(&self.day)
    }
}

/// Number of days of a month; 0 if there is no such month.
#[inline]
pub fn month_days(year: i64, month: i64) -> i64 {
    const DAYS: [u8; 13] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = usize::try_from(month).ok().and_then(|month| DAYS.get(month)).copied();
    i64::from(days.unwrap_or(0)) + i64::from(month == 2 && is_leap)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn date(year: i64, month: i64, day: i64) -> Date {
        Date { year, month, day }
    }

    fn is_leap(year: i64) -> bool {
        year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0)
    }

    /// The day after a date, by the rule that is taught.
    fn next(Date { year, month, day }: Date) -> Date {
        let len = match month {
            2 if is_leap(year) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        match (day < len, month < 12) {
            (true, _) => date(year, month, day + 1),
            (false, true) => date(year, month + 1, 1),
            (false, false) => date(year + 1, 1, 1),
        }
    }

    /// Walks days one by one from a date, comparing each.
    fn walk(first: Date, first_day: i64, last_day: i64) -> Date {
        let mut walked = first;
        for day in first_day..=last_day {
            if day > first_day {
                walked = next(walked);
            }
            assert_eq!(Date::of_day(day), walked, "day {day}");
            assert_eq!(walked.to_day(), day, "{walked:?}");
            assert!(walked.exists());
        }
        walked
    }

    #[test]
    fn days_of_nine_centuries_are_those_that_are_walked() {
        assert_eq!(walk(date(-401, 1, 1), -865_990, -701_266), date(49, 12, 31));
        assert_eq!(walk(date(1599, 12, 31), -135_141, 11_322), date(2000, 12, 31));
    }

    #[test]
    fn days_of_the_ends_of_the_range_are_those_that_are_walked() {
        let first = date(-25_252_734_927_764_585, 6, 7);
        walk(first, i64::MIN, i64::MIN + 200_000);
        let near = i64::MAX - 200_000;
        let last = walk(Date::of_day(near), near, i64::MAX);
        assert_eq!(last, date(25_252_734_927_768_524, 7, 27));
    }

    #[test]
    fn known_dates_have_their_days() {
        for (day, want) in [
            (0, date(1970, 1, 1)),
            (-1, date(1969, 12, 31)),
            (11_016, date(2000, 2, 29)),
            (-719_162, date(1, 1, 1)),
            (-719_468, date(0, 3, 1)),
            (-719_528, date(0, 1, 1)),
            (2_932_896, date(9999, 12, 31)),
            (i32::MIN.into(), date(-5_877_641, 6, 23)),
            (i32::MAX.into(), date(5_881_580, 7, 11)),
        ] {
            assert_eq!((Date::of_day(day), want.to_day()), (want, day));
        }
    }

    #[test]
    fn dates_that_do_not_exist() {
        for (year, month, day) in
            [(2023, 2, 29), (1900, 2, 29), (2000, 2, 30), (1970, 4, 31), (1970, 1, 0)]
        {
            assert!(!date(year, month, day).exists());
        }
        for month in [i64::MIN, -1, 0, 13, i64::MAX] {
            assert_eq!(month_days(1970, month), 0);
        }
    }
}
