//! Numbers with units on command lines and in reports.
//!
//! Callers: code/index, series

use anyhow::{Context, Result, bail};

/// A number of bytes, with a unit behind it if need be: K, M, G or KiB, MiB, GiB of 1024, KB, MB, GB of 1000.
pub(crate) fn size(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic() || last == ' ');
    let unit: u64 = match text[digits.len()..].trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => bail!("{text:?} is no size: a number, and KiB, MiB or GiB behind it if need be"),
    };
    let number: u64 = digits.parse().ok().with_context(|| {
        format!("{text:?} is no size: a number, and KiB, MiB or GiB behind it if need be")
    })?;
    number.checked_mul(unit).with_context(|| format!("{text:?} is too large"))
}

/// A length of time in milliseconds, as Prometheus's tools take it: numbers with units, the larger ones first.
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

/// `1 sample`, `2 samples`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, want) in [
            ("17", 17),
            ("512MiB", 512 << 20),
            ("512 mib", 512 << 20),
            ("2G", 2 << 30),
            ("3KB", 3000),
            ("64k", 64 << 10),
        ] {
            assert_eq!(size(text).unwrap(), want, "{text}");
        }
        for wrong in ["", "M", "1T", "-1", "1.5G", "99999999999G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
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
