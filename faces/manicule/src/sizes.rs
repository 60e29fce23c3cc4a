//! Sizes as people write them: numbers of bytes, with units.

use crate::failure::Failure;

/// A number of bytes, with a unit if need be: K, M, G, T or KiB, MiB, GiB, TiB of 1024, KB, MB, GB,
/// TB of 1000. With a unit it may have decimals.
pub fn bytes(text: &str) -> Result<u64, Failure> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic() || last == ' ');
    let wrong = || {
        let why = "a number, with a unit if need be";
        Failure::asked(format_args!("{text:?} is no size such as 512MiB, 1.5G or 2TB: {why}"))
    };
    let unit: u64 = match text[digits.len()..].trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(wrong()),
    };
    let (whole, decimals) = match digits.split_once('.') {
        None => (digits, ""),
        // Half a byte is none.
        Some((whole, decimals)) if unit > 1 && !decimals.is_empty() => (whole, decimals),
        Some(_) => return Err(wrong()),
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(decimals) {
        return Err(wrong());
    }
    let too_large = || Failure::asked(format_args!("{text:?} is too large"));
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let part: f64 = format!("0.{decimals}0").parse().map_err(|_| wrong())?;
    let whole = whole.checked_mul(unit).ok_or_else(too_large)?;
    whole.checked_add((part * unit as f64) as u64).ok_or_else(too_large)
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
            ("1.5G", 3 << 29),
            ("0.25 KiB", 256),
            ("10TiB", 10 << 40),
            ("1.5TB", 1_500_000_000_000),
        ] {
            assert_eq!(bytes(text), Ok(want), "{text}");
        }
        for wrong in ["", "M", "-1", "1.5", "1.G", ".5G", "1.5.5G", "1e3M", "1P", "99999999999G"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
