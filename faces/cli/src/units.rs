//! Numbers with units on command lines and in reports.

use anyhow::{Context, Result, bail};
use manicule::sizes::bytes;

/// A part of a whole in percent.
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

/// The least memory that makes sense: below it blocks take many more passes and no less memory.
pub(crate) const MEMORY_MIN: u64 = 16 << 20;

/// A size for `--memory` of the commands that write blocks; a smaller one is as good as
/// [`MEMORY_MIN`].
pub(crate) fn memory(text: &str) -> Result<u64> {
    Ok(bytes(text)?.max(MEMORY_MIN))
}

/// A length of time in milliseconds, as Prometheus's tools take it: numbers with units, the larger
/// ones first.
pub(crate) fn duration_ms(text: &str) -> Result<i64> {
    const UNITS: [(&str, i64); 7] = [
        ("ms", 1),
        ("y", 365 * 86_400_000),
        ("w", 7 * 86_400_000),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1000),
    ];
    let wrong = || format!("{text:?} is no length of time such as 2h or 1d12h");
    let (mut rest, mut sum, mut unit_before) = (text, 0i64, i64::MAX);
    while !rest.is_empty() {
        let unit_at = rest.find(|byte: char| !byte.is_ascii_digit()).with_context(wrong)?;
        let number: i64 = rest[..unit_at].parse().ok().with_context(wrong)?;
        rest = &rest[unit_at..];
        let unit = UNITS.iter().find(|(unit, _)| rest.starts_with(unit)).with_context(wrong)?;
        if unit.1 >= unit_before {
            bail!(wrong());
        }
        (rest, unit_before) = (&rest[unit.0.len()..], unit.1);
        let part = number.checked_mul(unit.1).with_context(wrong)?;
        sum = sum.checked_add(part).with_context(wrong)?;
    }
    if text.is_empty() { bail!(wrong()) } else { Ok(sum) }
}

/// `a`, `a or b`, `a, b or c`, with a word before the last.
pub(crate) fn joined<W: AsRef<str>>(words: &[W], before_last: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} {before_last} {last}", others.join(", ")),
    }
}

/// `1 sample`, `2 samples`, `3 repositories`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {}", plural(count, what))
}

/// The noun alone, as [`counted`] has it.
pub(crate) fn plural(count: u64, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => what.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{what}s"),
    }
}

/// A number with a comma before each three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of bytes with a unit of 1000, to one decimal.
pub(crate) fn human_len(len: u64) -> String {
    match len {
        0..1000 => format!("{len} B"),
        1000..1_000_000 => format!("{:.1} KB", len as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", len as f64 / 1e6),
        _ => format!("{:.1} GB", len as f64 / 1e9),
    }
}

/// A time span in its largest fitting unit, rounded down.
pub(crate) fn human_age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_commas_and_one_conjunction() {
        let words = ["a", "b", "c"];
        assert_eq!(joined(&words[..0], "or"), "");
        assert_eq!(joined(&words[..1], "or"), "a");
        assert_eq!(joined(&words[..2], "or"), "a or b");
        assert_eq!(joined(&words, "and"), "a, b and c");
    }

    #[test]
    fn nouns_follow_their_numbers() {
        for (count, what, want) in [
            (0, "sample", "0 samples"),
            (1, "repository", "1 repository"),
            (2, "repository", "2 repositories"),
        ] {
            assert_eq!(counted(count, what), want);
        }
    }

    #[test]
    fn numbers_have_commas() {
        for (number, want) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), want);
        }
    }

    #[test]
    fn little_memory_is_the_least_that_makes_sense() {
        assert_eq!(memory("1").unwrap(), 16 << 20);
        assert_eq!(memory("17MiB").unwrap(), 17 << 20);
    }

    #[test]
    fn lengths_of_time_have_units() {
        let day = 86_400_000;
        for (text, want) in
            [("2h", day / 12), ("1d12h", 3 * day / 2), ("0s", 0), ("5ms", 5), ("1m1ms", 60_001)]
        {
            assert_eq!(duration_ms(text).unwrap(), want, "{text}");
        }
        for wrong in ["", "2", "h", "1h1d", "1h1h", "-1h", "1.5h", "99999999999999y", "2x"] {
            assert!(duration_ms(wrong).is_err(), "{wrong}");
        }
    }
}
